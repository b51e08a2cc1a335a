//! The daemon's copy of a document stays in step, whatever is typed and however fast.

use serde_json::{Value, json};

use crate::support::{Chance, Editor, Kind, Machine, Outcome, Workspace, hash_of};

#[test]
fn thousands_of_keys_in_a_row_arrive_in_their_order() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "start\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.type_many(&uri, 5_000, &mut Chance::new("thousands of keys"));
    let read = machine.agent(&workspace).read("a.txt");
    assert_eq!(read["hash"], hash_of(editor.text(&uri)));
}

#[test]
fn several_changes_in_one_notification_are_made_one_after_another() {
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
fn changes_of_what_is_not_open_are_ignored() {
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
fn agents_cannot_pretend_to_be_editors() {
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
