//! Refusals of edits, and the excerpts of a text that they show.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use super::tiers::Hits;
use super::{LineRefusal, Offer, TimedOut};
use editd_text::{count_line_ends, count_lines, line_end, line_start, lines};

/// Maximum number of matches that are listed.
const MAX_LISTED: usize = 10;
/// Maximum number of matches whose lines are given.
const MAX_LINES_LISTED: usize = 200;
/// Maximum number of characters of a line in an excerpt.
const WIDTH: usize = 160;
/// Maximum number of lines of a snippet; the middle of a longer one is cut.
const MAX_LINES: usize = 60;

/// The refusal of one edit.
#[derive(Debug, Clone, PartialEq)]
pub struct EditRefusal {
    /// Index of the edit in its call, from 0.
    pub edit: usize,
    /// Reason for the refusal.
    pub kind: EditRefusalKind,
}

/// The reason why an edit was refused, with the name of the refusal.
#[derive(Debug, Clone, PartialEq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum EditRefusalKind {
    /// The old text is not in the file.
    NotFound {
        /// Up to three similar regions, most similar first.
        closest: Vec<Closest>,
        /// `true` if the file already has the new text.
        already_applied: bool,
        /// The change that is probably meant, if the caller asked for it.
        offer: Option<Box<Offer>>,
    },
    /// A context line is not in the file, or not where it should be.
    #[strum(serialize = "not_found")]
    MissingContext {
        /// The line.
        context: String,
        /// Up to three similar lines, most similar first.
        closest: Vec<Closest>,
    },
    /// The old text is not in the lines or the symbol in which it is searched for, but elsewhere in the file.
    #[strum(serialize = "not_found")]
    OutsideScope {
        /// The lines in which it is searched for.
        scope: LineRange,
        /// The matches elsewhere.
        occurrences: Occurrences,
    },
    /// A regular expression has no match, or a word stands only within longer words.
    #[strum(serialize = "not_found")]
    NoMatch {
        /// The lines in which it is searched for, if these are not all lines.
        scope: Option<LineRange>,
        /// The places within longer words.
        within_words: Occurrences,
    },
    /// The new text elides code in words where the old text elides nothing.
    Placeholder {
        /// The line of the new text, from 1.
        line: usize,
        /// Text of the line.
        text: String,
    },
    /// The old text has more than one match.
    Ambiguous {
        /// The matches.
        occurrences: Occurrences,
    },
    /// The number of matches is not the expected one.
    CountMismatch {
        /// Number that the edit expects.
        expected: u32,
        /// Number of matches.
        found: usize,
        /// The matches.
        occurrences: Occurrences,
    },
    /// This edit and another change overlapping bytes of the base.
    Overlap {
        /// Index of the other edit.
        other_edit: usize,
        /// Lines of this edit.
        lines: LineRange,
        /// Lines of the other edit.
        other_lines: LineRange,
    },
    /// The old text is only in the new text of another edit.
    Dependency {
        /// Index of the other edit.
        other_edit: usize,
    },
    /// This edit and another replace the same bytes with different texts.
    Contradiction {
        /// Index of the other edit.
        other_edit: usize,
        /// Lines that both change.
        lines: LineRange,
    },
    /// The lines that the edit names are not usable. The name of the refusal is that of the reason.
    #[strum(serialize = "not_found")]
    Lines(LineRefusal),
    /// The call as a whole would leave the text as it is. Reported for its first edit.
    NoChange,
    /// The old text is empty.
    EmptyOldText,
    /// The new texts, each counted once per match, exceed the limit. Sizes are in bytes.
    TooLarge {
        /// Maximum total size.
        limit: usize,
        /// Total size, up to the first text that exceeds the limit.
        size: usize,
    },
    /// A pattern has too many matches.
    #[strum(serialize = "too_large")]
    TooManyMatches {
        /// Maximum number.
        limit: usize,
    },
    /// The deadline passed.
    Timeout,
}

/// Names lines briefly, such as `3, 7-8, 12`.
pub fn listed_lines(lines: &[LineRange]) -> String {
    let name = |LineRange { start, end }: &LineRange| {
        if start == end { start.to_string() } else { format!("{start}-{end}") }
    };
    let mut names: Vec<String> = lines.iter().map(name).collect();
    names.dedup();
    names.join(", ")
}

/// Lines of the base, from 1, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct LineRange {
    /// First line.
    pub start: usize,
    /// Last line.
    pub end: usize,
}

/// A region that is similar to the old text.
#[derive(Debug, Clone, PartialEq)]
pub struct Closest {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Similarity, 0 to 1.
    pub similarity: f64,
    /// Lines of the old text (`-`) against lines of the file (`+`); cut if long.
    pub diff: String,
    /// Short description of the difference; empty if there is none.
    pub reason: String,
}

/// The matches of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Occurrences {
    /// Number of matches.
    pub total: usize,
    /// `true` if there may be more than `total`, because counting stopped.
    pub more: bool,
    /// `true` if matches overlap, so that not all of them can be replaced.
    pub overlap: bool,
    /// The first ten matches.
    pub listed: Vec<Occurrence>,
    /// Lines of the first 200 matches.
    pub lines: Vec<LineRange>,
}

/// A match of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// First line of the match and its neighbors, with line numbers.
    pub excerpt: String,
}

impl EditRefusal {
    /// Moves the refusal to a text that has more bytes before its base.
    pub(super) fn moved_by(mut self, bytes: usize) -> Self {
        if let EditRefusalKind::NotFound { offer, .. } = &mut self.kind {
            *offer = offer.take().map(|offer| Box::new(offer.moved_by(bytes)));
        }
        self
    }
}

impl EditRefusalKind {
    /// Returns the change that is probably meant.
    pub fn offer(&self) -> Option<&Offer> {
        if let Self::NotFound { offer, .. } = self { offer.as_deref() } else { None }
    }

    /// Removes the change that is probably meant.
    pub fn withdraw_offer(&mut self) {
        if let Self::NotFound { offer, .. } = self {
            *offer = None;
        }
    }
}

impl From<TimedOut> for EditRefusalKind {
    fn from(_: TimedOut) -> Self {
        Self::Timeout
    }
}

impl Occurrences {
    pub(super) fn of(base: &str, hits: &Hits) -> Self {
        let ranges = hits.sites.iter().map(|site| site.range.clone());
        Self { more: hits.more, overlap: hits.overlap(), ..Self::at(base, ranges) }
    }

    /// Creates the list of matches at ranges of bytes, in the order of the file.
    pub(super) fn at(base: &str, ranges: impl Iterator<Item = Range<usize>>) -> Self {
        let mut counter = LineCounter::new(base);
        let mut found = Self::default();
        for range in ranges {
            if found.total < MAX_LINES_LISTED {
                let lines = counter.lines(&range);
                if found.total < MAX_LISTED {
                    let excerpt = excerpt(base, range.start, lines.start);
                    found.listed.push(Occurrence { start_line: lines.start, end_line: lines.end, excerpt });
                }
                found.lines.push(lines);
            }
            found.total += 1;
        }
        found
    }
}

/// Converts byte ranges to line ranges; cheap if each is near the one before.
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
            self.line -= count_line_ends(&self.base[start..self.at]);
        } else {
            self.line += count_line_ends(&self.base[self.at..start]);
        }
        self.at = start;
        let touched = count_lines(&self.base[start..range.end.max(start)]).max(1);
        LineRange { start: self.line, end: self.line + touched - 1 }
    }
}

/// Returns the line at `offset`, whose number is `line`, with the lines before and after it.
fn excerpt(base: &str, offset: usize, line: usize) -> String {
    let own = line_start(base, offset);
    let (start, first) = if line > 1 { (line_start(base, own - 1), line - 1) } else { (own, line) };
    numbered(&base[start..line_end(base, line_end(base, own).1).1], first)
}

/// Returns the lines of `text` with their numbers, starting with `first`. Long lines are cut.
fn numbered(text: &str, first: usize) -> String {
    let mut shown = String::new();
    for (line, number) in lines(text).zip(first..) {
        let _ = writeln!(shown, "{number}\t{}", truncated(line.content, WIDTH));
    }
    shown
}

/// Returns a line of at most `width` characters, with an ellipsis if it is longer.
pub(super) fn truncated(line: &str, width: usize) -> Cow<'_, str> {
    match line.char_indices().nth(width) {
        Some((end, _)) => Cow::Owned(line[..end].to_owned() + "…"),
        None => Cow::Borrowed(line),
    }
}

/// Returns the lines `first..=last` (from 1) of `text` with `context` lines around them, each with its number
/// and a tab. Long lines and long snippets are cut.
pub fn snippet(text: &str, first: usize, last: usize, context: usize) -> String {
    let start_line = first.saturating_sub(context).max(1);
    let end_line = last.max(first).saturating_add(context);
    let Some(start) = lines(text).nth(start_line - 1).map(|line| line.start) else { return String::new() };
    if end_line - start_line < MAX_LINES {
        return numbered(take_lines(text, start, end_line - start_line + 1), start_line);
    }
    let half = MAX_LINES / 2;
    let head = numbered(take_lines(text, start, half), start_line);
    let tail_line = end_line - (half - 1);
    let Some(tail) = lines(text).nth(tail_line - 1).map(|line| line.start) else { return head };
    format!("{head}…\n{}", numbered(take_lines(text, tail, half), tail_line))
}

/// Returns `count` lines of a text from the line at offset `start` on.
fn take_lines(text: &str, start: usize, count: usize) -> &str {
    let end = (0..count).fold(start, |at, _| line_end(text, at).1);
    &text[start..end]
}
