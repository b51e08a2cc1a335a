//! Warnings about the blank lines at the borders of lines that a request moves. Lines are moved as they are, so nobody
//! else sets them.

use std::path::PathBuf;

use crate::engine::change::outlined::Outlined;
use editd_edit::{LinePlace, LineRange};
use editd_syntax::Symbol;
use editd_text::lines;
use editd_workspace::FileKey;

/// Number of blank lines in a row from which on they are too many.
const TOO_MANY: usize = 3;

/// Lines that a request moves or copies.
pub(super) struct Source {
    /// The file.
    pub(super) key: FileKey,
    pub(super) path: PathBuf,
    /// The text of the version that the request refers to.
    pub(super) text: String,
    pub(super) lines: LineRange,
    /// `true` if the lines leave the file.
    pub(super) leaves: bool,
}

/// Returns warnings about declarations that get no blank line between them, and about too many blank lines. `leaves` are
/// the lines of the target's text that the moved lines leave.
pub(super) fn warnings(
    source: &Source,
    target: &Outlined<'_>,
    place: LinePlace,
    leaves: Option<LineRange>,
) -> Vec<String> {
    let head = match place {
        LinePlace::After(line) => line,
        LinePlace::Before(line) => line.saturating_sub(1),
        LinePlace::Lines(_) => return Vec::new(),
        LinePlace::End => usize::MAX,
    };
    let (from, into) = (numbered(&source.text, None), numbered(target.text(), leaves));
    let end = source.lines.end.min(from.len());
    let start = source.lines.start.saturating_sub(1).min(end);
    let moved = &from[start..end];
    let (before, after) = into.split_at(into.partition_point(|(line, _)| *line <= head));
    let gap_above = blank_at_end(before) + blank_at_start(moved);
    let gap_below = blank_at_start(after) + blank_at_end(moved);
    // Symbols are looked for only where lines meet, and once for a file.
    let other = target.of_other(&source.path, &source.text);
    let is_same = source.path == target.path() && source.text == target.text();
    let origin = if is_same { target } else { &other };
    let mut warnings = Vec::new();
    if let (0, Some((upper, _)), Some((lower, _))) = (gap_above, before.last(), moved.first()) {
        warnings.extend(joined((target, *upper), (origin, *lower)));
    }
    if let (0, Some((upper, _)), Some((lower, _))) = (gap_below, moved.last(), after.first()) {
        warnings.extend(joined((origin, *upper), (target, *lower)));
    }
    // If only blank lines are between the old place and the new one, they are counted as those beside the moved lines.
    let is_code = |(line, text): &(usize, &str)| (!text.trim().is_empty()).then_some(*line);
    let is_beside = leaves.is_some_and(|leaves| {
        if leaves.start > head {
            after.iter().find_map(is_code).is_none_or(|line| line > leaves.end)
        } else {
            before.iter().rev().find_map(is_code).is_none_or(|line| line < leaves.start)
        }
    });
    let left = match (blank_at_end(&from[..start]), blank_at_start(&from[end..])) {
        (above, below) if source.leaves && !is_beside && above.min(below) > 0 => above + below,
        _ => 0,
    };
    let sides = [
        (if before.is_empty() { 0 } else { gap_above }, "above the moved lines"),
        (if after.is_empty() { 0 } else { gap_below }, "below the moved lines"),
        (left, "where the lines were"),
    ];
    let too_many = sides.into_iter().filter(|(gap, _)| *gap >= TOO_MANY);
    warnings.extend(too_many.map(|(gap, side)| format!("{gap} blank lines in a row are {side} now")));
    warnings
}

/// Returns a warning if a declaration ends in one line and another one begins in the next line.
fn joined((above, upper): (&Outlined<'_>, usize), (below, lower): (&Outlined<'_>, usize)) -> Option<String> {
    let begins = below.outline().ok()?.symbols().iter().find(|it| is_apart(it) && it.lines.start == lower)?;
    let ends = above.outline().ok()?.symbols().iter().rfind(|it| is_apart(it) && it.lines.end == upper)?;
    Some(format!("no blank line is between `{}` and `{}` now", ends.name, begins.name))
}

/// Returns `true` if blank lines set a declaration apart from its neighbors.
fn is_apart(symbol: &Symbol) -> bool {
    symbol.lines.start < symbol.lines.end
}

/// Returns the lines of a text with their numbers, without those that leave it.
fn numbered(text: &str, leaves: Option<LineRange>) -> Vec<(usize, &str)> {
    let stays = |line: usize| leaves.is_none_or(|leaves| line < leaves.start || leaves.end < line);
    (1..).zip(lines(text).map(|line| line.content)).filter(|(line, _)| stays(*line)).collect()
}

fn blank_at_start(lines: &[(usize, &str)]) -> usize {
    lines.iter().take_while(|(_, line)| line.trim().is_empty()).count()
}

fn blank_at_end(lines: &[(usize, &str)]) -> usize {
    lines.iter().rev().take_while(|(_, line)| line.trim().is_empty()).count()
}
