//! Parses search/replace blocks: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.

use std::ops::Range;

use super::body::{self, Body, Mark, ParsedHunk};
use super::source::{Source, fence};
use super::{FilePatch, PatchError, PatchFormat, leftover, names};
use crate::Anchor;

/// Minimum number of repeated characters in a marker.
const SHORTEST: usize = 5;

/// Label of the line number that some models write above the search text.
const START_LINE: &str = ":start_line:";

/// Number of lines above a block that may name its file, not counting blank lines and fences.
const LINES_ABOVE: usize = 3;

/// The first line of a block. All markers of a block have the same length and indentation, so a line that looks
/// like another marker is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Head<'a> {
    length: usize,
    sign: char,
    /// Indentation of the whole block, as in a list.
    pad: &'a str,
}

/// Splits off the indentation of a line.
fn split_indent(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len())
}

/// Splits a marker line into the length of its run of `sign` and the word after it.
fn marker_run(line: &str, sign: char) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    (length >= SHORTEST).then_some((length, rest.trim()))
}

impl<'a> Head<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let (pad, line) = split_indent(line);
        let sign = line.chars().next().filter(|sign| matches!(sign, '<' | '-'))?;
        let (length, word) = marker_run(line, sign)?;
        matches!(word, "SEARCH" | "SEARCH>" | "ORIGINAL").then_some(Self { length, sign, pad })
    }

    /// Returns a line of the block without the indentation of the block, or `None` if it is less indented.
    fn content(self, line: &str) -> Option<&str> {
        line.strip_prefix(self.pad).or_else(|| line.trim().is_empty().then_some(""))
    }

    fn divides(self, line: &str) -> bool {
        let line = self.content(line).unwrap_or_default();
        marker_run(line, '=') == Some((self.length, ""))
    }

    fn closes(self, line: &str) -> bool {
        let line = self.content(line).unwrap_or_default();
        let word = marker_run(line, self.closing_sign()).filter(|(length, _)| *length == self.length);
        matches!(word, Some((_, "REPLACE" | "UPDATED")))
    }

    fn closing_sign(self) -> char {
        if self.sign == '<' { '>' } else { '+' }
    }

    fn divider(self) -> String {
        "=".repeat(self.length)
    }

    fn tail(self) -> String {
        format!("{} REPLACE", self.closing_sign().to_string().repeat(self.length))
    }
}

/// Returns `true` if a line can only belong to this format.
pub(super) fn begins(source: &Source<'_>, index: usize) -> bool {
    Head::of(source.line(index)).is_some()
}

pub(super) fn parse(source: &Source<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let mut files: Vec<FilePatch> = Vec::new();
    let (mut at, mut previous_end) = (0, 0);
    while at < source.len() {
        let Some(head) = Head::of(source.line(at)) else {
            at += 1;
            continue;
        };
        leftover::check(source, previous_end..at, previous_end > 0, PatchFormat::SearchReplace)?;
        let named = name_above(source, previous_end, at);
        if let (None, Some(previous)) = (named, files.last()) {
            require_no_other_name(source, previous_end..at, &previous.path)?;
        }
        let Some(path) = named.map(str::to_owned).or_else(|| files.last().map(|file| file.path.clone()))
        else {
            return Err(PatchError::at(at, "the path of a file on the line above the block"));
        };
        let (hunk, end) = block(source, at, head)?;
        let change = body::change(vec![hunk], None, true)?;
        files.push(FilePatch { path, tag: None, line: at + 1, change });
        (at, previous_end) = (end, end);
    }
    if files.is_empty() {
        let expected = "a block: `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`";
        return Err(PatchError::at(0, expected));
    }
    leftover::check(source, previous_end..source.len(), true, PatchFormat::SearchReplace)?;
    Ok(files)
}

/// Refuses a block without a recognized path if the line above it may name another file than the previous block: its
/// text may stand in that file, too.
fn require_no_other_name(
    source: &Source<'_>,
    between: Range<usize>,
    previous: &str,
) -> Result<(), PatchError> {
    let is_text = |index: &usize| {
        let line = source.line(*index).trim();
        !line.is_empty() && fence(line).is_none_or(|(_, _, info)| !info.is_empty())
    };
    match between.rev().find(is_text) {
        Some(index) if names::may_name_other(source.line(index), previous) => Err(PatchError::at(
            index,
            format!(
                "the path of the file alone on the line above the block, because this line may name another file than `{previous}`"
            ),
        )),
        _ => Ok(()),
    }
}

/// Parses the block that begins at `first`. Returns it with the index of the line after it.
fn block(source: &Source<'_>, first: usize, head: Head<'_>) -> Result<(ParsedHunk, usize), PatchError> {
    let begin = first + 1;
    let mut divider = None;
    for index in begin..source.len() {
        let line = source.line(index);
        match divider {
            None if head.divides(line) => divider = Some(index),
            Some(_) if head.divides(line) => {
                let expected = format!(
                    "one line `{}` in the block that begins at line {begin}; if this one is text, use longer markers",
                    head.divider()
                );
                return Err(PatchError::at(index, expected));
            }
            Some(divider) if head.closes(line) => {
                return Ok((parsed_block(source, first, divider, index, head)?, index + 1));
            }
            None if head.closes(line) => {
                return Err(PatchError::at(index, format!("`{}` before it", head.divider())));
            }
            _ if Head::of(line) == Some(head) => return Err(unfinished(index, divider, head, begin)),
            _ if head.content(line).is_none() => {
                let expected =
                    format!("the indentation of line {begin}, because it belongs to all lines of its block");
                return Err(PatchError::at(index, expected));
            }
            _ => {}
        }
    }
    Err(unfinished(source.last(), divider, head, begin))
}

fn unfinished(index: usize, divider: Option<usize>, head: Head<'_>, begin: usize) -> PatchError {
    let marker = if divider.is_some() { head.tail() } else { head.divider() };
    PatchError::at(index, format!("`{marker}` of the block that begins at line {begin}"))
}

fn parsed_block(
    source: &Source<'_>,
    first: usize,
    divider: usize,
    last: usize,
    head: Head<'_>,
) -> Result<ParsedHunk, PatchError> {
    let line = |index| head.content(source.line(index)).unwrap_or_default();
    let mut anchor = Anchor::default();
    let mut start = first + 1;
    if let Some(number) = line(start).strip_prefix(START_LINE).filter(|_| start < divider) {
        // Some models were trained to give the start line of the text, above a line of dashes.
        anchor.line = number.trim().parse().ok().filter(|&line| line > 0);
        start += 1;
        let is_header = |line: &str| {
            line.starts_with(":end_line:") || marker_run(line, '-').is_some_and(|it| it.1.is_empty())
        };
        while start < divider && is_header(line(start)) {
            start += 1;
        }
    }
    if let Some(number) = line(divider + 1).strip_prefix(START_LINE)
        && divider + 1 < last
        && number.trim().parse::<usize>().is_ok()
    {
        let expected =
            format!("`{START_LINE}` only above the search text, because it would become new text here");
        return Err(PatchError::at(divider + 1, expected));
    }
    let mut body = Body::default();
    // A search text of nothing but whitespace counts as empty.
    if (start..divider).any(|index| !source.line(index).trim().is_empty()) {
        (start..divider).for_each(|index| body.push((Mark::Removed, line(index))));
    }
    (divider + 1..last).for_each(|index| body.push((Mark::Added, line(index))));
    Ok(body.into_hunk(first + 1, anchor))
}

/// Returns the file name in the lines between the previous block and this one: the nearest line that consists
/// of a name, a fence with a name, or else the nearest line if it mentions a name.
fn name_above<'a>(source: &Source<'a>, previous_end: usize, head: usize) -> Option<&'a str> {
    let (mut lines, mut fences, mut mentioned) = (0, 0, None);
    for index in (previous_end..head).rev() {
        let line = source.line(index).trim();
        if line.is_empty() {
            continue;
        }
        let name = if let Some((_, _, info)) = fence(line) {
            fences += 1;
            if fences > 1 {
                return name_in_own_fence(source, previous_end..index)
                    .filter(|_| info.is_empty())
                    .or(mentioned);
            }
            names::in_fence(info)
        } else {
            lines += 1;
            if lines == 1 {
                mentioned = names::mentioned(line);
            }
            names::whole_line(line)
        };
        if name.is_some() || lines == LINES_ABOVE {
            return name.or(mentioned);
        }
    }
    mentioned
}

/// Returns the name in the last of some lines, if it is alone in a fence that ends after them.
fn name_in_own_fence<'a>(source: &Source<'a>, lines: Range<usize>) -> Option<&'a str> {
    let [begin, name] = [lines.end.checked_sub(2)?, lines.end - 1];
    let is_alone = begin >= lines.start && fence(source.line(begin)).is_some();
    names::whole_line(source.line(name)).filter(|_| is_alone)
}
