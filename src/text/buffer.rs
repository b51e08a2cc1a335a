//! The text of an open document.

use std::fmt;
use std::ops::Range;

use ropey::Rope;

use super::{Position, PositionEncoding};

/// A text that is cheap to clone and to change in the middle. Addressed by byte offsets or editor positions.
/// Never panics: out-of-range values are clamped.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Text(Rope);

impl Text {
    /// Returns the length in bytes of UTF-8.
    pub fn len_bytes(&self) -> usize {
        self.0.len_bytes()
    }

    /// Returns the number of lines as editors count them: one more than there are line endings.
    pub fn line_count(&self) -> usize {
        self.0.len_lines()
    }

    /// Returns an iterator over the text in chunks of a few hundred bytes to a few kilobytes.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.0.chunks()
    }

    /// Returns `true` if the text equals `other`, without building a string.
    pub fn eq_str(&self, other: &str) -> bool {
        self.0 == *other
    }

    /// Returns the text of `range` (bytes), or `None` if it is out of bounds or cuts a character.
    pub fn slice(&self, range: Range<usize>) -> Option<String> {
        self.0.get_byte_slice(range).map(|slice| slice.to_string())
    }

    /// Returns the position of the byte at `offset`. An offset inside a character counts as the start of the
    /// character, one inside a line ending as the end of the line's content, one past the end as the end of
    /// the text.
    pub fn position_of(&self, offset: usize, encoding: PositionEncoding) -> Position {
        let line = self.line_of(offset);
        let start = self.line_start(line);
        let whole = |offset: usize| self.0.get_byte_slice(start..offset);
        let Some(before) = whole(offset).or_else(|| whole(self.byte_at(self.char_at(offset)))) else {
            return Position { line, character: 0 };
        };
        let length = match encoding {
            PositionEncoding::Utf8 => before.len_bytes(),
            PositionEncoding::Utf16 => before.len_utf16_cu(),
            PositionEncoding::Utf32 => before.len_chars(),
        };
        // A CR ends its line, unless the offset is between it and its LF.
        let last = before.len_bytes().checked_sub(1).and_then(|last| before.get_byte(last));
        Position { line, character: length - usize::from(last == Some(b'\r')) }
    }

    /// Returns the line of the byte at `offset`, from 0. One past the end counts as the end of the text.
    pub fn line_of(&self, offset: usize) -> usize {
        self.0.byte_to_line(offset.min(self.len_bytes()))
    }

    /// Returns the offset at which `line` starts, from 0; that of the end of the text for a line past it.
    pub fn line_start(&self, line: usize) -> usize {
        self.0.try_line_to_byte(line).unwrap_or_else(|_| self.len_bytes())
    }

    /// Returns the byte offset of `position`. A column past the end of the line's content counts as that end,
    /// a line past the end of the text as the end of the text, a column inside a character as the start of
    /// the character.
    pub fn byte_of(&self, position: Position, encoding: PositionEncoding) -> usize {
        if position.line >= self.line_count() {
            return self.len_bytes();
        }
        let (start, end) = self.line_chars(position.line);
        let units = self.units_before(start, encoding).saturating_add(position.character);
        let at = match encoding {
            PositionEncoding::Utf8 => self.char_at(units),
            PositionEncoding::Utf16 => self.0.try_utf16_cu_to_char(units).unwrap_or(end),
            PositionEncoding::Utf32 => units,
        };
        self.byte_at(at.min(end))
    }

    /// Replaces `range` (bytes, clamped, its ends moved back to character boundaries) with `text`.
    pub fn splice(&mut self, range: Range<usize>, text: &str) {
        let start = self.char_at(range.start);
        let end = self.char_at(range.end).max(start);
        // Neither can fail: both ends come from the rope.
        let removed = self.0.try_remove(start..end);
        let inserted = self.0.try_insert(start, text);
        debug_assert!(removed.is_ok() && inserted.is_ok(), "a clamped range lies in the text");
    }

    fn char_at(&self, offset: usize) -> usize {
        self.0.try_byte_to_char(offset).unwrap_or_else(|_| self.0.len_chars())
    }

    fn byte_at(&self, character: usize) -> usize {
        self.0.try_char_to_byte(character).unwrap_or_else(|_| self.0.len_bytes())
    }

    /// Returns the index of the first character of a line, and that of the end of its content.
    fn line_chars(&self, line: usize) -> (usize, usize) {
        let start = self.0.try_line_to_char(line).unwrap_or_else(|_| self.0.len_chars());
        let next = self.0.try_line_to_char(line + 1).unwrap_or_else(|_| self.0.len_chars());
        let mut end = next;
        if end > start && self.0.get_char(end - 1) == Some('\n') {
            end -= 1;
        }
        let returned = end > start && self.0.get_char(end - 1) == Some('\r');
        (start, if returned { end - 1 } else { end })
    }

    fn units_before(&self, character: usize, encoding: PositionEncoding) -> usize {
        match encoding {
            PositionEncoding::Utf8 => self.byte_at(character),
            PositionEncoding::Utf16 => self.0.try_char_to_utf16_cu(character).unwrap_or_default(),
            PositionEncoding::Utf32 => character,
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(Rope::from_str(text))
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Text({} bytes)", self.len_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_rope_counts_lines_as_the_protocol_does() {
        // Cargo unifies features: another crate could enable `unicode_lines` for the whole build.
        assert_eq!(Rope::from_str("a\u{2028}b\u{85}c\rd").len_lines(), 2);
    }

    #[test]
    fn columns_are_clamped_to_the_content_of_the_line() {
        let text = Text::from("ab\r\nc😀\nd");
        let at = |line, character| text.byte_of(Position { line, character }, PositionEncoding::Utf16);
        assert_eq!((at(0, 9), at(1, 1), at(1, 2), at(1, 3), at(1, 9)), (2, 5, 5, 9, 9));
        assert_eq!((at(2, 9), at(3, 0), at(usize::MAX, usize::MAX)), (11, 11, 11));
    }

    #[test]
    fn a_splice_outside_the_text_is_clamped() {
        let mut text = Text::from("é");
        text.splice(7..9, "x");
        text.splice(Range { start: 1, end: 0 }, "y");
        assert!(text.eq_str("yéx"));
        assert_eq!((text.slice(0..3), text.slice(2..3), text.slice(3..9)), (Some("yé".into()), None, None));
    }

    /// Returns the position of an offset, found by reading the text from its start.
    fn position_in(text: &str, offset: usize, encoding: PositionEncoding) -> Position {
        let (mut line, mut character) = (0, 0);
        let mut signs = text.char_indices().peekable();
        while let Some((at, sign)) = signs.next() {
            let is_next = signs.peek().map_or(text.len(), |(next, _)| *next) <= offset;
            let is_pair = sign == '\r' && signs.peek().is_some_and(|(_, next)| *next == '\n');
            if at >= offset || !is_next {
                break;
            }
            (line, character) = match (sign, encoding) {
                ('\r', _) if is_pair => (line, character),
                ('\n' | '\r', _) => (line + 1, 0),
                (sign, PositionEncoding::Utf8) => (line, character + sign.len_utf8()),
                (sign, PositionEncoding::Utf16) => (line, character + sign.len_utf16()),
                (_, PositionEncoding::Utf32) => (line, character + 1),
            };
        }
        Position { line, character }
    }

    proptest! {
        #[test]
        fn positions_are_those_of_the_string(text in "[a\r\né😀]{0,40}", long in 1_usize..400) {
            // The rope has several chunks.
            let text = text.repeat(long);
            let buffer = Text::from(text.as_str());
            for offset in (0..=text.len() + 1).step_by(1 + text.len() / 60) {
                for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                    let position = position_in(&text, offset, encoding);
                    prop_assert_eq!(buffer.position_of(offset, encoding), position, "{} of {:?}", offset, &text);
                    prop_assert_eq!(buffer.line_of(offset), position.line);
                    prop_assert!(buffer.line_start(position.line) <= offset);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_splice_gives_the_same_result_as_on_a_string(
            start in "[a-c\r\né]{0,9}", text in "[x\r\n]{0,4}", from in 0_usize..9, length in 0_usize..4,
        ) {
            let from = (0..=from.min(start.len())).rev().find(|&at| start.is_char_boundary(at)).unwrap();
            let to = (from + length).min(start.len());
            let to = (to..=start.len()).find(|&at| start.is_char_boundary(at)).unwrap();
            let (mut buffer, mut plain) = (Text::from(start.as_str()), start.clone());
            buffer.splice(from..to, &text);
            plain.replace_range(from..to, &text);
            prop_assert!(buffer.eq_str(&plain));
            prop_assert_eq!(buffer.to_string(), plain);
        }
    }
}
