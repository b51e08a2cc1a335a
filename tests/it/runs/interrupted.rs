//! Runs whose end is never reported: the daemon or the client was killed.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::command::{history, printed, run, undo};
use crate::support::{Machine, Outcome, Workspace, eventually, within};

/// Time after which a change that was made before is known to be older than the end of the daemon.
const BEATS: Duration = Duration::from_millis(1500);

fn script(workspace: &Workspace) -> String {
    let folder = workspace.root().display();
    format!(
        "echo two > a.txt; touch {folder}/begun; until [ -e {folder}/go ]; do sleep 0.05; done; echo three > b.txt"
    )
}

fn workspace() -> Workspace {
    Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n"), (".gitignore", "begun\ngo\n")])
}

#[test]
fn a_killed_daemon_loses_nothing_that_happened_before() {
    let (mut machine, workspace) = (Machine::start(), workspace());
    run(&machine, &workspace, "echo zero >> c.txt");
    let script = script(&workspace);
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", &script]);
    let child = command.current_dir(workspace.root()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the command has begun", || workspace.has("begun").then_some(()));
    sleep(BEATS);
    machine.crash();
    machine.serve();
    // The next command begins once the new daemon has seen what happened before.
    run(&machine, &workspace, "true");
    workspace.put("go", "");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "the exit code is still that of the command");
    assert!(printed(&output).contains("the daemon was restarted in the meantime"), "{output:?}");
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 2, "{past:#?}");
    assert_eq!((&past[0]["run"]["interrupted"], &past[0]["author"]), (&json!(true), &json!("robin")));
    undo(&machine, &workspace, &past[0]["transaction"]);
    assert_eq!(workspace.text("a.txt"), "one\n");
}

#[test]
fn what_happened_after_the_end_of_the_daemon_is_not_the_commands() {
    let (mut machine, workspace) = (Machine::start(), workspace());
    workspace.put("src/mine.txt", "mine\n");
    workspace.put("gone/d.txt", "d\n");
    let script = script(&workspace);
    let mut command = machine.command(&["--no-spawn", "run", "--as", "robin", "--", "sh", "-c", &script]);
    let child = command.current_dir(workspace.root()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the command has begun", || workspace.has("begun").then_some(()));
    sleep(BEATS);
    machine.crash();
    // The command goes on, and so does a person.
    workspace.put("go", "");
    child.wait_with_output().unwrap();
    workspace.put("src/mine.txt", "the work of an hour\n");
    workspace.put("new/hers.txt", "new\n");
    std::fs::remove_dir_all(workspace.path("gone")).unwrap();
    machine.serve();
    let past =
        eventually("both parts", || Some(history(&machine, &workspace)).filter(|past| past.len() == 2));
    let of_robin: Vec<_> = past.iter().filter(|entry| entry["author"] == "robin").collect();
    assert_eq!(of_robin.len(), 1, "{past:#?}");
    let after = workspace.everything();
    undo(&machine, &workspace, &of_robin[0]["transaction"]);
    let mut expected = after;
    expected
        .iter_mut()
        .filter(|(name, _)| name.ends_with("a.txt"))
        .for_each(|it| it.1 = Some(b"one\n".to_vec()));
    assert_eq!(workspace.everything(), expected, "{past:#?}");
    // The rest is in the history, for a person.
    let rest = past.iter().find(|entry| entry["author"] == "disk").expect("an entry");
    assert_eq!(rest["files"].as_array().map(Vec::len), Some(4), "{rest:#?}");
    let mut robin = machine.agent_named("robin", &workspace);
    robin.call("editd/undo", json!({ "transaction": rest["transaction"] })).unwrap_err();
    let mut person = machine.editor(&workspace);
    person.call("editd/undo", json!({ "transaction": rest["transaction"] })).done();
    assert_eq!(workspace.text("src/mine.txt"), "mine\n");
    assert_eq!(workspace.text("gone/d.txt"), "d\n");
}

#[test]
fn a_killed_client_ends_its_run() {
    let (machine, workspace) = (Machine::start(), workspace());
    let script = script(&workspace);
    let mut command = machine.command(&["run", "--as", "robin", "--", "sh", "-c", &script]);
    let mut child = command.current_dir(workspace.root()).spawn().unwrap();
    eventually("the command has begun", || workspace.has("begun").then_some(()));
    kill_process(Pid::from_raw(child.id().cast_signed()).unwrap(), Signal::KILL).unwrap();
    child.wait().unwrap();
    let past = within(Duration::from_secs(20), "the run is recorded", || {
        Some(history(&machine, &workspace)).filter(|past| !past.is_empty())
    });
    assert_eq!(past[0]["run"]["interrupted"], true, "{past:#?}");
    workspace.put("go", "");
    eventually("the command has ended", || (workspace.text("b.txt") == "three\n").then_some(()));
}

#[test]
fn the_next_turn_of_a_session_ends_its_runs() {
    let (machine, workspace) = (Machine::start(), workspace());
    let mut agent = machine.agent_named("robin", &workspace);
    let begun =
        agent.call("editd/runBegin", json!({ "command": "make", "origin": { "toolCall": "t" } })).done();
    assert!(begun["run"].is_string(), "{begun}");
    workspace.put("a.txt", "two\n");
    agent.call("editd/nativeTurn", json!({ "turn": "next" })).done();
    workspace.put("b.txt", "two\n");
    let ended = agent.call("editd/runEnd", json!({ "toolCall": "t" })).done();
    assert_eq!(ended["known"], false);
    let past = history(&machine, &workspace);
    assert_eq!(past.len(), 1, "{past:#?}");
    assert_eq!((&past[0]["run"]["interrupted"], &past[0]["files"][1]), (&json!(true), &Value::Null));
    // The end of a run that the daemon has ended is answered from the history.
    let ended = agent.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    assert_eq!((&ended["known"], &ended["interrupted"]), (&json!(true), &json!(true)), "{ended}");
}

#[test]
fn a_session_cannot_end_the_run_of_another() {
    let (machine, workspace) = (Machine::start(), workspace());
    let mut robin = machine.agent_named("robin", &workspace);
    let begun = robin.call("editd/runBegin", json!({ "command": "make" })).done();
    let mut eve = machine.agent_named("eve", &workspace);
    let ended = eve.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    assert_eq!(ended["known"], false, "{ended}");
    let ended = robin.call("editd/runEnd", json!({ "run": begun["run"] })).done();
    assert_eq!(ended["known"], true, "{ended}");
}

/// The daemon is killed at many moments: while it takes a snapshot, while the command runs, while it records.
#[test]
fn a_daemon_killed_at_any_moment_leaves_a_snapshot_that_works() {
    let mut machine = Machine::start();
    for delay in [0, 2, 4, 6, 8, 10, 13, 16, 20, 30, 45] {
        let files: Vec<_> =
            (0..60).map(|n| (format!("sub{}/{n}.txt", n % 6), format!("text {n}\n"))).collect();
        let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let workspace = Workspace::with(&files);
        let before = workspace.everything();
        let script = "for f in sub*/*.txt; do echo more >> $f; done";
        // A command that starts a daemon itself would race with the one that the machine starts.
        let mut command = machine.command(&["--no-spawn", "run", "--as", "robin", "--", "sh", "-c", script]);
        let child = command.current_dir(workspace.root()).stderr(Stdio::piped()).spawn().unwrap();
        sleep(Duration::from_millis(delay));
        machine.crash();
        machine.serve();
        child.wait_with_output().unwrap();
        for entry in history(&machine, &workspace).iter().filter(|entry| entry["author"] == "robin") {
            undo(&machine, &workspace, &entry["transaction"]);
        }
        // What was not recorded stays, and the next command is not blamed for it.
        let left = workspace.everything();
        let new = |text: &Option<Vec<u8>>| text.as_ref().is_some_and(|text| text.ends_with(b"more\n"));
        assert_eq!(left.len(), before.len());
        assert!(left.iter().zip(&before).all(|(left, before)| left == before || new(&left.1)), "{delay} ms");
        let output = run(&machine, &workspace, "echo last > sub0/0.txt");
        assert_eq!(output.status.code(), Some(0), "{delay} ms: {}", printed(&output));
        let newest = &history(&machine, &workspace)[0];
        assert_eq!(newest["files"].as_array().unwrap().len(), 1, "{delay} ms: {newest:#?}");
        undo(&machine, &workspace, &newest["transaction"]);
        assert_eq!(workspace.everything(), left, "{delay} ms");
    }
}
