//! Editor positions: line and column.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::not_inside_crlf;
    use crate::{Text, floor_char_boundary};
    use proptest::prelude::*;

    fn naive(text: &str, offset: usize, encoding: PositionEncoding) -> Position {
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
                position.character += match encoding {
                    PositionEncoding::Utf8 => width,
                    PositionEncoding::Utf16 => character.len_utf16(),
                    PositionEncoding::Utf32 => 1,
                };
            }
        }
        position
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn positions_agree_with_a_plain_walk(text in "[a\r\né😀\u{2028}]{0,24}") {
            let buffer = Text::from(text.as_str());
            for encoding in [PositionEncoding::Utf8, PositionEncoding::Utf16, PositionEncoding::Utf32] {
                for offset in 0..=text.len() + 1 {
                    let position = naive(&text, offset, encoding);
                    prop_assert_eq!(buffer.position_of(offset, encoding), position);
                    let boundary = not_inside_crlf(text.as_bytes(), floor_char_boundary(&text, offset));
                    prop_assert_eq!(buffer.byte_of(position, encoding), boundary);
                }
            }
        }
    }
}
