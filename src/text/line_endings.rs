//! Normalization of line endings.

use std::borrow::Cow;
use std::iter::Peekable;

use memchr::{memchr, memmem};

use super::Text;

/// Replaces every `\r\n` in `text` with `\n`. A lone `\r` stays.
pub fn normalize_line_endings(text: &str) -> Cow<'_, str> {
    if memmem::find(text.as_bytes(), b"\r\n").is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n"))
}

/// Returns `true` if the texts are equal when `\r\n` counts as `\n`.
pub fn eq_ignoring_crlf(text: &Text, other: &str) -> bool {
    if text.eq_str(other) {
        return true;
    }
    let has_return = |text: &str| memchr(b'\r', text.as_bytes()).is_some();
    let in_either = text.chunks().any(has_return) || has_return(other);
    in_either && Folded::new(text.chunks().flat_map(str::bytes)).eq(Folded::new(other.bytes()))
}

/// Iterator over bytes that omits the `\r` of each `\r\n`.
struct Folded<I: Iterator<Item = u8>>(Peekable<I>);

impl<I: Iterator<Item = u8>> Folded<I> {
    fn new(bytes: I) -> Self {
        Self(bytes.peekable())
    }
}

impl<I: Iterator<Item = u8>> Iterator for Folded<I> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let byte = self.0.next()?;
        if byte == b'\r' && self.0.peek() == Some(&b'\n') { self.0.next() } else { Some(byte) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pairs_are_folded_and_lone_returns_are_not() {
        assert_eq!(normalize_line_endings("a\r\nb\rc\n"), "a\nb\rc\n");
        assert!(matches!(normalize_line_endings("a\nb\r"), Cow::Borrowed(_)));
        assert!(eq_ignoring_crlf(&"a\r\nb\n".into(), "a\nb\r\n"));
        assert!(!eq_ignoring_crlf(&"a\rb".into(), "a\nb"));
        assert!(!eq_ignoring_crlf(&"a\r\r\n".into(), "a\n"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn texts_are_equal_if_their_folded_forms_are(a in "[ab\r\n]{0,8}", b in "[ab\r\n]{0,8}") {
            prop_assert_eq!(eq_ignoring_crlf(&a.as_str().into(), &b), normalize_line_endings(&a) == normalize_line_endings(&b));
        }
    }
}
