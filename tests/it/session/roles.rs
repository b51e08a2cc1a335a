//! The socket determines the role of a client: methods that agents may not call.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace};

fn document(workspace: &Workspace) -> Value {
    json!({ "uri": format!("file://{}", workspace.absolute("a.txt")), "languageId": "text", "version": 1,
            "text": "taken over\n" })
}

#[rstest]
#[case("editd/decide", json!({ "id": "p1", "revision": 1, "accept": "all" }))]
#[case("editd/shutdown", json!({}))]
#[case(
    "textDocument/hover",
    json!({ "textDocument": { "uri": "file:///a" }, "position": { "line": 0, "character": 0 } }),
)]
#[case("textDocument/codeAction", json!({}))]
#[case("textDocument/unheardOf", json!({}))]
#[case("workspace/executeCommand", json!({ "command": "editd.accept" }))]
#[case("workspace/symbol", json!({ "query": "" }))]
fn an_agent_may_not_call_editor_methods(#[case] method: &str, #[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.call(method, params).refused("not_permitted");
    assert_eq!(agent.read("a.txt")["text"], "one\n");
}

#[rstest]
fn no_lsp_method_family_is_available_to_agents(
    #[values(
        "completionItem/resolve",
        "codeAction/resolve",
        "codeLens/resolve",
        "documentLink/resolve",
        "inlayHint/resolve",
        "workspaceSymbol/resolve",
        "callHierarchy/incomingCalls",
        "typeHierarchy/supertypes",
        "notebookDocument/didOpen",
        "editd/applyEdits",
        "editd/save",
        "editd/reload",
        "editd/resync",
        "editd/documentState",
        "editd/focus",
        "editd/diagnosticsChanged"
    )]
    method: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = Agent::connect(&machine, Framing::Lines);
    agent.call(method, json!({})).fails(-32002);
    agent.initialize(workspace.session("alice")).done();
    agent.call(method, json!({})).refused("not_permitted");
    agent.call("shutdown", Value::Null).done();
    agent.call(method, json!({})).fails(-32600);
    agent.call("editd/unheardOf", json!({})).fails(-32600);
}

#[test]
fn an_agents_document_notifications_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.notify("textDocument/didOpen", json!({ "textDocument": document(&workspace) }));
    agent.notify(
        "editd/documentState",
        json!({ "uri": document(&workspace)["uri"], "dirty": true, "version": 1 }),
    );
    agent.notify("editd/focus", json!({ "uri": document(&workspace)["uri"] }));
    agent.notify("workspace/didChangeWorkspaceFolders", json!({ "event": { "added": [], "removed": [] } }));
    let read = agent.read("a.txt");
    assert_eq!((&read["text"], &read["source"]), (&json!("one\n"), &json!("disk")));
}

#[test]
fn an_agents_shutdown_request_leaves_the_daemon_running() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/shutdown", json!({})).refused("not_permitted");
    agent.call("shutdown", Value::Null).done();
    agent.notify("exit", Value::Null);
    agent.wire().until_closed();
    assert!(machine.is_serving());
    machine.agent(&workspace).read("a.txt");
}

#[rstest]
#[case("editd/unheardOf")]
#[case("editd/Read")]
#[case("unheardOf")]
#[case("")]
fn an_unknown_method_is_reported_as_unknown(#[case] method: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.call(method, json!({})).fails(-32601);
    agent.read("a.txt");
}

#[test]
fn unknown_notifications_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    for method in ["$/unheardOf", "editd/unheardOf", "$/setTrace"] {
        agent.notify(method, json!({ "value": "off" }));
    }
    agent.read("a.txt");
}

#[test]
fn no_field_of_an_agents_edit_names_another_author() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "one", "newText": "two", "author": "bob" });
    agent.call("editd/edit", params).invalid("author");
    assert_eq!(workspace.text("a.txt"), "one\n");
}
