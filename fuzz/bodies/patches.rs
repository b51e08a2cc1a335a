//! Any bytes as a patch: reading never panics, and what a patch asks for leaves all other lines alone.

use std::time::Duration;

use editd::edit::{Deadline, Edit, Found, Options, find};
use editd::patch::{PatchChange, PatchFormat, parse};
use editd::text::lines;

/// A single find may take this long; what is slower is refused, and is no finding here.
const LONGEST: Duration = Duration::from_secs(2);

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let count = text.split('\n').count();
    for format in [None].into_iter().chain(PatchFormat::ALL.map(Some)) {
        match parse(&text, format) {
            Ok(files) => {
                assert!(!files.is_empty(), "a patch is about something");
                for file in files {
                    assert!((1..=count).contains(&file.line), "a file is named in the patch");
                    check(&text, file.change);
                }
            }
            Err(error) => {
                assert!((1..=count).contains(&error.line), "an error is in the patch");
                assert!(!error.expected.is_empty(), "an error says what was expected");
            }
        }
    }
}

fn check(patch: &str, change: PatchChange) {
    let hunks = match change {
        PatchChange::Edit { hunks, .. } | PatchChange::Delete { hunks } => hunks,
        PatchChange::Create { .. } | PatchChange::Fill { .. } => return,
    };
    let edits: Vec<Edit> = hunks.into_iter().map(|hunk| hunk.edit).collect();
    let fuzzy = !patch.len().is_multiple_of(4);
    let options = Options { fuzzy, deadline: Deadline::after(LONGEST), ..Options::default() };
    for base in [fitting(&edits, "\n"), fitting(&edits, "\r\n"), patch.to_owned()] {
        if let Ok(found) = find(&base, &edits, &options) {
            check_found(&base, &found);
        }
    }
}

/// A text in which the hunks have their places, more or less.
fn fitting(edits: &[Edit], ending: &str) -> String {
    let mut base = String::new();
    for (number, edit) in edits.iter().enumerate() {
        base.extend(edit.anchor.under.iter().flat_map(|line| [line.as_str(), "\n"]));
        base.push_str(&edit.old);
        base.extend(["\nline ", &number.to_string(), " of the rest\n"]);
    }
    base.replace('\n', ending)
}

fn check_found(base: &str, found: &Found) {
    let starts: Vec<usize> = lines(base).map(|line| line.start).chain([base.len()]).collect();
    let start_of = |line: usize| starts.get(line).copied().unwrap_or(base.len());
    // A splice may be that of several matches side by side.
    let end_of_match_at = |at: usize| {
        let ends = found.matches.iter().filter(|one| start_of(one.start_line - 1) <= at);
        ends.map(|one| start_of(one.end_line)).find(|&end| at < end)
    };
    for splice in found.plan.splices() {
        let mut at = splice.range.start;
        while at < splice.range.end {
            let end = end_of_match_at(at);
            at = end.unwrap_or_else(|| panic!("{:?} is in no match of {base:?}", splice.range));
        }
    }
    let result = found.plan.apply(base);
    assert_eq!(found.plan.invert(base).apply(&result), base, "what is written can be taken back");
}
