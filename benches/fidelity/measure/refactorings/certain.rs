//! Symbols whose extent and whose neighbors the layout shows, and the lines that moves of them make.

use std::ops::Range;

use editd_syntax::Language;

use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::symbols::declarations;
use super::super::symbols::layout::{Function, mentions};
use super::scan::{Class, Scanned};
use super::texts::{self, CODE, Text};

/// A neighbor of a symbol, behind a run of blank lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Symbol(usize),
    /// The end of the block or of the file.
    Edge,
    Unknown,
}

/// Returns a text with certain functions.
pub(crate) fn text(rng: &mut Rng) -> Option<&'static Text> {
    texts::text(rng, CODE).filter(|text| !text.functions().is_empty())
}

/// Returns `true` if a function begins and ends outside of strings, so that its extent is certain.
pub(crate) fn is_plain(scanned: &Scanned, function: &Function) -> bool {
    [function.whole.start, function.head, function.body.start, function.whole.end - 1, function.whole.end]
        .into_iter()
        .all(|line| !scanned.begins_in_string(line))
        && scanned.is_balanced(function.head..function.whole.end)
}

/// Returns a reference to a function: its name, that with its type, or that with a line.
pub(crate) fn reference(rng: &mut Rng, text: &Text, function: &Function) -> String {
    let lines = text.strs();
    let (all, called) = mentions(&lines, &function.name);
    let alone = text.functions().iter().filter(|other| other.name == function.name).count() == 1;
    let unique = alone
        && all == called
        && declarations(&lines, &function.name) == 1
        && (text.language != Language::C || all == 1)
        && text.language != Language::Bash;
    match &function.owner {
        Some(owner) if unique && rng.percent(30) => format!("{owner}.{}", function.name),
        _ if unique && rng.percent(70) => function.name.clone(),
        _ => format!("{}@{}", function.name, function.head + 1),
    }
}

fn side(text: &Text, function: &Function, after: bool) -> Side {
    let depth = text.depth(function.head);
    let blanks =
        |lines: &mut dyn Iterator<Item = usize>| lines.take_while(|line| text.is_blank(*line)).count();
    let (gap, next) = if after {
        let gap = blanks(&mut (function.whole.end..text.lines.len()));
        (gap, Some(function.whole.end + gap).filter(|line| *line < text.lines.len()))
    } else {
        let gap = blanks(&mut (0..function.whole.start).rev());
        (gap, (function.whole.start - gap).checked_sub(1))
    };
    let Some(next) = next else { return Side::Edge };
    let is_beside = |other: &&Function| {
        text.depth(other.head) == depth
            && if after { other.whole.start == next } else { other.whole.end == next + 1 }
    };
    match text.functions().iter().find(is_beside) {
        Some(_) => Side::Symbol(gap),
        None if text.depth(next).len() < depth.len() => Side::Edge,
        None => Side::Unknown,
    }
}

/// Returns `true` if nothing else is known to be in the block of a function.
pub(crate) fn is_alone(text: &Text, function: &Function) -> bool {
    let depth = text.depth(function.head);
    let is_beside = |other: &&Function| {
        other.head != function.head && text.depth(other.head) == depth && other.owner == function.owner
    };
    !depth.is_empty() && !text.functions().iter().any(|other| is_beside(&other))
}

/// Returns the number of blank lines that separate a symbol from another one beside it.
pub(crate) fn gap(text: &Text, function: &Function) -> Option<usize> {
    let default =
        if text.language == Language::Python && text.depth(function.head).is_empty() { 2 } else { 1 };
    match (side(text, function, false), side(text, function, true)) {
        (Side::Unknown, _) | (_, Side::Unknown) => None,
        (Side::Symbol(one), Side::Symbol(other)) => (one == other).then_some(one),
        (Side::Symbol(one), Side::Edge) | (Side::Edge, Side::Symbol(one)) => Some(one),
        (Side::Edge, Side::Edge) => Some(default),
    }
}

/// Returns `true` if not all neighbors of a symbol are among these. Without any, the blank lines could be those of the
/// neighbors that leave, or the usual ones.
pub(crate) fn keeps_neighbor(text: &Text, function: &Function, moved: &[&Function]) -> bool {
    let between = |one: &Function, other: &Function| {
        one.whole.end <= other.whole.start
            && (one.whole.end..other.whole.start).all(|line| text.is_blank(line))
    };
    let is_neighbor = |other: &&Function| between(other, function) || between(function, other);
    let mut neighbors = text.functions().iter().filter(is_neighbor).peekable();
    neighbors.peek().is_none() || neighbors.any(|other| !moved.iter().any(|one| one.head == other.head))
}

/// Returns the lines that may go with a deleted symbol: its own, and one of the runs of blank lines beside it.
pub(crate) fn departures(lines: &[String], whole: &Range<usize>) -> Vec<Range<usize>> {
    let blank = |line: &usize| lines[*line].trim().is_empty();
    let above = (0..whole.start).rev().take_while(blank).count();
    let below = (whole.end..lines.len()).take_while(blank).count();
    vec![whole.start..whole.end + below, whole.start - above..whole.end]
}

/// Returns the lines after an insertion before the line `at`, and without one of the departures of each moved symbol.
/// Departures that overlap or that contain the place belong to no result.
pub(crate) fn after_move(
    lines: &[String],
    moved: &[Vec<Range<usize>>],
    at: usize,
    new: &[String],
) -> Vec<Vec<String>> {
    let mut results: Vec<Vec<String>> = Vec::new();
    let choices = moved.iter().map(Vec::len).product::<usize>();
    for choice in 0..choices {
        let mut rest = choice;
        let gone: Vec<&Range<usize>> = moved
            .iter()
            .map(|ranges| {
                let range = &ranges[rest % ranges.len()];
                rest /= ranges.len();
                range
            })
            .collect();
        let overlap = gone.iter().enumerate().any(|(number, one)| {
            gone[..number].iter().any(|other| one.start < other.end && other.start < one.end)
        });
        if overlap || gone.iter().any(|one| one.start < at && at < one.end) {
            continue;
        }
        let mut result = Vec::new();
        for line in 0..=lines.len() {
            if line == at {
                result.extend(new.iter().cloned());
            }
            if line < lines.len() && !gone.iter().any(|one| one.contains(&line)) {
                result.push(lines[line].clone());
            }
        }
        if !results.contains(&result) {
            results.push(result);
        }
    }
    results
}

/// Returns `true` if a line stays as it is: it is blank, or it begins inside a string that is no docstring.
pub(crate) fn stays(text: &Text, scanned: Option<&Scanned>, line: usize) -> Option<bool> {
    if text.lines[line].is_empty() {
        return Some(true);
    }
    let Some(scanned) = scanned else { return Some(false) };
    if !scanned.begins_in_string(line) {
        return Some(false);
    }
    if text.language != Language::Python {
        return (scanned.carried(line) == Class::Text).then_some(true);
    }
    // A docstring begins a line below one that opens a block.
    let start = (0..line).rev().find(|line| !scanned.begins_in_string(*line))?;
    let opens = text.lines[start].trim_start().starts_with("\"\"\"");
    let above = (0..start).rev().find(|line| !text.is_blank(*line))?;
    let code = scanned.code_of(above..above + 1).trim().to_owned();
    let declares = ["def ", "async def ", "class ", ")"].iter().any(|word| code.starts_with(word));
    match (opens, declares && code.ends_with(':')) {
        (true, true) => Some(false),
        // Another string.
        (false, _) if !text.lines[start].trim_start().starts_with(['"', '\'', 'r', 'u', 'b']) => Some(true),
        _ => None,
    }
}

/// Returns the lines of a symbol at another depth, or `None` if that is not certain.
pub(crate) fn at_depth(
    text: &Text,
    scanned: &Scanned,
    whole: &Range<usize>,
    head: usize,
    depth: &str,
) -> Option<Vec<String>> {
    let own = text.depth(head);
    whole
        .clone()
        .map(|line| {
            let content = &text.lines[line];
            match content.strip_prefix(own) {
                _ if own == depth => Some(content.clone()),
                _ if content.trim().is_empty() => content.is_empty().then(String::new),
                _ if stays(text, Some(scanned), line)? => Some(content.clone()),
                Some(rest) => Some(format!("{depth}{rest}")),
                None => None,
            }
        })
        .collect()
}

/// Joins symbols with blank lines between them.
pub(crate) fn with_gaps(parts: &[Vec<String>], gap: usize) -> Vec<String> {
    parts.join(vec![String::new(); gap].as_slice())
}

/// Returns `true` if no line of the range has whitespace alone, and each has the indentation of one or is empty.
pub(crate) fn is_clean(lines: &[String]) -> bool {
    lines.iter().all(|line| line.is_empty() || !line.trim().is_empty() && !indent(line).contains(" \t"))
}
