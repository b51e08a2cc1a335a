//! Parses `*** Begin Patch` … `*** End Patch`.

use super::body::{self, Body, Mark, ParsedHunk};
use super::source::{Source, fence, is_empty};
use super::{FilePatch, PatchChange, PatchError, PatchFormat, leftover};
use crate::Anchor;

const SECTIONS: &str = "`*** Update File: path`, `*** Add File: path` or `*** Delete File: path`";

/// A line that begins with `***`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker<'a> {
    Begin,
    End,
    Update(&'a str),
    Add(&'a str),
    Delete(&'a str),
    Move(&'a str),
    EndOfFile,
}

fn marker(line: &str) -> Option<Marker<'_>> {
    let rest = line.trim_start().strip_prefix("***")?.trim();
    let named = |beginning: &str| rest.strip_prefix(beginning).map(str::trim);
    match rest {
        "Begin Patch" => Some(Marker::Begin),
        "End Patch" => Some(Marker::End),
        "End of File" => Some(Marker::EndOfFile),
        _ => named("Update File:")
            .map(Marker::Update)
            .or_else(|| named("Add File:").map(Marker::Add))
            .or_else(|| named("Delete File:").map(Marker::Delete))
            .or_else(|| named("Move to:").map(Marker::Move)),
    }
}

/// Returns `true` if a line can only belong to this format.
pub(super) fn begins(source: &Source<'_>, index: usize) -> bool {
    matches!(
        marker(source.line(index)),
        Some(Marker::Begin | Marker::Update(_) | Marker::Add(_) | Marker::Delete(_))
    )
}

pub(super) fn parse(source: &Source<'_>) -> Result<Vec<FilePatch>, PatchError> {
    let mut parser = Parser { source, at: 0, pad: "", marker_pad: "", files: Vec::new() };
    let mut reached = 0;
    while parser.at < source.len() {
        if begins(source, parser.at) {
            let inside = !parser.files.is_empty();
            leftover::check(source, reached..parser.at, inside, PatchFormat::ApplyPatch)?;
            // A missing first line is tolerated. A missing last line is not, because the patch may have been
            // cut off.
            parser.pad = pad(source, parser.at);
            parser.marker_pad = parser.line().map_or("", indentation);
            parser.at += usize::from(marker(source.line(parser.at)) == Some(Marker::Begin));
            parser.envelope()?;
            reached = parser.at;
        } else {
            parser.at += 1;
        }
    }
    if parser.files.is_empty() {
        return Err(PatchError::at(0, format!("`*** Begin Patch` and a section: {SECTIONS}")));
    }
    leftover::check(source, reached..source.len(), true, PatchFormat::ApplyPatch)?;
    Ok(parser.files)
}

/// Returns the common indentation of a patch that is indented as a whole, or an empty string.
fn pad<'a>(source: &Source<'a>, first: usize) -> &'a str {
    let pad = indentation(source.line(first));
    let patch = (first..source.len()).map(|index| source.line(index));
    let mut inside = patch.take_while(|line| marker(line) != Some(Marker::End));
    if inside.all(|line| line.starts_with(pad) || line.trim().is_empty()) { pad } else { "" }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

struct Parser<'a> {
    source: &'a Source<'a>,
    at: usize,
    /// Indentation of all lines of the patch.
    pad: &'a str,
    /// Further indentation of the first marker. If there is one, the other markers may have it, too.
    marker_pad: &'a str,
    files: Vec<FilePatch>,
}

impl<'a> Parser<'a> {
    fn line(&self) -> Option<&'a str> {
        self.line_at(self.at)
    }

    /// Returns a line without the indentation of the patch.
    fn line_at(&self, index: usize) -> Option<&'a str> {
        let line = self.source.get(index)?;
        Some(line.strip_prefix(self.pad).unwrap_or(line))
    }

    /// Returns the current line unless it is a marker, or looks like one.
    fn content_line(&self) -> Option<&'a str> {
        self.line().filter(|line| !self.is_marker(self.at, line))
    }

    /// Returns `true` for a marker. An indented one can also be a line of context: it is a marker if the first
    /// one is indented alike, or if the patch would have no end without it.
    fn is_marker(&self, index: usize, line: &str) -> bool {
        if line.starts_with("***") {
            return true;
        }
        match marker(line) {
            Some(_) if !self.marker_pad.is_empty() && indentation(line) == self.marker_pad => true,
            Some(Marker::End) => self.ends_after(index),
            _ => false,
        }
    }

    /// Returns `true` if nothing follows a line but a fence, or the end of a here document.
    fn ends_after(&self, index: usize) -> bool {
        let mut after = (index + 1..self.source.len()).map(|index| self.source.line(index).trim());
        let Some(next) = after.by_ref().find(|line| !line.is_empty()) else { return true };
        let is_word = next.chars().all(char::is_alphanumeric);
        fence(next).is_some()
            || is_word && after.find(|line| !line.is_empty()).is_none_or(|line| fence(line).is_some())
    }

    /// Parses the sections up to `*** End Patch`.
    fn envelope(&mut self) -> Result<(), PatchError> {
        loop {
            let Some(line) = self.line() else {
                return Err(PatchError::at(self.source.last(), "`*** End Patch` at the end"));
            };
            let at = self.at;
            self.at += 1;
            let (path, change) = match marker(line) {
                Some(Marker::End) => return Ok(()),
                Some(Marker::Add(path)) => {
                    (path, PatchChange::Create { content: self.added()?, executable: false })
                }
                Some(Marker::Delete(path)) => (path, PatchChange::Delete { hunks: Vec::new() }),
                Some(Marker::Update(path)) => (path, self.update(path)?),
                _ if line.trim().is_empty() => continue,
                _ => return Err(PatchError::at(at, format!("{SECTIONS}, or `*** End Patch`"))),
            };
            if path.is_empty() {
                return Err(PatchError::at(at, "the path of a file at the end of the line"));
            }
            self.files.push(FilePatch { path: path.to_owned(), tag: None, line: at + 1, change });
        }
    }

    /// Parses the lines of a new file.
    fn added(&mut self) -> Result<String, PatchError> {
        let (mut content, mut empty) = (String::new(), 0);
        while let Some(line) = self.line().filter(|line| !line.trim_start().starts_with("***")) {
            match body::split(line) {
                (Mark::Added, added) => {
                    // An empty line between added lines lost its `+`.
                    content.extend(std::iter::repeat_n('\n', std::mem::take(&mut empty)));
                    content.push_str(added);
                    content.push('\n');
                }
                _ if line.trim().is_empty() => empty += 1,
                _ => return Err(PatchError::at(self.at, "a line of the new file, which begins with `+`")),
            }
            self.at += 1;
        }
        self.at += usize::from(self.line().and_then(marker) == Some(Marker::EndOfFile));
        Ok(content)
    }

    fn update(&mut self, from: &str) -> Result<PatchChange, PatchError> {
        let mut to = None;
        if let Some(Marker::Move(path)) = self.line().and_then(marker) {
            if path.is_empty() {
                return Err(PatchError::at(self.at, "the new path at the end of the line"));
            }
            to = Some(path.to_owned()).filter(|to| to != from);
            self.at += 1;
        }
        let mut parsed = Vec::new();
        while let Some(line) = self.content_line() {
            match self.marker_after_empty_lines() {
                // Empty lines between two sections are not a chunk.
                Some(marker) if is_empty(line) => self.at = marker,
                _ => parsed.extend(self.chunk()?),
            }
        }
        if parsed.is_empty() && to.is_none() {
            let at = self.at.min(self.source.last());
            return Err(PatchError::at(at, "a chunk: `@@`, then lines that begin with ` `, `-` or `+`"));
        }
        body::change(parsed, to, false)
    }

    /// Returns the index of the first line from the current one on that is not empty, or the end.
    fn after_empty_lines(&self) -> usize {
        let mut lines = (self.at..).map_while(|index| Some((index, self.line_at(index)?)));
        lines.find(|(_, line)| !is_empty(line)).map_or(self.source.len(), |(index, _)| index)
    }

    /// Returns the index of the next marker (or the end) if only empty lines come before it.
    fn marker_after_empty_lines(&self) -> Option<usize> {
        let next = self.after_empty_lines();
        self.line_at(next).is_none_or(|line| self.is_marker(next, line)).then_some(next)
    }

    /// Parses a chunk. Returns `None` for one of empty lines only, which says nothing.
    fn chunk(&mut self) -> Result<Option<ParsedHunk>, PatchError> {
        let first = self.at;
        let mut anchor = Anchor { ordered: true, ..Anchor::default() };
        while let Some(header) = self.line().filter(|line| line.starts_with("@@")) {
            match body::hunk_header(header) {
                Some(range) => anchor.line = Some(range.start).filter(|&start| start > 0),
                None => anchor.under.extend(context(header)),
            }
            self.at += 1;
            let text = self.after_empty_lines();
            if text > self.at {
                match self.line_at(text) {
                    Some(line) if line.starts_with("@@") => self.at = text,
                    Some(line) if self.is_marker(text, line) && marker(line) != Some(Marker::EndOfFile) => {
                        self.at = text;
                        return Ok(None);
                    }
                    _ => {}
                }
            }
        }
        let mut marked = Vec::new();
        while let Some(line) = self.content_line().filter(|line| !line.starts_with("@@")) {
            marked.push(line);
            self.at += 1;
        }
        anchor.at_end = self.line().and_then(marker) == Some(Marker::EndOfFile);
        if anchor.at_end {
            self.at += 1;
        } else {
            // Trailing empty lines usually separate the chunk from the next one. As context they would hardly
            // help to locate it.
            let used = marked.iter().rposition(|line| !is_empty(line)).map_or(0, |last| last + 1);
            marked.truncate(used);
        }
        if marked.is_empty() {
            let at = self.at.min(self.source.last());
            return Err(PatchError::at(at, "lines of a chunk, which begin with ` `, `-` or `+`"));
        }
        let mut body = Body::default();
        for line in marked {
            body.push(body::split(line));
        }
        Ok(Some(body.into_hunk(first + 1, anchor)))
    }
}

/// Returns the context line in the header of a chunk.
fn context(header: &str) -> Option<String> {
    let rest = header.strip_prefix("@@")?;
    let named = rest.strip_prefix(' ').unwrap_or(rest).trim_end();
    (!named.is_empty()).then(|| named.to_owned())
}
