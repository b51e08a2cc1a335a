//! Lines of a text, by number and by offset.

use std::ops::Range;

use editd_edit::LineRange;
use editd_text as text;

/// Byte order mark: belongs to no line.
pub(super) const BOM: char = '\u{feff}';

/// The lines of a text, numbered from 0.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts: Vec<usize> = text::lines(text).map(|line| line.start).collect();
        match starts.first_mut() {
            Some(first) if text.starts_with(BOM) => *first = BOM.len_utf8(),
            Some(_) => {}
            None => starts.push(0),
        }
        Self { text, starts }
    }

    /// Returns the line that contains an offset.
    pub(super) fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Returns the end of a line, after its line ending.
    pub(super) fn end(&self, line: usize) -> usize {
        self.start(line + 1)
    }

    /// Returns a line without its line ending.
    pub(super) fn content(&self, line: usize) -> &'a str {
        self.text[self.start(line)..self.end(line)].trim_end_matches(['\r', '\n'])
    }

    /// Returns `true` if a line has only whitespace.
    pub(super) fn is_blank(&self, line: usize) -> bool {
        self.content(line).trim().is_empty()
    }

    /// Returns `true` if only whitespace is before an offset in its line.
    pub(super) fn is_first(&self, offset: usize) -> bool {
        self.text[self.start(self.of(offset))..offset].trim().is_empty()
    }

    /// Returns the whitespace before an offset in its line, up to the first other character.
    pub(super) fn indentation(&self, offset: usize) -> &'a str {
        indentation(self.content(self.of(offset)))
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the lines that a range touches, from 1.
    pub(super) fn range(&self, range: &Range<usize>) -> LineRange {
        let last = range.end.saturating_sub(1).max(range.start);
        LineRange { start: self.of(range.start) + 1, end: self.of(last) + 1 }
    }
}

/// Returns the whitespace at the start of a line.
pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
