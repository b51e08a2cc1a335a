//! Number of characters that a client sends for the same changes in each form of an edit.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::change;
use super::meant::{self, Hunk};
use super::rng::Rng;
use super::sources::File;
use super::{Run, TRIES};

/// Number of unchanged lines between two changes that are one edit by text: each needs a line around it.
const JOINED: usize = 2;

/// Sums over all changes, in characters of compact JSON.
#[derive(Default)]
pub(crate) struct Sizes {
    changes: usize,
    text: Form,
    anchored: Form,
}

/// Sizes of one form: of the edits alone, and of the arguments of the calls with the path.
#[derive(Default)]
struct Form {
    edits: usize,
    alone: usize,
    calls: usize,
}

impl Form {
    fn add(&mut self, path: &str, edits: &[Value]) {
        let characters = |value: &Value| value.to_string().chars().count();
        self.edits += edits.len();
        self.alone += edits.iter().map(characters).sum::<usize>();
        self.calls += characters(&json!({ "path": path, "edits": edits }));
    }
}

impl Sizes {
    /// Returns the size of the anchored edits compared with the others, in tenths of a percent.
    pub(crate) fn per_mille(&self) -> usize {
        self.anchored.alone * 1000 / self.text.alone.max(1)
    }

    pub(crate) fn table(&self) -> String {
        let share = |per_mille: usize| format!("{}.{} %", per_mille / 10, per_mille % 10);
        let Self { changes, text, anchored } = self;
        let mut table = format!("== characters sent for {changes} changes\n\n");
        let [head, edits, alone, calls] = ["", "edits", "edits alone", "calls"];
        let _ = writeln!(table, "{head:<24} {edits:>9} {alone:>12} {calls:>12}");
        for (name, form) in [("old and new text", text), ("numbers of lines", anchored)] {
            let Form { edits, alone, calls } = form;
            let _ = writeln!(table, "{name:<24} {edits:>9} {alone:>12} {calls:>12}");
        }
        let calls = share(anchored.calls * 1000 / text.calls.max(1));
        let alone = share(self.per_mille());
        let _ = writeln!(table, "{head:<24} {head:>9} {alone:>12} {calls:>12}");
        table
    }
}

/// Measures 20 times as many changes as a kind has cases.
pub(crate) fn sizes(run: &Run) -> Sizes {
    let mut sizes = Sizes::default();
    for number in 0..run.cases * 20 {
        let mut rng = Rng::new(run.seed, "sizes", number, run.shipped);
        let drawn = (0..TRIES).find_map(|_| drawn(&mut rng));
        let Some((file, hunks)) = drawn else { continue };
        let united = united(&file, &hunks);
        sizes.changes += 1;
        sizes.text.add("src/service/handlers.rs", &by_text(&file, &united));
        sizes.anchored.add("src/service/handlers.rs#1a2b3c", &by_lines(&hunks));
    }
    sizes
}

fn drawn(rng: &mut Rng) -> Option<(File, Vec<Hunk>)> {
    let file = meant::file(rng);
    let size = if rng.percent(60) { 1..=6 } else { 3..=24 };
    let change = change::draw(rng, &file, &size)?;
    Some((file, meant::hunks(&change)))
}

/// Joins hunks that are so close to each other that the lines around them would overlap.
fn united(file: &File, hunks: &[Hunk]) -> Vec<Hunk> {
    let mut found: Vec<Hunk> = Vec::new();
    for hunk in hunks {
        match found.last_mut() {
            Some(last) if hunk.lines.start - last.lines.end <= JOINED => {
                let between = &file.lines[last.lines.end..hunk.lines.start];
                last.new.extend(between.iter().map(|line| line.text.clone()));
                last.new.extend_from_slice(&hunk.new);
                last.lines.end = hunk.lines.end;
            }
            _ => found.push(hunk.clone()),
        }
    }
    found
}

fn by_lines(hunks: &[Hunk]) -> Vec<Value> {
    let edit = |hunk: &Hunk| {
        let (first, last) = (hunk.lines.start + 1, hunk.lines.end);
        let lines = if first == last { first.to_string() } else { format!("{first}-{last}") };
        match (hunk.lines.is_empty(), hunk.new.is_empty()) {
            (true, _) => json!({ "after": last, "newText": hunk.new.join("\n") }),
            (false, true) => json!({ "lines": lines, "delete": true }),
            (false, false) => json!({ "lines": lines, "newText": hunk.new.join("\n") }),
        }
    };
    hunks.iter().map(edit).collect()
}

/// Returns the edits by text: the changed lines with at least one line around them on each side, and as many
/// more as make them unique.
fn by_text(file: &File, hunks: &[Hunk]) -> Vec<Value> {
    let lines: Vec<&str> = file.lines.iter().map(|line| line.text.as_str()).collect();
    let edit = |hunk: &Hunk| {
        let (mut start, mut end) = (hunk.lines.start, hunk.lines.end);
        loop {
            if start == 0 && end == lines.len() {
                break;
            }
            start = start.saturating_sub(1);
            end = (end + 1).min(lines.len());
            let old = &lines[start..end];
            if lines.windows(old.len()).filter(|window| *window == old).count() == 1 {
                break;
            }
        }
        let new: Vec<&str> = hunk.new.iter().map(String::as_str).collect();
        let new = [&lines[start..hunk.lines.start], &new, &lines[hunk.lines.end..end]].concat();
        json!({ "oldText": lines[start..end].join("\n"), "newText": new.join("\n") })
    };
    hunks.iter().map(edit).collect()
}
