//! Tests of changes that cannot be undone, and of the reasons.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn anothers_transaction_is_as_unknown_as_none() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let done = machine.agent_named("alice", &workspace).read_and_edit("a.txt", "one", "1").done();
    let mut bob = machine.agent_named("bob", &workspace);
    let others = bob.undo_this(&done).refused("missing");
    let none = bob.call("editd/undo", json!({ "transaction": "t000000-1" })).refused("missing");
    assert_eq!(
        (others["hint"].clone(), &others["transaction"]),
        (none["hint"].clone(), &done["transaction"])
    );
    bob.undo().refused("missing");
    bob.call("editd/undo", json!({ "path": "a.txt" })).refused("missing");
    assert_eq!(workspace.text("a.txt"), "1\n");
    machine.agent_named("alice", &workspace).undo_this(&done).done();
}

#[test]
fn a_change_is_not_undone_twice() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    let undone = agent.undo_this(&done).done();
    let refusal = agent.undo_this(&done).refused("no_change");
    assert_eq!(
        (&refusal["transaction"], &refusal["undoneBy"]),
        (&done["transaction"], &undone["transaction"])
    );
}

#[test]
fn files_outside_the_roots_stay() {
    let (machine, workspace) = (
        Machine::start(),
        Workspace::with(&[("in/a.txt", "a\n"), ("out/b.txt", "b\n"), ("in/c.txt", "c\n")]),
    );
    let mut whole = machine.agent(&workspace);
    for path in ["in/a.txt", "out/b.txt", "in/c.txt"] {
        whole.read(path);
    }
    let edit = |path: &str, old: &str| json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": "x" }] });
    let own = whole.change(edit("in/c.txt", "c")).done();
    let both = whole.changes(vec![edit("in/a.txt", "a"), edit("out/b.txt", "b")]).done();
    let mut session = workspace.session("alice");
    session["workspaceFolders"][0]["uri"] = crate::support::uri_of(&workspace.path("in")).into();
    let mut inside = machine.agent_with(session);
    inside.undo_this(&both).refused("outside_workspace");
    assert_eq!(
        (workspace.text("in/a.txt"), workspace.text("out/b.txt")),
        ("x\n".to_owned(), "x\n".to_owned())
    );
    let undone = inside.undo().done();
    assert_eq!(
        undone["undoes"], own["transaction"],
        "without an id, the newest change that can be undone here is reverted"
    );
    // Files outside the roots are not listed.
    let history = inside.history();
    let files = history.iter().flat_map(|entry| entry["files"].as_array().unwrap());
    assert!(files.into_iter().all(|file| !file["path"].as_str().unwrap().contains("/out/")), "{history:?}");
    assert_eq!(history.len(), 3);
}

#[test]
fn a_symlink_in_place_of_the_file_is_not_followed() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "1\n")]));
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    fs::remove_file(workspace.path("a.txt")).unwrap();
    symlink("b.txt", workspace.path("a.txt")).unwrap();
    agent.undo_this(&done).refused("not_a_file");
    assert_eq!(workspace.text("b.txt"), "1\n");
}

#[test]
fn path_rules_apply_to_an_undo() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    fs::hard_link(workspace.path("a.txt"), workspace.path("second.txt")).unwrap();
    let refusal = agent.undo_this(&done).refused("protected");
    assert_eq!((&refusal["rule"], workspace.text("a.txt")), (&json!("hard_link"), "1\n".to_owned()));
}

#[test]
fn an_undo_goes_to_review_like_any_change() {
    let mut machine = Machine::asleep("");
    machine.serve();
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").done();
    let waits = agent.call("editd/undo", json!({ "review": true })).done();
    assert_eq!(waits["state"], "pending");
    agent.call("editd/discard", json!({ "id": waits["id"] })).done();
    machine.write_config("review = \"always\"\n");
    machine.restart();
    assert_eq!(machine.agent(&workspace).undo().done()["state"], "pending");
    assert_eq!(workspace.text("a.txt"), "1\n");
}

#[test]
fn parameters_are_checked() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.call("editd/undo", json!({ "transaction": "t1", "path": "a.txt" })).invalid("path");
    agent.call("editd/undo", json!({ "id": "t1" })).invalid("id");
    agent.call("editd/history", json!({ "limit": 0 })).invalid("limit");
    agent.call("editd/blame", json!({})).invalid("path");
    agent.call("editd/history", json!({ "before": "t000000-1" })).refused("missing");
}
