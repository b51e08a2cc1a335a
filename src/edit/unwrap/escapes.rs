//! Surplus escapes, as in a string that was written into another string.

use super::Unwrap;

/// The functions that remove one layer of escapes, fullest first.
pub(super) const UNESCAPERS: [Unwrap; 3] = [everything, quotes, backslashes];

/// Removes every escape that strings have: line endings, tabs, quotes, backslashes, code points. Returns
/// `None` if a quote or a backslash is unescaped.
fn everything(text: &str) -> Option<String> {
    let quoted = text.contains('\\');
    unescaped(text, |next, rest| {
        Some(match next {
            'n' => ('\n', 0),
            't' => ('\t', 0),
            'r' => ('\r', 0),
            'u' => (char::from_u32(u32::from_str_radix(rest.get(..4)?, 16).ok()?)?, 4),
            '"' | '\'' | '\\' | '/' | '`' => (next, 0),
            _ => return None,
        })
    })
    .filter(|_| !quoted || !has_bare(text, '"'))
    .map(|text| text.replace("\r\n", "\n"))
}

/// Unescapes quotes only: every quote must be escaped, all other backslashes stay. A text without escaped
/// quotes stays as it is.
fn quotes(text: &str) -> Option<String> {
    for (quote, escaped) in [('"', "\\\""), ('\'', "\\'"), ('`', "\\`")] {
        if text.contains(escaped) {
            return (!has_bare(text, quote)).then(|| text.replace(escaped, quote.encode_utf8(&mut [0; 4])));
        }
    }
    Some(text.to_owned())
}

/// Unescapes backslashes only: every one must be doubled.
fn backslashes(text: &str) -> Option<String> {
    unescaped(text, |next, _| (next == '\\').then_some(('\\', 0)))
}

/// Returns `true` if a character occurs without a backslash before it.
fn has_bare(text: &str, sign: char) -> bool {
    text.match_indices(sign).any(|(at, _)| !text[..at].ends_with('\\'))
}

/// Replaces every escape in `text`. `read` takes the character after the backslash and the rest of the text,
/// and returns the unescaped character and the number of further bytes that the escape uses. Returns `None`
/// if an escape is unknown.
fn unescaped(text: &str, read: impl Fn(char, &str) -> Option<(char, usize)>) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let next = rest[at + 1..].chars().next()?;
        rest = &rest[at + 1 + next.len_utf8()..];
        let (character, taken) = read(next, rest)?;
        plain.push(character);
        rest = rest.get(taken..)?;
    }
    plain.push_str(rest);
    Some(plain)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case(r#"say(\"a\")\nnext()"#, Some("say(\"a\")\nnext()"))]
    #[case(r"a\tb\\n", Some("a\tb\\n"))]
    #[case(r"caf\u00e9", Some("café"))]
    #[case(r#"say("a\n")"#, None)]
    #[case(r"\d+", None)]
    #[case("plain \"text\"", Some("plain \"text\""))]
    fn everything_is_unescaped(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(everything(text).as_deref(), expected);
    }

    #[rstest]
    #[case(r#"say(\"a\n\")"#, Some("say(\"a\\n\")"))]
    #[case(r#"say(\"a\", "b")"#, None)]
    #[case(r"say(\'a\')", Some("say('a')"))]
    #[case("plain", Some("plain"))]
    #[case("say(\"plain\")", Some("say(\"plain\")"))]
    fn quotes_are_unescaped(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(quotes(text).as_deref(), expected);
    }

    #[rstest]
    #[case(r"a\\d+\\n", Some(r"a\d+\n"))]
    #[case(r"a\\d+\n", None)]
    #[case("plain", Some("plain"))]
    fn backslashes_are_halved(#[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(backslashes(text).as_deref(), expected);
    }
}
