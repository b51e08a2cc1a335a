//! Tests of the daemon's end.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{Framing, Machine, Outcome, Workspace};

#[test]
fn an_idle_daemon_ends_by_itself() {
    let mut machine = Machine::configured("idle_exit = \"1s\"\n");
    assert!(machine.until_ended().success());
    assert!(!machine.agent_socket().exists() && !machine.editor_socket().exists());
}

#[test]
fn a_daemon_with_a_session_is_not_idle() {
    let mut machine = Machine::configured("idle_exit = \"1s\"\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let mut agent = machine.agent(&workspace);
    let since = Instant::now();
    while since.elapsed() < Duration::from_millis(2_500) {
        assert!(machine.is_serving(), "it ended despite an open session");
        agent.wire().arrival(Duration::from_millis(100));
    }
    agent.read("a.txt");
    drop(agent);
    assert!(machine.until_ended().success());
}

#[test]
fn stop_ends_the_daemon() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "two").done();
    let output = machine.run(&["stop"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(machine.until_ended().success());
    agent.wire().until_closed();
    assert!(!machine.agent_socket().exists() && !machine.editor_socket().exists());
    machine.serve();
    assert_eq!(machine.agent(&workspace).read("a.txt")["text"], "two\n");
}

#[test]
fn a_termination_signal_ends_the_daemon_cleanly() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    machine.terminate();
    assert!(machine.until_ended().success());
    agent.wire().until_closed();
    assert!(!machine.agent_socket().exists() && !machine.editor_socket().exists());
}

#[test]
fn a_daemon_ends_during_work_without_a_partial_edit() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "n = 0\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    for round in 0..50 {
        let (old, new) = (format!("n = {round}\n"), format!("n = {}\n", round + 1));
        agent.send("editd/edit", json!({ "path": "a.txt", "oldText": old, "newText": new }));
    }
    machine.terminate();
    machine.until_ended();
    let messages = agent.wire().until_closed();
    let done = messages.iter().filter(|message| message["result"]["state"] == "applied").count();
    let text = workspace.text("a.txt");
    let number: usize =
        text.trim().trim_start_matches("n = ").parse().unwrap_or_else(|_| panic!("a partial edit: {text:?}"));
    assert!((done..=50).contains(&number), "{done} edits were acknowledged, {number} are there");
    assert_eq!(workspace.everything().len(), 1);
}

#[test]
fn an_open_connection_without_a_session_does_not_survive_the_end() {
    let mut machine = Machine::start();
    let mut wire = machine.wire(Framing::Lines);
    assert!(machine.run(&["stop"]).status.success());
    machine.until_ended();
    wire.until_closed();
}
