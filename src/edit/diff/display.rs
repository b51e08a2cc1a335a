//! Diffs in other formats than unified.

mod words;

use std::fmt::Write as _;

use super::{
    CONTEXT, Change, Labels, changes, file_header, group_head, group_len, lines_before, whole_lines,
};
use crate::edit::{Deadline, Plan, diff_plan};
use crate::text::lines;

/// Maximum size of a rendered diff, in bytes. The unified diff is complete.
const MAX_BYTES: usize = 64 << 10;
/// Maximum number of bytes of a line that are shown.
const MAX_LINE_BYTES: usize = 4 << 10;
/// Maximum number of characters of a line in a summary.
const MAX_QUOTED: usize = 60;
/// Text that replaces the omitted part.
const TRUNCATED: &str = "… (the rest is omitted)\n";
/// Note for lines that differ only in their endings.
const ENDINGS_DIFFER: &str = "\\ Only line endings differ";

/// The format in which a change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    let changes = changes(base, plan, deadline).unwrap_or_default();
    let mut out = Out::default();
    match display {
        Display::Summary => summary(&mut out, base, &changes, labels),
        _ if changes.is_empty() => {}
        Display::Numbered => groups(base, &changes, |group| numbered(&mut out, base, group)),
        Display::Word | Display::Unified => {
            out.lines(&file_header(labels));
            groups(base, &changes, |group| in_words(&mut out, base, group, deadline));
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
        let fits = |end: &usize| content.is_char_boundary(*end);
        let shown = (0..=MAX_LINE_BYTES.min(content.len())).rev().find(fits).unwrap_or_default();
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

/// Changes that share their context.
struct Group<'c> {
    /// `true` for the first group of its file.
    first: bool,
    before: Vec<&'c str>,
    changes: &'c [Change],
    after: Vec<&'c str>,
}

fn groups<'c>(base: &'c str, changes: &'c [Change], mut show: impl FnMut(&Group<'c>)) {
    let mut rest = changes;
    while !rest.is_empty() {
        let (group, later) = rest.split_at(group_len(rest));
        let (start, end) = (group[0].range.start, group[group.len() - 1].range.end);
        show(&Group {
            first: rest.len() == changes.len(),
            before: lines_before(base, start),
            changes: group,
            after: whole_lines(&base[end..]).take(CONTEXT).collect(),
        });
        rest = later;
    }
}

impl<'c> Group<'c> {
    /// Returns the unchanged lines before the change at `at`.
    fn between(&self, base: &'c str, at: usize) -> Vec<&'c str> {
        match at.checked_sub(1) {
            None => self.before.clone(),
            Some(last) => {
                whole_lines(&base[self.changes[last].range.end..self.changes[at].range.start]).collect()
            }
        }
    }
}

fn numbered(out: &mut Out, base: &str, group: &Group<'_>) {
    if !group.first {
        out.line("", "…");
    }
    let mut next = 0;
    for (at, change) in group.changes.iter().enumerate() {
        let between = group.between(base, at);
        numbers(out, ' ', change.new_line - between.len(), &between.concat());
        let old = &base[change.range.clone()];
        numbers(out, '-', change.old_line, old);
        numbers(out, '+', change.new_line, &change.text);
        if differ_only_in_endings(old, &change.text) {
            out.line("", ENDINGS_DIFFER);
        }
        next = change.new_line + change.new_lines;
    }
    numbers(out, ' ', next, &group.after.concat());
}

fn numbers(out: &mut Out, sign: char, before: usize, text: &str) {
    for (at, line) in lines(text).enumerate() {
        out.line(&format!("{sign}{}\t", before + at + 1), line.content);
    }
}

fn in_words(out: &mut Out, base: &str, group: &Group<'_>, deadline: Deadline) {
    out.line("", &group_head(group.changes, group.before.len(), group.after.len()));
    for (at, change) in group.changes.iter().enumerate() {
        out.lines(&group.between(base, at).concat());
        if out.full {
            return;
        }
        let old = &base[change.range.clone()];
        out.lines(&words::marked(old, &change.text, deadline));
        if differ_only_in_endings(old, &change.text) {
            out.line("", ENDINGS_DIFFER);
        }
    }
    out.lines(&group.after.concat());
}

fn differ_only_in_endings(old: &str, new: &str) -> bool {
    lines(old).map(|line| line.content).eq(lines(new).map(|line| line.content))
}

fn summary(out: &mut Out, base: &str, changes: &[Change], labels: Labels<'_>) {
    let added: usize = changes.iter().map(|change| change.new_lines).sum();
    let removed: usize = changes.iter().map(|change| change.old_lines).sum();
    let name = match (labels.old, labels.new) {
        (Some(old), Some(new)) if old != new => format!("{old} -> {new}"),
        (old, new) => new.or(old).unwrap_or_default().to_owned(),
    };
    let mut header = match (labels.old, labels.new) {
        (None, _) => return out.line("", &format!("{name}: created, {}", counted(added, "line"))),
        (_, None) => return out.line("", &format!("{name}: deleted, {}", counted(removed, "line"))),
        (Some(old), Some(new)) if old != new => format!("{name}: renamed, "),
        _ => format!("{name}: "),
    };
    // Writing to a string cannot fail.
    let _ = match changes.len() {
        0 => write!(header, "no line changed"),
        hunks => write!(header, "{} changed, +{added} -{removed}", counted(hunks, "place")),
    };
    out.line("", &header);
    for change in changes {
        out.line("", &summary_of(base, change));
    }
}

fn summary_of(base: &str, change: &Change) -> String {
    let (first, last) = (change.old_line + 1, change.old_line + change.old_lines);
    let (subject, old) = (lines_named(first, last), &base[change.range.clone()]);
    let (action, shown) = match (change.old_lines, change.new_lines) {
        (0, new) if change.old_line == 0 => {
            (format!("{} added at the top", counted(new, "line")), &*change.text)
        }
        (0, new) => (format!("{} added after line {}", counted(new, "line"), first - 1), &*change.text),
        (_, 0) => (format!("{subject} removed"), old),
        (_, new) => (format!("{subject} replaced by {}", counted(new, "line")), &*change.text),
    };
    let endings = if differ_only_in_endings(old, &change.text) { ", only line endings differ" } else { "" };
    format!("{action}{endings}: `{}`", quoted(shown))
}

/// Returns the first non-blank line, trimmed.
fn quoted(text: &str) -> String {
    let line = lines(text).map(|line| line.content.trim()).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn lines_named(first: usize, last: usize) -> String {
    if first >= last { format!("line {first}") } else { format!("lines {first}-{last}") }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests;
