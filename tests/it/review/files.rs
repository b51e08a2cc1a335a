//! Reviews of file creations, deletions, renames and encoding changes.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{FRENCH, Outcome, latin, numbered_lines};

use super::scene::{Scene, hunk_ids, states};

/// Proposes a change of each kind.
fn set(scene: &mut Scene) -> Value {
    for path in ["edit.txt", "delete.txt", "rename.txt"] {
        scene.agent.read(path);
    }
    let edit = |path: &str, old: &str, new: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] });
    let changes = vec![
        edit("edit.txt", "one", "1"),
        json!({ "kind": "write", "path": "new/file.txt", "content": "new\n" }),
        json!({ "kind": "delete", "path": "delete.txt" }),
        json!({ "kind": "rename", "path": "rename.txt", "newPath": "renamed.txt" }),
        edit("rename.txt", "two", "2"),
    ];
    scene.agent.changes(changes).done()
}

fn scene() -> (Scene, Value) {
    let files = [("edit.txt", "one\n"), ("delete.txt", "gone\n"), ("rename.txt", "two\n")];
    let mut scene = Scene::new(&files);
    let proposal = set(&mut scene);
    (scene, proposal)
}

#[test]
fn hunks_are_numbered_across_files() {
    let (_, proposal) = scene();
    assert_eq!(hunk_ids(&proposal), ["h1", "h2", "h3", "h4", "h5"]);
    let kinds: Vec<_> = proposal["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["hunks"].as_array().unwrap().iter().map(|it| it["kind"].clone()).collect::<Vec<_>>())
        .collect();
    assert_eq!(json!(kinds), json!([[null], ["create"], ["delete"], ["rename", null]]));
}

#[test]
fn a_file_that_is_deleted_elsewhere_is_shown_and_accepted_as_deleted() {
    let (mut scene, proposal) = scene();
    std::fs::remove_file(scene.workspace.path("delete.txt")).expect("the file exists");
    assert_eq!(states(&scene.fetch(&proposal)), ["pending"; 5]);
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("edit.txt"), "1\n");
}

#[test]
fn all_files_of_a_set_change_together() {
    let (mut scene, proposal) = scene();
    let done = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(done["state"], "applied");
    assert_eq!(scene.workspace.text("edit.txt"), "1\n");
    assert_eq!(scene.workspace.text("new/file.txt"), "new\n");
    assert_eq!(scene.workspace.text("renamed.txt"), "2\n");
    assert!(!scene.workspace.has("delete.txt") && !scene.workspace.has("rename.txt"));
    let outcome = scene.outcome(&proposal).done();
    assert_eq!(outcome["files"][2]["hash"], Value::Null);
    assert_eq!(outcome["files"][3]["newPath"], scene.workspace.absolute("renamed.txt"));
    scene.agent.call("editd/undo", json!({})).done();
    assert_eq!(scene.agent.history().len(), 1, "the undo is pending as well");
}

#[test]
fn any_change_of_a_set_can_be_rejected() {
    let (mut scene, proposal) = scene();
    let done =
        scene.decide(&proposal, json!({ "accept": ["h2", "h5"], "reject": ["h1", "h3", "h4"] })).done();
    assert_eq!(states(&done), ["rejected", "accepted", "rejected", "rejected", "accepted"]);
    assert_eq!(scene.workspace.text("edit.txt"), "one\n");
    assert_eq!(scene.workspace.text("new/file.txt"), "new\n");
    assert_eq!(scene.workspace.text("delete.txt"), "gone\n");
    assert_eq!(scene.workspace.text("rename.txt"), "2\n");
    // Only applied changes have a hash.
    let has_hash: Vec<_> =
        done["files"].as_array().unwrap().iter().map(|file| file.get("hash").is_some()).collect();
    assert_eq!(has_hash, [false, true, false, true]);
}

#[test]
fn a_rename_can_be_accepted_without_its_edit() {
    let (mut scene, proposal) = scene();
    scene.decide(&proposal, json!({ "accept": ["h4"], "reject": "all" })).done();
    assert_eq!(scene.workspace.text("renamed.txt"), "two\n");
    assert!(!scene.workspace.has("rename.txt"));
}

#[test]
fn a_failing_change_prevents_all_and_can_be_rejected() {
    let (mut scene, proposal) = scene();
    scene.workspace.put("renamed.txt", "in the way\n");
    scene.decide(&proposal, json!({ "accept": "all" })).refused("exists");
    assert_eq!(scene.workspace.text("edit.txt"), "one\n");
    let seen = scene.fetch(&proposal);
    assert_eq!((&seen["state"], &seen["revision"]), (&json!("pending"), &json!(1)));
    assert_eq!(states(&seen), ["pending"; 5]);
    scene.decide(&proposal, json!({ "accept": "all", "reject": ["h4"] })).done();
    assert_eq!(
        (scene.workspace.text("rename.txt"), scene.workspace.text("edit.txt")),
        ("2\n".into(), "1\n".into())
    );
}

#[test]
fn a_file_created_in_the_meantime_is_a_conflict() {
    let (mut scene, proposal) = scene();
    scene.workspace.put("new/file.txt", "mine\n");
    scene.workspace.put("delete.txt", "gone\nand more\n");
    let waits = scene.decide(&proposal, json!({ "accept": "all" })).done();
    assert_eq!(states(&waits), ["accepted", "conflicted", "conflicted", "accepted", "accepted"]);
    let still = scene.decide(&proposal, json!({ "accept": ["h2", "h3"] })).done();
    assert_eq!(states(&still), ["accepted", "conflicted", "conflicted", "accepted", "accepted"]);
    scene.decide(&proposal, json!({ "take": ["h2"], "reject": ["h3"] })).done();
    assert_eq!(scene.workspace.text("new/file.txt"), "new\n");
    assert_eq!(scene.workspace.text("delete.txt"), "gone\nand more\n");
}

#[test]
fn renaming_a_deleted_file_is_a_conflict() {
    let (mut scene, proposal) = scene();
    std::fs::remove_file(scene.workspace.path("rename.txt")).expect("removed");
    let waits = scene.decide(&proposal, json!({ "accept": ["h4", "h5"], "reject": "all" })).done();
    assert_eq!(states(&waits), ["rejected", "rejected", "rejected", "conflicted", "conflicted"]);
    assert!(!scene.workspace.has("renamed.txt"));
    scene.decide(&proposal, json!({ "reject": "all" })).done();
}

#[test]
fn encodings_and_line_endings_are_preserved() {
    let mut scene = Scene::new(&[("crlf.txt", "one\r\ntwo\r\nthree\r\nfour\r\n")]);
    scene.workspace.put("latin.txt", latin(FRENCH));
    for path in ["crlf.txt", "latin.txt"] {
        scene.agent.read(path);
    }
    let text = scene.agent.read("latin.txt")["text"].as_str().unwrap().to_owned();
    let first = text.lines().next().expect("a line").to_owned();
    let changes = vec![
        json!({ "kind": "edit", "path": "crlf.txt", "edits": [
            { "oldText": "one\n", "newText": "1\n" }, { "oldText": "three\n", "newText": "3\n3b\n" }] }),
        json!({ "kind": "edit", "path": "latin.txt", "edits": [{ "oldText": first, "newText": "ete" }] }),
    ];
    let proposal = scene.agent.changes(changes).done();
    scene.workspace.put("crlf.txt", "zero\r\none\r\ntwo\r\nthree\r\nfour\r\n");
    scene.decide(&proposal, json!({ "accept": "all", "reject": ["h1"] })).done();
    assert_eq!(scene.workspace.text("crlf.txt"), "zero\r\none\r\ntwo\r\n3\r\n3b\r\nfour\r\n");
    assert_eq!(scene.workspace.bytes("latin.txt"), latin(&text.replacen(&first, "ete", 1)));
}

#[test]
fn an_encoding_change_is_a_hunk() {
    let mut scene = Scene::new(&[("a.txt", "é\n")]);
    scene.agent.read("a.txt");
    let write = json!({ "kind": "write", "path": "a.txt", "content": "é\n", "encoding": "latin1" });
    let proposal = scene.agent.change(write).done();
    assert_eq!(proposal["files"][0]["hunks"][0]["kind"], "encoding");
    scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    assert_eq!(scene.workspace.bytes("a.txt"), b"\xe9\n");
}

/// A proposal that changes a line of `a.txt` and its encoding.
fn line_and_encoding(scene: &mut Scene) -> Value {
    scene.agent.read("a.txt");
    let write = json!({ "kind": "write", "path": "a.txt", "content": "é\ntwo\n", "encoding": "latin1" });
    let proposal = scene.agent.change(write).done();
    let hunks = proposal["files"][0]["hunks"].as_array().expect("hunks");
    assert_eq!(hunks.iter().map(|hunk| hunk["kind"].as_str()).collect::<Vec<_>>(), [Some("encoding"), None]);
    assert!(proposal.to_string().contains("the whole file changes from utf-8 to"), "{proposal}");
    proposal
}

#[rstest]
#[case::both(json!({ "accept": "all" }), b"\xe9\ntwo\n")]
#[case::the_line(json!({ "accept": ["h2"], "reject": ["h1"] }), "é\ntwo\n".as_bytes())]
#[case::the_encoding(json!({ "accept": ["h1"], "reject": ["h2"] }), b"\xe9\n2\n")]
#[case::nothing(json!({ "reject": "all" }), "é\n2\n".as_bytes())]
fn an_encoding_is_decided_separately_from_lines(#[case] decision: Value, #[case] expected: &[u8]) {
    let mut scene = Scene::new(&[("a.txt", "é\n2\n")]);
    let proposal = line_and_encoding(&mut scene);
    scene.decide(&proposal, decision).done();
    assert_eq!(scene.workspace.bytes("a.txt"), expected);
}

#[test]
fn a_corrected_text_leaves_the_encoding_undecided() {
    let mut scene = Scene::new(&[("a.txt", "é\n2\n")]);
    let proposal = line_and_encoding(&mut scene);
    let base = scene.workspace.hash("a.txt");
    let path = scene.workspace.absolute("a.txt");
    let text = json!({ "replace": [{ "path": path, "baseHash": base, "content": "é\nII\n" }] });
    assert_eq!(scene.decide(&proposal, text).done()["state"], "pending");
    scene.decide(&proposal, json!({ "reject": ["h1"] })).done();
    assert_eq!(scene.workspace.bytes("a.txt"), "é\nII\n".as_bytes());
}

#[test]
fn an_encoding_is_not_accepted_with_a_hunk_that_was_accepted_before() {
    let mut scene = Scene::new(&[("a.txt", &numbered_lines(40))]);
    scene.agent.read("a.txt");
    let edit =
        |number: u32| json!({ "oldText": format!("line {number}\n"), "newText": format!("L {number}\n") });
    let edits = json!({ "path": "a.txt", "edits": [edit(3), edit(37)] });
    let proposal = scene.agent.call("editd/edit", edits).done();
    scene.decide(&proposal, json!({ "accept": ["h1"] })).done();
    let content = numbered_lines(40).replace("line 3\n", "L 3\n").replace("line 37\n", "other\n");
    let write = json!({ "kind": "write", "path": "a.txt", "content": content, "encoding": "utf-16le" });
    let replaced = json!({ "replaces": proposal["id"], "changes": [write] });
    let replaced = scene.agent.call("editd/edit", replaced).done();
    let hunks = replaced["files"][0]["hunks"].as_array().expect("hunks");
    let states: Vec<_> = hunks.iter().map(|hunk| hunk["state"].as_str().expect("a state")).collect();
    assert_eq!(states, ["pending", "accepted", "pending"]);
    let decision = json!({ "reject": "all", "keepEarlier": true });
    scene.decide(&replaced, decision).done();
    assert_eq!(scene.workspace.text("a.txt"), numbered_lines(40).replace("line 3\n", "L 3\n"));
}

#[test]
fn a_new_file_in_another_encoding_says_so() {
    let mut scene = Scene::new(&[]);
    let write = json!({ "kind": "write", "path": "a.txt", "content": "é\n", "encoding": "latin1" });
    let proposal = scene.agent.change(write).done();
    assert!(proposal.to_string().contains("the file is written as"), "{proposal}");
}

#[test]
fn hunks_of_a_notebook_that_yield_an_invalid_one_are_refused() {
    let cell = |text: &str| {
        format!("  {{\n   \"cell_type\": \"raw\",\n   \"metadata\": {{}},\n   \"source\": \"{text}\"\n  }}")
    };
    let book = |cells: &[&str]| {
        let cells: Vec<_> = cells.iter().map(|text| cell(text)).collect();
        format!(
            "{{\n \"cells\": [\n{}\n ],\n \"metadata\": {{}},\n \"nbformat\": 4,\n \"nbformat_minor\": 4\n}}\n",
            cells.join(",\n")
        )
    };
    let before = book(&["a", "b"]);
    let mut scene = Scene::new(&[("n.ipynb", &before)]);
    scene.agent.read("n.ipynb");
    let cells = json!([{ "op": "insert", "index": 2, "cellType": "raw", "source": "c" }, { "op": "replace", "index": 0, "source": "A" }]);
    let proposal =
        scene.agent.change(json!({ "kind": "notebook", "path": "n.ipynb", "cells": cells })).done();
    let ids = hunk_ids(&proposal).len();
    assert!(ids >= 2, "{proposal:#}");
    // Any choice results in a valid notebook or in a refusal.
    for pick in 0..ids {
        let id = format!("h{}", pick + 1);
        match scene.decide(&proposal, json!({ "accept": "all", "reject": [id] })) {
            Ok(_) => {
                assert!(serde_json::from_str::<Value>(&scene.workspace.text("n.ipynb")).is_ok());
                return;
            }
            Err(error) => assert_eq!(error.kind(), "encoding", "{error:?}"),
        }
    }
    assert_eq!(scene.workspace.text("n.ipynb"), before);
}
