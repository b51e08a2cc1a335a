//! Normalization of line endings.

use std::borrow::Cow;

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
    in_either && folded(text.chunks().flat_map(str::bytes)).eq(folded(other.bytes()))
}

/// Returns the bytes without the `\r` of each `\r\n`.
fn folded(bytes: impl Iterator<Item = u8>) -> impl Iterator<Item = u8> {
    let mut bytes = bytes.peekable();
    std::iter::from_fn(move || match bytes.next()? {
        b'\r' => bytes.next_if_eq(&b'\n').or(Some(b'\r')),
        byte => Some(byte),
    })
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
