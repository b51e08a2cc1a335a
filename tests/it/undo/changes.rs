//! Tests that an undo reverts a change completely.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace};

fn edit(path: &str, old: &str, new: &str) -> serde_json::Value {
    json!({ "kind": "edit", "path": path, "edits": [{ "oldText": old, "newText": new }] })
}

#[test]
fn an_edit_is_reverted_and_answered_like_any_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "two", "2").done();
    let undone = agent.undo().done();
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
    assert_eq!((&undone["state"], &undone["undoes"]), (&json!("applied"), &done["transaction"]));
    assert_ne!(undone["transaction"], done["transaction"]);
    let file = &undone["files"][0];
    assert_eq!((&file["action"], &file["hashAfter"]), (&json!("edit"), &done["files"][0]["hashBefore"]));
    assert!(file["diff"].as_str().is_some_and(|diff| diff.contains("-2\n+two\n")), "{file}");
    assert_eq!((&file["hash"], &file["hunks"][0]["state"]), (&file["hashAfter"], &json!("accepted")));
    assert_eq!(agent.state_of(&undone), "applied");
    // The agent's base was updated as well: the next edit needs no read.
    agent.edit("a.txt", "two", "zwei").done();
}

#[test]
fn all_files_of_a_transaction_are_reverted_and_no_other() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    for number in 0..100 {
        workspace.put(&format!("other/{number}.txt"), format!("{number}\n"));
    }
    workspace.put("a.txt", "one\n");
    workspace.put("gone.txt", "gone\n");
    workspace.put("old.txt", "name\nold\n");
    let before = workspace.everything();
    let mut agent = machine.agent(&workspace);
    for path in ["a.txt", "gone.txt", "old.txt"] {
        agent.read(path);
    }
    let changes = vec![
        edit("a.txt", "one", "1"),
        json!({ "kind": "delete", "path": "gone.txt" }),
        edit("old.txt", "old", "new"),
        json!({ "kind": "rename", "path": "old.txt", "newPath": "new.txt" }),
        json!({ "kind": "write", "path": "made.txt", "content": "made\n" }),
    ];
    agent.changes(changes).done();
    assert!(workspace.has("made.txt") && workspace.text("new.txt") == "name\nnew\n");
    workspace.put("untracked.txt", "mine\n");
    let undone = agent.undo().done();
    let actions: Vec<_> =
        undone["files"].as_array().unwrap().iter().map(|file| file["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["edit", "create", "rename", "delete"]);
    assert_eq!(workspace.text("untracked.txt"), "mine\n");
    fs::remove_file(workspace.path("untracked.txt")).unwrap();
    assert_eq!(workspace.everything(), before);
}

#[test]
fn an_undo_can_be_undone_again_and_again() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    let made = json!({ "kind": "write", "path": "made.txt", "content": "made\n" });
    let changes = vec![edit("a.txt", "one", "1"), made, json!({ "kind": "delete", "path": "b.txt" })];
    let mut last = agent.changes(changes).done();
    for round in 0..4 {
        last = agent.undo_this(&last).done();
        let is_undone = round % 2 == 0;
        let expected = if is_undone { ("one\n", false, true) } else { ("1\n", true, false) };
        let now = (&*workspace.text("a.txt"), workspace.has("made.txt"), workspace.has("b.txt"));
        assert_eq!(now, expected, "round {round}");
    }
}

#[test]
fn an_undo_without_an_id_reverts_the_newest_change_that_is_not_undone() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "1\n2\n3\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for number in ["1", "2", "3"] {
        agent.edit("a.txt", number, &format!("{number}!")).done();
    }
    for expected in ["1!\n2!\n3\n", "1!\n2\n3\n", "1\n2\n3\n"] {
        agent.undo().done();
        assert_eq!(workspace.text("a.txt"), expected);
    }
    let refusal = agent.undo().refused("missing");
    assert_eq!(refusal["transaction"], json!(null));
}

#[test]
fn an_undo_with_a_path_reverts_the_newest_change_of_that_file() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]));
    let mut agent = machine.agent(&workspace);
    for path in ["a.txt", "b.txt", "c.txt"] {
        agent.read(path);
    }
    agent.changes(vec![edit("a.txt", "a", "A"), edit("b.txt", "b", "B")]).done();
    agent.edit("c.txt", "c", "C").done();
    agent.call("editd/undo", json!({ "path": "a.txt" })).done();
    let texts = ["a.txt", "b.txt", "c.txt"].map(|path| workspace.text(path));
    assert_eq!(texts, ["a\n", "b\n", "C\n"], "the whole transaction goes back, and no other");
}

#[test]
fn a_deleted_text_or_binary_file_is_restored_with_its_mode() {
    let (machine, workspace) = (Machine::start(), Workspace::file("run.sh", "#!/bin/sh\n"));
    workspace.put("deep/logo.bin", b"\x7fELF\x00\x00");
    let mut agent = machine.agent(&workspace);
    for (path, mode) in [("run.sh", 0o750), ("deep/logo.bin", 0o604)] {
        let bytes = workspace.bytes(path);
        fs::set_permissions(workspace.path(path), fs::Permissions::from_mode(mode)).unwrap();
        let delete = json!({ "kind": "delete", "path": path, "baseHash": workspace.hash(path) });
        agent.change(delete).done();
        if path.starts_with("deep") {
            fs::remove_dir(workspace.path("deep")).unwrap();
        }
        agent.undo().done();
        assert_eq!(workspace.bytes(path), bytes);
        assert_eq!(workspace.path(path).metadata().unwrap().permissions().mode() & 0o7777, mode);
    }
}

#[test]
fn other_readers_are_notified() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let (mut alice, mut bob) =
        (machine.agent_named("alice", &workspace), machine.agent_named("bob", &workspace));
    alice.read_and_edit("a.txt", "one", "1").done();
    bob.read("a.txt");
    alice.undo().done();
    let notified = bob.told("editd/fileChanged", "a.txt");
    assert_eq!((&notified["by"], &notified["hash"]), (&json!("alice"), &json!(workspace.hash("a.txt"))));
    bob.edit("a.txt", "one", "uno").refused("stale");
}

#[test]
fn a_preview_changes_nothing_and_binds_the_undo() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    let shown = agent.call("editd/undo", json!({ "preview": true })).done();
    assert_eq!((&shown["state"], &shown["undoes"]), (&json!("preview"), &done["transaction"]));
    assert!(shown["files"][0]["diff"].as_str().unwrap().contains("+one"), "{shown}");
    assert_eq!(workspace.text("a.txt"), "1\ntwo\nthree\n");
    let as_shown = json!({ "transaction": shown["undoes"], "fingerprint": shown["fingerprint"] });
    workspace.put("a.txt", "1\ntwo\nTHREE\n");
    agent.call("editd/undo", as_shown.clone()).refused("stale");
    assert_eq!(workspace.text("a.txt"), "1\ntwo\nTHREE\n");
    workspace.put("a.txt", "1\ntwo\nthree\n");
    agent.call("editd/undo", as_shown).done();
    assert_eq!(workspace.text("a.txt"), "one\ntwo\nthree\n");
}

#[test]
fn a_change_applied_by_an_editor_is_not_a_transaction() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "1").done();
    workspace.put("a.txt", "1\n");
    let applied = agent.apply(&proposal).done();
    assert_eq!((applied["state"].as_str(), applied.get("transaction")), (Some("applied"), None));
    agent.undo().refused("missing");
}
