//! Diffs for people.

mod display;
mod inverse;

use std::fmt::Write as _;
use std::ops::Range;

use super::line_diff::{line_starts, runs, runs_in_place, trimmed};
use super::plan::push_spliced;
use super::{Deadline, Plan, Splice};
use editd_text::{count_line_ends, line_end, line_start, lines};

pub use display::{Display, display_plan};

/// Number of unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The labels of the two sides of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels<'a> {
    /// Path of the old text, shown as `a/path`; `None` if it did not exist.
    pub old: Option<&'a str>,
    /// Path of the new text, shown as `b/path`; `None` if it will not exist.
    pub new: Option<&'a str>,
}

/// The diff of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDiff {
    /// Unified diff with three lines of context; empty if nothing changed.
    pub unified: String,
    /// Every run of changed lines.
    pub hunks: Vec<Hunk>,
    /// First changed line of the new text, from 1; the last line if its end was removed.
    pub first_changed_line: Option<usize>,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
}

/// A run of changed lines, numbered as in a unified diff: from 1, or the line before if the run is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hunk {
    /// First old line.
    pub old_start: usize,
    /// Number of old lines.
    pub old_lines: usize,
    /// First new line.
    pub new_start: usize,
    /// Number of new lines.
    pub new_lines: usize,
}

impl<'a> Labels<'a> {
    /// Creates labels for two versions of one file.
    pub fn same(path: &'a str) -> Self {
        Self { old: Some(path), new: Some(path) }
    }
}

/// Returns the diff between `base` and the result of `plan`. The cost is proportional to the size of the
/// change, plus one pass over the text to count lines. After the deadline the diff is coarser, never wrong.
pub fn diff_plan(base: &str, plan: &Plan, labels: Labels<'_>, deadline: Deadline) -> FileDiff {
    render(base, &changes(base, plan, deadline), labels)
}

/// Returns the diff of two texts. After the deadline the diff is coarser, never wrong.
pub fn diff_texts(old: &str, new: &str, labels: Labels<'_>, deadline: Deadline) -> FileDiff {
    let splices = trimmed(old, 0..old.len(), new).into_iter().collect();
    let plan = Plan::new(old.len(), splices).unwrap_or_else(|_| Plan::empty(old.len()));
    diff_plan(old, &plan, labels, deadline)
}

impl Plan {
    /// Returns the plan as whole lines, one splice for each of the hunks that [`diff_plan`] found, so that a
    /// person can accept or reject each. Any subset of them forms a plan with [`Plan::new`].
    pub fn by_hunk(&self, base: &str, hunks: &[Hunk]) -> Vec<Splice> {
        let result = self.apply(base);
        let (old, new) = (line_starts(base), line_starts(&result));
        let range = |starts: &[usize], first: usize, count: usize| {
            let before = first - usize::from(count > 0);
            starts[before]..starts[before + count]
        };
        let splice = |hunk: &Hunk| Splice {
            range: range(&old, hunk.old_start, hunk.old_lines),
            text: result[range(&new, hunk.new_start, hunk.new_lines)].to_owned(),
        };
        hunks.iter().map(splice).collect()
    }
}

/// A run of changed lines with its text.
struct LineChange {
    /// Number of lines before the run in the old and in the new text.
    old_line: usize,
    new_line: usize,
    /// Bytes of the base.
    range: Range<usize>,
    old_lines: usize,
    new_lines: usize,
    text: String,
}

/// Returns `true` if no splice adds or removes a line ending.
fn are_within_lines(base: &str, splices: &[Splice]) -> bool {
    let has_end = |text: &str| memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some();
    splices.iter().all(|splice| !has_end(&splice.text) && !has_end(&base[splice.range.clone()]))
}

fn changes(base: &str, plan: &Plan, deadline: Deadline) -> Vec<LineChange> {
    if !plan.fits(base) {
        debug_assert!(false, "a plan is shown over its own base");
        return Vec::new();
    }
    let mut changes = Vec::new();
    let (mut counted, mut old_line, mut new_line) = (0, 0, 0);
    for (range, splices) in blocks(base, plan.splices()) {
        let between = count_line_ends(&base[counted..range.start]);
        (old_line, new_line) = (old_line + between, new_line + between);
        let mut text = String::new();
        push_spliced(&mut text, base, range.clone(), splices);
        let block = &base[range.clone()];
        let (old, new): (Vec<&str>, Vec<&str>) = (whole_lines(block).collect(), whole_lines(&text).collect());
        let starts = line_starts(block);
        let offset = |line: usize| range.start + starts[line];
        // If every splice stays within a line, line n becomes line n, and no diff is needed.
        let in_place = are_within_lines(base, splices) && old.len() == new.len();
        let found = if in_place { runs_in_place(&old, &new) } else { runs(&old, &new, deadline) };
        changes.extend(found.into_iter().map(|(there, here)| LineChange {
            old_line: old_line + there.start,
            new_line: new_line + here.start,
            range: offset(there.start)..offset(there.end),
            old_lines: there.len(),
            new_lines: here.len(),
            text: new[here].concat(),
        }));
        (old_line, new_line) = (old_line + old.len(), new_line + new.len());
        counted = range.end;
    }
    changes
}

fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(|line| &text[line.start..line.end()])
}

/// Returns the blocks of whole lines that splices touch, each with its splices, in order.
fn blocks<'p>(base: &str, splices: &'p [Splice]) -> Vec<(Range<usize>, &'p [Splice])> {
    let mut blocks: Vec<(Range<usize>, &[Splice])> = Vec::new();
    for (at, splice) in splices.iter().enumerate() {
        let range = touched(base, splice);
        match blocks.last_mut() {
            Some((last, members)) if range.start <= last.end => {
                last.end = last.end.max(range.end);
                *members = &splices[at - members.len()..=at];
            }
            _ => blocks.push((range, &splices[at..=at])),
        }
    }
    blocks
}

/// Returns the lines that a splice may change. The line before counts if it ends in a lone CR, because an LF
/// may form a CRLF with it; so does one without a line ending before an insertion at the end.
fn touched(base: &str, splice: &Splice) -> Range<usize> {
    let mut start = line_start(base, splice.range.start);
    if base[..start].ends_with('\r') {
        start = line_start(base, start - 1);
    }
    start..line_end(base, splice.range.end).1
}

fn render(base: &str, changes: &[LineChange], labels: Labels<'_>) -> FileDiff {
    let Some(first) = changes.first() else { return FileDiff::default() };
    let mut unified = file_header(labels);
    for group in groups(base, changes) {
        push_group(&mut unified, base, &group);
    }
    FileDiff {
        unified,
        hunks: changes.iter().map(LineChange::hunk).collect(),
        first_changed_line: Some((first.new_line + usize::from(first.new_lines > 0)).max(1)),
        added: changes.iter().map(|change| change.new_lines).sum(),
        removed: changes.iter().map(|change| change.old_lines).sum(),
    }
}

fn file_header(labels: Labels<'_>) -> String {
    let side = |side: char, path: Option<&str>| {
        path.map_or("/dev/null".to_owned(), |path| quoted(&format!("{side}/{path}")))
    };
    format!("--- {}\n+++ {}\n", side('a', labels.old), side('b', labels.new))
}

/// Returns the lines that git writes above the diff of a new file to state its mode.
pub fn new_file_header(path: &str, mode: &str) -> String {
    let (old, new) = (quoted(&format!("a/{path}")), quoted(&format!("b/{path}")));
    format!("diff --git {old} {new}\nnew file mode {mode}\n")
}

/// Quotes a name as git does in a header: in quotes, with escapes, if it has characters that would end the
/// line or affect a terminal.
fn quoted(name: &str) -> String {
    if !name.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        return name.to_owned();
    }
    let mut text = String::from('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => text.extend(['\\', c]),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            c if c.is_control() => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(text, "\\{byte:03o}");
                }
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// Changes that are close enough to share their context.
struct Group<'c> {
    before: Vec<&'c str>,
    changes: &'c [LineChange],
    after: Vec<&'c str>,
}

/// Returns the groups of changes, in order.
fn groups<'c>(base: &'c str, changes: &'c [LineChange]) -> impl Iterator<Item = Group<'c>> {
    let near =
        |one: &LineChange, next: &LineChange| next.old_line - (one.old_line + one.old_lines) <= CONTEXT * 2;
    changes.chunk_by(near).map(move |changes| {
        let (start, end) = (changes[0].range.start, changes[changes.len() - 1].range.end);
        let after = whole_lines(&base[end..]).take(CONTEXT).collect();
        Group { before: lines_before(base, start), changes, after }
    })
}

impl<'c> Group<'c> {
    /// Returns the `@@` line.
    fn head(&self) -> String {
        let (first, last) = (&self.changes[0], &self.changes[self.changes.len() - 1]);
        let (before, context) = (self.before.len(), self.before.len() + self.after.len());
        let old_lines = last.old_line + last.old_lines - first.old_line + context;
        let new_lines = last.new_line + last.new_lines - first.new_line + context;
        let old = span(first.old_line - before, old_lines);
        let new = span(first.new_line - before, new_lines);
        format!("@@ -{old} +{new} @@")
    }

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

fn push_group(unified: &mut String, base: &str, group: &Group<'_>) {
    let _ = writeln!(unified, "{}", group.head());
    for (at, change) in group.changes.iter().enumerate() {
        push_lines(unified, ' ', group.between(base, at));
        push_lines(unified, '-', whole_lines(&base[change.range.clone()]));
        push_lines(unified, '+', whole_lines(&change.text));
    }
    push_lines(unified, ' ', group.after.iter().copied());
}

/// Returns the lines of context before an offset.
fn lines_before(base: &str, offset: usize) -> Vec<&str> {
    let mut start = offset;
    for _ in 0..CONTEXT {
        start = if start == 0 { 0 } else { line_start(base, start - 1) };
    }
    whole_lines(&base[start..offset]).collect()
}

/// Formats the first line and the count as in a unified diff.
fn span(before: usize, count: usize) -> String {
    match count {
        0 => format!("{before},0"),
        1 => format!("{}", before + 1),
        count => format!("{},{count}", before + 1),
    }
}

fn push_lines<'t>(unified: &mut String, sign: char, lines: impl IntoIterator<Item = &'t str>) {
    for line in lines {
        unified.push(sign);
        unified.push_str(line);
        if !line.ends_with('\n') {
            // A lone CR ends a line of the text but not a line of the diff.
            unified.push_str(if line.ends_with('\r') { "\n" } else { "\n\\ No newline at end of file\n" });
        }
    }
}

impl LineChange {
    fn hunk(&self) -> Hunk {
        let start = |line: usize, count: usize| line + usize::from(count > 0);
        Hunk {
            old_start: start(self.old_line, self.old_lines),
            old_lines: self.old_lines,
            new_start: start(self.new_line, self.new_lines),
            new_lines: self.new_lines,
        }
    }
}

#[cfg(test)]
mod tests;
