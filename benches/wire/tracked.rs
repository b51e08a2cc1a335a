//! Many small files read by one session: memory per file, and the effect on the latency of other edits.

use std::fs::create_dir;

use serde_json::json;

use crate::client::{Client, outcome};
use crate::corpus::{KB, code, counter, numbered};
use crate::floor;
use crate::machine::{Machine, settle};
use crate::table::{Samples, mebibytes, millis, row, title, verdict};

const FILES: usize = 10_000;
const FOLDERS: usize = 200;
const EDITS: usize = 200;
/// The counter in the middle of a text.
const MIDDLE: usize = 3;

/// Reads all files, and measures edits of another file before and after.
pub(crate) fn files() {
    title("10,000 files of 2 KB, read by one session and tracked");
    let machine = Machine::start();
    let names = plant(&machine);
    let mut client = machine.client();
    let text = code(10 * KB);
    for name in ["floor.rs", "edited.rs"] {
        machine.put(name, &text);
    }
    client.call("editd/read", &json!({ "path": "edited.rs", "limit": 1 }));
    let mut done = 0;
    let alone = edits(&machine, &mut client, &mut done);
    std::thread::sleep(std::time::Duration::from_millis(200));
    let idle = machine.resident();
    let mut reads = Samples::default();
    for name in &names {
        let request = client.request("editd/read", &json!({ "path": name }));
        let answer = reads.time(|| client.exchange(&request));
        outcome(&answer).expect("a text");
    }
    row("read of one", &reads);
    println!("  all of them in {:.0} ms", millis(reads.total()));
    machine.await_quiet();
    let status = client.call("editd/status", &json!({}));
    let held = status["memory"]["text"].as_u64().unwrap_or_default();
    let grown = machine.resident().saturating_sub(idle);
    println!(
        "  {} documents, {:.1} MiB of text, {} watches",
        status["documents"],
        mebibytes(held),
        machine.watches()
    );
    #[expect(clippy::cast_precision_loss, reason = "a ratio for people")]
    let each = grown as f64 / FILES as f64 / KB as f64;
    println!("  {:.1} MiB above idle, {each:.1} KiB per file", mebibytes(grown));
    let after = edits(&machine, &mut client, &mut done);
    row("edit of 10 KB before, above the floor", &alone.1.above(&alone.0));
    row("edit of 10 KB after, above the floor", &after.1.above(&after.0));
    let more = millis(after.1.above(&after.0).median()) - millis(alone.1.above(&alone.0).median());
    verdict("additional time of an edit due to tracked files", more, " ms", 0.1, true);
}

/// Creates the files. All texts differ, because equal ones would be cached once.
fn plant(machine: &Machine) -> Vec<String> {
    let text = code(2 * KB);
    for folder in 0..FOLDERS {
        create_dir(machine.root().join(format!("part{folder}"))).expect("a folder");
    }
    (0..FILES)
        .map(|file| {
            let name = format!("part{}/{file}.rs", file % FOLDERS);
            machine.put(&name, &numbered(file, &text));
            name
        })
        .collect()
}

/// Measures edits by the floor and by the daemon in turns.
fn edits(machine: &Machine, client: &mut Client, done: &mut usize) -> (Samples, Samples) {
    let (mut plain, mut daemon) = (Samples::default(), Samples::default());
    let theirs = machine.root().join("floor.rs");
    for _ in 0..EDITS {
        let (old, new) = (counter(MIDDLE, *done), counter(MIDDLE, *done + 1));
        plain.time(|| floor::edit(&theirs, &old, &new));
        settle(10 * KB);
        let params = json!({ "path": "edited.rs", "oldText": old, "newText": new });
        let request = client.request("editd/edit", &params);
        let answer = daemon.time(|| client.exchange(&request));
        outcome(&answer).expect("an edit");
        settle(10 * KB);
        *done += 1;
    }
    (plain, daemon)
}
