//! Warnings about the blank lines at the borders of lines that a request moves. Lines are moved as they are, so nobody
//! else sets them.

use crate::edit::{LinePlace, LineRange};
use crate::engine::change::outlined::Outlined;
use crate::syntax::{Outline, Symbol};
use crate::text::lines;

/// Number of blank lines in a row from which on they are too many.
const TOO_MANY: usize = 3;

/// Facts about lines that a request moves or copies, where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Borders {
    /// Name of the declaration that begins in the first of the lines.
    first: Option<String>,
    /// Name of the declaration that ends in the last of the lines.
    last: Option<String>,
    /// Number of blank lines at the beginning and at the end.
    blank: (usize, usize),
    /// Number of blank lines before and after them that meet where they leave.
    left: Option<(usize, usize)>,
}

impl Borders {
    pub(super) fn of(outlined: &Outlined<'_>, range: LineRange, leaves: bool) -> Self {
        let contents = numbered(outlined.text(), None);
        let end = range.end.min(contents.len());
        let (before, after) = (&contents[..range.start.saturating_sub(1).min(end)], &contents[end..]);
        let inside = &contents[before.len()..end];
        let blank = (blank_at_start(inside), blank_at_end(inside));
        let symbols = outlined.outline().map(Outline::symbols).unwrap_or_default();
        let mut apart = symbols.iter().filter(|symbol| is_apart(symbol));
        let mut within = apart.clone().filter(|symbol| symbol.lines.end <= end);
        let first = within.find(|symbol| symbol.lines.start == range.start + blank.0);
        let last = apart.find(|it| it.lines.end + blank.1 == end && it.lines.start >= range.start);
        Self {
            first: first.map(|symbol| symbol.name.clone()),
            last: last.map(|symbol| symbol.name.clone()),
            blank,
            left: leaves.then(|| (blank_at_end(before), blank_at_start(after))),
        }
    }
}

/// Returns warnings about declarations that get no blank line between them, and about too many blank lines. `leaves` are
/// the lines of the same text that the moved lines leave.
pub(super) fn warnings(
    borders: &Borders,
    outlined: &Outlined<'_>,
    place: LinePlace,
    leaves: Option<LineRange>,
) -> Vec<String> {
    let contents = numbered(outlined.text(), leaves);
    let head = match place {
        LinePlace::After(line) => line,
        LinePlace::Before(line) => line.saturating_sub(1),
        LinePlace::Lines(_) => return Vec::new(),
        LinePlace::End => usize::MAX,
    };
    let (before, after) = contents.split_at(contents.partition_point(|(line, _)| *line <= head));
    let gap_above = blank_at_end(before) + borders.blank.0;
    let gap_below = blank_at_start(after) + borders.blank.1;
    let symbols = outlined.outline().map(Outline::symbols).unwrap_or_default();
    let apart = || symbols.iter().filter(|symbol| is_apart(symbol));
    let ends = before.last().and_then(|(line, _)| apart().rfind(|symbol| symbol.lines.end == *line));
    let begins = after.first().and_then(|(line, _)| apart().find(|symbol| symbol.lines.start == *line));
    let mut warnings = Vec::new();
    let joined = [
        (gap_above, ends.map(|symbol| &symbol.name), borders.first.as_ref()),
        (gap_below, borders.last.as_ref(), begins.map(|symbol| &symbol.name)),
    ];
    for (gap, upper, lower) in joined {
        if let (0, Some(upper), Some(lower)) = (gap, upper, lower) {
            warnings.push(format!("no blank line is between `{upper}` and `{lower}` now"));
        }
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
    let (left_above, left_below) = borders.left.filter(|_| !is_beside).unwrap_or_default();
    let left = if left_above.min(left_below) > 0 { left_above + left_below } else { 0 };
    let sides = [
        (if before.is_empty() { 0 } else { gap_above }, "above the moved lines"),
        (if after.is_empty() { 0 } else { gap_below }, "below the moved lines"),
        (left, "where the lines were"),
    ];
    let too_many = sides.into_iter().filter(|(gap, _)| *gap >= TOO_MANY);
    warnings.extend(too_many.map(|(gap, side)| format!("{gap} blank lines in a row are {side} now")));
    warnings
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
