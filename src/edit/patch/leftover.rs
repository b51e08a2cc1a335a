//! Finds markers between the sections of a patch: changes that the patch would otherwise lose.

use std::ops::Range;

use super::anchored;
use super::body::hunk_header;
use super::source::Source;
use super::{PatchError, PatchFormat};

/// Minimum number of repeated signs in a marker.
const SHORTEST: usize = 3;

/// Number of `>` that make a marker alone; with fewer, a line may be a prompt or a quotation.
const CLEARLY_A_TAIL: usize = 5;

/// Words after the signs of a marker that `-`, `+` and `=` may begin.
const BLOCK_WORDS: [&str; 6] = ["SEARCH", "ORIGINAL", "FIND", "REPLACE", "UPDATED", "UPDATE"];

/// Words after `***` in markers, in lower case.
const SECTION_WORDS: [&str; 6] = ["begin", "end", "add", "update", "delete", "move"];

/// Maximum length of a quoted line in an error, in characters.
const QUOTED: usize = 60;

/// Refuses lines outside the sections of a patch that look like markers of any format. Prose, headings, rules
/// and fences do not. `inside` is `true` if a section comes before the lines.
pub(super) fn check(
    source: &Source<'_>,
    lines: Range<usize>,
    inside: bool,
    format: PatchFormat,
) -> Result<(), PatchError> {
    match lines.into_iter().find(|&index| is_marker(source, index, inside)) {
        None => Ok(()),
        Some(index) => Err(PatchError::at(index, expected(source.line(index), format))),
    }
}

/// Describes the input that is expected instead of a marker.
fn expected(line: &str, format: PatchFormat) -> String {
    let line: String = line.trim().chars().take(QUOTED).collect();
    let line = line.replace('`', "'");
    let belongs = match format {
        PatchFormat::SearchReplace => {
            "a block that begins with `<<<<<<< SEARCH` and whose lines are all indented like that line"
        }
        PatchFormat::ApplyPatch => "a section between `*** Begin Patch` and `*** End Patch`",
        PatchFormat::UnifiedDiff => "a hunk below `--- path` and `+++ path`",
        PatchFormat::Anchored => "a section `[path#tag]` of `PUT` and `CUT`",
    };
    format!("{belongs}, or prose; `{line}` looks like a marker, but begins no such part")
}

/// Returns `true` if a line outside all sections looks like a marker.
fn is_marker(source: &Source<'_>, index: usize, inside: bool) -> bool {
    let line = undecorated(source.line(index));
    let next = || source.line(index + 1).trim_start();
    match line.as_bytes().first() {
        Some(b'<') => run(line, '<').is_some(),
        Some(b'>') => {
            run(line, '>').is_some_and(|(length, rest)| length >= CLEARLY_A_TAIL || is_capital(rest))
        }
        Some(b'-') if line.starts_with("---") && next().starts_with("+++") => true,
        Some(sign @ (b'-' | b'+' | b'=')) => run(line, char::from(*sign)).is_some_and(|(_, rest)| {
            BLOCK_WORDS.contains(&rest.trim_end_matches([':', '>', '-', '+', '=', ' ']))
        }),
        Some(b'*') => is_section(line),
        Some(b'@') => {
            let rest = line.strip_prefix("@@");
            hunk_header(line).is_some()
                || inside && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '@']))
        }
        Some(b'd') => line.starts_with("diff --git "),
        Some(b'[') => anchored::begins_section(source, index),
        _ => false,
    }
}

/// Returns a line without the indentation, the sign of a list or the sign of a quotation before its text.
fn undecorated(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        let numbered = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = if numbered.len() < rest.len() {
            numbered.strip_prefix(['.', ')']).filter(|after| after.starts_with(' '))
        } else {
            rest.strip_prefix(['>', '-', '*', '+']).filter(|after| after.starts_with(' '))
        };
        match after {
            Some(after) => rest = after.trim_start(),
            None => return rest,
        }
    }
}

/// Splits a line into the length of the run of `sign` at its start and the text after it.
fn run(line: &str, sign: char) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(sign);
    let length = line.len() - rest.len();
    (length >= SHORTEST).then_some((length, rest.trim()))
}

/// Returns `true` if a text begins with a word in capital letters.
fn is_capital(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    word.len() > 1 && word.chars().all(char::is_uppercase)
}

/// Returns `true` for `***` and one of the words of `*** Begin Patch`, `*** Update File:` and the like.
fn is_section(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("***").map(str::trim_start) else { return false };
    let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let is_marked = after.is_empty() || after.starts_with([' ', ':']);
    // `***` behind it makes it emphasis.
    is_marked && !after.contains("***") && SECTION_WORDS.contains(&&*word.to_lowercase())
}
