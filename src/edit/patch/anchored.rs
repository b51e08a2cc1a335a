//! Parses edits by line numbers: `[path#tag]`, then `PUT` and `CUT` with the lines that they concern.
//!
//! ```text
//! [src/door.rs#1a2b3c]
//! PUT 12.=15:      replaces lines 12 to 15 with the rows below
//! +let door = open();
//! PUT >20:         inserts rows after line 20; `<20` before it, `>$` at the end
//! CUT 30.=34 @it   deletes lines, which a later `PUT >2 @it` inserts
//! REM              deletes the file; `MV new/path` renames it
//! ```

use std::collections::HashMap;

use super::source::Source;
use super::{FilePatch, LineHunk, LineHunkEdit, PatchChange, PatchError, PatchFormat, leftover};
use crate::{LineEdit, LineOrigin, LinePlace, LineRange, parse_range};
use editd_text::HashTag;

/// Returns `true` if a line can only belong to this format.
pub(super) fn begins(source: &Source<'_>, index: usize) -> bool {
    let line = source.line(index).trim();
    // The envelope of another format may be around it.
    let index = if line == "*** Begin Patch" { index + 1 } else { index };
    header(source.line(index)).is_some_and(|(_, tag)| tag.is_some())
}

/// Returns `true` if a line names a file with a tag, and an operation follows it.
pub(super) fn begins_section(source: &Source<'_>, index: usize) -> bool {
    let is_operation = |line: &str| {
        let word = line.split_whitespace().next();
        matches!(word, Some("PUT" | "CUT" | "REM" | "MV"))
    };
    header(source.line(index)).is_some_and(|(_, tag)| tag.is_some()) && is_operation(source.line(index + 1))
}

pub(super) fn parse(source: &Source<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let mut files: Vec<FilePatch> = Vec::new();
    let mut clips = Clips::default();
    let mut at = 0;
    while at < source.len() {
        let line = source.line(at);
        if let Some((path, tag)) = header(line) {
            let change = PatchChange::Lines { hunks: Vec::new(), to: None };
            files.push(FilePatch { path: path.to_owned(), tag, line: at + 1, change });
            at += 1;
        } else if let Some(file) = files.last_mut() {
            at = operation(source, at, file, &mut clips)?;
        } else {
            if !is_envelope(line) {
                leftover::check(source, at..at + 1, false, PatchFormat::Anchored)?;
            }
            at += 1;
        }
    }
    files.retain(|file| !matches!(&file.change, PatchChange::Lines { hunks, to: None } if hunks.is_empty()));
    if files.is_empty() {
        return Err(PatchError::at(0, "a section: `[path#tag]`, then `PUT` or `CUT` with line numbers"));
    }
    Ok(files)
}

/// Splits `[path#tag]`. The tag may be missing.
fn header(line: &str) -> Option<(&str, Option<HashTag>)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    match inner.rsplit_once('#') {
        Some((path, tag)) if !path.is_empty() => Some((path, Some(tag.to_lowercase().parse().ok()?))),
        _ => (!inner.is_empty() && !inner.starts_with('[')).then_some((inner, None)),
    }
}

/// Lines that were cut, by the name of their register.
#[derive(Default)]
struct Clips {
    registers: HashMap<String, usize>,
    next: usize,
}

/// Returns `true` for the lines around a patch in the envelope of another format.
fn is_envelope(line: &str) -> bool {
    matches!(line.trim(), "*** Begin Patch" | "*** End Patch")
}

/// Parses the operation at a line. Returns the index of the line after it.
fn operation(
    source: &Source<'_>,
    at: usize,
    file: &mut FilePatch,
    clips: &mut Clips,
) -> Result<usize, PatchError> {
    let line = source.line(at).trim_end();
    let (word, operand) =
        line.trim_start().split_once(char::is_whitespace).unwrap_or((line.trim_start(), ""));
    let operand = operand.trim();
    match word {
        "" | "```" => Ok(at + 1),
        "PUT" => put(source, at, operand, file, clips),
        "CUT" => {
            let (lines, register) = split_register(operand);
            let lines = range(at, lines.strip_suffix(':').unwrap_or(lines).trim_end())?;
            let clip = clips.next;
            clips.next += 1;
            clips.registers.insert(register.unwrap_or_default().to_owned(), clip);
            push(file, at, LineHunkEdit::Take { clip, lines })?;
            Ok(at + 1)
        }
        "REM" if operand.is_empty() => match &file.change {
            PatchChange::Lines { hunks, to: None } if hunks.is_empty() => {
                file.change = PatchChange::Delete { hunks: Vec::new() };
                Ok(at + 1)
            }
            _ => Err(PatchError::at(at, "no other operation in a section with `REM`")),
        },
        "MV" if !operand.is_empty() => match &mut file.change {
            PatchChange::Lines { to: to @ None, .. } => {
                *to = Some(operand.trim_matches(['"', '\'', '`']).to_owned());
                Ok(at + 1)
            }
            _ => Err(PatchError::at(at, "one `MV` in a section")),
        },
        _ if is_envelope(line) || line.starts_with("```") => Ok(at + 1),
        _ => Err(PatchError::at(at, "`PUT`, `CUT`, `REM`, `MV` or the next `[path#tag]`")),
    }
}

/// Parses `PUT`: with rows after a colon, or with the lines of a register.
fn put(
    source: &Source<'_>,
    at: usize,
    operand: &str,
    file: &mut FilePatch,
    clips: &Clips,
) -> Result<usize, PatchError> {
    let (place_text, register) = split_register(operand);
    let rows_follow = register.is_none() && (operand.ends_with(':') || is_row(source.line(at + 1)));
    let place = place(at, place_text.strip_suffix(':').unwrap_or(place_text).trim_end())?;
    if !rows_follow {
        let Some(&clip) = clips.registers.get(register.unwrap_or_default()) else {
            let name = register.map_or_else(String::new, |name| format!(" @{name}"));
            return Err(PatchError::at(
                at,
                format!("a `CUT …{name}` before it, or a colon and rows that begin with `+`"),
            ));
        };
        push(file, at, LineHunkEdit::Put { clip, place })?;
        return Ok(at + 1);
    }
    let mut new = String::new();
    let mut next = at + 1;
    while let Some(row) = source.get(next).filter(|row| is_row(row)) {
        new.push_str(&row[1..]);
        new.push('\n');
        next += 1;
    }
    let replaces = matches!(place, LinePlace::Lines(_));
    if new.is_empty() && !replaces {
        return Err(PatchError::at(next, "a row that begins with `+`"));
    }
    let new = (!new.is_empty()).then_some(new);
    push(
        file,
        at,
        LineHunkEdit::Lines(LineEdit { place, new, first: None, last: None, origin: LineOrigin::Written }),
    )?;
    Ok(next)
}

fn is_row(line: &str) -> bool {
    line.starts_with('+')
}

fn push(file: &mut FilePatch, at: usize, edit: LineHunkEdit) -> Result<(), PatchError> {
    match &mut file.change {
        PatchChange::Lines { hunks, .. } => {
            hunks.push(LineHunk { line: at + 1, edit });
            Ok(())
        }
        _ => Err(PatchError::at(at, "no other operation in a section with `REM`")),
    }
}

/// Splits off the name of a register: `12.=15 @name`.
fn split_register(operand: &str) -> (&str, Option<&str>) {
    match operand.split_once('@') {
        Some((lines, name)) => (lines.trim_end(), Some(name.trim_end_matches(':').trim())),
        None => (operand, None),
    }
}

fn place(at: usize, text: &str) -> Result<LinePlace, PatchError> {
    let line = |text: &str| {
        let number = text.trim_start_matches(['L', '=']).trim();
        number.parse::<usize>().map_err(|_| PatchError::at(at, "a line number"))
    };
    match text.as_bytes().first() {
        Some(b'>') if text[1..].trim() == "$" => Ok(LinePlace::End),
        Some(b'>') => Ok(LinePlace::After(line(text[1..].trim())?)),
        Some(b'<') => match line(text[1..].trim())? {
            0 => Err(PatchError::at(at, "a line number from 1")),
            line => Ok(LinePlace::Before(line)),
        },
        _ => Ok(LinePlace::Lines(range(at, text)?)),
    }
}

fn range(at: usize, text: &str) -> Result<LineRange, PatchError> {
    if text.ends_with('*') {
        let expected = "the first and the last line of the block, such as `12.=15`";
        return Err(PatchError::at(at, expected));
    }
    parse_range(&text.replace('=', ""))
        .map_err(|problem| PatchError::at(at, format!("lines such as `12.=15`, but {problem}")))
}
