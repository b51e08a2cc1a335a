//! The setting `ide`: the daemon runs a server for each folder that a reviewing editor has open.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::server::{lock_files, read_json};
use crate::review::scene::reviewer;
use crate::support::{Agent, Machine, Outcome, Workspace, eventually};

/// Returns the lock files once there are this many.
fn locks(machine: &Machine, count: usize) -> Vec<PathBuf> {
    eventually("the lock files", || Some(lock_files(machine)).filter(|found| found.len() == count))
}

fn folders(lock: &Path) -> serde_json::Value {
    read_json(lock)["workspaceFolders"].clone()
}

#[test]
fn a_folder_has_a_server_as_long_as_a_reviewing_editor_has_it_open() {
    let (machine, workspace) = (Machine::configured("ide = true"), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    assert!(lock_files(&machine).is_empty(), "an agent is no editor");

    let (first, second) = (reviewer(&machine, &workspace), reviewer(&machine, &workspace));
    let lock = locks(&machine, 1).remove(0);
    assert_eq!(folders(&lock), json!([workspace.root()]));
    let discovery = machine.temporary().join("gemini/ide");
    assert_eq!(fs::read_dir(&discovery).expect("a folder").count(), 1);

    drop(first);
    // The daemon has noticed it when it answers the other editor.
    let other = Workspace::file("b.txt", "two\n");
    let third = reviewer(&machine, &other);
    assert!(locks(&machine, 2).contains(&lock), "the other editor still has the folder open");
    drop(second);
    let left = locks(&machine, 1).remove(0);
    assert_eq!(folders(&left), json!([other.root()]));
    drop(third);
    locks(&machine, 0);
    eventually("the end of the servers", || (fs::read_dir(&discovery).ok()?.count() == 0).then_some(()));
}

#[test]
fn servers_end_with_a_killed_daemon() {
    let (mut machine, workspace) = (Machine::configured("ide = true"), Workspace::file("a.txt", "one\n"));
    let _person = reviewer(&machine, &workspace);
    locks(&machine, 1);
    machine.crash();
    locks(&machine, 0);
}

#[test]
fn an_editor_that_does_not_review_has_no_server() {
    let (machine, workspace) = (Machine::configured("ide = true"), Workspace::file("a.txt", "one\n"));
    let mut editor = Agent::connect_as_editor(&machine);
    editor.initialize(workspace.session("plain")).done();
    let other = Workspace::file("b.txt", "two\n");
    let _person = reviewer(&machine, &other);
    assert_ne!(folders(&locks(&machine, 1)[0]), json!([workspace.root()]));
}
