//! Editors that refuse or fail to apply edits, and texts that must not be lost.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;

use crate::support::{Editor, Kind, Machine, Manner, Outcome, Workspace, eventually};

#[rstest]
#[case(Kind::Plugin, Manner::Refuses, "editor_refused")]
#[case(Kind::Plain, Manner::Refuses, "editor_refused")]
#[case(Kind::Plugin, Manner::TakesBack, "editor_refused")]
#[case(Kind::Plugin, Manner::Lies, "editor_refused")]
#[case(Kind::Plain, Manner::Lies, "editor_refused")]
#[case(Kind::Plugin, Manner::Dies, "editor_refused")]
#[case(Kind::Plain, Manner::Garbles, "verify_failed")]
#[case(Kind::Plugin, Manner::Garbles, "verify_failed")]
#[case(Kind::Plugin, Manner::TypesBefore("typed\n"), "stale")]
#[case(Kind::Plain, Manner::TypesBefore("typed\n"), "stale")]
fn an_edit_that_was_not_applied_is_not_reported_as_applied(
    #[case] kind: Kind,
    #[case] manner: Manner,
    #[case] refused: &str,
) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, kind);
    let uri = editor.open(&workspace, "a.txt");
    editor.behave(manner.clone());
    let mut agent = machine.agent(&workspace);
    let refusal = agent.read_and_edit("a.txt", "one", "1").refused(refused);
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert!(agent.history().is_empty(), "nothing was applied");
    match manner {
        Manner::TypesBefore(_) => {
            assert_eq!(editor.text(&uri), "typed\none\n");
            editor.behave(Manner::Honest);
            let again = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "baseHash": refusal["currentHash"] });
            agent.call("editd/edit", again).done();
            assert_eq!(editor.text(&uri), "typed\n1\n");
        }
        Manner::Garbles => assert!(refusal["actualHash"].is_string()),
        _ => assert_eq!(editor.text(&uri), "one\n"),
    }
}

#[rstest]
#[case(Manner::Late(Duration::from_secs(11)))]
#[case(Manner::LateWithoutAWord(Duration::from_secs(11)))]
fn an_edit_applied_too_late_is_undone(#[case] manner: Manner) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.behave(manner);
    let refusal = machine.agent(&workspace).read_and_edit("a.txt", "one", "1").refused("editor_refused");
    assert!(refusal["reason"].as_str().unwrap().contains("within 10 s"), "{refusal}");
    editor.behave(Manner::Honest);
    eventually("the edit to be undone", || {
        (editor.edits_received(&uri) == 2 && editor.text(&uri) == "one\n").then_some(())
    });
    assert_eq!(workspace.text("a.txt"), "one\n");
}

/// Root can write even a file without write permission, and so could its editor.
#[test]
fn a_read_only_file_is_not_changed_through_its_editor_either() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mode = |mode: u32| {
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(workspace.absolute("a.txt"), permissions).expect("a mode");
    };
    mode(0o444);
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").refused("read_only");
    assert_eq!((editor.text(&uri), editor.is_dirty(&uri)), ("one\n".to_owned(), false));
    mode(0o644);
    agent.edit("a.txt", "one", "1").done();
    assert_eq!((editor.text(&uri), workspace.text("a.txt")), ("1\n".to_owned(), "1\n".to_owned()));
}

#[test]
fn deletes_and_renames_do_not_strand_unsaved_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    editor.replace(&uri, "one", "typed");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.change(json!({ "kind": "delete", "path": "a.txt" })).refused("editor_refused");
    let rename = json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" });
    agent.change(rename.clone()).refused("editor_refused");
    editor.save(&uri);
    agent.change(rename).done();
    assert_eq!(workspace.text("b.txt"), "typed\n");
}

#[rstest]
#[case("a\u{2028}b\n")]
#[case("a\u{b}b\n")]
#[case("a\u{85}b\n")]
fn unsaved_text_with_ambiguous_line_separators_is_refused(#[case] text: &str) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", text));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "a", "c").done();
    assert!(editor.requests("editd/applyEdits").is_empty(), "a clean document is changed on disk");
    eventually("the editor to reload it", || editor.text(&uri).starts_with('c').then_some(()));
    editor.type_at_start(&uri, "typed ");
    agent.read_and_edit("a.txt", "b", "d").refused("editor_refused");
}

#[test]
fn an_editor_out_of_sync_is_asked_for_its_text() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let range = json!({ "start": { "line": 9, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let about = json!({ "uri": uri, "version": 2 });
    let changes = json!([{ "range": range, "text": "x" }]);
    editor.notify("textDocument/didChange", json!({ "textDocument": about, "contentChanges": changes }));
    editor.settle();
    machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    assert_eq!(editor.requests("editd/resync").len(), 1);
    assert_eq!(editor.text(&uri), "1\n");
}

/// The editor has the file open, but not as a text document.
#[test]
fn a_file_open_as_a_notebook_is_changed_only_without_unsaved_changes() {
    let notebook = json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        { "cell_type": "code", "id": "a", "metadata": {}, "source": ["x = 1\n"], "outputs": [], "execution_count": null } ] });
    let (machine, workspace) = (Machine::start(), Workspace::file("a.ipynb", format!("{notebook:#}\n")));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = format!("file://{}", workspace.absolute("a.ipynb"));
    let document = json!({ "uri": uri, "languageId": "jupyter-notebook", "version": 1, "text": null });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let send_state = |dirty: bool| {
        editor.notify("editd/documentState", json!({ "uri": uri, "dirty": dirty, "version": 1 }));
    };
    let mut agent = machine.agent(&workspace);
    send_state(true);
    editor.settle();
    let read = agent.call("editd/read", json!({ "path": "a.ipynb" })).done();
    assert!(read["notice"].as_str().unwrap().contains("may hold unsaved text"), "{read:#}");
    let refused = agent.edit("a.ipynb", "x = 1", "x = 2").refused("editor_refused");
    assert!(refused["reason"].as_str().unwrap().contains("save it there first"), "{refused:#}");
    let delete = json!({ "kind": "delete", "path": "a.ipynb" });
    agent.change(delete).refused("editor_refused");
    assert!(editor.requests("editd/resync").is_empty(), "the editor has no text to send");
    send_state(false);
    editor.settle();
    let done = agent.edit("a.ipynb", "x = 1", "x = 2").done();
    assert_eq!((&done["files"][0]["source"], &done["files"][0]["saved"]), (&json!("disk"), &json!(true)));
    assert!(workspace.text("a.ipynb").contains("x = 2"), "{}", workspace.text("a.ipynb"));
    assert!(editor.requests("editd/applyEdits").is_empty());
}
