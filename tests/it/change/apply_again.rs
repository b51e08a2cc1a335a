//! Proposals used by several sessions, and files that changed since the proposal.

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace};

#[test]
fn a_partly_carried_out_proposal_with_unread_files_does_not_count_as_applied() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("gone.txt", "two\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let base = machine.agent(&workspace).read("gone.txt")["hash"].clone();
    let changes = json!([
        { "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "ONE" }] },
        { "kind": "delete", "path": "gone.txt", "baseHash": base },
    ]);
    let proposal = agent.call("editd/propose", json!({ "changes": changes })).done();
    workspace.put("a.txt", "ONE\n");
    agent.read("a.txt");
    assert_eq!(agent.state_of(&proposal), "proposed");
    agent.apply(&proposal).done();
    assert!(!workspace.path("gone.txt").exists());
}

#[test]
fn a_set_of_which_half_is_already_in_the_files_can_be_applied() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    agent.read("b.txt");
    let changes = json!([
        { "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "ONE" }] },
        { "kind": "edit", "path": "b.txt", "edits": [{ "oldText": "two", "newText": "TWO" }] },
    ]);
    let proposal = agent.call("editd/propose", json!({ "changes": changes, "onStale": "rebase" })).done();
    workspace.put("a.txt", "ONE\n");
    let applied = agent.apply(&proposal).done();
    assert_eq!(applied["files"].as_array().map(Vec::len), Some(2), "{applied}");
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("ONE\n".to_owned(), "TWO\n".to_owned()));
}

#[test]
fn a_rebased_change_keeps_its_explicit_encoding() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\nfour\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let change = json!({ "kind": "write", "path": "a.txt", "content": "one\ntwo\nthree\nFOUR\n", "encoding": "utf-16le" });
    let proposal = agent.call("editd/propose", json!({ "changes": [change] })).done();
    agent.edit("a.txt", "one", "1").done();
    agent.apply(&proposal).done();
    let expected: Vec<u8> = "1\ntwo\nthree\nFOUR\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(workspace.bytes("a.txt"), expected);
}

#[test]
fn applying_another_sessions_proposal_does_not_count_as_a_read() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let (mut reader, mut other) = (machine.agent(&workspace), machine.agent(&workspace));
    reader.read("a.txt");
    let proposal = reader.propose("a.txt", "one", "1").done();
    other.apply(&proposal).done();
    let write = json!({ "kind": "write", "path": "a.txt", "content": "all mine\n" });
    other.changes(vec![write]).refused("unread");
    assert_eq!(workspace.text("a.txt"), "1\ntwo\n");
}

#[test]
fn a_proposal_can_be_applied_after_a_temporary_failure() {
    use std::os::unix::fs::PermissionsExt;
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "two").done();
    let set_mode = |mode| std::fs::set_permissions(workspace.path("a.txt"), PermissionsExt::from_mode(mode));
    set_mode(0o444).expect("a mode");
    agent.apply(&proposal).refused("read_only");
    set_mode(0o644).expect("a mode");
    agent.apply(&proposal).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn the_hint_of_a_stale_proposal_can_be_followed() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let proposal = agent.propose("a.txt", "one", "1").done();
    workspace.put("a.txt", "one\nTWO\n");
    let data = agent.apply(&proposal).refused("stale");
    assert!(data["hint"].as_str().is_some_and(|hint| hint.contains("propose")), "{data}");
    let again = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "baseHash": data["currentHash"] });
    agent.call("editd/edit", again).done();
    assert_eq!(workspace.text("a.txt"), "1\nTWO\n");
}

#[test]
fn the_hash_of_another_file_is_not_a_known_base() {
    let lines = |changed: &str| {
        (1..30)
            .map(|n| if n == 18 { format!("{changed}\n") } else { format!("line {n}\n") })
            .collect::<String>()
    };
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", lines("mine")), ("b.txt", lines("theirs"))]));
    let mut agent = machine.agent(&workspace);
    let base = agent.read("a.txt")["hash"].clone();
    let edit = json!({ "path": "b.txt", "oldText": "line 3\n", "newText": "LINE 3\n", "baseHash": base, "onStale": "rebase" });
    let data = agent.call("editd/edit", edit).refused("stale");
    assert_eq!((&data["baseKnown"], &data["diff"]), (&json!(false), &Value::Null));
    assert_eq!(workspace.text("b.txt"), lines("theirs"));
}

#[test]
fn a_refusal_names_the_path_that_exists_already() {
    let (machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")]));
    let mut agent = machine.agent(&workspace);
    for name in ["a.txt", "b.txt", "c.txt"] {
        agent.read(name);
    }
    let rename = |from: &str, to: &str| json!({ "kind": "rename", "path": from, "newPath": to });
    let data = agent.changes(vec![rename("a.txt", "b.txt")]).refused("exists");
    assert!(data["path"].as_str().is_some_and(|path| path.ends_with("/b.txt")), "{data}");
    let data = agent.changes(vec![rename("a.txt", "new.txt"), rename("c.txt", "new.txt")]).refused("exists");
    assert_eq!(data["change"], 1, "{data}");
    assert!(data["path"].as_str().is_some_and(|path| path.ends_with("/new.txt")), "{data}");
    assert!(workspace.path("a.txt").exists() && workspace.path("c.txt").exists());
}

#[test]
fn deletes_and_renames_of_a_symlink_are_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("real/a.txt", "one\n"));
    std::os::unix::fs::symlink("real/a.txt", workspace.path("link.txt")).expect("a link");
    std::os::unix::fs::symlink("real", workspace.path("folder")).expect("a link");
    let mut agent = machine.agent(&workspace);
    agent.read("link.txt");
    let data = agent.changes(vec![json!({ "kind": "delete", "path": "link.txt" })]).refused("not_a_file");
    assert!(data["what"].as_str().is_some_and(|what| what.contains("real/a.txt")), "{data}");
    agent
        .changes(vec![json!({ "kind": "rename", "path": "link.txt", "newPath": "b.txt" })])
        .refused("not_a_file");
    // A path through a symlinked folder names the file itself.
    agent.changes(vec![json!({ "kind": "delete", "path": "folder/a.txt" })]).done();
    assert!(!workspace.path("real/a.txt").exists());
}
