//! Tests of commands that start the daemon if none runs.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Machine, Workspace, eventually};

fn edit<'a>(path: &'a str, old: &'a str, new: &'a str) -> Vec<&'a str> {
    vec!["edit", path, "--old", old, "--new", new, "--yes"]
}

#[test]
fn the_first_command_starts_the_daemon_and_it_stays() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let output = machine.run(&edit(&path, "one", "two"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workspace.text("a.txt"), "two\n");
    let first = machine.daemons();
    assert_eq!(first.len(), 1);
    assert!(machine.run(&edit(&path, "two", "three")).status.success());
    assert_eq!(machine.daemons(), first);
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "three\n");
}

#[test]
fn ten_commands_at_once_start_one_daemon_and_all_succeed() {
    let machine = Machine::asleep("");
    let workspace = Workspace::empty();
    for number in 0..10 {
        workspace.put(&format!("{number}.txt"), "one\n");
    }
    thread::scope(|scope| {
        for number in 0..10 {
            let (machine, workspace) = (&machine, &workspace);
            scope.spawn(move || {
                let output = machine.run(&edit(&workspace.absolute(&format!("{number}.txt")), "one", "two"));
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            });
        }
    });
    for number in 0..10 {
        assert_eq!(workspace.text(&format!("{number}.txt")), "two\n");
    }
    eventually("one daemon to be left", || (machine.daemons().len() == 1).then_some(()));
}

#[test]
fn no_spawn_starts_nothing() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let mut arguments = edit(&path, "one", "two");
    arguments.push("--no-spawn");
    for arguments in [arguments, vec!["status", "--no-spawn"]] {
        let output = machine.run(&arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "it should say that no daemon runs");
        assert!(machine.daemons().is_empty());
    }
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn no_spawn_uses_a_daemon_that_runs() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let mut arguments = edit(&path, "one", "two");
    arguments.push("--no-spawn");
    let output = machine.run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(workspace.text("a.txt"), "two\n");
}

#[test]
fn a_daemon_that_a_command_started_ends_when_it_is_idle() {
    let (machine, workspace) = (Machine::asleep("idle_exit = \"1s\"\n"), Workspace::file("a.txt", "one\n"));
    assert!(machine.run(&edit(&workspace.absolute("a.txt"), "one", "two")).status.success());
    eventually("the idle daemon to end", || machine.daemons().is_empty().then_some(()));
    assert!(machine.run(&edit(&workspace.absolute("a.txt"), "two", "three")).status.success());
    assert_eq!(workspace.text("a.txt"), "three\n");
}

#[test]
fn a_daemon_that_cannot_start_reports_why() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let mut arguments = edit(&path, "one", "two");
    arguments.extend(["--runtime-dir", &path]);
    let output = machine.run(&arguments);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("did not start") && printed.contains("a.txt"), "{printed}");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn an_impossible_socket_path_is_refused_at_once() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let (path, long) = (workspace.absolute("a.txt"), workspace.absolute(&"x".repeat(120)));
    let mut arguments = edit(&path, "one", "two");
    arguments.extend(["--runtime-dir", &long]);
    let since = Instant::now();
    let output = machine.run(&arguments);
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("too long") && printed.contains("--runtime-dir"), "{printed}");
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    assert!(!fs::exists(machine.state()).expect("a readable folder"), "nothing was started");
}

#[test]
fn commands_next_to_a_stop_are_served_by_the_daemon_that_ends_or_by_the_next() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    for _ in 0..5 {
        assert!(machine.run(&["read", &path]).status.success());
        thread::scope(|scope| {
            for number in 0..10 {
                let (machine, path) = (&machine, &path);
                scope.spawn(move || {
                    let arguments = if number == 3 { vec!["stop"] } else { vec!["read", path] };
                    let output = machine.run(&arguments);
                    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                });
            }
        });
    }
}
