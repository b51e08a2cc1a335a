//! The arguments of a tool that replaces one text by another.

use std::ops::Range;

use editd_text::{line_end, line_start};

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

/// Returns the text that a list of replacements leaves, if each text occurs exactly once and no two overlap.
pub(super) fn all_literal(text: &str, edits: &[(&str, &str)]) -> Option<String> {
    let place = |&(old, new): &(_, _)| {
        let mut places = text.match_indices(old);
        let (at, _) = places.next().filter(|_| !str::is_empty(old) && places.next().is_none())?;
        Some((at, old, new))
    };
    let mut places = edits.iter().map(place).collect::<Option<Vec<(usize, &str, &str)>>>()?;
    places.sort_unstable();
    let (mut result, mut end) = (String::new(), 0);
    for (at, old, new) in places {
        result.push_str(text.get(end..at)?);
        result.push_str(new);
        end = at + old.len();
    }
    result.push_str(&text[end..]);
    Some(result)
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
