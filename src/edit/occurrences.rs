//! Descriptions of several matches, from which the client has to choose.

use std::fmt::Write as _;
use std::ops::Range;

use super::tiers::Hits;
use super::{LineRange, Occurrence, Occurrences};
use crate::text::{count_line_ends, count_lines, line_end, line_start, lines};

const MAX_LISTED: usize = 10;
/// Lines shown before and after the first line of a match.
const AROUND: usize = 1;
/// Maximum number of characters of a line that are shown.
const WIDTH: usize = 160;

impl Occurrences {
    pub(super) fn of(base: &str, hits: &Hits) -> Self {
        let mut counter = LineCounter::new(base);
        let listed = hits.sites.iter().take(MAX_LISTED).map(|site| {
            let lines = counter.lines(&site.range);
            let excerpt = excerpt(base, site.range.start, lines.start);
            Occurrence { start_line: lines.start, end_line: lines.end, excerpt }
        });
        Self { total: hits.sites.len(), more: hits.more, overlap: hits.overlap(), listed: listed.collect() }
    }
}

/// Converts byte ranges to line ranges; cheap if the ranges come in order.
pub(super) struct LineCounter<'a> {
    base: &'a str,
    at: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub(super) fn new(base: &'a str) -> Self {
        Self { base, at: 0, line: 1 }
    }

    /// Returns the lines that a range of bytes touches.
    pub(super) fn lines(&mut self, range: &Range<usize>) -> LineRange {
        let start = line_start(self.base, range.start);
        if start < self.at {
            (self.at, self.line) = (0, 1);
        }
        self.line += count_line_ends(&self.base[self.at..start]);
        self.at = start;
        let touched = count_lines(&self.base[start..range.end.max(start)]).max(1);
        LineRange { start: self.line, end: self.line + touched - 1 }
    }
}

/// Returns the line at `offset`, whose number is `line`, with its neighbors.
fn excerpt(base: &str, offset: usize, line: usize) -> String {
    let mut start = line_start(base, offset);
    let mut first = line;
    while first > 1 && line - first < AROUND {
        start = line_start(base, start - 1);
        first -= 1;
    }
    let end = (0..=AROUND).fold(line_start(base, offset), |at, _| line_end(base, at).1);
    numbered(&base[start..end], first)
}

/// Returns the lines of `text` with their numbers, starting with `first`. Long lines are cut.
pub(super) fn numbered(text: &str, first: usize) -> String {
    let mut shown = String::new();
    for (line, number) in lines(text).zip(first..) {
        let content = line.content;
        let cut = content.char_indices().nth(WIDTH).map(|(at, _)| at);
        let (content, more) = cut.map_or((content, ""), |at| (&content[..at], "…"));
        let _ = writeln!(shown, "{number}\t{content}{more}");
    }
    shown
}
