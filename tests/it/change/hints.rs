//! The hint of a refusal can be followed with the refused request.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Answer, Machine, RpcError, Workspace};

fn scene() -> (Machine, Workspace, Agent) {
    let code = "fn a() {\n    one();\n    two();\n}\n";
    // Encoded in windows-1252, which can only be guessed.
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
fn hints_for_a_write_do_not_mention_fields_of_an_edit(
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
fn hints_for_read_only_methods_do_not_mention_writing(#[case] method: &str, #[case] params: Value) {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.call(method, params));
    assert_eq!((error.kind(), hint.contains("write")), ("missing", false), "{error:?}");
}

#[test]
fn the_hint_for_an_edit_of_a_missing_file_is_to_write_it() {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.edit("none.rs", "a", "b"));
    assert_eq!((error.kind(), hint.contains("`write`")), ("missing", true), "{error:?}");
}

#[test]
fn the_hint_for_a_missing_root_does_not_mention_writing() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = Agent::connect(&machine, crate::support::Framing::Lines);
    let root = format!("file://{}/none", workspace.root().display());
    let session = json!({ "processId": null, "rootUri": root, "capabilities": {} });
    let (error, hint) = refused(agent.initialize(session));
    assert_eq!((error.kind(), hint.contains("write")), ("missing", false), "{error:?}");
}

#[test]
fn an_edit_of_an_empty_file_is_refused_as_empty() {
    let (_machine, workspace, mut agent) = scene();
    let (error, hint) = refused(agent.edit("empty.txt", "a", "b"));
    assert_eq!(error.kind(), "not_found");
    assert!(error.message.contains("is empty") && hint.contains("`write`"), "{error:?}");
    agent.change(json!({ "kind": "write", "path": "empty.txt", "content": "b\n" })).expect("a content");
    assert_eq!(workspace.text("empty.txt"), "b\n");
}

#[test]
fn the_refusal_for_a_guessed_encoding_names_its_limits() {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.edit("french.txt", "terrasse", "théâtre"));
    assert_eq!(error.kind(), "encoding");
    assert!(hint.contains("ASCII") && !hint.contains("characters that"), "{error:?}");
    assert!(error.message.contains("windows-1252") && hint.contains("as `encoding`"), "{error:?}");
    let edit = json!({ "path": "french.txt", "oldText": "terrasse", "newText": "théâtre", "encoding": "windows-1252" });
    agent.call("editd/edit", edit).expect("an edit with an explicit encoding");
}

#[test]
fn an_edit_without_edits_is_refused_with_the_missing_fields() {
    let (_machine, _workspace, mut agent) = scene();
    let error = agent.call("editd/edit", json!({ "path": "code.rs" })).expect_err("a refusal");
    assert_eq!((error.code, &error.data["field"]), (-32602, &json!("edits")), "{error:?}");
    assert!(error.message.contains("`oldText`") && !error.message.contains("changes"), "{error:?}");
}

#[test]
fn an_unknown_history_position_is_refused_without_mentioning_undo() {
    let (_machine, _workspace, mut agent) = scene();
    let (error, hint) = refused(agent.call("editd/history", json!({ "before": "nope" })));
    assert_eq!((error.kind(), &error.data["transaction"]), ("missing", &json!("nope")));
    assert!(!error.message.contains("undo") && !hint.contains("undo"), "{error:?}");
}

#[test]
fn only_a_new_session_is_reported_as_restarted() {
    let (mut machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    let given = agent.read("a.txt")["hash"].clone();
    let (error, hint) = refused(agent.edit("b.txt", "b", "c"));
    assert_eq!((error.kind(), hint.contains("new one")), ("unread", false), "{error:?}");
    machine.restart();
    let mut agent = machine.agent(&workspace);
    let (error, hint) = refused(agent.edit("a.txt", "a", "b"));
    assert_eq!(error.kind(), "unread");
    assert!(hint.contains("was restarted") && error.data["currentHash"] == given, "{error:?}");
    // An excerpt without content is omitted.
    assert!(refused(agent.edit("a.txt", "none", "b")).0.data.get("excerpt").is_none());
}
