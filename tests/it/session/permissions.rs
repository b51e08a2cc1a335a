//! No request can extend the permissions of its connection.

use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Workspace, uri_of};

/// Fields that a manipulated agent might send to extend its permissions.
const EXTRA_FIELDS: [&str; 10] =
    ["root", "roots", "role", "force", "policy", "author", "review", "hardLinks", "limits", "session"];

/// Returns valid parameters for a method, so that only an added field can be invalid.
fn params_of(method: &str) -> Value {
    match method {
        "editd/read" | "editd/blame" => json!({ "path": "a.txt" }),
        "editd/propose" | "editd/edit" => json!({ "path": "a.txt", "oldText": "one", "newText": "two" }),
        "editd/nativeRead" => json!({ "path": "a.txt", "text": "one" }),
        "editd/nativeEdit" => {
            let origin = json!({ "toolCall": "1" });
            json!({ "path": "a.txt", "oldText": "one", "newText": "two", "origin": origin })
        }
        "editd/nativeDone" | "editd/nativeSession" => json!({ "toolCall": "1" }),
        "editd/nativeCall" => json!({ "origin": { "toolCall": "1" } }),
        "editd/apply" | "editd/discard" | "editd/proposal" => json!({ "id": "p1" }),
        _ => json!({}),
    }
}

/// Returns `true` if a method has this field legitimately. `review` asks for more review, never for less.
/// `session` and `author` omit the transactions of others.
fn is_known(method: &str, field: &str) -> bool {
    match field {
        "review" => ["editd/edit", "editd/apply", "editd/undo", "editd/nativeEdit"].contains(&method),
        "session" | "author" => method == "editd/history",
        _ => false,
    }
}

#[test]
fn no_method_accepts_a_field_that_extends_permissions() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = Agent::connect(&machine, Framing::Lines);
    let introduced = agent.initialize(workspace.session("alice")).done();
    agent.read("a.txt");
    let methods = introduced["capabilities"]["experimental"]["editd"]["methods"].as_array().expect("a list");
    assert!(methods.len() >= 12, "{methods:?}");
    for method in methods.iter().map(|method| method.as_str().expect("a name")) {
        for field in EXTRA_FIELDS.into_iter().filter(|field| !is_known(method, field)) {
            for value in [json!("editor"), json!(true), json!(["/"])] {
                let mut params = params_of(method);
                params[field] = value;
                agent.call(method, params).invalid(field);
            }
        }
    }
    assert_eq!(workspace.everything().len(), 1);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn no_change_or_edit_accepts_such_a_field_either() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for field in EXTRA_FIELDS {
        let mut edit = json!({ "oldText": "one", "newText": "two" });
        let mut change = json!({ "kind": "edit", "path": "a.txt", "edits": [edit] });
        change[field] = json!(true);
        agent.change(change).invalid(field);
        edit[field] = json!(true);
        agent.change(json!({ "kind": "edit", "path": "a.txt", "edits": [edit] })).invalid(field);
        for kind in ["write", "delete", "rename"] {
            let mut change = json!({ "kind": kind, "path": "a.txt" });
            change[field] = json!(true);
            agent.change(change).fails(-32602);
        }
    }
    assert_eq!(workspace.everything().len(), 1);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn roles_and_permissions_in_initialize_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    std::fs::write(workspace.outside("secret.txt"), "one\n").expect("a file");
    let outside = workspace.outside("secret.txt");
    let outside = outside.to_str().expect("text");
    let mut session = workspace.session("alice");
    for field in EXTRA_FIELDS {
        session[field] = json!("editor");
        session["clientInfo"][field] = json!("editor");
    }
    session["initializationOptions"] = json!({ "role": "editor", "roots": ["/"], "force": true });
    session["capabilities"] = json!({ "experimental": { "editd": { "role": "editor", "review": true } } });
    let mut agent = machine.agent_with(session);
    agent.call("editd/shutdown", json!({})).refused("not_permitted");
    agent.try_read(outside).refused("outside_workspace");
    // A second `initialize` and an added workspace folder are ignored as well.
    let parent = uri_of(workspace.root().parent().expect("a folder"));
    let wider = json!({ "workspaceFolders": [{ "uri": parent, "name": "all" }], "capabilities": {} });
    assert!(agent.call("initialize", wider).is_err());
    let added = json!({ "event": { "added": [{ "uri": parent, "name": "all" }], "removed": [] } });
    agent.notify("workspace/didChangeWorkspaceFolders", added);
    agent.try_read(outside).refused("outside_workspace");
    agent.read("a.txt");
}
