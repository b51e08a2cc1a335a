//! `editd/changes`: changes by others to the files that a session has read.

use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, apply_unified, hash_of, numbered_lines, uri_of};

fn scene() -> (Machine, Workspace, Agent, Agent) {
    let files = [("a.txt", numbered_lines(9)), ("b.txt", numbered_lines(9)), ("c.txt", numbered_lines(9))];
    let (machine, workspace) = (Machine::start(), Workspace::with(&files));
    let alice = machine.agent_named("alice", &workspace);
    let bob = machine.agent_named("bob", &workspace);
    (machine, workspace, alice, bob)
}

fn changes(agent: &mut Agent, params: Value) -> (Value, Vec<Value>) {
    let answer = agent.call("editd/changes", params).done();
    let files = answer["files"].as_array().unwrap_or_else(|| panic!("no files: {answer}")).clone();
    assert!(answer.get("cursor").is_some_and(|cursor| !cursor.is_null()), "{answer}");
    (answer["cursor"].clone(), files)
}

#[test]
fn a_change_by_another_agent_is_listed_with_its_diff() {
    let (_machine, workspace, mut alice, mut bob) = scene();
    alice.read("a.txt");
    alice.read("b.txt");
    bob.read_and_edit("a.txt", "line 5\n", "line V\n").done();
    bob.read_and_edit("c.txt", "line 5\n", "line V\n").done();
    let (_, files) = changes(&mut alice, json!({}));
    assert_eq!(files.len(), 1, "only what was read and changed: {files:?}");
    let file = &files[0];
    assert_eq!((&file["uri"], &file["by"]), (&json!(uri_of(&workspace.path("a.txt"))), &json!("bob")));
    assert!(file["path"].as_str().is_some_and(|path| path.ends_with("a.txt")), "{file}");
    assert_eq!(file["hashBefore"], hash_of(numbered_lines(9)));
    assert_eq!(file["hash"], workspace.hash("a.txt"));
    let diff = file["diff"].as_str().expect("a diff");
    assert_eq!(apply_unified(&numbered_lines(9), diff), workspace.text("a.txt"));
}

#[test]
fn listing_changes_moves_the_base() {
    let (_machine, workspace, mut alice, mut bob) = scene();
    alice.read("a.txt");
    bob.read_and_edit("a.txt", "line 5\n", "line V\n").done();
    alice.edit("a.txt", "line 7\n", "line VII\n").refused("stale");
    changes(&mut alice, json!({}));
    alice.edit("a.txt", "line 7\n", "line VII\n").done();
    let both = numbered_lines(9).replace("line 5\n", "line V\n").replace("line 7\n", "line VII\n");
    assert_eq!(workspace.text("a.txt"), both);
}

#[test]
fn changes_can_be_restricted_to_one_file() {
    let (_machine, workspace, mut alice, mut bob) = scene();
    for name in ["a.txt", "b.txt"] {
        alice.read(name);
        bob.read_and_edit(name, "line 5\n", "line V\n").done();
    }
    for params in [json!({ "path": "c.txt" }), json!({ "path": "none.txt" })] {
        assert_eq!(changes(&mut alice, params).1, [] as [Value; 0], "it was not read");
    }
    let (_, files) = changes(&mut alice, json!({ "uri": uri_of(&workspace.path("b.txt")) }));
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0]["path"], workspace.absolute("b.txt"));
    alice.edit("b.txt", "line 7\n", "line VII\n").done();
    alice.edit("a.txt", "line 7\n", "line VII\n").refused("stale");
    let (_, files) = changes(&mut alice, json!({}));
    assert_eq!(files[0]["path"], workspace.absolute("a.txt"));
    alice.call("editd/changes", json!({ "path": "" })).invalid("path");
}

#[test]
fn the_cursor_separates_reported_from_new_changes() {
    let (_machine, workspace, mut alice, mut bob) = scene();
    alice.read("a.txt");
    alice.read("b.txt");
    let (start, files) = changes(&mut alice, json!({}));
    assert!(files.is_empty(), "{files:?}");
    bob.read_and_edit("a.txt", "line 5\n", "line V\n").done();
    let (second, files) = changes(&mut alice, json!({ "since": start }));
    assert_eq!(files.len(), 1, "{files:?}");
    let (third, files) = changes(&mut alice, json!({ "since": second }));
    assert!(files.is_empty(), "{files:?}");
    bob.read_and_edit("b.txt", "line 2\n", "line II\n").done();
    let (_, files) = changes(&mut alice, json!({ "since": third }));
    assert_eq!(files.len(), 1);
    assert_eq!(files[0]["hash"], workspace.hash("b.txt"));
}

#[test]
fn several_changes_of_one_file_are_reported_as_one() {
    let (_machine, workspace, mut alice, mut bob) = scene();
    alice.read("a.txt");
    bob.read("a.txt");
    for number in 1..=5 {
        bob.edit("a.txt", &format!("line {number}\n"), &format!("row {number}\n")).done();
    }
    let (_, files) = changes(&mut alice, json!({}));
    assert_eq!(files.len(), 1, "{files:?}");
    let diff = files[0]["diff"].as_str().expect("a diff");
    assert_eq!(apply_unified(&numbered_lines(9), diff), workspace.text("a.txt"));
}

#[test]
fn a_change_by_another_program_is_listed_immediately() {
    let (_machine, workspace, mut alice, _bob) = scene();
    alice.read("a.txt");
    workspace.put("a.txt", "all new\n");
    let (_, files) = changes(&mut alice, json!({}));
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!((&files[0]["hash"], files[0]["by"].is_string()), (&json!(hash_of("all new\n")), true));
    alice.edit("a.txt", "all new", "newer").done();
}

#[test]
fn own_changes_are_not_listed() {
    let (_machine, _workspace, mut alice, _bob) = scene();
    alice.read_and_edit("a.txt", "line 5\n", "line V\n").done();
    alice.change(json!({ "kind": "write", "path": "new.txt", "content": "new\n" })).done();
    let (_, files) = changes(&mut alice, json!({}));
    assert!(files.is_empty(), "{files:?}");
}

#[test]
fn a_deletion_is_listed() {
    let (_machine, _workspace, mut alice, mut bob) = scene();
    alice.read("a.txt");
    bob.read("a.txt");
    bob.change(json!({ "kind": "delete", "path": "a.txt" })).done();
    let (_, files) = changes(&mut alice, json!({}));
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0]["hash"], Value::Null);
    assert_eq!(files[0]["hashBefore"], hash_of(numbered_lines(9)));
}
