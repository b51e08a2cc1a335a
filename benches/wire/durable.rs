//! Cost of edits that survive a power cut.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::outcome;
use crate::corpus::{KB, code, counter};
use crate::floor;
use crate::machine::Machine;
use crate::table::{Samples, millis, row, title, verdict};

/// Number of measured rounds.
const ROUNDS: usize = 100;
const WARM_UP: usize = 5;
/// Number of files in the set.
const FILES: usize = 8;
/// The counter in the middle of a text.
const MIDDLE: usize = 3;
/// Pause after each measurement for the file system to settle.
const PAUSE: Duration = Duration::from_millis(5);

/// Edits of one file, flushed before the answer.
pub(crate) fn one_file() {
    title("one exact edit, 10 KB, durability full");
    let (daemon, plain, _) = measure(1);
    row("plain program, with both flushes", &plain);
    row("editd", &daemon);
    verdict("one file: times the floor", daemon.median_ratio(&plain), "x", 1.5, true);
}

/// Atomic edits of a set of files.
pub(crate) fn set() {
    title(&format!("a set of {FILES} files of 10 KB, durability full"));
    let (daemon, plain, flush) = measure(FILES);
    row(&format!("{FILES} plain programs, with both flushes"), &plain);
    row("one flush", &flush);
    row("editd", &daemon);
    let flushes = (millis(daemon.median()) - millis(plain.median())) / millis(flush.median());
    verdict("the set: flushes above the floors", flushes, "", 4.0, true);
}

fn measure(files: usize) -> (Samples, Samples, Samples) {
    let machine = Machine::configured("durability = \"full\"\n");
    let text = code(10 * KB);
    let names: Vec<String> = (0..files).map(|file| format!("daemon-{file}.rs")).collect();
    let floors: Vec<PathBuf> =
        (0..files).map(|file| machine.put(&format!("floor-{file}.rs"), &text)).collect();
    let mut client = machine.client();
    for name in &names {
        let path = machine.put(name, &text);
        client.call("editd/read", &json!({ "path": path }));
    }
    let log = machine.put("flushed", "");
    let (mut daemon, mut plain, mut flush) = <(Samples, Samples, Samples)>::default();
    for round in 0..ROUNDS + WARM_UP {
        if round == WARM_UP {
            (daemon, plain, flush) = <(Samples, Samples, Samples)>::default();
        }
        let (old, new) = (counter(MIDDLE, round), counter(MIDDLE, round + 1));
        plain.time(|| floors.iter().for_each(|path| floor::durable_edit(path, &old, &new)));
        std::thread::sleep(PAUSE);
        flush.time(|| append_flushed(&log));
        std::thread::sleep(PAUSE);
        let request = client.request("editd/edit", &edit_of(&names, &old, &new));
        let answer = daemon.time(|| client.exchange(&request));
        outcome(&answer).expect("an edit");
        std::thread::sleep(PAUSE);
    }
    (daemon, plain, flush)
}

fn edit_of(names: &[String], old: &str, new: &str) -> Value {
    let change = |name: &String| json!({ "kind": "edit", "path": name, "edits": [{ "oldText": old, "newText": new }] });
    json!({ "changes": names.iter().map(change).collect::<Value>() })
}

/// Appends to a log and flushes it.
fn append_flushed(path: &Path) {
    let mut log = File::options().append(true).open(path).expect("a log");
    log.write_all(&[b'x'; 200]).expect("room for it");
    log.sync_all().expect("a flush");
}
