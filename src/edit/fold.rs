//! A view of a text in which some differences are gone, and the way back to the text's own bytes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2_iter};

use super::typography;
use crate::text::lines;

/// How much a view forgives; each level forgives what those before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Every line end is LF.
    LineEnds,
    /// No blanks before line ends, nor before the end of the text.
    TrailingBlanks,
    /// Plain quotes, dashes, spaces and compatibility forms.
    Typography,
}

/// A folded text. Borrows where folding changes nothing, which is the common case.
#[derive(Debug)]
pub(super) struct Fold<'a> {
    text: Cow<'a, str>,
    pieces: Vec<Piece>,
}

/// A stretch whose folded form has another length.
#[derive(Debug, Clone, Copy)]
struct Piece {
    folded: usize,
    folded_len: usize,
    raw: usize,
    raw_len: usize,
}

impl<'a> Fold<'a> {
    /// The view of `raw` at `level`.
    pub(super) fn new(raw: &'a str, level: Level) -> Self {
        let mut builder = Builder { raw, text: String::new(), pieces: Vec::new(), copied: 0 };
        match level {
            Level::LineEnds => builder.line_ends(),
            Level::TrailingBlanks => builder.trailing_blanks(false),
            Level::Typography => builder.trailing_blanks(true),
        }
        builder.finish()
    }

    /// The folded text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Where the start of a raw line is in the view.
    pub(super) fn line_at(&self, raw: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.raw < raw);
        match after.checked_sub(1).map(|before| self.pieces[before]) {
            None => raw,
            Some(piece) => piece.folded + piece.folded_len + (raw - piece.raw - piece.raw_len),
        }
    }

    /// The raw places that are all `at` in the view: more than one where something is gone, none where
    /// `at` lies inside a stretch that is one character in the text.
    pub(super) fn ends_at(&self, at: usize) -> Option<Range<usize>> {
        let after = self.pieces.partition_point(|piece| piece.folded < at);
        let first = match after.checked_sub(1).map(|before| self.pieces[before]) {
            None => at,
            Some(piece) if piece.folded + piece.folded_len > at => return None,
            Some(piece) => piece.raw + piece.raw_len + (at - piece.folded - piece.folded_len),
        };
        let gone =
            self.pieces[after..].iter().take_while(|piece| piece.folded == at && piece.folded_len == 0);
        Some(first..gone.last().map_or(first, |piece| piece.raw + piece.raw_len))
    }
}

/// A line as the loosest view has it, without its own blanks removed.
pub(super) fn plain(content: &str) -> Cow<'_, str> {
    if content.is_ascii() {
        return Cow::Borrowed(content);
    }
    let mut text = String::with_capacity(content.len());
    let mut copied = 0;
    typography::each(content, |range, folded| {
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
    fn line_ends(&mut self) {
        let bytes = self.raw.as_bytes();
        let Some(first) = memchr(b'\r', bytes) else { return };
        for at in memchr::memchr_iter(b'\r', &bytes[first..]).map(|at| at + first) {
            let length = if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
            self.replace(at..at + length, "\n");
        }
    }

    fn trailing_blanks(&mut self, typographic: bool) {
        if !typographic && !self.has_trailing_blanks() {
            return self.line_ends();
        }
        if typographic && self.raw.is_ascii() {
            return self.trailing_blanks(false);
        }
        for line in lines(self.raw) {
            let content = trim_end(line.content, typographic);
            if typographic {
                typography::each(content, |range, folded| {
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

/// `content` without the blanks at its end.
pub(super) fn trim_end(content: &str, typographic: bool) -> &str {
    content.trim_end_matches(|c| is_blank(c) || typographic && typography::is_space(c))
}

/// Whether a character is what this crate calls a blank. Form feeds and vertical tabs are content.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t')
}
