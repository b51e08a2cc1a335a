//! Places that all clients share: the many requests of one client take none from another.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Machine, Outcome, Workspace, numbered_lines};

/// Connects an agent that resumes a session by its name.
fn resumed(machine: &Machine, workspace: &Workspace, author: &str, name: &str) -> Agent {
    let mut session = workspace.session(author);
    session["capabilities"] = json!({ "experimental": { "editd": { "session": name, "resume": true } } });
    machine.agent_with(session)
}

#[test]
fn many_resumable_sessions_make_no_other_forget_its_reads() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    resumed(&machine, &workspace, "robin", "mine").read("a.txt");
    for n in 0..150 {
        let mut eve = resumed(&machine, &workspace, "eve", &format!("s{n}"));
        eve.call("editd/status", json!({})).done();
    }
    resumed(&machine, &workspace, "robin", "mine").edit("a.txt", "one", "1").done();
}

fn native_edit(path: &str, call: &str) -> Value {
    json!({ "path": path, "oldText": "one", "newText": "two", "origin": { "toolCall": call } })
}

#[test]
fn many_prepared_changes_of_one_session_leave_those_of_others() {
    let (machine, workspace) = (Machine::start(), Workspace::with(&[("a.txt", "one\n"), ("b.txt", "one\n")]));
    let (mut robin, mut eve) =
        (machine.agent_named("robin", &workspace), machine.agent_named("eve", &workspace));
    robin.read("a.txt");
    robin.call("editd/nativeEdit", native_edit("a.txt", "mine")).done();
    eve.read("b.txt");
    for n in 0..300 {
        eve.call("editd/nativeEdit", native_edit("b.txt", &format!("call {n}"))).done();
    }
    workspace.put("a.txt", "two\n");
    let done = robin.call("editd/nativeDone", json!({ "toolCall": "mine" })).done();
    assert!(done["transaction"].is_string(), "{done}");
}

/// The other searches are those of a command: all agents of a test are one process.
#[rstest]
#[case::with_one_name(|_| "eve".to_owned())]
#[case::with_many_names(|n| format!("eve {n}"))]
fn many_searches_of_one_client_keep_no_other_waiting(#[case] name: fn(usize) -> String) {
    let (machine, workspace) = (Machine::configured("[limits]\ndeadline_ms = 2000\n"), Workspace::empty());
    let text = numbered_lines(100_000);
    for file in 0..40 {
        workspace.put(&format!("{file}.txt"), &text);
    }
    let mut eve: Vec<_> = (0..32).map(|n| machine.agent_named(&name(n), &workspace)).collect();
    for agent in &mut eve {
        agent.send("editd/search", json!({ "pattern": r"(?:\w+\W+){3,30}nothing$" }));
    }
    for _ in 0..4 {
        let output = machine.run(&["--output", "json", "list", &workspace.absolute("")]);
        let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert_eq!(listed["entries"].as_array().map(Vec::len), Some(40), "{output:?}");
    }
}
