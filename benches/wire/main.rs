//! What a whole daemon costs over its socket, beside what a plain program needs for the same.
//!
//! Criterion measures one thing at a time; here two have to be measured in turn (A B A B), because the file
//! system's share moves by more than what is to be told apart. So this is a small harness of its own.
//!
//! `cargo bench --bench wire` runs all parts, `cargo bench --bench wire -- edit-1m memory` those named.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

mod answers;
mod beside;
mod client;
mod corpus;
mod crowd;
mod durable;
mod edits;
mod flood;
mod floor;
mod large;
mod machine;
mod memory;
mod minute;
mod refusals;
mod search;
mod table;
mod tracked;
mod typing;

/// A part's name and what runs it.
type Part = (&'static str, fn());

const PARTS: [Part; 26] = [
    ("start", memory::start),
    ("edit-10k", || edits::single(0)),
    ("edit-100k", || edits::single(1)),
    ("edit-1m", || edits::single(2)),
    ("edit-10m", || edits::single(3)),
    ("edit-50m", || edits::single(4)),
    ("table", beside::table),
    ("base-10k", || edits::with_base_hash(0)),
    ("base-1m", || edits::with_base_hash(2)),
    ("base-10m", || edits::with_base_hash(3)),
    ("refusal", refusals::absent),
    ("read", refusals::read),
    ("answers", answers::table),
    ("log", large::log),
    ("many", edits::replace_all),
    ("search", search::beside_ripgrep),
    ("full-1", durable::one_file),
    ("full-8", durable::set),
    ("crowd", crowd::different_files),
    ("contest", crowd::one_file),
    ("flood", flood::beside_floods),
    ("typing", typing::keys),
    ("memory", memory::resident),
    ("tracked", tracked::files),
    ("minute", minute::of_many),
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
    // Cargo adds options of its own; what is left are names of parts.
    let asked: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    for (name, run) in PARTS {
        if asked.is_empty() || asked.iter().any(|asked| *asked == name) {
            run();
        }
    }
}
