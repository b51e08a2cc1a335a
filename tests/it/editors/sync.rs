//! The daemon's open documents stay in sync with the editor, for any kind and speed of typing.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Chance, Editor, Kind, Machine, Outcome, Workspace, hash_of};

#[test]
fn thousands_of_changes_in_a_row_arrive_in_order() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "start\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.type_many(&uri, 5_000, &mut Chance::new("thousands of keys"));
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!(read["hash"], hash_of(editor.text(&uri)));
}

#[test]
fn several_changes_in_one_notification_are_applied_in_order() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "abc\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open(&workspace, "a.txt");
    let range = |start: u32, end: u32| -> Value {
        json!({ "start": { "line": 0, "character": start }, "end": { "line": 0, "character": end } })
    };
    let changes = json!([{ "range": range(0, 1), "text": "12" }, { "range": range(1, 2), "text": "" }]);
    let about = json!({ "uri": uri, "version": 2 });
    editor.notify("textDocument/didChange", json!({ "textDocument": about, "contentChanges": changes }));
    editor.settle();
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "1bc\n");
}

#[test]
fn changes_of_documents_that_are_not_open_are_ignored() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "abc\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open(&workspace, "a.txt");
    editor.close(&uri);
    let about = json!({ "uri": uri, "version": 2 });
    editor.notify(
        "textDocument/didChange",
        json!({ "textDocument": about, "contentChanges": [{ "text": "x" }] }),
    );
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    editor.notify("editd/documentState", json!({ "uri": uri, "dirty": true, "version": 3 }));
    editor.notify("editd/documentState", json!({ "uri": 7 }));
    editor.settle();
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "abc\n");
}

#[test]
fn agents_cannot_act_as_editors() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "abc\n"));
    let mut agent = machine.agent(&workspace);
    let uri = crate::support::uri_of(&workspace.path("a.txt"));
    let item = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "forged" });
    agent.notify("textDocument/didOpen", json!({ "textDocument": item }));
    assert_eq!(agent.read("a.txt")["text"], "abc\n");
    for method in ["textDocument/didOpen", "editd/documentState", "editd/focus", "editd/applyEdits"] {
        agent.call(method, json!({})).refused("not_permitted");
    }
}

/// Sends a change with this version.
fn change(editor: &Editor, uri: &str, version: &Value, changes: &Value) {
    let mut about = json!({ "uri": uri, "version": version });
    if version == "absent" {
        about = json!({ "uri": uri });
    }
    editor.notify("textDocument/didChange", json!({ "textDocument": about, "contentChanges": changes }));
    editor.settle();
}

#[rstest]
#[case::null(json!(null))]
#[case::absent(json!("absent"))]
#[case::with_a_point(json!(2.0))]
fn a_change_without_a_valid_version_counts_as_the_next(#[case] version: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "abc\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open(&workspace, "a.txt");
    let at = json!({ "line": 0, "character": 0 });
    let insert = json!([{ "range": { "start": at, "end": at }, "rangeLength": -1, "text": "typed " }]);
    change(&editor, &uri, &version, &insert);
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!((&read["text"], &read["source"]), (&json!("typed abc\n"), &json!("editor")));
    assert_eq!(read["version"], 2);
    change(&editor, &uri, &version, &json!([{ "text": "whole\n" }]));
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "whole\n");
}

#[test]
fn a_column_past_the_end_of_its_line_is_accepted() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "abc\ndef\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = editor.open(&workspace, "a.txt");
    let range =
        json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 1_u64 << 32 } });
    change(&editor, &uri, &json!(2), &json!([{ "range": range, "text": "" }]));
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "a\ndef\n");
}

#[rstest]
#[case::a_column_before_the_first(json!([{ "range": { "start": { "line": 0, "character": -1 }, "end": { "line": 0, "character": 0 } }, "text": "x" }]))]
#[case::no_end(json!([{ "range": { "start": { "line": 0, "character": 0 } }, "text": "x" }]))]
#[case::no_text(json!([{ "text": 7 }]))]
#[case::no_list(json!({}))]
#[case::nothing(json!(null))]
fn an_invalid_change_leaves_the_document_out_of_sync(#[case] changes: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    // A plain editor cannot be asked to send its text again; one with the plugin can.
    let plain = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = plain.open(&workspace, "a.txt");
    change(&plain, &uri, &json!(2), &changes);
    let mut agent = machine.agent(&workspace);
    let refused = agent.read_and_edit("a.txt", "one", "1").refused("editor_refused");
    assert!(refused["reason"].as_str().unwrap().contains("different texts"), "{refused}");
    assert_eq!(workspace.text("a.txt"), "one\n");
    plain.close(&uri);

    let plugin = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = plugin.open(&workspace, "a.txt");
    change(&plugin, &uri, &json!(2), &changes);
    agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!((plugin.text(&uri), workspace.text("a.txt")), ("1\n".to_owned(), "1\n".to_owned()));
    assert_eq!(plugin.requests("editd/resync").len(), 1);
}

#[test]
fn a_document_opened_without_text_is_not_changed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = crate::support::uri_of(&workspace.path("a.txt"));
    editor.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": uri, "version": 1, "text": null } }),
    );
    editor.settle();
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").refused("editor_refused");
    change(&editor, &uri, &json!(2), &json!([{ "text": "one\nunsaved\n" }]));
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "one\nunsaved\n");
}

#[rstest]
#[case("[slug].txt")]
#[case("é.txt")]
#[case("a b.txt")]
#[case("{x}|^.txt")]
fn an_unescaped_uri_is_accepted(#[case] name: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file(name, "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plain);
    let uri = format!("file://{}", workspace.absolute(name));
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "unsaved\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    change(&editor, &uri, &json!(2), &json!([{ "text": "typed\n" }]));
    let read = machine.agent(&workspace).read(name);
    assert_eq!((&read["text"], &read["source"]), (&json!("typed\n"), &json!("editor")));
}
