//! Decorations that tools add to a text: line numbers and escapes.

use super::super::ask::{Ask, Case};
use super::super::change::{Change, Part};
use super::super::rng::Rng;
use super::super::sources::File;
use super::{ANY, draft};

/// Formats a line with its number, in the style of a reader.
fn numbered(fashion: usize, number: usize, line: &str) -> String {
    match fashion {
        0 => format!("{number}\t{line}"),
        1 => format!("{number:>4}→{line}"),
        2 => format!("{number:>3} | {line}"),
        3 => format!("{number:>6}\t{line}"),
        _ => format!("{number}:{line}"),
    }
}

/// Adds line numbers to the old text, and to the new text with `in_both`.
pub(super) fn number(rng: &mut Rng, change: &Change, ask: &mut Ask, in_both: bool) {
    // A number and a colon before a single line is not clearly a line number.
    let fashion = rng.below(if ask.old_lines().len() > 1 { 5 } else { 4 });
    // Some readers omit the space after the separator if the line is empty.
    let bare = fashion == 2 && rng.percent(50);
    let first = change.at + 1 + if rng.percent(20) { rng.below(50) } else { 0 };
    let show = |number: usize, line: &str| match numbered(fashion, number, line) {
        shown if bare && line.is_empty() => shown.trim_end().to_owned(),
        shown => shown,
    };
    let mut next = first..;
    ask.map_old(|line| show(next.next().unwrap_or_default(), line));
    if in_both {
        let mut next = first..;
        ask.map_new(|line| show(next.next().unwrap_or_default(), line));
    }
}

fn numbers(rng: &mut Rng, in_both: bool) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    number(rng, &change, &mut ask, in_both);
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn line_numbers_in_old(rng: &mut Rng) -> Option<Case> {
    numbers(rng, false)
}

pub(super) fn line_numbers_in_both(rng: &mut Rng) -> Option<Case> {
    numbers(rng, true)
}

/// Escapes a text as in JSON or in a C string.
pub(super) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns a case with both texts altered as a whole.
pub(super) fn reworded(file: &File, change: &Change, ask: &Ask, to: impl Fn(&str) -> String) -> Option<Case> {
    let mut case = Case::tolerated_as(file, change, ask, &to(&ask.old_text()))?;
    case.edits[0].new = to(&ask.new_text());
    Some(case)
}

/// Line endings, tabs and quotes are escaped, so the text is one line.
pub(super) fn escaped_to_one_line(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &(2..=30))?;
    reworded(&file, &change, &ask, escaped)
}

/// Only quotes are escaped; line endings are not.
pub(super) fn escaped_quotes(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &ANY)?;
    let plain = !ask.old_text().contains('\\') && !ask.new_text().contains('\\');
    reworded(&file, &change, &ask, |text| text.replace('"', "\\\""))
        .filter(|_| plain && ask.old_text().contains('"'))
}

pub(super) fn doubled_backslashes(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &ANY)?;
    // If only the written text has backslashes, the doubling cannot be detected.
    let telling = ask.old_text().contains('\\') && change.count(Part::Keep) > 0;
    reworded(&file, &change, &ask, |text| text.replace('\\', "\\\\")).filter(|_| telling)
}
