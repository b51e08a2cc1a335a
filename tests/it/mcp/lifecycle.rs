//! Lifecycle of the server and its daemon.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::support::{Arrival, Machine, Mcp, Workspace, eventually};

#[test]
fn the_first_call_starts_the_daemon() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    assert_eq!(mcp.tools().len(), 13);
    assert!(machine.daemons().is_empty());
    mcp.call("read", json!({ "path": "a.txt" })).done();
    assert_eq!(machine.daemons().len(), 1);
}

/// Another program may put its own file in place of the program, where agents can write to its folder.
#[test]
fn a_replaced_program_is_not_started() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let (program, marker) = (machine.home().join("editd"), machine.home().join("marker"));
    fs::copy(env!("CARGO_BIN_EXE_editd"), &program).expect("a copy");
    let mut command = Command::new(&program);
    command.arg("mcp").envs(machine.surroundings()).current_dir(workspace.root());
    let mut mcp = Mcp::of(command);
    mcp.introduce("2025-06-18", json!({}));
    fs::remove_file(&program).expect("the program");
    fs::write(&program, format!("#!/bin/sh\ntouch {}\n", marker.display())).expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("permissions");
    mcp.call("read", json!({ "path": "a.txt" })).done();
    assert_eq!(machine.daemons().len(), 1);
    assert!(!marker.exists());
}

#[test]
fn with_no_spawn_every_call_returns_a_hint() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::with(&machine, workspace.root(), &["--no-spawn"]);
    mcp.introduce("2025-06-18", json!({}));
    for _ in 0..2 {
        let refused = mcp.call("read", json!({ "path": "a.txt" })).refused("unavailable");
        assert!(refused.text.contains("editd serve"), "{}", refused.text);
    }
    assert!(machine.daemons().is_empty());
}

#[test]
fn a_killed_daemon_is_started_again_and_files_must_be_read_again() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    machine.crash();
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" })).done();
    assert_eq!(workspace.text("a.txt"), "two\n");
    for daemon in machine.daemons() {
        kill_process(daemon, Signal::KILL).expect("it can be killed");
    }
    eventually("the daemon to be gone", || machine.daemons().is_empty().then_some(()));
    // In a new session, only files that this session has read count as read.
    let edit = json!({ "path": "a.txt", "oldText": "two", "newText": "three" });
    let refused = mcp.call("edit", edit.clone());
    if refused.text.starts_with("Refused (outcome_unknown)") {
        assert!(refused.text.contains("read the files"), "{}", refused.text);
    }
    mcp.call("read", json!({ "path": "a.txt" })).done();
    mcp.call("edit", edit).done();
    assert_eq!(workspace.text("a.txt"), "three\n");
}

#[test]
fn a_change_is_not_repeated_after_its_daemon_is_killed() {
    let (mut machine, workspace) =
        (Machine::configured("review = \"always\"\n"), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    mcp.call("read", json!({ "path": "a.txt" })).done();
    let call = mcp.send_call("edit", json!({ "path": "a.txt", "oldText": "one", "newText": "two" }));
    eventually("the change to wait", || {
        let listed = mcp.call("proposal_status", json!({})).done();
        listed.data["proposals"].get(0).map(|_| ())
    });
    let asked = mcp.send_call("read", json!({ "path": "a.txt" }));
    mcp.called("read", asked).done();
    machine.crash();
    let unknown = mcp.called("edit", call).refused("outcome_unknown");
    assert!(
        unknown.text.contains("`proposal_status`") && unknown.text.contains("read the files"),
        "{}",
        unknown.text
    );
    machine.serve();
    mcp.call("read", json!({ "path": "a.txt" })).done();
}

#[test]
fn the_server_answers_pending_calls_before_it_ends_with_its_client() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut mcp = Mcp::start(&machine, &workspace);
    let calls: Vec<_> = (0..20).map(|_| mcp.send_call("list_of_nothing", json!({}))).collect();
    let reads: Vec<_> = (0..20).map(|_| mcp.send_call("read", json!({ "path": "a.txt" }))).collect();
    mcp.wire.close_sending();
    for call in calls {
        assert_eq!(mcp.answer(call)["error"]["code"], -32602);
    }
    for read in reads {
        assert_eq!(mcp.called("read", read).done().content(), "one\n");
    }
    let (status, said) = mcp.until_ended();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn the_server_ends_cleanly_without_any_message() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    let (status, said) = Mcp::with(&machine, workspace.root(), &[]).until_ended();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn an_unresponsive_daemon_is_reported_before_clients_time_out() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let (mut known, mut new) = (Mcp::start(&machine, &workspace), Mcp::start(&machine, &workspace));
    known.call("find", json!({ "pattern": "a.txt" })).done();
    machine.pause();
    for mcp in [&mut known, &mut new] {
        mcp.send_call("read", json!({ "path": "a.txt" }));
    }
    for mcp in [&mut known, &mut new] {
        let Arrival::Message(answer) = mcp.wire.arrival(Duration::from_secs(55)) else {
            panic!("the call is answered");
        };
        assert_eq!(answer["result"]["structuredContent"]["error"]["kind"], "unavailable", "{answer}");
    }
    machine.resume();
    for mcp in [&mut known, &mut new] {
        mcp.call("read", json!({ "path": "a.txt" })).done();
    }
}
