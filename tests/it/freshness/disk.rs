//! Changes by other programs are detected by content, never by time stamps.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace, hash_of, put_mtime};

fn modified(path: &Path) -> SystemTime {
    path.metadata().expect("a file").modified().expect("its time")
}

/// Replaces a file like another program: writes a new file and renames it over the old one.
fn replace(workspace: &Workspace, name: &str, bytes: &str) {
    workspace.put("replacement", bytes);
    fs::rename(workspace.path("replacement"), workspace.path(name)).expect("a rename");
}

#[test]
fn a_rewrite_with_the_same_size_and_time_is_detected() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one two\n"));
    let path = workspace.path("a.txt");
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let time = modified(&path);
    workspace.put("a.txt", "six two\n");
    put_mtime(&path, time);
    assert_eq!((modified(&path), path.metadata().expect("a file").len()), (time, 8));
    let data = agent.edit("a.txt", "two", "2").refused("stale");
    assert_eq!(data["currentHash"], hash_of("six two\n"));
    assert_eq!(workspace.text("a.txt"), "six two\n");
}

#[test]
fn a_replacement_with_the_same_size_and_time_is_detected() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one two\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let time = modified(&workspace.path("a.txt"));
    replace(&workspace, "a.txt", "six two\n");
    put_mtime(&workspace.path("a.txt"), time);
    agent.edit("a.txt", "two", "2").refused("stale");
    assert_eq!(workspace.text("a.txt"), "six two\n");
}

#[test]
fn a_rewrite_between_two_edits_of_one_session_is_detected() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "n 0\n"));
    let mut agent = machine.agent(&workspace);
    for round in 0..20 {
        agent.read_and_edit("a.txt", "n ", "m ").done();
        let time = modified(&workspace.path("a.txt"));
        workspace.put("a.txt", format!("n {}\n", round % 10));
        put_mtime(&workspace.path("a.txt"), time);
        agent.edit("a.txt", "m ", "k ").refused("stale");
        assert_eq!(workspace.text("a.txt"), format!("n {}\n", round % 10));
    }
}

/// Touches a file without changing its content.
#[rstest]
#[case::a_new_time(|workspace: &Workspace| {
    put_mtime(&workspace.path("a.txt"), SystemTime::now() + Duration::from_secs(9));
})]
#[case::an_old_time(|workspace: &Workspace| put_mtime(&workspace.path("a.txt"), SystemTime::UNIX_EPOCH))]
#[case::a_new_mode(|workspace: &Workspace| {
    fs::set_permissions(workspace.path("a.txt"), PermissionsExt::from_mode(0o600)).expect("a mode");
})]
#[case::the_same_bytes_in_place(|workspace: &Workspace| workspace.put("a.txt", "one\n"))]
#[case::the_same_bytes_in_another_file(|workspace: &Workspace| replace(workspace, "a.txt", "one\n"))]
#[case::gone_and_back(|workspace: &Workspace| {
    fs::remove_file(workspace.path("a.txt")).expect("a file to remove");
    workspace.put("a.txt", "one\n");
})]
#[case::changed_and_back(|workspace: &Workspace| {
    workspace.put("a.txt", "two\n");
    workspace.put("a.txt", "one\n");
})]
fn a_touched_but_equal_file_is_fresh(#[case] touch: fn(&Workspace)) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    touch(&workspace);
    agent.edit("a.txt", "one", "two").done();
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn a_file_deleted_since_the_read_is_not_recreated() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    fs::remove_file(workspace.path("a.txt")).expect("a file to remove");
    let changes = [
        json!({ "kind": "edit", "path": "a.txt", "edits": [{ "oldText": "one", "newText": "1" }] }),
        json!({ "kind": "write", "path": "a.txt", "content": "mine\n" }),
        json!({ "kind": "delete", "path": "a.txt" }),
        json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" }),
    ];
    for change in changes {
        agent.change(change).refused_as_any(&["missing", "stale"]);
        assert!(workspace.everything().is_empty());
    }
}

#[test]
fn a_file_created_since_the_read_is_unread() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut agent = machine.agent(&workspace);
    agent.try_read("a.txt").refused("missing");
    workspace.put("a.txt", "theirs\n");
    let data =
        agent.change(json!({ "kind": "write", "path": "a.txt", "content": "mine\n" })).refused("unread");
    assert_eq!(data["currentHash"], hash_of("theirs\n"));
    assert_eq!(workspace.text("a.txt"), "theirs\n");
}

#[test]
fn a_rename_does_not_replace_a_file_created_since() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let change = json!({ "kind": "rename", "path": "a.txt", "newPath": "b.txt" });
    let proposal = agent.call("editd/propose", json!({ "changes": [change] })).done();
    workspace.put("b.txt", "theirs\n");
    agent.apply(&proposal).refused_as_any(&["exists", "stale"]);
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("one\n".into(), "theirs\n".into()));
}

#[test]
fn a_file_that_became_a_folder_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    fs::remove_file(workspace.path("a.txt")).expect("a file to remove");
    fs::create_dir(workspace.path("a.txt")).expect("a folder");
    agent.edit("a.txt", "one", "1").refused_as_any(&["not_a_file", "stale"]);
    assert!(workspace.path("a.txt").is_dir());
}
