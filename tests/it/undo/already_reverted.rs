//! Tests of changes that another program has already reverted: an undo skips them and goes on to the one
//! before.

use std::fs;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace};

const BEFORE: &str = "one\ntwo\nthree\n";

/// Two edits of one file, on adjacent lines, by an agent; returns their transactions.
fn scene() -> (Machine, Workspace, Agent, [Value; 2]) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("f.txt", BEFORE), ("g.txt", "g\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["f.txt", "g.txt"]);
    let first = agent.edit("f.txt", "one", "eins").done();
    let second = agent.edit("f.txt", "eins\ntwo", "uno\ndos").done();
    (machine, workspace, agent, [first, second].map(|done| done["transaction"].clone()))
}

#[test]
fn edits_reverted_by_a_checkout_need_no_undo() {
    let (_machine, workspace, mut agent, [first, second]) = scene();
    workspace.put("f.txt", BEFORE);
    for id in [&second, &first] {
        let refusal = agent.call("editd/undo", json!({ "transaction": id })).refused("no_change");
        assert_eq!(&refusal["transaction"], id);
    }
    let refusal = agent.call("editd/undo", json!({})).refused("no_change");
    assert_eq!(refusal["transaction"], second);
    assert_eq!(workspace.text("f.txt"), BEFORE);
}

#[test]
fn a_plain_undo_skips_reverted_changes_and_reports_them() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("f.txt", BEFORE), ("g.txt", "g\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["f.txt", "g.txt"]);
    agent.edit("g.txt", "g", "G").done();
    agent.edit("f.txt", "one", "eins").done();
    let newest = agent.edit("f.txt", "eins", "uno").done();
    workspace.put("f.txt", BEFORE);
    let undone = agent.call("editd/undo", json!({})).done();
    assert_eq!((workspace.text("f.txt"), workspace.text("g.txt")), (BEFORE.to_owned(), "g\n".to_owned()));
    let note = undone["files"][0]["warnings"][0].as_str().expect("a note");
    let id = newest["transaction"].as_str().expect("an id");
    assert!(note.contains(id) && note.contains("were skipped"), "{note}");
}

#[test]
fn a_partly_reverted_change_is_undone_where_it_remains() {
    let (_machine, workspace, mut agent, _) = scene();
    agent.edit("g.txt", "g", "G").done();
    let both = json!({ "changes": [
        { "kind": "edit", "path": "f.txt", "edits": [{ "oldText": "three", "newText": "tres" }] },
        { "kind": "edit", "path": "g.txt", "edits": [{ "oldText": "G", "newText": "H" }] },
    ] });
    agent.call("editd/edit", both).done();
    workspace.put("f.txt", BEFORE);
    let undone = agent.call("editd/undo", json!({})).done();
    assert_eq!((workspace.text("f.txt"), workspace.text("g.txt")), (BEFORE.to_owned(), "G\n".to_owned()));
    assert_eq!(undone["files"].as_array().map(Vec::len), Some(1));
}

#[rstest]
#[case::created(json!({ "kind": "write", "path": "new.txt", "content": "x\n" }))]
#[case::deleted(json!({ "kind": "delete", "path": "f.txt" }))]
#[case::renamed(json!({ "kind": "rename", "path": "f.txt", "newPath": "h.txt" }))]
fn files_that_are_already_reverted_are_omitted(#[case] change: Value) {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("f.txt", BEFORE), ("g.txt", "g\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read_all(&["f.txt", "g.txt"]);
    let edit = json!({ "kind": "edit", "path": "g.txt", "edits": [{ "oldText": "g", "newText": "G" }] });
    agent.changes(vec![change, edit]).done();
    for gone in ["new.txt", "h.txt"] {
        let _ = fs::remove_file(workspace.path(gone));
    }
    workspace.put("f.txt", BEFORE);
    agent.call("editd/undo", json!({})).done();
    assert_eq!((workspace.text("f.txt"), workspace.text("g.txt")), (BEFORE.to_owned(), "g\n".to_owned()));
    assert!(!workspace.has("new.txt") && !workspace.has("h.txt"));
}

#[test]
fn edits_of_a_created_file_that_is_gone_need_no_undo() {
    let (machine, workspace) = (Machine::start(), Workspace::file("g.txt", "g\n"));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("g.txt", "g", "G").done();
    agent.change(json!({ "kind": "write", "path": "new.txt", "content": "x\n" })).done();
    agent.edit("new.txt", "x", "y").done();
    fs::remove_file(workspace.path("new.txt")).expect("the file is there");
    agent.call("editd/undo", json!({})).done();
    assert_eq!(workspace.text("g.txt"), "g\n");
    assert!(!workspace.has("new.txt"));
}

#[test]
fn a_refusal_names_the_blocking_transaction() {
    let (_machine, workspace, mut agent, [first, second]) = scene();
    agent.edit("f.txt", "three", "tres").done();
    let before = workspace.everything();
    let error = agent.call("editd/undo", json!({ "transaction": first })).fails(-32801);
    assert_eq!((error.kind(), &error.data["transaction"]), ("stale", &second));
    assert!(error.message.contains(second.as_str().expect("an id")), "{}", error.message);
    assert_eq!(workspace.everything(), before);
}

#[test]
fn a_created_file_that_was_edited_names_the_newest_edit() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    let made = agent.change(json!({ "kind": "write", "path": "new.txt", "content": "x\n" })).done();
    agent.edit("new.txt", "x", "y").done();
    let newest = agent.edit("new.txt", "y", "z").done();
    let refusal = agent.undo_this(&made).refused("stale");
    assert_eq!(refusal["transaction"], newest["transaction"]);
}

#[test]
fn a_later_text_of_another_program_names_no_transaction() {
    let (_machine, workspace, mut agent, [_, second]) = scene();
    workspace.put("f.txt", "UNO\nDOS\nthree\n");
    let refusal = agent.call("editd/undo", json!({ "transaction": second })).refused("stale");
    assert_eq!(refusal.get("transaction"), None, "{refusal}");
}
