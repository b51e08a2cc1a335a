//! Tests of `editd undo`, `log`, `show` and `blame`.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::{Machine, Outcome, Workspace, converse, numbered_lines, plain, type_into};

/// Creates a repository in which alice and bob have changed a file.
pub(super) fn scene() -> (Machine, Workspace) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(6)));
    workspace.put(".git/HEAD", "ref: refs/heads/main\n");
    let mut alice = machine.agent_named("alice", &workspace);
    alice.read("a.txt");
    let params = json!({ "path": "a.txt", "oldText": "line 2", "newText": "two", "label": "count in words" });
    alice.call("editd/edit", params).done();
    machine
        .agent_named("bob-the-long-named-agent", &workspace)
        .read_and_edit("a.txt", "line 4", "four")
        .done();
    (machine, workspace)
}

pub(super) fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn a_person_can_undo_the_change_of_an_agent() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let typed = type_into(&machine, &["undo", "--path", &path], "y\r", &[]);
    let shown = plain(&typed.shown);
    assert!(shown.contains("-four\n") && shown.contains("+line 4\n"), "{shown}");
    assert!(typed.shown.contains("\u{1b}["), "it is coloured: {:?}", typed.shown);
    assert_eq!(typed.code, 0, "{shown}");
    assert_eq!(workspace.text("a.txt"), numbered_lines(6).replace("line 2", "two"));
}

#[test]
fn a_rejected_undo_changes_nothing() {
    let (machine, workspace) = scene();
    let before = workspace.everything();
    let path = workspace.absolute("a.txt");
    let typed = type_into(&machine, &["undo", "--path", &path], "n\r", &[]);
    assert_eq!((typed.code, workspace.everything()), (3, before), "{}", typed.shown);
}

#[test]
fn undo_with_yes_is_limited_to_changes_of_the_command_line() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    text(&machine.run(&["edit", &path, "--old", "line 6", "--new", "six", "--yes"]));
    text(&machine.run(&["undo", "--path", &path, "--yes"]));
    assert_eq!(workspace.text("a.txt"), numbered_lines(6).replace("line 2", "two").replace("line 4", "four"));
    let output = machine.run(&["undo", "--path", &path, "--yes"]);
    assert_eq!(output.status.code(), Some(1), "the remaining changes are by others");
    let output = machine.run(&["undo", "--path", &path]);
    assert_eq!(output.status.code(), Some(1), "there is no terminal to ask on");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--yes"));
}

#[test]
fn log_prints_one_line_per_change_that_fits_the_terminal() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let log = text(&machine.run(&["log", &path]));
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    assert!(lines[0].contains("bob-the-lon…") && lines[0].contains("a.txt +1 -1"), "{log}");
    assert!(lines[1].contains("alice") && lines[1].contains("count in words"), "{log}");
    assert!(!log.contains('\u{1b}'), "no colours in a pipe");
    let one = text(&machine.run(&["log", &path, "-n", "1"]));
    // The ages may differ.
    let ageless = |line: &str| {
        let parts = line.split("  ").filter(|part| !part.ends_with(" s"));
        parts.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(one.lines().map(ageless).collect::<Vec<_>>(), [ageless(lines[0])]);
    let typed = type_into(&machine, &["log", &path], "", &[]);
    assert!(typed.shown.contains("\u{1b}[") && typed.code == 0, "{:?}", typed.shown);
    assert!(plain(&typed.shown).lines().all(|line| line.chars().count() <= 80), "{}", plain(&typed.shown));
}

#[test]
fn log_marks_undone_changes() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    type_into(&machine, &["undo", "--path", &path], "y\r", &[]);
    let log = text(&machine.run(&["log", &path]));
    let lines: Vec<&str> = log.lines().collect();
    assert!(
        lines[0].contains("Undo: ") && !lines[0].contains("undone") && lines[1].contains("undone "),
        "{log}"
    );
}

#[test]
fn blame_shows_each_line_with_its_author() {
    let (machine, workspace) = scene();
    let blame = text(&machine.run(&["blame", &workspace.absolute("a.txt")]));
    let lines: Vec<&str> = blame.lines().collect();
    assert_eq!(lines.len(), 6, "{blame}");
    assert!(lines[0].starts_with("1 disk") && lines[0].ends_with("-          line 1"), "{blame}");
    assert!(lines[1].starts_with("2 alice") && lines[1].ends_with("two"), "{blame}");
    assert!(lines[3].contains("bob-the-lon…") && lines[3].ends_with("four"), "{blame}");
}

/// Creates a repository in which an agent and a sub-agent have changed a file, in two turns with long ids.
fn turns() -> (Machine, Workspace) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(6)));
    workspace.put(".git/HEAD", "ref: refs/heads/main\n");
    let mut agent = machine.agent_named("robot", &workspace);
    agent.read("a.txt");
    let changes =
        [("line 2", FIRST_TURN, None), ("line 4", SECOND_TURN, None), ("line 5", SECOND_TURN, Some("a1"))];
    for (line, turn, agent_id) in changes {
        let origin = json!({ "turn": turn, "agent": agent_id });
        let params = json!({ "path": "a.txt", "oldText": line, "newText": "new", "origin": origin });
        agent.call("editd/edit", params).done();
    }
    (machine, workspace)
}

const FIRST_TURN: &str = "5d0e2c1a-6c1e-4f6f-9a7e-0000aaaa1111";
const SECOND_TURN: &str = "5d0e2c1a-6c1e-4f6f-9a7e-0000bbbb2222";

#[test]
fn blame_lists_the_lines_of_one_turn_session_or_sub_agent() {
    let (machine, workspace) = turns();
    let path = workspace.absolute("a.txt");
    let lines = |filter: &[&str]| -> Vec<String> {
        let blame = text(&machine.run(&[&["blame", &path], filter].concat()));
        blame.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(lines(&["--turn", FIRST_TURN]), ["2"]);
    assert_eq!(lines(&["--turn", SECOND_TURN]), ["4", "5"]);
    assert_eq!(lines(&["--turn", SECOND_TURN, "--agent", "a1"]), ["5"]);
    assert_eq!(lines(&["--since", "1h"]), ["2", "4", "5"]);
    let json = text(&machine.run(&["blame", &path, "--agent", "a1", "--output", "json"]));
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let found = json["lines"].as_array().expect("a list");
    assert_eq!(
        (found.len(), &found[0]["startLine"], &found[0]["origin"]["turn"]),
        (1, &json!(5), &json!(SECOND_TURN))
    );
    let session = found[0]["session"].as_str().expect("a name");
    assert_eq!(lines(&["--session", session]), ["2", "4", "5"]);
    let none = machine.run(&["blame", &path, "--turn", "another"]);
    assert!(none.status.success() && none.stdout.is_empty());
    assert!(
        String::from_utf8_lossy(&none.stderr).contains("No line is from a change that matches"),
        "{none:?}"
    );
}

#[test]
fn log_shows_the_end_of_each_turn() {
    let (machine, workspace) = turns();
    machine.agent_named("other", &workspace).read_and_edit("a.txt", "line 1", "one").done();
    let log = text(&machine.run(&["log", &workspace.absolute("a.txt")]));
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[1].contains("  …bbb2222  a.txt") && lines[2].contains("  …bbb2222  a.txt"), "{log}");
    assert!(lines[3].contains("  …aaa1111  a.txt"), "{log}");
    assert_eq!(
        lines[0].find("a.txt"),
        lines[1].replace('…', ".").find("a.txt"),
        "the columns are aligned: {log}"
    );
}

#[test]
fn blame_reads_files_of_many_pages() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", numbered_lines(5_000)));
    let blame = text(&machine.run(&["blame", &workspace.absolute("a.txt")]));
    assert_eq!(blame.lines().count(), 5_000);
    assert!(
        blame.lines().last().is_some_and(|line| line.starts_with("5000 ") && line.ends_with("line 5000"))
    );
}

#[test]
fn json_output_is_what_the_methods_return() {
    let (machine, workspace) = scene();
    let path = workspace.absolute("a.txt");
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&text(&machine.run(&[&["--output", "json"], arguments].concat()))).unwrap()
    };
    assert_eq!(json(&["log", &path])["transactions"][1]["author"], json!("alice"));
    assert_eq!(json(&["blame", &path])["lines"][1]["author"], json!("alice"));
    text(&machine.run(&["edit", &path, "--old", "line 6", "--new", "six", "--yes"]));
    assert_eq!(json(&["undo", "--path", &path, "--yes"])["state"], json!("applied"));
}

/// Returns the authors of the changes of a file, the newest first.
fn authors(machine: &Machine, path: &str) -> Vec<String> {
    let log = text(&machine.run(&["log", path, "--output", "json"]));
    let log: Value = serde_json::from_str(&log).expect("JSON");
    let all = log["transactions"].as_array().expect("a list").iter();
    all.map(|it| it["author"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn undo_with_yes_does_not_undo_a_confirmed_change() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    let typed = type_into(&machine, &["edit", &path, "--old", "one", "--new", "two"], "y\r", &[]);
    assert_eq!(typed.code, 0, "{}", typed.shown);
    assert_eq!(authors(&machine, &path), ["terminal"]);
    let output = machine.run(&["undo", "--path", &path, "--yes"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--author"));
    assert_eq!(workspace.text("a.txt"), "two\n");
    let typed = type_into(&machine, &["undo", "--path", &path], "y\r", &[]);
    assert_eq!((typed.code, workspace.text("a.txt").as_str()), (0, "one\n"), "{}", typed.shown);
}

#[test]
fn author_names_distinguish_agents_with_a_shell() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let path = workspace.absolute("a.txt");
    text(&machine.run(&["edit", &path, "--old", "one", "--new", "1", "--yes", "--author", "pi"]));
    let edit = ["edit", &path, "--old", "two", "--new", "2", "--yes"];
    text(&machine.command(&edit).env("EDITD_AUTHOR", "goose").output().expect("editd can be run"));
    text(&machine.run(&["edit", &path, "--old", "three", "--new", "3", "--yes"]));
    assert_eq!(authors(&machine, &path), ["editd", "goose", "pi"]);
    text(&machine.run(&["undo", "--path", &path, "--yes", "--author", "pi"]));
    assert_eq!(workspace.text("a.txt"), "one\n2\n3\n");
    let output = machine.run(&["undo", "--path", &path, "--yes", "--author", "pi"]);
    assert_eq!(output.status.code(), Some(1), "the remaining changes are by others");
}

#[test]
fn reserved_author_names_are_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let edit = ["edit", &workspace.absolute("a.txt"), "--old", "one", "--new", "1", "--yes"];
    for name in ["terminal", " editor", "disk"] {
        let output = machine.run(&[&edit[..], &["--author", name]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn undo_outside_a_project_needs_a_path() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let path = workspace.absolute("a.txt");
    for (old, new) in [("one", "two"), ("two", "three")] {
        text(&machine.run(&["edit", &path, "--old", old, "--new", new, "--yes"]));
    }
    // The home folder is not a project.
    for what in [None, Some("t000000-1")] {
        let output = machine.run(&[&["undo", "--yes"][..], what.as_slice()].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && stderr.contains("editd undo --path PATH"), "{stderr}");
    }
    text(&machine.run(&["undo", "--path", &path, "--yes"]));
    assert_eq!(workspace.text("a.txt"), "two\n");
    let nowhere = workspace.absolute("nope.txt");
    let output = machine.run(&["undo", "--path", &nowhere, "--yes"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(1) && stderr.contains("no change of `") && stderr.contains("nope.txt`"),
        "{stderr}"
    );
}

#[test]
fn show_prints_a_transaction() {
    let (machine, workspace) = scene();
    let log: Value =
        serde_json::from_str(&text(&machine.run(&["log", &workspace.absolute("a.txt"), "--output", "json"])))
            .expect("JSON");
    let first = &log["transactions"][1];
    let id = first["transaction"].as_str().expect("an id");
    let shown =
        text(&machine.command(&["show", id]).current_dir(workspace.root()).output().expect("editd runs"));
    for part in
        [id, "alice", "count in words", first["session"].as_str().expect("a session"), "-line 2\n+two\n"]
    {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!shown.contains("four"), "{shown}");
    text(&machine.run(&["edit", &workspace.absolute("a.txt"), "--old", "line 6", "--new", "six", "--yes"]));
    let unknown = machine.run(&["show", "t0-0"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no transaction `t0-0`"));
}

#[test]
fn show_prints_a_proposal() {
    let (machine, workspace) = scene();
    let mut alice = machine.agent_named("alice", &workspace);
    alice.read("a.txt");
    let proposal = alice.propose("a.txt", "line 1", "one").done();
    let id = proposal["id"].as_str().expect("an id");
    let shown =
        text(&machine.command(&["show", id]).current_dir(workspace.root()).output().expect("editd runs"));
    for part in [id, "alice", "proposed", "-line 1\n+one\n"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
}

#[test]
fn log_prints_diffs_and_accepts_folders() {
    let (machine, workspace) = scene();
    workspace.put("sub/deep/b.txt", "b\n");
    machine.agent_named("alice", &workspace).read_and_edit("sub/deep/b.txt", "b", "B").done();
    let log = |path: &str, more: &[&str]| text(&machine.run(&[&["log", path][..], more].concat()));
    let folder = log(&workspace.absolute("sub"), &["-p"]);
    assert!(folder.contains("-b\n+B\n") && !folder.contains("four"), "{folder}");
    let all = log(&workspace.absolute(""), &["--patch"]);
    let places = ["-b\n+B\n", "-line 4\n+four\n", "-line 2\n+two\n"].map(|part| all.find(part));
    assert!(places.is_sorted() && places[0].is_some(), "newest first: {all}");
}

#[test]
fn all_changes_of_a_session_are_undone_newest_first() {
    let (machine, workspace) = scene();
    let mut alice = machine.agent_named("editd", &workspace);
    alice.read("a.txt");
    alice.edit("a.txt", "line 1", "eins").done();
    alice.edit("a.txt", "eins", "uno").done();
    let mut other = machine.agent_named("editd", &workspace);
    other.read_and_edit("a.txt", "line 6", "sechs").done();
    let newest = alice.history();
    let session = newest[1]["session"].as_str().expect("a session").to_owned();
    assert_ne!(newest[0]["session"], newest[1]["session"]);
    let undone = machine
        .command(&["undo", "--session", &session, "--yes", "--output", "json"])
        .current_dir(workspace.root())
        .output()
        .expect("editd runs");
    let undone: Value = serde_json::from_str(&text(&undone)).expect("JSON");
    assert_eq!(undone["undone"].as_array().map(Vec::len), Some(2));
    let left = workspace.text("a.txt");
    assert!(left.starts_with("line 1\n") && left.ends_with("sechs\n"), "{left}");
    let again = machine
        .command(&["undo", "--session", &session, "--yes"])
        .current_dir(workspace.root())
        .output()
        .expect("editd runs");
    assert_eq!(again.status.code(), Some(1), "nothing is left");
}

#[test]
fn undo_since_shows_all_changes_and_asks_once() {
    let (machine, workspace) = scene();
    let before = workspace.text("a.txt");
    let elsewhere = Workspace::file("b.txt", "b\n");
    machine.agent_named("alice", &elsewhere).read_and_edit("b.txt", "b", "B").done();
    let undo_since =
        |answer: &str| converse(&machine, workspace.root(), &["undo", "--since", "1h"], &[answer], &[]);
    let no = undo_since("n\r");
    assert_eq!((no.code, workspace.text("a.txt")), (3, before), "{}", no.shown);
    let yes = undo_since("y\r");
    let shown = plain(&yes.shown);
    assert!(
        shown.contains("-line 4\n+four\n") && shown.contains("Undo these 2 changes, the newest first?"),
        "{shown}"
    );
    assert_eq!((yes.code, workspace.text("a.txt")), (0, numbered_lines(6)), "{shown}");
    assert_eq!(elsewhere.text("b.txt"), "B\n", "the other project is unchanged");
    let future = machine
        .command(&["log", "--since", "2100-01-01T00:00:00Z"])
        .current_dir(workspace.root())
        .output()
        .expect("editd runs");
    assert!(
        future.stdout.is_empty() && String::from_utf8_lossy(&future.stderr).contains("No change matches")
    );
    let wrong = machine.run(&["log", "--since", "yesterday"]);
    assert_eq!(wrong.status.code(), Some(2));
}
