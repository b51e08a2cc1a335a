//! Tests of exhausted system resources and of signals: requests are refused, files stay whole, and the daemon
//! ends in an orderly way.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};
use serde_json::{Value, json};

use crate::support::{Arrival, Framing, Machine, Outcome, Strace, Wire, Workspace};

fn the_daemon(machine: &Machine) -> Pid {
    let daemons = machine.daemons();
    assert_eq!(daemons.len(), 1);
    daemons[0]
}

/// Lowers a limit of a running process; returns the former limit.
fn allow(pid: Pid, resource: Resource, current: u64) -> Rlimit {
    // The daemon has inherited the maximum of this process.
    let maximum = getrlimit(resource).maximum;
    let before = prlimit(Some(pid), resource, Rlimit { current: Some(current), maximum });
    before.expect("a limit below the highest may be set")
}

fn open_files(pid: Pid) -> u64 {
    fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).expect("a process").count() as u64
}

#[test]
fn without_file_descriptors_requests_are_refused_until_there_are_some() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let daemon = the_daemon(&machine);
    // The number of open descriptors may still vary for a moment; then none is left for the edit.
    let before = allow(daemon, Resource::Nofile, 3.max(open_files(daemon)));
    let everything = workspace.everything();
    let data = agent.edit("a.txt", "one", "two").refused("disk");
    assert_eq!(data["errno"], 24, "{data}");
    assert_eq!(workspace.everything(), everything);
    // The kernel accepts connections, of which the daemon can serve hardly any yet.
    let initialize =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": workspace.session("b") });
    let mut waiting: Vec<Wire> = (0..10).map(|_| machine.wire(Framing::Lines)).collect();
    for wire in &mut waiting {
        wire.send(&initialize);
    }
    assert!(matches!(waiting[9].arrival(Duration::from_millis(300)), Arrival::Nothing));
    prlimit(Some(daemon), Resource::Nofile, before).expect("it may be as before");
    agent.edit("a.txt", "one", "two").done();
    // Connections accepted without a descriptor left for their root were refused; the others have only
    // waited.
    let answers: Vec<Value> = waiting.iter_mut().map(Wire::receive).collect();
    assert!(answers[9]["result"].is_object(), "{answers:?}");
}

#[test]
fn a_file_above_the_process_size_limit_is_refused() {
    let (mut machine, workspace) = (Machine::start(), Workspace::file("a.txt", "one\n"));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let daemon = the_daemon(&machine);
    let before = allow(daemon, Resource::Fsize, 100_000);
    let everything = workspace.everything();
    let large = json!({ "kind": "write", "path": "a.txt", "content": "a line of it\n".repeat(20_000) });
    let data = agent.change(large.clone()).refused("disk");
    assert_eq!(data["errno"], 27, "{data}");
    assert!(machine.is_serving());
    assert_eq!(workspace.everything(), everything, "nothing is changed and nothing left behind");
    agent.edit("a.txt", "one", "two").done();
    prlimit(Some(daemon), Resource::Fsize, before).expect("it may be as before");
    agent.change(large).done();
}

#[test]
fn an_edit_of_a_small_file_makes_few_system_calls() {
    const EDITS: usize = 10;
    /// With those of other threads, which handle the events of the file system.
    const MOST: usize = 80;
    let number = |n: usize| format!("const N: u32 = {n};");
    let text = format!("fn f() {{}}\n\n{}\n", number(0));
    let (machine, workspace) = (Machine::start(), Workspace::file("a.rs", &text));
    let mut agent = machine.agent(&workspace);
    agent.read("a.rs");
    let mut edit = |n: usize| agent.edit("a.rs", &number(n), &number(n + 1)).done();
    // The first ones start a parser and open the journal.
    for n in 0..EDITS {
        edit(n);
    }
    let strace = Strace::attach(the_daemon(&machine), &[], &["all"]);
    for n in EDITS..2 * EDITS {
        edit(n);
    }
    let trace = strace.finish(false);
    let calls: Vec<_> = trace.lines().filter(|line| !line.contains("resumed>")).collect();
    let of_one = calls.len() / EDITS;
    assert!(of_one <= MOST, "{of_one} system calls for an edit:\n{}", calls.join("\n"));
}

#[test]
fn a_terminated_daemon_completes_the_requests_in_progress() {
    for round in 0..5 {
        let files = [("a.txt", "n = 0\n"), ("b.txt", "n = 0\n")];
        let (mut machine, workspace) = (Machine::start(), Workspace::with(&files));
        let done: u32 = thread::scope(|scope| {
            let mut agent = machine.agent(&workspace);
            for name in ["a.txt", "b.txt"] {
                agent.read(name);
            }
            let writer = scope.spawn(move || {
                for number in 0.. {
                    let edits = json!([{ "oldText": format!("n = {number}\n"), "newText": format!("n = {}\n", number + 1) }]);
                    let change = |name: &str| json!({ "kind": "edit", "path": name, "edits": edits });
                    let changes = json!({ "changes": [change("a.txt"), change("b.txt")] });
                    let request = json!({ "jsonrpc": "2.0", "id": 100 + number, "method": "editd/edit", "params": changes });
                    let sent = agent.wire().try_send_bytes(format!("{request}\n").as_bytes());
                    let answered = sent.is_ok()
                        && matches!(agent.wire().arrival(Duration::from_secs(20)),
                            Arrival::Message(answer) if answer["result"]["state"] == "applied");
                    if !answered {
                        return number;
                    }
                }
                unreachable!("it ends when the daemon does")
            });
            thread::sleep(Duration::from_millis(60 + 17 * round));
            machine.terminate();
            writer.join().expect("a client")
        });
        assert!(machine.until_ended().success());
        // Every accepted request was answered, so no change is there without an answer.
        let expected = format!("n = {done}\n");
        assert_eq!((workspace.text("a.txt"), workspace.text("b.txt")), (expected.clone(), expected));
        assert_eq!(workspace.everything().len(), 2, "nothing is left behind");
    }
}

#[test]
fn a_hangup_ends_a_daemon_in_the_foreground() {
    let mut machine = Machine::start();
    kill_process(the_daemon(&machine), Signal::HUP).expect("a signal");
    assert!(machine.until_ended().success());
    assert!(!machine.agent_socket().exists());
}

#[test]
fn a_hangup_does_not_end_a_daemon_that_a_command_started() {
    let (machine, workspace) = (Machine::asleep(""), Workspace::file("a.txt", "one\n"));
    assert!(machine.run(&["read", &workspace.absolute("a.txt")]).status.success());
    let daemon = the_daemon(&machine);
    kill_process(daemon, Signal::HUP).expect("a signal");
    let mut agent = machine.agent(&workspace);
    agent.read_and_edit("a.txt", "one", "two").done();
    assert_eq!(machine.daemons(), [daemon]);
    agent.read("a.txt");
}
