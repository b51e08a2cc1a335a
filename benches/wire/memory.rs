//! Memory usage, startup time, and many connections.

use std::time::Duration;

use serde_json::json;

use crate::client::Client;
use crate::corpus::{KB, MB, code, counter, numbered};
use crate::machine::Machine;
use crate::table::{Samples, mebibytes, millis, row, title, verdict};

/// Time from the start of the process to the first answer.
pub(crate) fn start() {
    title("start to first answer");
    let mut samples = Samples::default();
    for _ in 0..15 {
        let machine = samples.time(|| {
            let machine = Machine::start();
            machine.client();
            machine
        });
        drop(machine);
    }
    row("spawn, connect, initialize", &samples);
    verdict("start", millis(samples.median()), " ms", 30.0, true);
}

/// Resident memory: idle, with cached files, after edits, and beyond the configured limit.
pub(crate) fn resident() {
    println!("\nresident memory");
    cached(200, 100 * KB, "200 files of 100 KB");
    cached(20, MB, "20 files of 1 MB");
    edited();
    capped();
}

fn idle(machine: &Machine) -> (Client, u64) {
    let mut client = machine.client();
    client.call("editd/status", &json!({}));
    std::thread::sleep(Duration::from_millis(200));
    let idle = machine.resident();
    (client, idle)
}

fn cached(files: usize, size: usize, name: &str) {
    let machine = Machine::start();
    let text = code(size);
    for file in 0..files {
        // All texts differ, because equal ones would be cached once.
        machine.put(&format!("{file}.rs"), &numbered(file, &text));
    }
    let (mut client, idle) = idle(&machine);
    verdict("idle", mebibytes(idle), " MiB", 15.0, true);
    for file in 0..files {
        client.call("editd/read", &json!({ "path": format!("{file}.rs"), "limit": 10 }));
    }
    report(&machine, &mut client, idle, name);
}

fn report(machine: &Machine, client: &mut Client, idle: u64, name: &str) {
    std::thread::sleep(Duration::from_millis(300));
    let held = client.call("editd/status", &json!({}))["memory"]["text"].as_u64().unwrap_or_default();
    let grown = machine.resident().saturating_sub(idle);
    println!("{name}: {:.1} MiB of text, {:.1} MiB above idle", mebibytes(held), mebibytes(grown));
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    verdict(&format!("{name}: memory over text"), grown as f64 / held as f64, "x", 2.5, true);
}

/// Memory after edits, whose freed buffers the allocator may or may not return to the system.
fn edited() {
    const EDITS: usize = 100;
    let machine = Machine::start();
    let text = code(MB);
    for file in 0..20 {
        machine.put(&format!("{file}.rs"), &numbered(file, &text));
    }
    let (mut client, idle) = idle(&machine);
    for file in 0..20 {
        let path = format!("{file}.rs");
        client.call("editd/read", &json!({ "path": path, "limit": 1 }));
        for edit in 0..EDITS / 20 {
            let (old, new) = (counter(0, edit), counter(0, edit + 1));
            let params = json!({ "path": path, "oldText": old, "newText": new });
            client.call("editd/edit", &params);
        }
    }
    report(&machine, &mut client, idle, "20 files of 1 MB after 100 edits");
}

/// Memory after reading three times as much text as the limit allows.
fn capped() {
    const CAP: u64 = 32 << 20;
    let machine = Machine::configured(&format!("[limits]\nmemory = {CAP}\n"));
    let text = code(MB);
    for file in 0..100 {
        machine.put(&format!("{file}.rs"), &numbered(file, &text));
    }
    let (mut client, idle) = idle(&machine);
    for file in 0..100 {
        client.call("editd/read", &json!({ "path": format!("{file}.rs"), "limit": 10 }));
    }
    std::thread::sleep(Duration::from_secs(1));
    let held = client.call("editd/status", &json!({}))["memory"]["text"].as_u64().unwrap_or_default();
    let grown = machine.resident().saturating_sub(idle);
    println!("100 MB read with a cap of {:.0} MiB: {:.1} MiB above idle", mebibytes(CAP), mebibytes(grown));
    verdict("capped: cached text", mebibytes(held), " MiB", mebibytes(CAP), true);
    verdict("capped: memory above idle", mebibytes(grown), " MiB", mebibytes(CAP * 5 / 2), true);
}

/// A thousand idle sessions.
pub(crate) fn connections() {
    const CONNECTIONS: u64 = 1000;
    title("1,000 open connections");
    let machine = Machine::start();
    machine.put("read.rs", &code(100 * KB));
    let (mut client, idle) = idle(&machine);
    let params = json!({ "path": "read.rs", "limit": 2000 });
    let mut read = || {
        let mut samples = Samples::default();
        for _ in 0..200 {
            let request = client.request("editd/read", &params);
            samples.time(|| client.exchange(&request));
        }
        samples
    };
    let before = read();
    let mut opening = Samples::default();
    let open: Vec<Client> = (0..CONNECTIONS).map(|_| opening.time(|| machine.client())).collect();
    row("open one and initialize", &opening);
    row("read of 100 KB before", &before);
    row("read of 100 KB with these connections", &read());
    std::thread::sleep(Duration::from_millis(200));
    let grown = machine.resident().saturating_sub(idle);
    println!("{:.1} MiB above idle, {} KiB per connection", mebibytes(grown), grown / CONNECTIONS / 1024);
    drop(open);
}
