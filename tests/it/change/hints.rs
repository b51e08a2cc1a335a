//! What a refusal advises can be done with the request that was refused.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, RpcError, Workspace};

fn scene() -> (Machine, Workspace, Agent) {
    let code = "fn a() {\n    one();\n    two();\n}\n";
    // In windows-1252, which can only be guessed.
    let french = b"Un caf\xe9, s'il vous pla\xeet, \xe0 la terrasse.\n".as_slice();
    let files = [("code.rs", code.as_bytes()), ("empty.txt", b""), ("french.txt", french)];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["code.rs", "empty.txt", "french.txt"]);
    (machine, workspace, agent)
}

fn refused(answer: Answer) -> (RpcError, String) {
    let error = answer.expect_err("a refusal");
    let hint = error.data["hint"].as_str().unwrap_or_else(|| panic!("no hint: {error:?}")).to_owned();
    (error, hint)
}

#[rstest]
#[case::the_same_content("code.rs", "fn a() {\n    one();\n    two();\n}\n", "no_change")]
#[case::a_content_with_less(
    "code.rs",
    "fn a() {\n    // ... rest of the code unchanged ...\n}\n",
    "placeholder"
)]
fn a_write_is_not_told_of_the_parts_of_an_edit(
    #[case] path: &str,
    #[case] content: &str,
    #[case] kind: &str,
) {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.change(json!({ "kind": "write", "path": path, "content": content })));
    assert_eq!(error.kind(), kind);
    assert!(!hint.contains("Text`") && !error.message.contains("edit"), "{error:?}");
}

#[rstest]
#[case("editd/read", json!({ "path": "none.rs" }))]
#[case("editd/blame", json!({ "path": "none.rs" }))]
#[case("editd/list", json!({ "path": "none" }))]
#[case("editd/search", json!({ "pattern": "x", "path": "none" }))]
fn who_only_looks_is_not_told_how_to_write(#[case] method: &str, #[case] params: Value) {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.call(method, params));
    assert_eq!((error.kind(), hint.contains("write")), ("missing", false), "{error:?}");
}

#[test]
fn an_edit_of_what_is_not_there_is_told_how_to_make_it() {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.edit("none.rs", "a", "b"));
    assert_eq!((error.kind(), hint.contains("`write`")), ("missing", true), "{error:?}");
}

#[test]
fn a_root_that_is_not_there_is_not_to_be_written() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = Agent::connect(&machine, crate::support::Framing::Lines);
    let root = format!("file://{}/none", workspace.root().display());
    let session = json!({ "processId": null, "rootUri": root, "capabilities": {} });
    let (error, hint) = refused(agent.initialize(session));
    assert_eq!((error.kind(), hint.contains("write")), ("missing", false), "{error:?}");
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let (_machine, workspace, mut agent) = scene();
    let (error, hint) = refused(agent.edit("empty.txt", "a", "b"));
    assert_eq!(error.kind(), "not_found");
    assert!(error.message.contains("is empty") && hint.contains("`write`"), "{error:?}");
    agent.change(json!({ "kind": "write", "path": "empty.txt", "content": "b\n" })).expect("a content");
    assert_eq!(workspace.text("empty.txt"), "b\n");
}

#[test]
fn a_guessed_encoding_is_told_what_it_takes() {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.edit("french.txt", "terrasse", "théâtre"));
    assert_eq!(error.kind(), "encoding");
    assert!(hint.contains("ASCII") && !hint.contains("characters that"), "{error:?}");
    assert!(error.message.contains("windows-1252") && hint.contains("as `encoding`"), "{error:?}");
    let edit = json!({ "path": "french.txt", "oldText": "terrasse", "newText": "théâtre", "encoding": "windows-1252" });
    agent.call("editd/edit", edit).expect("its author has named the encoding");
}

#[test]
fn an_edit_without_edits_is_told_what_it_lacks() {
    let (_machine, _workspace, mut agent) = scene();
    let error = agent.call("editd/edit", json!({ "path": "code.rs" })).expect_err("a refusal");
    assert_eq!((error.code, &error.data["field"]), (-32602, &json!("edits")), "{error:?}");
    assert!(error.message.contains("`oldText`") && !error.message.contains("changes"), "{error:?}");
}

#[test]
fn a_history_before_nothing_does_not_speak_of_undoing() {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.call("editd/history", json!({ "before": "nope" })));
    assert_eq!((error.kind(), &error.data["transaction"]), ("missing", &json!("nope")));
    assert!(!error.message.contains("undo") && !hint.contains("undo"), "{error:?}");
}

#[test]
fn a_new_session_is_told_that_it_is_one_and_an_older_one_is_not() {
    let (mut machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    let given = agent.read("a.txt")["hash"].clone();
    let (error, hint) = refused(agent.edit("b.txt", "b", "c"));
    assert_eq!((error.kind(), hint.contains("new one")), ("unread", false), "{error:?}");
    machine.restart();
    let mut agent = machine.agent(&workspace);
    let (error, hint) = refused(agent.edit("a.txt", "a", "b"));
    assert_eq!(error.kind(), "unread");
    assert!(hint.contains("started anew") && error.data["currentHash"] == given, "{error:?}");
    // What there is nothing to say of is left out.
    assert!(refused(agent.edit("a.txt", "none", "b")).0.data.get("excerpt").is_none());
}
