//! The arguments of a tool that replaces one text by another.

use std::ops::Range;

use crate::text::{line_end, line_start};

/// Returns the text that replacing `old` by `new` leaves, if the tool would accept that: `old` must occur
/// exactly once, or `all` occurrences are replaced.
pub(super) fn literal(text: &str, old: &str, new: &str, all: bool) -> Option<String> {
    match text.matches(old).count() {
        _ if old.is_empty() => None,
        0 => None,
        1 => Some(text.replacen(old, new, 1)),
        _ => all.then(|| text.replace(old, new)),
    }
}

/// Returns a piece of `before` that occurs only once in it, and the text in its place in `after`. Both consist
/// of whole lines, as few as possible.
pub(super) fn unique<'a>(before: &'a str, after: &'a str) -> (&'a str, &'a str) {
    let prefix = common_prefix(before, after);
    let suffix = common_prefix_reversed(&before[prefix..], &after[prefix..]);
    let mut range = whole_lines(before, prefix..before.len() - suffix);
    let mut grows_down = false;
    while range.is_empty() || before.find(&before[range.clone()]) != before.rfind(&before[range.clone()]) {
        let grown = if grows_down && range.end < before.len() || range.start == 0 {
            range.start..line_end(before, range.end).1
        } else {
            line_start(before, range.start - 1)..range.end
        };
        if grown == range {
            break;
        }
        (range, grows_down) = (grown, !grows_down);
    }
    let end = after.len() - (before.len() - range.end);
    (&before[range.clone()], &after[range.start..end])
}

fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = line_start(text, range.start);
    let is_at_end = range.end > start && line_start(text, range.end) == range.end;
    let end = if is_at_end { range.end } else { line_end(text, range.end).1 };
    start..end
}

/// Returns the length of the common beginning of two texts, at a boundary of characters.
fn common_prefix(a: &str, b: &str) -> usize {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    same.map(|(char, _)| char.len_utf8()).sum()
}

fn common_prefix_reversed(a: &str, b: &str) -> usize {
    let same = a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b);
    same.map(|(char, _)| char.len_utf8()).sum()
}
