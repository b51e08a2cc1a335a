//! Tests that the next daemon knows every change, however the last one ended.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use rstest::rstest;
use serde_json::json;

use crate::support::{Machine, Outcome, Workspace, eventually};

/// The history's files of lines, oldest first.
fn segments(machine: &Machine) -> Vec<PathBuf> {
    let folders = fs::read_dir(machine.state().join("history")).expect("a history");
    let lines = folders.flatten().map(|folder| folder.path().join("entries.jsonl"));
    let mut segments: Vec<_> = lines.filter(|path| path.is_file()).collect();
    segments.sort();
    segments
}

/// Removes the last line of the newest segment, as if the daemon had been killed before writing it.
fn forget_last_line(machine: &Machine) {
    let newest = segments(machine).pop().expect("a segment");
    let text = fs::read_to_string(&newest).expect("lines");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert!(lines.last().is_some_and(|line| line.contains("\"landed\"")), "{text}");
    fs::write(newest, lines[..lines.len() - 1].concat()).expect("it can be written");
}

#[test]
fn a_new_daemon_undoes_what_the_last_one_did() {
    let (mut machine, workspace) =
        (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "b\n")]));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "1").done();
    agent.read("b.txt");
    agent.change(json!({ "kind": "delete", "path": "b.txt" })).done();
    machine.terminate();
    machine.until_ended();
    machine.serve();
    let mut agent = machine.agent(&workspace);
    agent.undo().done();
    agent.undo().done();
    assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), ("one\n".to_owned(), "b\n".to_owned()));
    let ids: Vec<_> = agent.history().iter().map(|entry| entry["transaction"].clone()).collect();
    assert_eq!(ids.len(), 4);
    assert_ne!(ids[0].as_str().map(|id| id[..7].to_owned()), ids[3].as_str().map(|id| id[..7].to_owned()));
}

#[rstest]
#[case::at_once(false)]
#[case::after_another_change_by_another_program(true)]
fn a_change_applied_by_a_killed_daemon_is_listed(#[case] changed: bool) {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\nfour\n"));
    let done = machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    machine.crash();
    forget_last_line(&machine);
    machine.serve();
    if changed {
        // The start has read the file before that.
        eventually("the start to settle it", || {
            segments(&machine).iter().rev().find(|segment| {
                fs::read_to_string(segment)
                    .is_ok_and(|text| text.starts_with("{\"sum\"") && text.contains("\"files\":[0]"))
            })?;
            Some(())
        });
        workspace.put("a.txt", "1\ntwo\nthree\nfour, changed\n");
        machine.restart();
    }
    machine.agent(&workspace).undo_this(&done).done();
    assert!(workspace.text("a.txt").starts_with("one\ntwo\nthree\n"));
}

#[test]
fn a_change_not_applied_by_a_killed_daemon_is_not_listed() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let done = machine.agent(&workspace).read_and_edit("a.txt", "one", "1").done();
    machine.crash();
    forget_last_line(&machine);
    workspace.put("a.txt", "one\n");
    machine.serve();
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.history(), Vec::<serde_json::Value>::new());
    agent.undo_this(&done).refused("missing");
}

#[test]
fn a_later_change_proves_the_one_before_it() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\n"));
    let mut agent = machine.agent(&workspace);
    let first = agent.read_and_edit("a.txt", "one", "1").done();
    agent.edit("a.txt", "two", "2").done();
    machine.crash();
    let segment = segments(&machine).pop().unwrap();
    let text = fs::read_to_string(&segment).unwrap();
    let id = first["transaction"].as_str().unwrap();
    let kept = text.split_inclusive('\n').filter(|line| !(line.contains("\"landed\"") && line.contains(id)));
    fs::write(&segment, kept.collect::<String>()).unwrap();
    machine.serve();
    let mut agent = machine.agent(&workspace);
    assert_eq!(agent.history().len(), 2);
    agent.undo_this(&first).done();
    assert_eq!(workspace.text("a.txt"), "one\n2\n");
}

#[test]
fn after_a_kill_at_any_time_every_applied_change_can_be_undone() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "number 0\n"));
    for round in 0..6_u64 {
        let mut agent = machine.agent(&workspace);
        agent.read("a.txt");
        let start: u64 = workspace.text("a.txt").trim_start_matches("number ").trim().parse().unwrap();
        for number in start..start + 300 {
            let (old, new) = (format!("number {number}\n"), format!("number {}\n", number + 1));
            agent.send("editd/edit", json!({ "path": "a.txt", "oldText": old, "newText": new }));
        }
        std::thread::sleep(Duration::from_millis(3 + round * 7));
        machine.restart();
        let mut agent = machine.agent(&workspace);
        let now = workspace.text("a.txt");
        let number: u64 = now.trim_start_matches("number ").trim().parse().unwrap();
        let history = agent.history();
        if number == start {
            continue;
        }
        assert_eq!(history[0]["files"][0]["hashAfter"], json!(workspace.hash("a.txt")), "{now}");
        agent.undo_this(&history[0]).done();
        assert_eq!(workspace.text("a.txt"), format!("number {}\n", number - 1));
    }
}

#[rstest]
#[case::a_line_in_the_middle(|text: &str| text.replacen("\"author\":\"alice\"", "\"author\":\"malice\"", 1).into_bytes())]
#[case::a_torn_line(|text: &str| text.as_bytes()[..text.len() - 30].to_vec())]
#[case::not_even_text(|text: &str| [b"\xff\x00\n{}\n\n", text.as_bytes(), b"{\"sum\":\"\xff"].concat())]
#[case::nothing(|_: &str| Vec::new())]
fn a_damaged_history_does_not_prevent_work(#[case] damage: fn(&str) -> Vec<u8>) {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for (old, new) in [("one", "1"), ("two", "2"), ("three", "3")] {
        agent.edit("a.txt", old, new).done();
    }
    machine.crash();
    let segment = segments(&machine).pop().unwrap();
    let text = fs::read_to_string(&segment).unwrap();
    fs::write(&segment, damage(&text)).unwrap();
    machine.serve();
    let mut agent = machine.agent(&workspace);
    let kept = agent.history().len();
    assert!(kept <= 3);
    agent.read_and_edit("a.txt", "1", "eins").done();
    agent.undo().done();
    assert_eq!(workspace.text("a.txt"), "1\n2\n3\n");
    assert_eq!(agent.history().len(), kept + 2);
    for left in (0..kept).rev() {
        agent.undo().done();
        assert_eq!(
            agent.history().iter().filter(|entry| entry["undone"] == json!(true)).count(),
            kept - left + 1
        );
    }
}

#[test]
fn a_history_that_cannot_be_written_is_only_reported() {
    let mut machine = Machine::asleep("");
    let workspace = Workspace::file("a.txt", "one\n");
    fs::create_dir_all(machine.state()).unwrap();
    fs::set_permissions(machine.state(), PermissionsExt::from_mode(0o700)).unwrap();
    fs::write(machine.state().join("history"), "in the way").unwrap();
    machine.serve();
    let mut agent = machine.agent(&workspace);
    let done = agent.read_and_edit("a.txt", "one", "1").done();
    assert_eq!(workspace.text("a.txt"), "1\n");
    let warning = done["files"][0]["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("history"), "{done}");
    agent.undo_this(&done).refused("missing");
}
