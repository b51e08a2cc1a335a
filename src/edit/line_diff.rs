//! Differences of two texts by line, and the plans that turn one text into the other.

use std::collections::HashSet;
use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::fold::lf_endings;
use super::replacement::ReplacementBuilder;
use super::{Deadline, Plan, Splice, TimedOut};
use editd_text::{EolStyle, eol_style, lines};

/// Returns the plan that replaces the content of `base` with `content`.
///
/// If `content` has LF line endings only, its line endings are adapted to `base`: equal lines keep all their
/// bytes, changed lines keep their line ending, new ones take that of the line that they replace or follow.
/// If `content` has a CR, or `literal` is set, it is written byte for byte.
///
/// Returns an error if the deadline passes before the two have been compared.
///
/// A byte order mark of a client is not content: see [`without_mark`].
pub fn rewrite(base: &str, content: &str, literal: bool, deadline: Deadline) -> Result<Plan, TimedOut> {
    if literal || content.contains('\r') {
        return Ok(Plan::between(base, content, deadline));
    }
    let (old, new) = (lf_endings(base), lf_endings(content));
    let splices = ReplacementBuilder::new(base, 0..base.len(), &old, &new, deadline).splices();
    deadline.check()?;
    let plan = splices.ok().and_then(|splices| Plan::new(base.len(), splices).ok());
    let plan = plan.unwrap_or_else(|| Plan::whole(base, &new));
    let lone_cr = matches!(eol_style(base), EolStyle::Cr | EolStyle::Mixed);
    if lone_cr && lf_endings(&plan.apply(base)) != new {
        // A lone CR and an LF can form a CRLF if the text between them is removed.
        return Ok(Plan::between(base, &new, deadline));
    }
    Ok(plan)
}

/// Returns the content that a client sends for a file with the text `base`, without a byte order mark at its start. U+FEFF
/// that the text of the file begins with, too, is content.
pub fn without_mark<'c>(base: &str, content: &'c str) -> &'c str {
    let is_content = base.starts_with('\u{feff}');
    content.strip_prefix('\u{feff}').filter(|_| !is_content).unwrap_or(content)
}

impl Plan {
    /// Returns the plan that turns `old` into `new`: it changes only lines that differ, and within them only
    /// the differing part. Never cuts a character or a CRLF. After the deadline the plan is coarser, never
    /// wrong.
    pub fn between(old: &str, new: &str, deadline: Deadline) -> Self {
        let split =
            |text| -> Vec<_> { lines(text).map(|line| (line.content, line.ending.as_str())).collect() };
        let (old_lines, new_lines) = (split(old), split(new));
        let (old_starts, new_starts) = (line_starts(old), line_starts(new));
        let splices = runs(&old_lines, &new_lines, deadline).into_iter().filter_map(|(there, here)| {
            let text = &new[new_starts[here.start]..new_starts[here.end]];
            trimmed(old, old_starts[there.start]..old_starts[there.end], text)
        });
        Self::new(old.len(), splices.collect()).unwrap_or_else(|_| Self::whole(old, new))
    }

    fn whole(old: &str, new: &str) -> Self {
        let splice = Splice { range: 0..old.len(), text: new.to_owned() };
        Self::new(old.len(), vec![splice]).unwrap_or_default()
    }
}

/// A run of changed lines: those of the old text, and those that replace them.
pub type Run = (Range<usize>, Range<usize>);

/// Returns the changed runs between two lists of lines, in order. After the deadline the result is coarser,
/// never wrong.
pub fn runs<T: Hash + Eq + Ord>(old: &[T], new: &[T], deadline: Deadline) -> Vec<Run> {
    let (head, tail) = common_ends(old, new);
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.len().min(new.len()) == 0 || old.len().max(new.len()) == 1 {
        return vec![(head..head + old.len(), head..head + new.len())];
    }
    let offset = |range: Range<usize>| range.start + head..range.end + head;
    if let Some(found) = changed_in_place(old, new) {
        return found.into_iter().map(|(old, new)| (offset(old), offset(new))).collect();
    }
    let mut found: Vec<Run> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Histogram, old, new, deadline.instant()) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        push_run(&mut found, (offset(op.old_range()), offset(op.new_range())));
    }
    found
}

/// Returns the lengths of the common start and of the common end of two lists, which do not overlap.
pub fn common_ends<T: PartialEq<U>, U>(one: &[T], other: &[U]) -> (usize, usize) {
    let head = common_start(one, other);
    (head, common_end(&one[head..], &other[head..]))
}

/// Number of items that are compared at once: bytes, with vector instructions.
const CHUNK: usize = 64;

fn common_start<T: PartialEq<U>, U>(one: &[T], other: &[U]) -> usize {
    let chunks = one.chunks_exact(CHUNK).zip(other.chunks_exact(CHUNK));
    let whole = CHUNK * chunks.take_while(|(one, other)| one == other).count();
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

fn common_end<T: PartialEq<U>, U>(one: &[T], other: &[U]) -> usize {
    let chunks = one.rchunks_exact(CHUNK).zip(other.rchunks_exact(CHUNK));
    let whole = CHUNK * chunks.take_while(|(one, other)| one == other).count();
    let rest = one[..one.len() - whole].iter().rev().zip(other[..other.len() - whole].iter().rev());
    whole + rest.take_while(|(one, other)| one == other).count()
}

/// Maximum number of changed lines that are compared in their places only.
const MAX_IN_PLACE: usize = 256;

/// Returns the changed runs between two lists of lines that differ only in a few lines in their places: no other way to
/// compare them finds more lines that are equal. This takes a fraction of the time of a search for such ways.
fn changed_in_place<T: Hash + Eq>(old: &[T], new: &[T]) -> Option<Vec<Run>> {
    if old.len() != new.len() {
        return None;
    }
    let changed = (0..old.len()).filter(|&at| old[at] != new[at]);
    let changed: Vec<usize> = changed.take(MAX_IN_PLACE + 1).collect();
    // A line that is in both may have moved.
    let known: HashSet<&T> = changed.iter().map(|&at| &old[at]).collect();
    if changed.len() > MAX_IN_PLACE || changed.iter().any(|&at| known.contains(&new[at])) {
        return None;
    }
    Some(runs_in_place(old, new))
}

/// Returns the changed runs between two lists of equal length, whose lines correspond by index.
pub(super) fn runs_in_place<T: Eq>(old: &[T], new: &[T]) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for at in (0..old.len().min(new.len())).filter(|&at| old[at] != new[at]) {
        push_run(&mut found, (at..at + 1, at..at + 1));
    }
    found
}

/// Adds a run, as part of the last one if they touch.
fn push_run(found: &mut Vec<Run>, (old, new): Run) {
    match found.last_mut() {
        Some(last) if last.0.end == old.start && last.1.end == new.start => {
            (last.0.end, last.1.end) = (old.end, new.end);
        }
        _ => found.push((old, new)),
    }
}

/// Returns the start of every line, and the end of the text.
pub(super) fn line_starts(text: &str) -> Vec<usize> {
    lines(text).map(|line| line.start).chain([text.len()]).collect()
}

/// Returns the splice that replaces `range` with `text`, without what the two have in common at their ends.
/// Returns `None` if they are equal. Never cuts a character or a CRLF.
pub(super) fn trimmed(base: &str, range: Range<usize>, text: &str) -> Option<Splice> {
    let actual = &base[range.clone()];
    if actual == text {
        return None;
    }
    let head = common_head(actual, text);
    let tail = common_tail(&actual[head..], &text[head..]);
    let range = range.start + head..range.end - tail;
    Some(Splice { range, text: text[head..text.len() - tail].to_owned() })
}

/// Returns the length of the common prefix of two texts, in bytes, without cutting a character or CRLF.
pub(super) fn common_head(one: &str, other: &str) -> usize {
    let equal = common_start(one.as_bytes(), other.as_bytes());
    let cuts = |&at: &usize| {
        let whole = one.is_char_boundary(at) && other.is_char_boundary(at);
        !whole || one.as_bytes()[..at].ends_with(b"\r") && at < one.len().max(other.len())
    };
    (0..=equal).rev().find(|at| !cuts(at)).unwrap_or_default()
}

/// Returns the length of the common suffix of two texts, in bytes, without cutting a character or CRLF.
pub(super) fn common_tail(one: &str, other: &str) -> usize {
    let equal = common_end(one.as_bytes(), other.as_bytes());
    let cuts = |text: &str, tail: usize| {
        let at = text.len() - tail;
        !text.is_char_boundary(at) || text[at..].starts_with('\n') && text[..at].ends_with('\r')
    };
    (1..=equal).rev().find(|&tail| !cuts(one, tail) && !cuts(other, tail)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::common_ends;

    proptest! {
        #[test]
        fn the_ends_are_those_that_a_comparison_of_each_item_finds(
            head in "[ab]{0,200}", one in "[ab]{0,20}", other in "[ab]{0,20}", tail in "[ab]{0,200}",
        ) {
            let (one, other) = (format!("{head}{one}{tail}"), format!("{head}{other}{tail}"));
            let (one, other) = (one.as_bytes(), other.as_bytes());
            let start = one.iter().zip(other).take_while(|(one, other)| one == other).count();
            let rest = one[start..].iter().rev().zip(other[start..].iter().rev());
            let end = rest.take_while(|(one, other)| one == other).count();
            prop_assert_eq!(common_ends(one, other), (start, end));
        }
    }
}
