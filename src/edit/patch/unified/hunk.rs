//! Finds the end of a hunk and the lines that belong to its text.

use super::super::PatchError;
use super::super::body::{self, Body, CONTEXT_NEEDED, Counts, HunkHeader, Mark, ParsedHunk};
use super::super::source::{Source, fence, is_empty};
use super::{Fence, names_two};
use crate::Anchor;

/// A hunk of a unified diff.
pub(super) struct DiffHunk<'a> {
    source: &'a Source<'a>,
    /// Index of the header line.
    first: usize,
    header: Option<HunkHeader>,
    /// Index after the last line that belongs to the text of the hunk.
    pub(super) text_end: usize,
    /// Index of the line at which parsing continues.
    pub(super) end: usize,
}

impl Counts {
    fn add(&mut self, line: &str) {
        if line.starts_with('\\') {
            return;
        }
        let (mark, _) = body::split(line);
        self.old += usize::from(mark != Mark::Added);
        self.new += usize::from(mark != Mark::Removed);
    }
}

/// Returns `true` if the names of the next file begin at a line: two lines with a hunk below them. Without
/// the hunk, the two lines may be a removed `-- name` and an added `++ name`.
fn is_file_header(source: &Source<'_>, index: usize) -> bool {
    names_two(source, index)
        && (source.line(index + 2).starts_with("@@") || source.line(index + 1).trim_end() == "+++ /dev/null")
}

/// Returns `true` if a line has no mark: a context line that lost its space, or a line outside of any hunk.
fn is_unmarked(line: &str) -> bool {
    !is_empty(line) && !line.starts_with([' ', '+', '-', '\\'])
}

impl<'a> DiffHunk<'a> {
    /// Parses the hunk whose header is at line `first`. `open` is the Markdown fence around the patch.
    pub(super) fn new(source: &'a Source<'a>, first: usize, open: Option<Fence>) -> Result<Self, PatchError> {
        if source.line(first).starts_with("@@@") {
            return Err(PatchError::at(first, "a diff of two files, not a combined diff"));
        }
        let mut hunk = Self {
            source,
            first,
            header: body::hunk_header(source.line(first)),
            text_end: first,
            end: first,
        };
        hunk.end = hunk.find_end(open);
        hunk.text_end = hunk.find_text_end();
        if hunk.end == source.len() && open.is_some() && hunk.is_cut_short() {
            return Err(PatchError::at(
                source.last(),
                "the rest of the hunk, and the end of the fence around it",
            ));
        }
        if hunk.text_end == first + 1 {
            let at = hunk.text_end.min(source.last());
            return Err(PatchError::at(at, "lines of a hunk, which begin with ` `, `-` or `+`"));
        }
        Ok(hunk)
    }

    /// Returns the index of the next hunk, file or closing fence, or the end of the patch. Models often write
    /// wrong numbers into headers, so the numbers decide only where the text alone is ambiguous.
    fn find_end(&self, open: Option<Fence>) -> usize {
        let mut counts = Counts::default();
        for index in self.first + 1..self.source.len() {
            let line = self.source.line(index);
            let closes = || {
                let (sign, length, info) = fence(line).filter(|_| is_unmarked(line))?;
                let (open_sign, open_length) = open?;
                Some(sign == open_sign && length >= open_length && info.is_empty())
            };
            let signature =
                || line == "-- " && self.source.line(index + 1).starts_with(|c: char| c.is_ascii_digit());
            let ends = line.starts_with("@@")
                || line.starts_with("diff -")
                || line.starts_with("Index: ")
                || is_file_header(self.source, index) && !self.counts_file_header(counts)
                || closes().unwrap_or_default()
                || signature();
            if ends {
                return index;
            }
            counts.add(line);
        }
        self.source.len()
    }

    /// Returns `true` if two lines that look like file names are a removed and an added line. They are if the
    /// counts in the header match exactly when the two lines are included.
    fn counts_file_header(&self, so_far: Counts) -> bool {
        let with_both = Counts { old: so_far.old + 1, new: so_far.new + 1 };
        self.header.is_some_and(|header| header.counts == with_both)
    }

    /// Returns `true` if the header announces more lines than the hunk has, on both sides.
    fn is_cut_short(&self) -> bool {
        let mut counts = Counts::default();
        (self.first + 1..self.end).for_each(|index| counts.add(self.source.line(index)));
        let wanted = self.header.map(|header| header.counts).unwrap_or_default();
        counts.old < wanted.old && counts.new < wanted.new
    }

    /// Returns the index after the text of the hunk, without the empty lines and prose that may follow it.
    fn find_text_end(&self) -> usize {
        let lines = || (self.first + 1..self.end).map(|index| (index, self.source.line(index)));
        let last = |is: fn(&str) -> bool| lines().rfind(|(_, line)| is(line)).map(|(index, _)| index);
        let last_unmarked = last(is_unmarked);
        let last_marked = last(|line| line.starts_with(['+', '-', '\\']));
        let last_text = last(|line| !is_empty(line));
        if let Some(exact) = self.exact_end() {
            let only_prose = last_marked.is_none_or(|marked| marked < exact);
            let next = lines().find(|(index, line)| *index >= exact && !is_empty(line));
            let separated =
                is_empty(self.source.line(exact)) && next.is_some_and(|(_, line)| is_unmarked(line));
            if exact == self.end || only_prose || separated {
                return exact;
            }
        }
        let after_marked = last_marked.map_or(self.first + 1, |marked| marked + 1);
        let mut empty = (after_marked..self.end).filter(|&index| is_empty(self.source.line(index)));
        let ends = |index: &usize| {
            last_unmarked.is_some_and(|unmarked| unmarked > *index)
                || last_text.is_none_or(|text| text < *index)
        };
        empty.find(ends).unwrap_or(self.end)
    }

    /// Returns the index after the last line at which the counts in the header match, if there is such a
    /// line.
    fn exact_end(&self) -> Option<usize> {
        let wanted = self.header?.counts;
        let (mut counts, mut found) = (Counts::default(), None);
        for index in self.first + 1..self.end {
            counts.add(self.source.line(index));
            if counts == wanted {
                found = Some(index + 1);
            }
        }
        found
    }

    /// Fails with `expected` if any line of the hunk has another mark than `wanted`.
    pub(super) fn all_are(&self, wanted: Mark, expected: &str) -> Result<(), PatchError> {
        let other = |index: &usize| {
            let line = self.source.line(*index);
            !line.starts_with('\\') && body::split(line).0 != wanted
        };
        match (self.first + 1..self.text_end).find(other) {
            Some(index) => Err(PatchError::at(index, expected)),
            None => Ok(()),
        }
    }

    pub(super) fn into_hunk(self) -> Result<ParsedHunk, PatchError> {
        let mut body = Body::default();
        for line in (self.first + 1..self.text_end).map(|index| self.source.line(index)) {
            if line.starts_with('\\') {
                body.remove_final_newline();
            } else {
                body.push(body::split(line));
            }
        }
        let start = self.header.map_or(0, |header| header.start);
        let anchor = Anchor { line: Some(start).filter(|&start| start > 0), ..Anchor::default() };
        let parsed = body.into_hunk(self.first + 1, anchor);
        // The header places the lines after the first line, so they are not the content of a new file.
        if let (ParsedHunk::Fill { line, .. }, 2..) = (&parsed, start) {
            return Err(PatchError { line: *line, expected: CONTEXT_NEEDED.to_owned() });
        }
        Ok(parsed)
    }
}
