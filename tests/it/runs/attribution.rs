//! Changes of others while a command runs: each stays with its author.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::command::{history, undo};
use crate::support::{Agent, Editor, Kind, Machine, Outcome, Workspace, within};

/// A command that runs until it is told to end.
struct Running {
    child: Child,
}

impl Running {
    /// Starts a command that first runs a script, and has begun when this returns.
    fn start(machine: &Machine, workspace: &Workspace, author: &str, script: &str) -> Self {
        let script = format!("{script}; echo begun; read line; eval \"$line\"");
        let mut command = machine.command(&["run", "--as", author, "--", "sh", "-c", &script]);
        command.current_dir(workspace.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("editd can be run");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        assert_eq!(line, "begun\n");
        Self { child }
    }

    fn end(mut self, script: &str) {
        let mut input = self.child.stdin.take().expect("a pipe");
        input.write_all(format!("{script}\n").as_bytes()).expect("a line");
        drop(input);
        assert!(self.child.wait().expect("it ends").success());
    }
}

fn by_author<'a>(past: &'a [Value], author: &str) -> Vec<&'a Value> {
    past.iter().filter(|entry| entry["author"] == author).collect()
}

fn name_of(path: &Value) -> String {
    let path = path.as_str().expect("a path");
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

fn names(entry: &Value) -> Vec<String> {
    let files = entry["files"].as_array().expect("files");
    files.iter().map(|file| name_of(&file["path"])).collect()
}

#[test]
fn an_edit_of_another_agent_is_not_the_commands() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let running = Running::start(&machine, &workspace, "robin", "echo two > a.txt");
    let mut ada = machine.agent_named("ada", &workspace);
    ada.read("b.txt");
    ada.edit("b.txt", "one", "1").done();
    ada.change(json!({ "path": "new/c.txt", "kind": "write", "content": "c\n" })).done();
    running.end("echo more >> a.txt");
    let past = history(&machine, &workspace);
    assert_eq!(by_author(&past, "ada").len(), 2, "{past:#?}");
    let robin = by_author(&past, "robin");
    assert_eq!(robin.iter().map(|entry| names(entry)).collect::<Vec<_>>(), [["a.txt"]], "{past:#?}");
    undo(&machine, &workspace, &robin[0]["transaction"]);
    assert_eq!(workspace.text("b.txt"), "1\n");
    assert_eq!(workspace.text("new/c.txt"), "c\n");
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_file_that_both_change_has_a_transaction_of_each() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\ntwo\nthree\n"));
    let running = Running::start(&machine, &workspace, "robin", "sed -i s/one/1/ a.txt");
    let mut ada = machine.agent_named("ada", &workspace);
    ada.read("a.txt");
    ada.edit("a.txt", "two", "2").done();
    running.end("sed -i s/three/3/ a.txt");
    assert_eq!(workspace.text("a.txt"), "1\n2\n3\n");
    let past = history(&machine, &workspace);
    let authors: Vec<_> = past.iter().map(|entry| entry["author"].as_str().unwrap()).collect();
    assert_eq!(authors, ["robin", "ada", "robin"], "{past:#?}");
    for entry in by_author(&past, "robin") {
        undo(&machine, &workspace, &entry["transaction"]);
    }
    assert_eq!(workspace.text("a.txt"), "one\n2\nthree\n");
}

#[test]
fn a_native_edit_is_not_the_commands() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let running = Running::start(&machine, &workspace, "robin", "true");
    let mut ada = machine.agent_named("ada", &workspace);
    ada.read("a.txt");
    let change = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "origin": { "toolCall": "t" } });
    ada.call("editd/nativeEdit", change).done();
    workspace.put("a.txt", "1\n");
    // Another command ends between the write and its report.
    Running::start(&machine, &workspace, "eve", "true").end("true");
    ada.call("editd/nativeDone", json!({ "toolCall": "t" })).done();
    running.end("true");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    assert_eq!(past[0]["author"], "ada");
}

/// Starts the daemon with a native edit that is announced, and not reported.
fn announced() -> (Machine, Workspace, Agent) {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut ada = machine.agent_named("ada", &workspace);
    ada.read("a.txt");
    let change = json!({ "path": "a.txt", "oldText": "one", "newText": "1", "origin": { "toolCall": "t" } });
    ada.call("editd/nativeEdit", change).done();
    (machine, workspace, ada)
}

#[test]
fn a_change_that_is_announced_and_never_reported_is_the_commands() {
    let (machine, workspace, mut ada) = announced();
    Running::start(&machine, &workspace, "robin", "true").end("echo 1 > a.txt");
    let past = within(Duration::from_secs(60), "the change to be recorded", || {
        Some(history(&machine, &workspace)).filter(|past| !past.is_empty())
    });
    assert_eq!(past[0]["author"], "robin");
    // A late report adds nothing.
    ada.call("editd/nativeDone", json!({ "toolCall": "t" })).done();
    assert_eq!(history(&machine, &workspace).len(), 1);
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn a_change_that_is_not_reported_yet_comes_before_later_ones() {
    let (machine, workspace, _ada) = announced();
    Running::start(&machine, &workspace, "robin", "true").end("echo 1 > a.txt");
    Running::start(&machine, &workspace, "eve", "true").end("echo 2 > a.txt");
    let past = history(&machine, &workspace);
    let authors: Vec<_> = past.iter().map(|entry| entry["author"].as_str().unwrap()).collect();
    assert_eq!(authors, ["eve", "robin"], "{past:#?}");
}

#[test]
fn a_change_that_is_not_reported_is_recorded_when_the_daemon_ends() {
    let (mut machine, workspace, ada) = announced();
    Running::start(&machine, &workspace, "robin", "true").end("echo 1 > a.txt");
    drop(ada);
    assert!(machine.run(&["stop"]).status.success());
    machine.serve();
    let past = history(&machine, &workspace);
    assert_eq!(past.iter().map(|entry| &entry["author"]).collect::<Vec<_>>(), ["robin"]);
}

#[test]
fn a_file_that_a_person_saves_is_not_the_commands() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let editor = Editor::start(&machine, &workspace, Kind::Plugin);
    let uri = editor.open(&workspace, "a.txt");
    let running = Running::start(&machine, &workspace, "robin", "echo two > b.txt");
    editor.type_at_start(&uri, "typed ");
    editor.save(&uri);
    editor.settle();
    assert_eq!(workspace.text("a.txt"), "typed one\n");
    running.end("true");
    let past = history(&machine, &workspace);
    assert_eq!(
        by_author(&past, "robin").iter().map(|it| names(it)).collect::<Vec<_>>(),
        [["b.txt"]],
        "{past:#?}"
    );
}

#[test]
fn what_two_commands_may_have_changed_names_both() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let first = Running::start(&machine, &workspace, "robin", "echo two > a.txt");
    let second = Running::start(&machine, &workspace, "eve", "true");
    second.end("echo two > b.txt");
    first.end("true");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 2, "{past:#?}");
    assert_eq!((&past[1]["author"], names(&past[1])), (&json!("robin"), vec!["a.txt".to_owned()]));
    assert_eq!(past[1]["run"]["others"], Value::Null, "only one command ran then");
    assert_eq!((&past[0]["author"], names(&past[0])), (&json!("eve"), vec!["b.txt".to_owned()]));
    assert!(past[0]["run"]["others"][0].as_str().unwrap().starts_with("robin: sh -c"), "{past:#?}");
}

#[test]
fn changes_between_commands_belong_to_no_one() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    Running::start(&machine, &workspace, "robin", "true").end("true");
    workspace.put("a.txt", "mine\n");
    Running::start(&machine, &workspace, "robin", "true").end("echo two >> a.txt");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "mine\n");
}
