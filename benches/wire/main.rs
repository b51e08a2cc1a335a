//! Benchmarks of the whole daemon over its socket, compared with a plain program that does the same work.
//!
//! Criterion measures one function at a time. Here two measurements must alternate (A B A B), because the
//! variation of the file system is larger than the differences to measure. Hence this separate small harness.
//!
//! `cargo bench --bench wire` runs all parts, `cargo bench --bench wire -- edit-1m memory` only the named
//! ones.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod answers;
mod comparison;
mod corpus;
mod crowd;
#[path = "../daemon/mod.rs"]
mod daemon;
mod durable;
mod edits;
mod flood;
mod floor;
mod globs;
mod hook;
mod large;
mod machine;
mod memory;
mod minute;
mod refusals;
mod renames;
mod runs;
mod search;
mod source;
mod table;
mod tracked;
mod typing;

use daemon::client;

/// Name of a part and its function.
type Part = (&'static str, fn());

const PARTS: [Part; 37] = [
    ("start", memory::start),
    ("edit-10k", || edits::single(0)),
    ("edit-100k", || edits::single(1)),
    ("edit-1m", || edits::single(2)),
    ("edit-10m", || edits::single(3)),
    ("edit-50m", || edits::single(4)),
    ("lines-100k", || edits::by_lines(1)),
    ("lines-1m", || edits::by_lines(2)),
    ("table", comparison::table),
    ("source", source::files),
    ("base-10k", || edits::with_base_hash(0)),
    ("base-1m", || edits::with_base_hash(2)),
    ("base-10m", || edits::with_base_hash(3)),
    ("hook", hook::edits),
    ("runs", runs::commands),
    ("refusal", refusals::absent),
    ("read", refusals::read),
    ("answers", answers::table),
    ("log", large::log),
    ("many", edits::replace_all),
    ("fifty-100k", || edits::fifty(1)),
    ("fifty-10m", || edits::fifty(3)),
    ("search", search::against_ripgrep),
    ("globs", globs::against_sed),
    ("rename", renames::in_one_file),
    ("full-1", durable::one_file),
    ("full-8", durable::set),
    ("crowd", crowd::different_files),
    ("contest", crowd::one_file),
    ("contest-rebase", crowd::one_file_rebased),
    ("flood", flood::during_floods),
    ("typing", typing::keys),
    ("memory", memory::resident),
    ("trees", source::memory_of_trees),
    ("tracked", tracked::files),
    ("minute", minute::many_clients),
    ("connections", memory::connections),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, file, count] = arguments.as_slice()
        && mode == floor::MODE
    {
        return floor::run(file.as_ref(), count.parse().expect("a number of edits"));
    }
    machine::raise_file_limit();
    // Cargo adds its own options; the remaining arguments are names of parts.
    let selected: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    for (name, run) in PARTS {
        if selected.is_empty() || selected.iter().any(|part| *part == name) {
            run();
        }
    }
}
