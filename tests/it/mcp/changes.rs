//! Changes through tools, with arguments as models send them.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Machine, Mcp, Workspace, numbered_lines};

fn scene(files: &[(&str, &str)]) -> (Machine, Workspace, Mcp) {
    let (machine, workspace) = (Machine::start(), Workspace::with(files));
    let mcp = Mcp::start(&machine, &workspace);
    (machine, workspace, mcp)
}

#[test]
fn a_file_is_read_edited_and_edited_again_without_reading() {
    let (_machine, workspace, mut mcp) = scene(&[("a.txt", "one\ntwo\n")]);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    let edited =
        mcp.call("edit", json!({ "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] })).done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
    let transaction = edited.said("Transaction ");
    assert_eq!(
        (&edited.data["state"], &edited.data["transaction"]),
        (&json!("applied"), &json!(transaction))
    );
    assert_eq!(edited.data["files"][0]["lines"], "1");
    let tag = edited.data["files"][0]["tag"].as_str().expect("a tag").to_owned();
    assert!(edited.text.contains(&format!("a.txt#{tag} (+1 -1), line 1\n")), "{}", edited.text);
    let short = json!({ "path": "a.txt", "old_string": "two", "new_string": "2\n3", "label": null });
    let edited = mcp.call("edit", short).done();
    assert!(edited.text.contains(" (+2 -1), lines 2-3\n"), "{}", edited.text);
    // The numbers of the version that an answer names can be used without a read.
    for (tag, line) in [(tag.as_str(), "1"), (edited.data["files"][0]["tag"].as_str().expect("a tag"), "3")] {
        let by_lines = json!([{ "lines": line, "newText": format!("line {line}") }]);
        mcp.call("edit", json!({ "path": format!("a.txt#{tag}"), "edits": by_lines })).done();
    }
    assert_eq!(workspace.text("a.txt"), "line 1\n2\nline 3\n");
}

#[test]
fn a_merge_shows_what_others_had_changed() {
    let machine = Machine::configured("stale = \"merge\"\n");
    let workspace = Workspace::file("a.txt", "one\ntwo\nthree\nfour\nfive\n");
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    workspace.put("a.txt", "1\ntwo\nthree\nfour\nfive\n");
    let edited = mcp.call("edit", json!({ "path": "a.txt", "oldText": "five", "newText": "5" })).done();
    assert_eq!(workspace.text("a.txt"), "1\ntwo\nthree\nfour\n5\n");
    let others = "Others had changed the file since you read it:\n";
    let (_, shown) = edited.text.split_once(others).expect("their change");
    assert!(shown.contains("\n-one\n+1\n") && !shown.contains("+5"), "{}", edited.text);
}

#[test]
fn a_small_difference_is_tolerated_and_reported() {
    let (_machine, workspace, mut mcp) = scene(&[("a.py", "def f():\n    return \"x\"\n")]);
    mcp.call("read", json!({ "path": "a.py" })).done();
    let edit = json!({ "path": "a.py", "oldText": "return “x”", "newText": "return \"y\"" });
    let edited = mcp.call("edit", edit).done();
    assert_eq!(workspace.text("a.py"), "def f():\n    return \"y\"\n");
    for expected in ["-    return \"x\"\n+    return \"y\"\n", "\nNote: "] {
        assert!(edited.text.contains(expected), "{}", edited.text);
    }
}

#[test]
fn files_are_created_with_their_folders_and_overwritten() {
    let (_machine, workspace, mut mcp) = scene(&[("a.txt", "one\r\n")]);
    let written =
        mcp.call("write", json!({ "path": "b/c.txt", "content": "new\n", "label": "start" })).done();
    assert_eq!(
        (workspace.text("b/c.txt"), &written.data["files"][0]["action"]),
        ("new\n".into(), &json!("create"))
    );
    assert!(!written.text.contains("+new"), "the author knows the content: {}", written.text);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call("write", json!({ "file_path": "a.txt", "content": "one\ntwo\n" })).done();
    assert_eq!(workspace.text("a.txt"), "one\r\ntwo\r\n");
}

#[test]
fn a_patch_changes_adds_renames_and_deletes_in_one_step() {
    let (_machine, workspace, mut mcp) = scene(&[("a.txt", "one\n"), ("b.txt", "bee\n"), ("c.txt", "sea\n")]);
    for name in ["a.txt", "b.txt", "c.txt"] {
        mcp.call("read", json!({ "path": name })).done();
    }
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Add File: new.txt\n+new\n\
        *** Delete File: b.txt\n*** Update File: c.txt\n*** Move to: d.txt\n@@\n-sea\n+C\n*** End Patch\n";
    let patched = mcp.call("apply_patch", json!({ "patch": patch })).done();
    assert_eq!((workspace.text("a.txt"), workspace.text("new.txt")), ("1\n".into(), "new\n".into()));
    assert_eq!(
        (workspace.has("b.txt"), workspace.has("c.txt"), workspace.text("d.txt")),
        (false, false, "C\n".into())
    );
    for words in ["Changed ", "Created ", "Deleted ", "Renamed "] {
        assert!(patched.text.contains(words), "{words}: {}", patched.text);
    }
    mcp.call("undo", json!({ "transaction": patched.data["transaction"] })).done();
    assert_eq!(
        (workspace.text("a.txt"), workspace.has("new.txt"), workspace.has("b.txt")),
        ("one\n".into(), false, true)
    );
}

#[test]
fn cells_of_a_notebook_are_edited() {
    let cell = json!({ "cell_type": "code", "id": "c1", "metadata": {}, "source": ["x = 1\n"], "outputs": [], "execution_count": null });
    let book = json!({ "cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    let (_machine, workspace, mut mcp) = scene(&[("n.ipynb", &format!("{book:#}"))]);
    let read = mcp.call("read", json!({ "path": "n.ipynb" })).done();
    assert!(read.content().contains("[cell 0, code, id c1]\nx = 1"), "{}", read.text);
    let cells = json!([{ "op": "replace", "id": "c1", "source": "x = 2\n" }]);
    mcp.call("notebook_edit", json!({ "path": "n.ipynb", "cells": cells })).done();
    let now: Value = serde_json::from_str(&workspace.text("n.ipynb")).expect("JSON");
    assert_eq!(now["cells"][0]["source"], json!(["x = 2\n"]));
}

#[test]
fn the_newest_change_is_undone_and_the_undo_too() {
    let (_machine, workspace, mut mcp) = scene(&[("a.txt", "one\n")]);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" })).done();
    let undone = mcp.call("undo", Value::Null).done();
    assert_eq!(workspace.text("a.txt"), "one\n");
    assert!(
        undone.said("Undone: ").starts_with('t') && undone.text.contains("-two\n+one\n"),
        "{}",
        undone.text
    );
    mcp.call("undo", json!({ "transaction": undone.said("Transaction ") })).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[rstest]
#[case::short(25, true)]
#[case::long(35, false)]
fn an_undo_shows_its_diff_up_to_60_lines(#[case] lines: usize, #[case] is_shown: bool) {
    let text = numbered_lines(lines);
    let (_machine, workspace, mut mcp) = scene(&[("a.txt", &text)]);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "line", "newText": "row", "replaceAll": true }))
        .done();
    let undone = mcp.call("undo", Value::Null).done();
    assert_eq!(workspace.text("a.txt"), text);
    let last = format!("+line {lines}\n");
    assert_eq!(
        (undone.text.contains("-row 1\n"), undone.text.contains(&last)),
        (is_shown, is_shown),
        "{}",
        undone.text
    );
    assert!(undone.text.contains(&format!("lines 1-{lines}")), "{}", undone.text);
    assert!(!undone.text.contains("cut:"), "{}", undone.text);
}

#[test]
fn without_an_id_only_changes_of_this_session_are_undone() {
    let (mut machine, workspace, mut mine) = scene(&[("a.txt", "one\ntwo\n")]);
    let mut other = Mcp::start(&machine, &workspace);
    mine.call("read", json!({ "path": "a.txt" })).done();
    mine.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "eins" })).done();
    other.call("read", json!({ "path": "a.txt" })).done();
    other.call("edit", json!({ "path": "a.txt", "oldText": "two", "newText": "zwei" })).done();
    machine.restart();
    mine.call("undo", Value::Null).done();
    assert_eq!(workspace.text("a.txt"), "one\nzwei\n", "a restarted daemon knows the session of each change");
    mine.call("undo", json!({ "path": "a.txt" })).refused("missing");
    other.call("undo", json!({ "path": "a.txt" })).done();
    assert_eq!(workspace.text("a.txt"), "one\ntwo\n");
}

#[test]
fn calls_sent_at_once_take_effect_in_their_order() {
    let (_machine, workspace, mut mcp) = scene(&[("a.txt", "0\n")]);
    let mut calls = vec![("read", mcp.send_call("read", json!({ "path": "a.txt" })))];
    for number in 0..50 {
        let edit =
            json!({ "path": "a.txt", "oldText": number.to_string(), "newText": (number + 1).to_string() });
        calls.push(("edit", mcp.send_call("edit", edit)));
    }
    for (tool, id) in calls {
        mcp.called(tool, id).done();
    }
    assert_eq!(workspace.text("a.txt"), "50\n");
}

#[test]
fn clients_with_different_names_have_separate_bases() {
    let (machine, workspace, mut one) = scene(&[("a.txt", "one\n")]);
    let mut two = Mcp::start(&machine, &workspace);
    one.call("read", json!({ "path": "a.txt" })).done();
    two.call("read", json!({ "path": "a.txt" })).done();
    one.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "1" })).done();
    two.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "2" })).refused("stale");
    let changes = two.call("changes", json!({})).done();
    assert!(changes.text.contains("-one\n+1\n") && changes.text.contains("robot"), "{}", changes.text);
    two.call("edit", json!({ "path": "a.txt", "oldText": "1", "newText": "2" })).done();
    assert_eq!(workspace.text("a.txt"), "2\n");
}
