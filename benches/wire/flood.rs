//! Tail latency of edits to a small file while other clients flood the daemon.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, outcome};
use crate::corpus::{KB, MB, code, counter};
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

/// Number of edits measured during each flood.
const EDITS: usize = 300;
/// Number of connections per flood.
const CONNECTIONS: usize = 8;

/// Sends load on one connection for at least a moment. Called repeatedly until the measurement ends.
type Flood = fn(&Machine, &AtomicBool);

const FLOODS: [(&str, Flood); 6] = [
    ("bodies of 100 MB", huge_bodies),
    ("bodies of 4 million values", many_values),
    ("endless headers, new connections", endless_headers),
    ("tiny requests, answers unread", tiny_requests),
    ("text that is not in 10 MB", absent_text),
    ("10 MB of equal letters", equal_letters),
];

pub(crate) fn during_floods() {
    title("edit of 10 KB during a flood from 8 connections");
    let machine = Machine::start();
    machine.put("small.rs", &code(10 * KB));
    machine.put("large.rs", &code(10 * MB));
    machine.put("equal.rs", &"a".repeat(10 * MB));
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": "small.rs" }));
    let mut done = 0;
    let alone = edits(&mut client, &mut done);
    row("alone", &alone);
    for (name, flood) in FLOODS {
        let stop = AtomicBool::new(false);
        let during = std::thread::scope(|scope| {
            for _ in 0..CONNECTIONS {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        flood(&machine, &stop);
                    }
                });
            }
            std::thread::sleep(Duration::from_millis(300));
            let during = edits(&mut client, &mut done);
            stop.store(true, Ordering::Relaxed);
            during
        });
        row(name, &during);
        let more = millis(during.quantile(0.99).saturating_sub(alone.quantile(0.99)));
        verdict(&format!("p99 during {name}, above that without load"), more, " ms", 100.0, true);
    }
}

fn edits(client: &mut Client, done: &mut usize) -> Samples {
    let mut samples = Samples::default();
    for _ in 0..EDITS {
        let (old, new) = (counter(0, *done), counter(0, *done + 1));
        let edit = json!({ "path": "small.rs", "oldText": old, "newText": new });
        let request = client.request("editd/edit", &edit);
        let answer = samples.time(|| client.exchange(&request));
        outcome(&answer).expect("an accepted edit");
        *done += 1;
    }
    samples
}

/// Opens a connection whose writes time out.
fn raw(machine: &Machine) -> UnixStream {
    let stream = UnixStream::connect(machine.socket()).expect("a running daemon");
    stream.set_write_timeout(Some(Duration::from_millis(200))).expect("a write can have a deadline");
    stream
}

fn huge_bodies(machine: &Machine, stop: &AtomicBool) {
    let (mut stream, chunk) = (raw(machine), vec![b'x'; MB]);
    let _ = stream.write_all(b"{\"");
    let _ = (0..100).all(|_| !stop.load(Ordering::Relaxed) && stream.write_all(&chunk).is_ok());
    let _ = stream.write_all(b"\":1}\n");
}

fn many_values(machine: &Machine, _: &AtomicBool) {
    let _ = raw(machine).write_all(format!("{{\"a\":[{}0]}}\n", "0,".repeat(4 * MB)).as_bytes());
}

fn endless_headers(machine: &Machine, _: &AtomicBool) {
    let _ = raw(machine).write_all("X-Filler: x\r\n".repeat(1 << 14).as_bytes());
}

fn tiny_requests(machine: &Machine, stop: &AtomicBool) {
    let requests = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"editd/status\"}\n".repeat(1000);
    let mut stream = raw(machine);
    while !stop.load(Ordering::Relaxed) && stream.write_all(requests.as_bytes()).is_ok() {}
}

fn absent_text(machine: &Machine, stop: &AtomicBool) {
    let old = "line 777 is not here\nline 778 neither\nline 779 is not\nline 780 is not\n";
    send_refused_edits(machine, stop, &json!({ "path": "large.rs", "oldText": old, "newText": "x\n" }));
}

fn equal_letters(machine: &Machine, stop: &AtomicBool) {
    let old = format!("{}b", "a".repeat(1000));
    send_refused_edits(machine, stop, &json!({ "path": "equal.rs", "oldText": old, "newText": "x" }));
}

fn send_refused_edits(machine: &Machine, stop: &AtomicBool, edit: &Value) {
    let mut client = machine.client();
    client.call("editd/read", &json!({ "path": edit["path"], "limit": 1 }));
    while !stop.load(Ordering::Relaxed) {
        let refused = client.try_call("editd/edit", edit);
        assert!(refused.is_err(), "the text is absent");
    }
}
