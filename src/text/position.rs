//! Editor positions: line and column.

use memchr::memrchr2;

use super::lines::{count_line_ends, floor_char_boundary, not_inside_crlf};

/// A position in a text: line and column, both from 0, the column in units of a [`PositionEncoding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Line number, from 0.
    pub line: usize,
    /// Column: number of units before the position in its line.
    pub character: usize,
}

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PositionEncoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16.
    Utf16,
    /// Characters.
    Utf32,
}

impl PositionEncoding {
    /// Returns the length of `text` in units.
    pub fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 if text.is_ascii() => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Utf32 => text.chars().count(),
        }
    }
}

/// Converts `sorted_offsets` (bytes, ascending) to positions in one pass over `text`. An offset inside a
/// character counts as the start of the character, one inside a line ending as the end of the line's content,
/// one past the end as the end of the text. An offset smaller than the previous one counts as the previous
/// one.
pub fn positions_of(text: &str, sorted_offsets: &[usize], encoding: PositionEncoding) -> Vec<Position> {
    let (mut at, mut position) = (0, Position::default());
    let convert = |&offset: &usize| {
        let passed = &text[at..not_inside_crlf(text.as_bytes(), floor_char_boundary(text, offset)).max(at)];
        at += passed.len();
        match memrchr2(b'\n', b'\r', passed.as_bytes()) {
            None => position.character += encoding.units(passed),
            Some(last) => {
                position.line += count_line_ends(passed);
                position.character = encoding.units(&passed[last + 1..]);
            }
        }
        position
    };
    sorted_offsets.iter().map(convert).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;
    use proptest::prelude::*;

    fn naive(text: &str, offset: usize) -> Position {
        let mut position = Position::default();
        let mut rest = text.char_indices().peekable();
        while let Some((at, character)) = rest.next() {
            let next = rest.peek().copied();
            let width = character.len_utf8();
            let crlf = character == '\r' && next.is_some_and(|(_, next)| next == '\n');
            if offset < at + width + usize::from(crlf) {
                break;
            }
            if crlf {
                rest.next();
            }
            if matches!(character, '\n' | '\r') {
                position = Position { line: position.line + 1, character: 0 };
            } else {
                position.character += character.len_utf16();
            }
        }
        position
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn positions_agree_with_a_plain_walk_and_with_the_buffer(text in "[a\r\né😀\u{2028}]{0,24}") {
            let offsets: Vec<usize> = (0..=text.len() + 1).collect();
            let found = positions_of(&text, &offsets, PositionEncoding::Utf16);
            let expected: Vec<_> = offsets.iter().map(|&at| naive(&text, at)).collect();
            prop_assert_eq!(&found, &expected);
            let buffer = Text::from(text.as_str());
            for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                let found = positions_of(&text, &offsets, encoding);
                for (&offset, &position) in offsets.iter().zip(&found) {
                    prop_assert_eq!(buffer.position_of(offset, encoding), position);
                    let boundary = not_inside_crlf(text.as_bytes(), floor_char_boundary(&text, offset));
                    prop_assert_eq!(buffer.byte_of(position, encoding), boundary);
                }
            }
        }
    }
}
