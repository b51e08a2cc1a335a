//! Parameters: accepted alternative spellings, and refused fields.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

/// Sends `params` after a read of `a.txt`, and returns its resulting text.
fn edited(text: &str, method: &str, params: Value) -> String {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.call(method, params).done();
    workspace.text("a.txt")
}

#[rstest]
#[case(json!({ "path": "a.txt", "oldText": "one", "newText": "two" }))]
#[case(json!({ "file_path": "a.txt", "old_string": "one", "new_string": "two" }))]
#[case(json!({ "filePath": "a.txt", "oldString": "one", "newString": "two" }))]
#[case(json!({ "path": "a.txt", "old_text": "one", "new_text": "two" }))]
#[case(json!({ "path": "a.txt", "edits": [{ "old_string": "one", "new_string": "two" }] }))]
#[case(json!({ "changes": [{ "kind": "edit", "file_path": "a.txt",
                             "edits": [{ "oldString": "one", "newString": "two" }] }] }))]
#[case(json!({ "path": "a.txt", "edits": r#"[{"oldText":"one","newText":"two"}]"# }))]
#[case(json!({ "changes": [{ "kind": "edit", "path": "a.txt",
                             "edits": r#"[{"old_text":"one","new_text":"two"}]"# }] }))]
fn an_edit_is_accepted_in_every_spelling(#[case] params: Value) {
    assert_eq!(edited("one\n", "editd/edit", params), "two\n");
}

#[rstest]
#[case(json!({ "replaceAll": true }))]
#[case(json!({ "replace_all": true }))]
#[case(json!({ "expectedReplacements": 2 }))]
#[case(json!({ "expected_replacements": 2 }))]
fn counts_are_accepted_in_every_spelling(#[case] count: Value) {
    let mut params = json!({ "path": "a.txt", "oldText": "one", "newText": "two" });
    params.as_object_mut().expect("an object").extend(count.as_object().expect("an object").clone());
    assert_eq!(edited("one one\n", "editd/edit", params), "two two\n");
}

#[rstest]
#[case("path")]
#[case("file_path")]
#[case("filePath")]
fn a_read_is_accepted_in_every_spelling(#[case] field: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let read = machine.agent(&workspace).call("editd/read", json!({ field: "a.txt" })).done();
    assert_eq!(read["text"], "one\n");
}

#[test]
fn a_single_edit_next_to_a_list_of_edits_comes_last() {
    let params = json!({
        "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }], "oldText": "two", "newText": "2",
    });
    assert_eq!(edited("one\ntwo\n", "editd/edit", params), "1\n2\n");
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let params = json!({
        "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }], "oldText": "absent", "newText": "2",
    });
    assert_eq!(agent.call("editd/edit", params).refused("not_found")["edit"], 1);
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[rstest]
#[case::read("editd/read", json!({ "path": "a.txt", "colour": 1 }), "path")]
#[case::status("editd/status", json!({ "colour": 1 }), "colour")]
#[case::short_edit(
    "editd/edit",
    json!({ "path": "a.txt", "oldText": "one", "newText": "two", "colour": 1 }),
    "oldText",
)]
#[case::propose(
    "editd/propose",
    json!({ "path": "a.txt", "oldText": "one", "newText": "two", "colour": 1 }),
    "oldText",
)]
#[case::in_an_edit(
    "editd/edit",
    json!({ "path": "a.txt", "edits": [{ "oldText": "one", "newText": "two", "colour": 1 }] }),
    "newText",
)]
#[case::in_a_change(
    "editd/edit",
    json!({ "changes": [{ "kind": "write", "path": "b.txt", "content": "", "colour": 1 }] }),
    "content",
)]
#[case::of_another_kind(
    "editd/edit",
    json!({ "changes": [{ "kind": "delete", "path": "a.txt", "colour": 1 }] }),
    "baseHash",
)]
#[case::apply("editd/apply", json!({ "id": "x", "colour": 1 }), "revision")]
#[case::discard("editd/discard", json!({ "id": "x", "colour": 1 }), "reason")]
#[case::proposal("editd/proposal", json!({ "id": "x", "colour": 1 }), "waitMs")]
#[case::proposals("editd/proposals", json!({ "colour": 1 }), "state")]
#[case::changes("editd/changes", json!({ "colour": 1 }), "since")]
fn an_unknown_field_is_refused_by_name(#[case] method: &str, #[case] params: Value, #[case] known: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let before = workspace.everything();
    let error = agent.call(method, params).invalid("colour");
    assert!(error.message.contains(known) || error.data.to_string().contains(known), "{error:?}");
    assert_eq!(workspace.everything(), before);
}

#[rstest]
#[case::no_path("editd/read", json!({}), "path")]
#[case::path_is_a_number("editd/read", json!({ "path": 7 }), "path")]
#[case::offset_is_a_text("editd/read", json!({ "path": "a.txt", "offset": "x" }), "offset")]
#[case::offset_is_negative("editd/read", json!({ "path": "a.txt", "offset": -1 }), "offset")]
#[case::limit_is_a_fraction("editd/read", json!({ "path": "a.txt", "limit": 1.5 }), "limit")]
#[case::no_new_text("editd/edit", json!({ "path": "a.txt", "oldText": "one" }), "newText")]
#[case::no_old_text("editd/edit", json!({ "path": "a.txt", "newText": "one" }), "oldText")]
#[case::neither_in_the_list(
    "editd/edit",
    json!({ "path": "a.txt", "edits": [{ "oldText": "one" }] }),
    "newText",
)]
#[case::edits_are_no_json("editd/edit", json!({ "path": "a.txt", "edits": "[{" }), "edits")]
#[case::edits_are_an_object("editd/edit", json!({ "path": "a.txt", "edits": {} }), "edits")]
#[case::nothing_to_do("editd/edit", json!({}), "changes")]
#[case::unknown_kind("editd/edit", json!({ "changes": [{ "kind": "paint", "path": "a.txt" }] }), "kind")]
#[case::no_kind("editd/edit", json!({ "changes": [{ "path": "a.txt", "content": "x" }] }), "kind")]
#[case::write_without_content(
    "editd/edit",
    json!({ "changes": [{ "kind": "write", "path": "b.txt" }] }),
    "content",
)]
#[case::rename_to_nowhere(
    "editd/edit",
    json!({ "changes": [{ "kind": "rename", "path": "a.txt" }] }),
    "newPath",
)]
#[case::no_such_matching(
    "editd/edit",
    json!({ "path": "a.txt", "oldText": "one", "newText": "2", "matching": "vague" }),
    "matching",
)]
#[case::no_such_way(
    "editd/edit",
    json!({ "path": "a.txt", "oldText": "one", "newText": "2", "onStale": "force" }),
    "onStale",
)]
#[case::not_a_hash(
    "editd/edit",
    json!({ "path": "a.txt", "oldText": "one", "newText": "2", "baseHash": "abc" }),
    "baseHash",
)]
#[case::no_id("editd/apply", json!({}), "id")]
#[case::no_such_state("editd/proposals", json!({ "state": "asleep" }), "state")]
fn invalid_parameters_are_named(#[case] method: &str, #[case] params: Value, #[case] field: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let before = workspace.everything();
    agent.call(method, params).invalid(field);
    assert_eq!(workspace.everything(), before);
}

#[rstest]
#[case(json!({ "path": "a.txt", "colour": 1 }), "colour")]
#[case(json!({ "path": "a.txt", "file_path": "b.txt", "oldText": "one", "newText": "2" }), "path")]
#[case(json!({ "path": "a.txt", "edits": [{ "oldText": "one", "new_text": "2", "newText": "3" }] }), "edits[0].newText")]
#[case(json!({ "path": "a.txt", "edits": [{ "oldText": "one", "newText": "2", "x": 1 }] }), "edits[0].x")]
#[case(json!({ "path": "a.txt", "edits": r#"[{"oldText":"one","newText":2}]"# }), "edits[0].newText")]
#[case(json!({ "path": "a.txt", "edits": r#"[{"oldText":"one"}]"# }), "edits[0].newText")]
#[case(json!({ "path": "a.txt", "edits": "[{" }), "edits")]
#[case(json!({ "path": "a.txt", "edits": {} }), "edits")]
#[case(json!({ "path": "a.txt", "waitMs": "soon" }), "waitMs")]
#[case(json!({ "path": "a.txt", "waitMs": 1, "wait_ms": 1 }), "waitMs")]
#[case(json!({ "changes": [{ "path": "a.txt" }] }), "changes[0].kind")]
#[case(json!({ "changes": [7] }), "changes[0]")]
#[case(json!({ "changes": [{ "kind": "delete", "path": "a.txt", "x": 1 }] }), "changes[0].x")]
#[case(json!({ "changes": r#"[{"kind":"write","path":"b.txt"}]"# }), "changes[0].content")]
#[case(
    json!({ "changes": [{ "kind": "edit", "path": "a.txt",
                          "edits": [{ "oldText": "one", "newText": "2" }, { "oldText": 7, "newText": "2" }] }] }),
    "changes[0].edits[1].oldText",
)]
#[case(
    json!({ "changes": [{ "kind": "edit", "path": "a.txt", "edits": r#"[{"oldText":"a","newText":"b"},{"newText":"b"}]"# }] }),
    "changes[0].edits[1].oldText",
)]
fn an_error_names_its_field_in_its_data(#[case] params: Value, #[case] field: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let error = machine.agent(&workspace).call("editd/edit", params).invalid(field);
    assert_eq!(error.data["field"], field, "{error:?}");
    assert!(!error.message.contains("``") && !error.message.contains('\u{1f}'), "{error:?}");
}

#[rstest]
#[case(json!({ "path": "a.txt", "edits": r#"[{"oldText":"one","newText":"2","newText":"3"}]"# }))]
#[case(json!({ "changes": r#"[{"kind":"delete","path":"b.txt","p\u0061th":"a.txt"}]"# }))]
fn a_duplicate_member_in_a_list_sent_as_text_is_refused(#[case] params: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let error = agent.call("editd/edit", params).invalid("twice");
    assert!(["edits", "changes"].map(Value::from).contains(&error.data["field"]), "{error:?}");
    assert_eq!(workspace.text("a.txt"), "one\n");
}
