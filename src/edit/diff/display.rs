//! Diffs in other formats than unified.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::{Group, Labels, LineChange, changes, file_header, groups};
use crate::refusal::truncated;
use crate::{Deadline, Plan, diff_plan};
use editd_text::{LineEnding, floor_char_boundary, lines};

/// Maximum size of a rendered diff, in bytes. The unified diff is complete.
const MAX_BYTES: usize = 64 << 10;
/// Maximum number of bytes of a line that are shown.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Maximum size of a hunk, both sides together, whose words are compared. A larger one is marked as a whole:
/// single words in it are not useful.
const MAX_COMPARED: usize = 128 << 10;
/// Maximum number of characters of a line in a summary.
const MAX_QUOTED: usize = 60;
/// Text that replaces the omitted part.
const TRUNCATED: &str = "… (the rest is omitted)\n";
/// Note for lines that differ only in their endings.
const ENDINGS_DIFFER: &str = "\\ Only line endings differ";

/// The format in which a change is shown, with its name in stored proposals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Display {
    /// The complete unified diff.
    Unified,
    /// Changed lines once, with `[-old-]{+new+}` around changed words.
    Word,
    /// One line of text for the file and one for each hunk.
    Summary,
    /// Lines with their signs and numbers: old numbers for removed lines, new numbers for all others.
    Numbered,
}

/// Renders the changes of `plan` to `base`. All formats but the unified one are cut after 64 KiB and within
/// lines of more than 4 KiB, and show no line endings. After the deadline the result is coarser, never wrong.
pub fn display_plan(
    base: &str,
    plan: &Plan,
    labels: Labels<'_>,
    display: Display,
    deadline: Deadline,
) -> String {
    if display == Display::Unified {
        return diff_plan(base, plan, labels, deadline).unified;
    }
    let changes = changes(base, plan, deadline);
    let mut out = Out::default();
    match display {
        Display::Summary => summary(&mut out, base, &changes, labels),
        _ if changes.is_empty() => {}
        Display::Numbered => {
            for (at, group) in groups(base, &changes).enumerate() {
                if at > 0 {
                    out.line("", "…");
                }
                numbered(&mut out, base, &group);
            }
        }
        Display::Word | Display::Unified => {
            out.lines(&file_header(labels));
            groups(base, &changes).for_each(|group| in_words(&mut out, base, &group, deadline));
        }
    }
    out.text
}

/// An output text with a size limit.
#[derive(Default)]
struct Out {
    text: String,
    full: bool,
}

impl Out {
    /// Appends a line with the prefix `mark`, cut if it is long.
    fn line(&mut self, mark: &str, content: &str) {
        if self.full {
            return;
        }
        let shown = floor_char_boundary(content, MAX_LINE_BYTES);
        if self.text.len() + mark.len() + shown + 1 > MAX_BYTES {
            self.text.push_str(TRUNCATED);
            self.full = true;
            return;
        }
        self.text.push_str(mark);
        self.text.push_str(&content[..shown]);
        self.text.push_str(if shown < content.len() { "…\n" } else { "\n" });
    }

    fn lines(&mut self, text: &str) {
        for line in lines(text) {
            self.line("", line.content);
        }
    }
}

fn numbered(out: &mut Out, base: &str, group: &Group<'_>) {
    let mut next = 0;
    for (at, change) in group.changes.iter().enumerate() {
        let between = group.between(base, at);
        numbered_lines(out, ' ', change.new_line - between.len(), &between.concat());
        let old = &base[change.range.clone()];
        numbered_lines(out, '-', change.old_line, old);
        numbered_lines(out, '+', change.new_line, &change.text);
        if differ_only_in_endings(old, &change.text) {
            out.line("", ENDINGS_DIFFER);
        }
        next = change.new_line + change.new_lines;
    }
    numbered_lines(out, ' ', next, &group.after.concat());
}

fn numbered_lines(out: &mut Out, sign: char, before: usize, text: &str) {
    for (at, line) in lines(text).enumerate() {
        out.line(&format!("{sign}{}\t", before + at + 1), line.content);
    }
}

fn in_words(out: &mut Out, base: &str, group: &Group<'_>, deadline: Deadline) {
    out.line("", &group.head());
    for (at, change) in group.changes.iter().enumerate() {
        out.lines(&group.between(base, at).concat());
        if out.full {
            return;
        }
        let old = &base[change.range.clone()];
        out.lines(&marked_words(old, &change.text, deadline));
        if differ_only_in_endings(old, &change.text) {
            out.line("", ENDINGS_DIFFER);
        }
    }
    out.lines(&group.after.concat());
}

fn differ_only_in_endings(old: &str, new: &str) -> bool {
    lines(old).map(|line| line.content).eq(lines(new).map(|line| line.content))
}

fn summary(out: &mut Out, base: &str, changes: &[LineChange], labels: Labels<'_>) {
    let added: usize = changes.iter().map(|change| change.new_lines).sum();
    let removed: usize = changes.iter().map(|change| change.old_lines).sum();
    let count = match changes.len() {
        0 => "no line changed".to_owned(),
        hunks => format!("{} changed, +{added} -{removed}", counted(hunks, "place")),
    };
    let (name, state) = match (labels.old, labels.new) {
        (None, name) => (name.unwrap_or_default().to_owned(), format!("created, {}", counted(added, "line"))),
        (Some(name), None) => (name.to_owned(), format!("deleted, {}", counted(removed, "line"))),
        (Some(old), Some(new)) if old != new => (format!("{old} -> {new}"), format!("renamed, {count}")),
        (Some(name), Some(_)) => (name.to_owned(), count),
    };
    out.line("", &format!("{name}: {state}"));
    if labels.old.is_none() || labels.new.is_none() {
        return;
    }
    for change in changes {
        out.line("", &summary_of(base, change));
    }
}

fn summary_of(base: &str, change: &LineChange) -> String {
    let (first, last) = (change.old_line + 1, change.old_line + change.old_lines);
    let subject = if first >= last { format!("line {first}") } else { format!("lines {first}-{last}") };
    let old = &base[change.range.clone()];
    let (action, shown) = match (change.old_lines, change.new_lines) {
        (0, new) if change.old_line == 0 => {
            (format!("{} added at the top", counted(new, "line")), &*change.text)
        }
        (0, new) => (format!("{} added after line {}", counted(new, "line"), first - 1), &*change.text),
        (_, 0) => (format!("{subject} removed"), old),
        (_, new) => (format!("{subject} replaced by {}", counted(new, "line")), &*change.text),
    };
    let endings = if differ_only_in_endings(old, &change.text) { ", only line endings differ" } else { "" };
    format!("{action}{endings}: `{}`", truncated(first_non_blank(shown), MAX_QUOTED))
}

/// Returns the first non-blank line, trimmed.
fn first_non_blank(text: &str) -> &str {
    lines(text).map(|line| line.content.trim()).find(|line| !line.is_empty()).unwrap_or_default()
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Combines both texts: text that only the old one has is in `[-` and `-]`, text that only the new one has in
/// `{+` and `+}`. Marks end with their line. Line endings are LF.
fn marked_words(old: &str, new: &str, deadline: Deadline) -> String {
    let (old_words, new_words) = (words(old), words(new));
    let mut text = String::new();
    for run in word_runs(&old_words, &new_words, old.len() + new.len(), deadline) {
        match run {
            WordRun::Same(range) => text.extend(new_words[range].iter().copied()),
            WordRun::Changed(before, after) => {
                push_marked(&mut text, &old_words[before], "[-", "-]");
                push_marked(&mut text, &new_words[after], "{+", "+}");
            }
        }
    }
    text
}

/// A run of words: equal ones by their position in the new text, or changed ones by their positions in both.
enum WordRun {
    Same(Range<usize>),
    Changed(Range<usize>, Range<usize>),
}

/// Returns the equal and changed runs of words of two texts of this many bytes together.
fn word_runs(old: &[&str], new: &[&str], bytes: usize, deadline: Deadline) -> Vec<WordRun> {
    if bytes > MAX_COMPARED {
        return vec![WordRun::Changed(0..old.len(), 0..new.len())];
    }
    let mut runs: Vec<WordRun> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline.instant()) {
        let (before, after) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            runs.push(WordRun::Same(after));
            continue;
        }
        // Whitespace between two changed words would split one change into many.
        if let [.., WordRun::Changed(..), WordRun::Same(same)] = &runs[..]
            && is_blank(&new[same.clone()])
        {
            runs.pop();
        }
        match runs.last_mut() {
            Some(WordRun::Changed(old, new)) => (old.end, new.end) = (before.end, after.end),
            _ => runs.push(WordRun::Changed(before, after)),
        }
    }
    runs
}

fn is_blank(words: &[&str]) -> bool {
    matches!(words, [word] if *word != "\n" && word.starts_with(char::is_whitespace))
}

/// Splits a text into runs of whitespace, runs of other characters, and line endings.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for line in lines(text) {
        let mut rest = line.content;
        while let Some(first) = rest.chars().next() {
            let blank = first.is_whitespace();
            let end = rest.find(|c: char| c.is_whitespace() != blank).unwrap_or(rest.len());
            words.push(&rest[..end]);
            rest = &rest[end..];
        }
        if line.ending != LineEnding::None {
            words.push("\n");
        }
    }
    words
}

/// Appends words to a text, each line of them in marks.
fn push_marked(text: &mut String, words: &[&str], open: &str, close: &str) {
    for line in words.split_inclusive(|word| *word == "\n") {
        let (line, ends) = match line {
            [line @ .., "\n"] => (line, true),
            line => (line, false),
        };
        // An added or removed line is marked even if it is blank.
        if !line.is_empty() || text.is_empty() || text.ends_with('\n') {
            text.push_str(open);
            text.extend(line.iter().copied());
            text.push_str(close);
        }
        if ends {
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests;
