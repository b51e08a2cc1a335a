//! Parses arbitrary bytes as a patch: parsing never panics, and applying a patch changes no other lines.

use std::time::Duration;

use editd_edit::{Deadline, Edit, FoundMatch, Options, find};
use editd_edit::patch::{PatchChange, PatchFormat, parse};
use editd_text::lines;

/// Deadline of a single `find`. A slower call is refused, which is not an error here.
const LONGEST: Duration = Duration::from_secs(2);

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let count = text.split('\n').count();
    for format in [None].into_iter().chain(PatchFormat::ALL.map(Some)) {
        match parse(&text, format) {
            Ok(files) => {
                assert!(!files.is_empty(), "a patch contains files");
                for file in files {
                    assert!((1..=count).contains(&file.line), "the line of a file is in the patch");
                    check(&text, file.change);
                }
            }
            Err(error) => {
                assert!((1..=count).contains(&error.line), "the line of an error is in the patch");
                assert!(!error.expected.is_empty(), "an error names what was expected");
            }
        }
    }
}

fn check(patch: &str, change: PatchChange) {
    let hunks = match change {
        PatchChange::Edit { hunks, .. } | PatchChange::Delete { hunks } => hunks,
        PatchChange::Create { .. } | PatchChange::Fill { .. } | PatchChange::Lines { .. } => return,
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

/// Builds a text that approximately contains the hunks.
fn fitting(edits: &[Edit], ending: &str) -> String {
    let mut base = String::new();
    for (number, edit) in edits.iter().enumerate() {
        base.extend(edit.anchor.under.iter().flat_map(|line| [line.as_str(), "\n"]));
        base.push_str(&edit.old);
        base.extend(["\nline ", &number.to_string(), " of the rest\n"]);
    }
    base.replace('\n', ending)
}

fn check_found(base: &str, found: &FoundMatch) {
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
    assert_eq!(found.plan.invert(base).apply(&result), base, "the plan can be inverted");
}
