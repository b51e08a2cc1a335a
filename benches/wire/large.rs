//! Partial reads of a file that is too large for memory.

use std::io::Write;
use std::process::Command;

use serde_json::json;

use crate::client::outcome;
use crate::corpus::{MB, code};
use crate::machine::Machine;
use crate::table::{Samples, mebibytes, row, title, verdict};

const GIGABYTE: usize = 1 << 30;
const ROUNDS: usize = 7;

/// Reads lines near the end of a log of 1 GB, compared with counting its lines.
pub(crate) fn log() {
    title("lines of a file of 1 GB");
    let machine = Machine::start();
    let path = machine.put("log.txt", "");
    let text = code(MB);
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    for _ in 0..GIGABYTE / text.len() {
        file.write_all(text.as_bytes()).expect("written");
    }
    file.flush().expect("written");
    drop(file);
    let mut client = machine.client();
    let before = machine.resident();
    let (mut counting, mut reading) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        let counted = counting.time(|| Command::new("wc").arg("-l").arg(&path).output().expect("wc"));
        let lines: usize = String::from_utf8_lossy(&counted.stdout)
            .split_whitespace()
            .next()
            .and_then(|count| count.parse().ok())
            .expect("a number of lines");
        let params = json!({ "path": path, "offset": lines - 10, "limit": 5 });
        let request = client.request("editd/read", &params);
        let answer = reading.time(|| client.exchange(&request));
        assert_eq!(outcome(&answer).expect("lines")["totalLines"], lines);
    }
    row("wc -l", &counting);
    row("editd/read near the end", &reading);
    verdict("against counting", reading.median_ratio(&counting), " times", 4.0, true);
    let grown = mebibytes(machine.resident().saturating_sub(before));
    verdict("additional memory", grown, " MiB", 8.0, true);
}
