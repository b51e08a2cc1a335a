//! Tests of what `editd log` and `editd show` select and print.

use serde_json::json;

use crate::support::{Machine, Outcome, Workspace, numbered_lines};

use super::history::{scene, text};

/// Runs a command in a folder of the workspace, and returns its output.
fn run_here(machine: &Machine, workspace: &Workspace, arguments: &[&str]) -> String {
    text(&machine.command(arguments).current_dir(workspace.root()).output().expect("editd runs"))
}

#[test]
fn a_diff_that_is_too_long_to_be_stored_is_computed_again() {
    let (machine, workspace) = (Machine::start(), Workspace::file("main.go", numbered_lines(3000)));
    workspace.put(".git/HEAD", "ref: refs/heads/main\n");
    let mut agent = machine.agent_named("alice", &workspace);
    agent.read("main.go");
    let all = json!({ "path": "main.go", "oldText": "line", "newText": "row", "replaceAll": true });
    let changed = agent.call("editd/edit", all).done();
    let (transaction, proposal) =
        (changed["transaction"].as_str().expect("an id"), changed["id"].as_str().expect("an id"));
    // Later changes through editd are inverted.
    agent.edit("main.go", "row 2999\n", "2999\n").done();
    let has_all = |shown: &str| {
        let (old, new) = (shown.matches("\n-line ").count(), shown.matches("\n+row ").count());
        assert_eq!((old, new), (3000, 3000), "{}", &shown[..shown.len().min(2000)]);
    };
    let shown = run_here(&machine, &workspace, &["show", transaction]);
    has_all(&shown);
    assert!(
        shown.contains("--- a/main.go\n+++ b/main.go\n"),
        "as a short diff: {}",
        &shown[..shown.len().min(500)]
    );
    has_all(&run_here(&machine, &workspace, &["log", "-p"]));
    let closed = run_here(&machine, &workspace, &["show", proposal]);
    has_all(&closed);
    assert!(!closed.contains("too long") && !closed.to_lowercase().contains("binary"), "{closed}");
    let hash = workspace.hash("main.go");
    agent.change(json!({ "kind": "delete", "path": "main.go", "baseHash": hash })).done();
    let deleted = run_here(&machine, &workspace, &["log", "-p", "-n", "1"]);
    assert_eq!(deleted.matches("\n-row ").count(), 2999, "{}", &deleted[..deleted.len().min(2000)]);
    has_all(&run_here(&machine, &workspace, &["show", transaction]));
}

#[test]
fn a_long_diff_of_a_file_that_was_changed_elsewhere_is_reported_as_lost() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(3000)));
    workspace.put(".git/HEAD", "ref: refs/heads/main\n");
    let path = workspace.absolute("a.txt");
    text(&machine.run(&["edit", &path, "--old", "line", "--new", "row", "--all", "--yes"]));
    machine.restart();
    workspace.put("a.txt", "something else\n");
    let shown = text(&machine.run(&["log", &path, "-p"]));
    assert!(shown.contains("changed by another program since"), "{shown}");
}

#[test]
fn log_selects_changes_of_an_author() {
    let (machine, workspace) = scene();
    let alice = run_here(&machine, &workspace, &["log", "--author", "alice"]);
    assert!(alice.contains("count in words") && !alice.contains("bob"), "{alice}");
    assert_eq!(run_here(&machine, &workspace, &["log", "--author", "terminal"]), "");
    let mut command = machine.command(&["log"]);
    let all =
        text(&command.current_dir(workspace.root()).env("EDITD_AUTHOR", "alice").output().expect("editd"));
    assert!(all.contains("bob"), "the environment selects nothing: {all}");
}

#[test]
fn a_label_of_several_lines_takes_one_line() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let edit = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "label": "Count\n\nIn digits, as agreed." });
    let id = agent.call("editd/edit", edit).done()["id"].as_str().expect("an id").to_owned();
    for arguments in [&["log"][..], &["show", &id]] {
        let shown = run_here(&machine, &workspace, arguments);
        assert!(shown.contains("Count …") && !shown.contains('␊') && !shown.contains("agreed"), "{shown}");
    }
    let proposal = json!({ "path": "a.txt", "oldText": "1", "newText": "2", "label": "Recount\nIn digits, as agreed.", "review": true, "waitMs": 0 });
    let id = agent.call("editd/edit", proposal).done()["id"].as_str().expect("an id").to_owned();
    for arguments in [&["review"][..], &["review", &id]] {
        let output = machine.command(arguments).current_dir(workspace.root()).output().expect("editd");
        let shown = String::from_utf8(output.stdout).expect("text");
        assert!(shown.contains("Recount …") && !shown.contains('␊') && !shown.contains("agreed"), "{shown}");
    }
}
