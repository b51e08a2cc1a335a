//! Folded views of a text, in which some differences disappear, and the mapping back to the original bytes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2_iter};

use super::typography;
use crate::text::lines;

/// The differences that a view folds; each level includes the previous ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Line endings: every one becomes LF.
    LineEndings,
    /// Trailing whitespace: removed at the ends of lines and of the text.
    TrailingBlanks,
    /// Typography: quotes, dashes, spaces and compatibility forms become plain.
    Typography,
}

/// A folded text. Borrows the text if folding changes nothing, which is the common case.
#[derive(Debug)]
pub(super) struct Fold<'a> {
    text: Cow<'a, str>,
    pieces: Vec<Piece>,
}

/// A range whose folded form has another length.
#[derive(Debug, Clone, Copy)]
struct Piece {
    folded: usize,
    folded_len: usize,
    raw: usize,
    raw_len: usize,
}

impl<'a> Fold<'a> {
    /// Folds `raw` at `level`.
    pub(super) fn new(raw: &'a str, level: Level) -> Self {
        let mut builder = Builder { raw, text: String::new(), pieces: Vec::new(), copied: 0 };
        match level {
            Level::LineEndings => builder.line_endings(),
            Level::TrailingBlanks => builder.trailing_blanks(false),
            Level::Typography => builder.trailing_blanks(true),
        }
        builder.finish()
    }

    /// Returns the folded text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Maps the start of a line of the original text to the view.
    pub(super) fn view_offset_of_line(&self, raw: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.raw < raw);
        match after.checked_sub(1).map(|before| self.pieces[before]) {
            None => raw,
            Some(piece) => piece.folded + piece.folded_len + (raw - piece.raw - piece.raw_len),
        }
    }

    /// Maps offset `at` of the view to the original text. Returns a range of several offsets if text was
    /// removed there, and `None` if `at` is inside the folded form of one original character.
    pub(super) fn raw_offsets(&self, at: usize) -> Option<Range<usize>> {
        let after = self.pieces.partition_point(|piece| piece.folded < at);
        let first = match after.checked_sub(1).map(|before| self.pieces[before]) {
            None => at,
            Some(piece) if piece.folded + piece.folded_len > at => return None,
            Some(piece) => piece.raw + piece.raw_len + (at - piece.folded - piece.folded_len),
        };
        let removed =
            self.pieces[after..].iter().take_while(|piece| piece.folded == at && piece.folded_len == 0);
        Some(first..removed.last().map_or(first, |piece| piece.raw + piece.raw_len))
    }
}

/// Returns a line as the loosest view has it, but with its trailing whitespace.
pub(super) fn plain(content: &str) -> Cow<'_, str> {
    if content.is_ascii() {
        return Cow::Borrowed(content);
    }
    let mut text = String::with_capacity(content.len());
    let mut copied = 0;
    typography::each_folded(content, |range, folded| {
        text.push_str(&content[copied..range.start]);
        text.push_str(folded);
        copied = range.end;
    });
    text.push_str(&content[copied..]);
    Cow::Owned(text)
}

struct Builder<'a> {
    raw: &'a str,
    text: String,
    pieces: Vec<Piece>,
    copied: usize,
}

impl<'a> Builder<'a> {
    fn line_endings(&mut self) {
        let bytes = self.raw.as_bytes();
        let Some(first) = memchr(b'\r', bytes) else { return };
        for at in memchr::memchr_iter(b'\r', &bytes[first..]).map(|at| at + first) {
            let length = if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
            self.replace(at..at + length, "\n");
        }
    }

    fn trailing_blanks(&mut self, typographic: bool) {
        if !typographic && !self.has_trailing_blanks() {
            return self.line_endings();
        }
        if typographic && self.raw.is_ascii() {
            return self.trailing_blanks(false);
        }
        for line in lines(self.raw) {
            let content = trim_end(line.content, typographic);
            if typographic {
                typography::each_folded(content, |range, folded| {
                    self.replace(line.start + range.start..line.start + range.end, folded);
                });
            }
            if content.len() < line.content.len() {
                self.replace(line.start + content.len()..line.content_end(), "");
            }
            if line.end() - line.content_end() > 0 && !self.raw[line.content_end()..].starts_with('\n') {
                self.replace(line.content_end()..line.end(), "\n");
            }
        }
    }

    fn has_trailing_blanks(&self) -> bool {
        let bytes = self.raw.as_bytes();
        let blank = |at: usize| at > 0 && matches!(bytes[at - 1], b' ' | b'\t');
        blank(bytes.len()) || memchr2_iter(b'\n', b'\r', bytes).any(blank)
    }

    fn replace(&mut self, range: Range<usize>, folded: &str) {
        self.text.push_str(&self.raw[self.copied..range.start]);
        if folded.len() != range.len() || folded.len() > 1 {
            let (folded_len, raw_len) = (folded.len(), range.len());
            self.pieces.push(Piece { folded: self.text.len(), folded_len, raw: range.start, raw_len });
        }
        self.text.push_str(folded);
        self.copied = range.end;
    }

    fn finish(mut self) -> Fold<'a> {
        if self.copied == 0 {
            return Fold { text: Cow::Borrowed(self.raw), pieces: Vec::new() };
        }
        self.text.push_str(&self.raw[self.copied..]);
        Fold { text: Cow::Owned(self.text), pieces: self.pieces }
    }
}

/// Trims whitespace at the end of `content`.
pub(super) fn trim_end(content: &str, typographic: bool) -> &str {
    content.trim_end_matches(|c| is_blank(c) || typographic && typography::is_space(c))
}

/// Returns `true` for a space or tab. Form feeds and vertical tabs count as content.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}
