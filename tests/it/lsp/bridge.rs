//! `editd lsp`: a child process that connects an editor to the daemon.

use std::io::Write as _;
use std::process::Stdio;
use std::thread;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Arrival, Bridge, Framing, Machine, Outcome, PATIENCE, Workspace, eventually};

const MEGABYTE: usize = 1_000_000;

/// Sends `initialize`.
fn introduce(bridge: &mut Bridge, workspace: &Workspace) -> Value {
    bridge.editor.initialize(workspace.session("person")).done()
}

fn sessions(machine: &Machine, workspace: &Workspace) -> u64 {
    machine.agent(workspace).call("editd/status", json!({})).done()["sessions"].as_u64().expect("a number")
}

#[rstest]
fn the_first_bridge_starts_the_daemon_and_is_an_editor(
    #[values(Framing::Headers, Framing::Lines)] framing: Framing,
) {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let mut bridge = Bridge::with(&machine, &["lsp"], framing);
    let answer = introduce(&mut bridge, &workspace);
    let methods = answer["capabilities"]["experimental"]["editd"]["methods"].as_array().expect("methods");
    assert!(methods.contains(&json!("editd/shutdown")), "it is on the editors' socket: {answer}");
    assert_eq!(bridge.editor.read("a.txt")["text"], "one\n");
    assert_eq!(machine.daemons().len(), 1);
}

#[test]
fn the_bridge_works_through_plain_pipes() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let mut command = machine.command(&["lsp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("editd can be run");
    let mut session = workspace.session("person");
    session["capabilities"] = json!({});
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": session }).to_string();
    let mut input = child.stdin.take().expect("a pipe");
    write!(input, "Content-Length: {}\r\n\r\n{message}", message.len()).expect("the bridge reads");
    drop(input);
    let output = child.wait_with_output().expect("it can be waited for");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success());
    let (head, body) = said.split_once("\r\n\r\n").expect("one message");
    assert_eq!(head, format!("Content-Length: {}", body.len()), "the output contains nothing else");
    let answer: Value = serde_json::from_str(body).expect("JSON");
    assert!(answer["result"]["capabilities"].is_object(), "{answer}");
}

#[test]
fn with_no_spawn_and_no_daemon_the_error_is_one_line() {
    let machine = Machine::asleep("");
    let mut bridge = Bridge::with(&machine, &["lsp", "--no-spawn"], Framing::Headers);
    assert_eq!(bridge.editor.wire().until_closed(), [] as [Value; 0]);
    let (status, said) = bridge.until_ended();
    assert_eq!((status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(machine.daemons().is_empty());
}

#[test]
fn many_bridges_at_once_start_one_daemon() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    let mut bridges: Vec<_> = (0..6).map(|_| Bridge::start(&machine)).collect();
    for bridge in &mut bridges {
        introduce(bridge, &workspace);
    }
    eventually("one daemon to be left", || (machine.daemons().len() == 1).then_some(()));
    assert_eq!(sessions(&machine, &workspace), 7);
    let edited = bridges[0].editor.read_and_edit("a.txt", "one", "two").done();
    assert_eq!(bridges[5].editor.read("a.txt")["hash"], edited["files"][0]["hash"]);
}

#[test]
fn an_editor_that_closes_its_sending_side_still_gets_responses() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    let reads: Vec<_> =
        (0..20).map(|_| bridge.editor.send("editd/read", json!({ "path": "a.txt" }))).collect();
    bridge.editor.wire().close_sending();
    for read in reads {
        assert_eq!(bridge.editor.answer(read).done()["text"], "one\n");
    }
    let (status, said) = bridge.until_ended();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn the_bridge_ends_cleanly_after_shutdown_and_exit() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    bridge.editor.call("shutdown", Value::Null).done();
    bridge.editor.notify("exit", Value::Null);
    let (status, said) = bridge.until_ended();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn the_bridge_ends_cleanly_when_the_daemon_is_stopped() {
    let (mut machine, workspace) = (Machine::start(), Workspace::empty());
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    assert!(machine.run(&["stop"]).status.success());
    assert!(machine.until_ended().success());
    let last = bridge.editor.wire().until_closed();
    assert_eq!(last.last().map(|last| &last["method"]), Some(&json!("$/editd/goodbye")), "{last:?}");
    let (status, said) = bridge.until_ended();
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

#[test]
fn the_bridge_fails_with_one_line_when_the_daemon_is_killed() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut bridges = [Bridge::start(&machine), Bridge::start(&machine)];
    for bridge in &mut bridges {
        introduce(bridge, &workspace);
        bridge.editor.read("a.txt");
    }
    machine.crash();
    for mut bridge in bridges {
        assert_eq!(bridge.editor.wire().until_closed(), [] as [Value; 0]);
        let (status, said) = bridge.until_ended();
        assert_eq!((status.code(), said.lines().count()), (Some(1), 1), "{said}");
    }
    let mut next = Bridge::start(&machine);
    introduce(&mut next, &workspace);
    assert_eq!(next.editor.read("a.txt")["text"], "one\n");
}

#[test]
fn a_signal_ends_only_the_bridge_and_its_session() {
    let (mut machine, workspace) = (Machine::start(), Workspace::empty());
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    bridge.terminate();
    let (_, said) = bridge.until_ended();
    assert_eq!(said, "");
    eventually("its session to end", || (sessions(&machine, &workspace) == 1).then_some(()));
    assert!(machine.is_serving());
}

#[test]
fn a_large_message_passes_in_both_directions() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    let content = "all work and no play\n".repeat(20 * MEGABYTE / 21);
    let change = json!({ "kind": "write", "path": "a.txt", "content": content });
    let proposal = bridge.editor.call("editd/propose", json!({ "changes": [change] })).done();
    let diff = proposal["files"][0]["diff"].as_str().expect("a diff");
    assert!(diff.len() > content.len());
    bridge.editor.apply(&proposal).done();
    assert_eq!(workspace.text("a.txt"), content);
}

#[test]
fn the_bridge_does_not_buffer_for_an_editor_that_does_not_read() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    let content = "all work and no play\n".repeat(20 * MEGABYTE / 21);
    let change = json!({ "kind": "write", "path": "a.txt", "content": content });
    let before = peak_memory(&bridge);
    let asked = bridge.editor.send("editd/propose", json!({ "changes": [change] }));
    // The daemon has the proposal, so it has sent the response, which the editor has not read yet.
    eventually("the proposal to be made", || {
        let status = machine.agent(&workspace).call("editd/status", json!({})).done();
        (status["proposals"] == 1).then_some(())
    });
    bridge.editor.answer(asked).done();
    let grown = peak_memory(&bridge) - before;
    assert!(grown < 8 * MEGABYTE, "{grown} bytes more than {before} bytes");
}

/// Returns the peak memory of a bridge, in bytes.
fn peak_memory(bridge: &Bridge) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", bridge.pid().as_raw_nonzero()));
    let status = status.expect("the status of a running process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak of memory");
    line.trim().trim_end_matches(" kB").trim().parse::<usize>().expect("a number") << 10
}

#[test]
fn a_malformed_message_is_answered_by_the_daemon() {
    let (machine, workspace) = (Machine::start(), Workspace::empty());
    let mut bridge = Bridge::start(&machine);
    introduce(&mut bridge, &workspace);
    bridge.editor.wire().send_body(b"nonsense");
    let Arrival::Message(answer) = bridge.editor.wire().arrival(PATIENCE) else { panic!("no answer") };
    assert_eq!(answer["error"]["code"], -32700);
}

#[test]
fn bridges_during_a_stop_are_served_by_the_old_or_the_new_daemon() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::empty());
    for _ in 0..5 {
        introduce(&mut Bridge::start(&machine), &workspace);
        thread::scope(|scope| {
            for number in 0..8 {
                let (machine, workspace) = (&machine, &workspace);
                scope.spawn(move || {
                    if number == 3 {
                        assert!(machine.run(&["stop"]).status.success());
                    } else {
                        // A daemon that is stopping may exit right after its response.
                        let mut bridge = Bridge::start(machine);
                        bridge.editor.call("initialize", workspace.session("person")).done();
                    }
                });
            }
        });
    }
}
