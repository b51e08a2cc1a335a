//! Tests in which one client floods the daemon while another edits small files with hardly any delay. The
//! bench `flood` measures the delay; the bounds here only distinguish waiting from working.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{Agent, Framing, Machine, Outcome, Wire, Workspace, eventually};

/// Allowance on top of twice the time that the measuring client needs alone. The machine is busy with other
/// tests; a client that waits for a flood to end waits longer than this.
const SLACK: Duration = Duration::from_secs(2);
/// Number of edits measured.
const EDITS: usize = 100;

/// Sets the stop flag when dropped, also if a test fails.
struct Stopped<'a>(&'a AtomicBool);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A kind of flood: runs until it is stopped.
type Flood = fn(&Machine, &Workspace, &AtomicBool);

/// Returns the 99th percentile of the response times.
fn measured(agent: &mut Agent, name: &str, first: usize) -> Duration {
    let mut times: Vec<Duration> = (first..first + EDITS)
        .map(|number| {
            let asked = Instant::now();
            agent.edit(name, &format!("n = {number}\n"), &format!("n = {}\n", number + 1)).done();
            asked.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[EDITS - 1 - EDITS / 100]
}

fn request(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": 9, "method": method, "params": params }).to_string()
}

/// A session whose connection sends raw bytes.
fn flooder(machine: &Machine, workspace: &Workspace) -> Wire {
    let mut wire = machine.wire(Framing::Lines);
    let introduction = request("initialize", &workspace.session("flooder"));
    wire.send_bytes(format!("{introduction}\n").as_bytes());
    wire.receive();
    wire.set_write_patience(Duration::from_millis(200));
    wire
}

/// Runs a flood from several connections at once, repeatedly.
fn from_each(connections: usize, stop: &AtomicBool, flood: impl Fn(&AtomicBool) + Sync) {
    thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    flood(stop);
                }
            });
        }
    });
}

/// Bodies of 100 MB, as fast as the daemon reads them.
fn huge_bodies(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let chunk = vec![b'x'; 1 << 20];
    from_each(4, stop, |stop| {
        let mut wire = flooder(machine, workspace);
        if wire
            .try_send_bytes(br#"{"jsonrpc":"2.0","id":1,"method":"editd/read","params":{"path":""#)
            .is_err()
        {
            return;
        }
        let taken = (0..100).all(|_| !stop.load(Ordering::Relaxed) && wire.try_send_bytes(&chunk).is_ok());
        if taken && wire.try_send_bytes(b"\"}}\n").is_ok() {
            wire.arrival(Duration::from_millis(500));
        }
    });
}

/// Bodies of 100 MB that stop short of their end.
fn unfinished_bodies(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let chunk = vec![b'x'; 1 << 20];
    from_each(8, stop, |stop| {
        let mut wire = flooder(machine, workspace);
        let _ = wire.try_send_bytes(b"{\"");
        let _ = (0..100).all(|_| !stop.load(Ordering::Relaxed) && wire.try_send_bytes(&chunk).is_ok());
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
    });
}

/// An occasional byte on many connections.
fn trickles(machine: &Machine, _: &Workspace, stop: &AtomicBool) {
    let mut wires: Vec<Wire> = (0..50).map(|_| machine.wire(Framing::Headers)).collect();
    while !stop.load(Ordering::Relaxed) {
        wires.retain_mut(|wire| wire.try_send_bytes(b"C").is_ok());
        thread::sleep(Duration::from_millis(50));
    }
}

/// Headers that never end.
fn endless_headers(machine: &Machine, _: &Workspace, stop: &AtomicBool) {
    from_each(4, stop, |_| {
        let mut wire = machine.wire(Framing::Headers);
        let _ = wire.try_send_bytes("X-Filler: x\r\n".repeat(1 << 14).as_bytes());
    });
}

/// Millions of values in one message, and deeply nested lists.
fn many_values(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let broad =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"editd/read","params":[{}0]}}"#, "0,".repeat(4 << 20));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"editd/read","params":{}"#, "[".repeat(1 << 20));
    from_each(4, stop, |_| {
        let mut wire = flooder(machine, workspace);
        for body in [&broad, &deep] {
            if wire.try_send_bytes(format!("{body}\n").as_bytes()).is_ok() {
                wire.arrival(Duration::from_secs(5));
            }
        }
    });
}

/// Endless small requests whose answers the client never reads.
fn tiny_requests(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let requests = (request("editd/read", &json!({ "path": "small.txt" })) + "\n").repeat(1_000);
    from_each(2, stop, |stop| {
        let mut wire = flooder(machine, workspace);
        while !stop.load(Ordering::Relaxed) && wire.try_send_bytes(requests.as_bytes()).is_ok() {}
    });
}

/// A few expensive requests, repeatedly.
fn again_and_again(machine: &Machine, workspace: &Workspace, stop: &AtomicBool, edit: &Value) {
    let line = request("editd/edit", edit) + "\n";
    from_each(4, stop, |stop| {
        let mut agent = machine.agent_named("flooder", workspace);
        agent.call("editd/read", json!({ "path": edit["path"], "limit": 1 })).done();
        let wire = agent.wire();
        wire.send_bytes(line.repeat(8).as_bytes());
        while !stop.load(Ordering::Relaxed) {
            wire.arrival(Duration::from_millis(50));
            let _ = wire.try_send_bytes(line.as_bytes());
        }
    });
}

fn absent_text(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let old = "line 777 is not here\nline 778 neither\nline 779 is not\nline 780 is not\n";
    again_and_again(
        machine,
        workspace,
        stop,
        &json!({ "path": "large.txt", "oldText": old, "newText": "x\n" }),
    );
}

fn many_places(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let edit = json!({ "path": "large.txt", "oldText": "line", "newText": "l", "expectedReplacements": 7 });
    again_and_again(machine, workspace, stop, &edit);
}

fn equal_letters(machine: &Machine, workspace: &Workspace, stop: &AtomicBool) {
    let old = format!("{}b", "a".repeat(1_000));
    let edit = json!({ "path": "equal.txt", "oldText": old, "newText": "x" });
    again_and_again(machine, workspace, stop, &edit);
}

#[rstest]
#[case::huge_bodies(huge_bodies)]
#[case::unfinished_bodies(unfinished_bodies)]
#[case::trickles(trickles)]
#[case::endless_headers(endless_headers)]
#[case::many_values(many_values)]
#[case::tiny_requests(tiny_requests)]
#[case::absent_text(absent_text)]
#[case::many_places(many_places)]
#[case::equal_letters(equal_letters)]
fn a_flood_does_not_delay_other_clients(#[case] flood: Flood) {
    let machine = Machine::start();
    let workspace = Workspace::with(&[
        ("n.txt", "n = 0\n".to_owned()),
        ("small.txt", "a line\n".repeat(10)),
        ("large.txt", "a line of a large file\n".repeat(200_000)),
        ("equal.txt", "a".repeat(4 << 20)),
    ]);
    let mut agent = machine.agent(&workspace);
    agent.read("n.txt");
    let alone = measured(&mut agent, "n.txt", 0);
    let stop = AtomicBool::new(false);
    let beside = thread::scope(|scope| {
        let flooding = scope.spawn(|| flood(&machine, &workspace, &stop));
        let stopped = Stopped(&stop);
        thread::sleep(Duration::from_millis(500));
        let beside = measured(&mut agent, "n.txt", EDITS);
        drop(stopped);
        flooding.join().expect("a flood");
        beside
    });
    assert!(beside < 2 * alone + SLACK, "alone {alone:?}, beside the flood {beside:?}");
    agent.read("n.txt");
}

#[test]
fn new_clients_are_served_during_a_flood() {
    let (machine, workspace) = (Machine::start(), Workspace::file("n.txt", "n = 0\n"));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| huge_bodies(&machine, &workspace, &stop));
        let _stopped = Stopped(&stop);
        for number in 0..10 {
            let mut agent = machine.agent_named("late", &workspace);
            let (old, new) = (format!("n = {number}\n"), format!("n = {}\n", number + 1));
            agent.read_and_edit("n.txt", &old, &new).done();
        }
    });
}

#[test]
fn an_unfinished_message_costs_its_connection() {
    let machine = Machine::configured("[limits]\nmessage_ms = 300\n");
    let workspace = Workspace::file("a.txt", "one\n");
    let mut quiet = machine.agent(&workspace);
    let beginnings: [&[u8]; 4] =
        [b"{\"jsonrpc\"", b"Content-Le", b"Content-Length: 100\r\n", b"Content-Length: 100\r\n\r\n{"];
    for beginning in beginnings {
        let mut wire = machine.wire(Framing::Lines);
        wire.send_bytes(beginning);
        eventually("the connection to end", || wire.try_send_bytes(b"x").is_err().then_some(()));
    }
    // Between messages a client may be silent for any length of time.
    quiet.read_and_edit("a.txt", "one", "two").done();
}

#[rstest]
#[case::endless_headers(endless_headers)]
#[case::trickles(trickles)]
#[case::tiny_requests(tiny_requests)]
fn a_flood_of_small_messages_uses_little_memory(#[case] flood: Flood) {
    let machine = Machine::configured("[limits]\nunsent_output = 4194304\n");
    let workspace = Workspace::file("small.txt", "a line\n".repeat(10));
    machine.agent(&workspace).read("small.txt");
    let before = machine.peak();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| flood(&machine, &workspace, &stop));
        thread::sleep(Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
    });
    let grown = machine.peak() - before;
    assert!(grown < 64 << 10, "{grown} KiB more");
}

#[test]
fn all_messages_together_stay_within_the_memory_limit() {
    let machine = Machine::configured("[limits]\nmessage_size = 33554432\nmessage_memory = 33554432\n");
    let workspace = Workspace::file("n.txt", "n = 0\n");
    let mut agent = machine.agent(&workspace);
    agent.read("n.txt");
    let before = machine.peak();
    let chunk = vec![b'x'; 1 << 20];
    let wires: Vec<Wire> = (0..20)
        .map(|_| {
            let mut wire = machine.wire(Framing::Lines);
            wire.set_write_patience(Duration::from_millis(100));
            let _ = wire.try_send_bytes(b"{\"");
            let _ = (0..30).all(|_| wire.try_send_bytes(&chunk).is_ok());
            wire
        })
        .collect();
    agent.edit("n.txt", "n = 0", "n = 1").done();
    let grown = machine.peak() - before;
    // The memory limit, one message more, and slack in buffers that have just grown.
    assert!(grown < 160 << 10, "{grown} KiB more");
    drop(wires);
    // The memory is free again: this message is parsed, and refused because of its content.
    let unknown = json!({ "unknown": "x".repeat(20 << 20) });
    agent.call("editd/status", unknown).invalid("unknown");
}

#[test]
fn a_replacement_that_would_fill_the_memory_is_refused() {
    let (machine, workspace) = (Machine::start(), Workspace::file("a.txt", "x\n".repeat(500_000)));
    let mut agent = machine.agent(&workspace);
    agent.read("a.txt");
    let before = machine.peak();
    let new = "y".repeat(1 << 20);
    let edit = json!({ "path": "a.txt", "oldText": "x", "newText": new, "replaceAll": true });
    let data = agent.call("editd/edit", edit).refused("too_large");
    assert_eq!(data["limit"], 64 << 20);
    let grown = machine.peak() - before;
    assert!(grown < 64 << 10, "{grown} KiB more");
    agent.edit("a.txt", &"x\n".repeat(500_000), "x\n").done();
}
