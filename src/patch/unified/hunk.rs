//! Where a hunk ends, and what in it is text.

use super::super::PatchError;
use super::super::body::{self, Body, CONTEXT_NEEDED, Mark, Piece, Range};
use super::super::source::{Source, fence, is_empty};
use crate::edit::Anchor;

/// A hunk, from its header to what is no longer part of it.
pub(super) struct Hunk<'a> {
    source: &'a Source<'a>,
    /// The header's line.
    first: usize,
    range: Option<Range>,
    /// Behind the last line that is text of the hunk.
    text_end: usize,
    /// Where to go on.
    pub(super) end: usize,
}

/// Lines that two sides of a hunk have.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    old: usize,
    new: usize,
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

/// Whether the names of the next file stand at a line: two lines, and a hunk below them. The lines alone may
/// be a removed `-- name` and an added `++ name`.
pub(super) fn is_file_header(source: &Source<'_>, index: usize) -> bool {
    source.line(index).starts_with("--- ")
        && source.line(index + 1).starts_with("+++ ")
        && (source.line(index + 2).starts_with("@@") || source.line(index + 1).trim_end() == "+++ /dev/null")
}

/// Whether a line has no mark: context that lost its blank, or no line of a hunk.
fn is_bare(line: &str) -> bool {
    !is_empty(line) && !line.starts_with([' ', '+', '-', '\\'])
}

impl<'a> Hunk<'a> {
    /// Reads the hunk whose header stands at a line. `open` is the fence that the patch stands in.
    pub(super) fn new(
        source: &'a Source<'a>,
        first: usize,
        open: Option<(char, usize)>,
    ) -> Result<Self, PatchError> {
        let header = source.line(first);
        if header.starts_with("@@@") {
            return Err(PatchError::at(first, "a diff of two files, not a combined one"));
        }
        let mut hunk = Self { source, first, range: body::range(header), text_end: first, end: first };
        hunk.end = hunk.find_end(open);
        hunk.text_end = hunk.find_text_end();
        if hunk.end == source.len() && open.is_some() && hunk.falls_short() {
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

    /// The line of the next hunk, file or fence, or the end. The numbers in headers of models are often
    /// wrong, so they decide only where the text alone does not.
    fn find_end(&self, open: Option<(char, usize)>) -> usize {
        let mut counts = Counts::default();
        for index in self.first + 1..self.source.len() {
            let line = self.source.line(index);
            let closes = || {
                let (sign, length, info) = fence(line).filter(|_| is_bare(line))?;
                let (open_sign, open_length) = open?;
                Some(sign == open_sign && length >= open_length && info.is_empty())
            };
            let signature =
                || line == "-- " && self.source.line(index + 1).starts_with(|c: char| c.is_ascii_digit());
            let ends = line.starts_with("@@")
                || line.starts_with("diff -")
                || line.starts_with("Index: ")
                || is_file_header(self.source, index) && !self.goes_on(counts)
                || closes().unwrap_or_default()
                || signature();
            if ends {
                return index;
            }
            counts.add(line);
        }
        self.source.len()
    }

    /// Whether what looks like the names of a file is a removed and an added line: if the header counts
    /// exactly them, too.
    fn goes_on(&self, so_far: Counts) -> bool {
        let with_both = Counts { old: so_far.old + 1, new: so_far.new + 1 };
        self.counted() == Some(with_both)
    }

    /// Whether the header counts more lines than there are, on both sides.
    fn falls_short(&self) -> bool {
        let mut counts = Counts::default();
        (self.first + 1..self.end).for_each(|index| counts.add(self.source.line(index)));
        self.counted().is_some_and(|wanted| counts.old < wanted.old && counts.new < wanted.new)
    }

    fn counted(&self) -> Option<Counts> {
        self.range.map(|range| Counts { old: range.old, new: range.new })
    }

    /// Leaves out what follows the hunk before the next header: empty lines and prose.
    fn find_text_end(&self) -> usize {
        let lines = || (self.first + 1..self.end).map(|index| (index, self.source.line(index)));
        let last = |is: fn(&str) -> bool| lines().rfind(|(_, line)| is(line)).map(|(index, _)| index);
        let last_bare = last(is_bare);
        let last_marked = last(|line| line.starts_with(['+', '-', '\\']));
        let last_text = last(|line| !is_empty(line));
        if let Some(exact) = self.exact_end() {
            let only_prose = last_marked.is_none_or(|marked| marked < exact);
            let separated = is_empty(self.source.line(exact)) && last_bare.is_some_and(|bare| bare > exact);
            if exact == self.end || only_prose || separated {
                return exact;
            }
        }
        let behind = last_marked.map_or(self.first + 1, |marked| marked + 1);
        let mut empty = (behind..self.end).filter(|&index| is_empty(self.source.line(index)));
        let ends = |index: &usize| {
            last_bare.is_some_and(|bare| bare > *index) || last_text.is_none_or(|text| text < *index)
        };
        empty.find(ends).unwrap_or(self.end)
    }

    /// Behind the last line with which the header's numbers are right, if there is one.
    fn exact_end(&self) -> Option<usize> {
        let wanted = self.counted()?;
        let (mut counts, mut found) = (Counts::default(), None);
        for index in self.first + 1..self.end {
            counts.add(self.source.line(index));
            if counts == wanted {
                found = Some(index + 1);
            }
        }
        found
    }

    /// Refuses a hunk with lines of another kind.
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

    pub(super) fn into_piece(self) -> Result<Piece, PatchError> {
        let mut body = Body::default();
        for line in (self.first + 1..self.text_end).map(|index| self.source.line(index)) {
            if line.starts_with('\\') {
                body.leave_open();
            } else {
                let (mark, content) = body::split(line);
                body.push(mark, content);
            }
        }
        let start = self.range.map_or(0, |range| range.start);
        let anchor = Anchor { line: Some(start).filter(|&start| start > 0), ..Anchor::default() };
        let piece = body.into_piece(self.first + 1, anchor);
        // Lines that a header says go further down are not those of a new file.
        if let (Piece::Fill { line, .. }, 2..) = (&piece, start) {
            return Err(PatchError { line: *line, expected: CONTEXT_NEEDED.to_owned() });
        }
        Ok(piece)
    }
}
