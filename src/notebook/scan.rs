//! A JSON scanner that returns byte ranges of the text. Values that are not requested are validated but not
//! decoded.

use std::borrow::Cow;
use std::ops::Range;

/// Maximum nesting depth of objects and arrays, as in the reader that most notebooks are read with.
const DEPTH: usize = 1_000;

/// A syntax error at an offset of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) at: usize,
    pub(super) reason: Cow<'static, str>,
}

/// A member of an object.
#[derive(Debug)]
pub(super) struct Member<'a> {
    /// Name, unescaped.
    pub(super) name: Cow<'a, str>,
    /// Range from the name to the end of the value.
    pub(super) span: Range<usize>,
    /// Range of the name with its quotes.
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Scans a text from an offset.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl SyntaxError {
    pub(super) fn new(at: usize, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { at, reason: reason.into() }
    }
}

/// Returns the range of the single value in a text.
pub(super) fn document(text: &str) -> Result<Range<usize>, SyntaxError> {
    let mut scanner = Scanner { text, at: 0 };
    let value = scanner.value()?;
    scanner.skip_whitespace();
    if scanner.at == text.len() {
        Ok(value)
    } else {
        Err(SyntaxError::new(scanner.at, "expected the end of the file"))
    }
}

/// Returns the members of the object at `value`, which must have been scanned before.
pub(super) fn members<'a>(text: &'a str, value: &Range<usize>) -> Result<Vec<Member<'a>>, SyntaxError> {
    let mut scanner = Scanner { text, at: value.start };
    scanner.expect(b'{', "expected an object")?;
    let mut members = Vec::new();
    scanner.skip_whitespace();
    if scanner.take(b'}') {
        return Ok(members);
    }
    loop {
        let key = scanner.key()?;
        let value = scanner.value()?;
        let name = unquoted(&text[key.clone()]);
        members.push(Member { name, span: key.start..value.end, key, value });
        scanner.skip_whitespace();
        if !scanner.take(b',') {
            return Ok(members);
        }
    }
}

/// Returns the elements of the array at `value`, which must have been scanned before.
pub(super) fn elements(text: &str, value: &Range<usize>) -> Result<Vec<Range<usize>>, SyntaxError> {
    let mut scanner = Scanner { text, at: value.start };
    scanner.expect(b'[', "expected an array")?;
    let mut elements = Vec::new();
    scanner.skip_whitespace();
    if scanner.take(b']') {
        return Ok(elements);
    }
    loop {
        elements.push(scanner.value()?);
        scanner.skip_whitespace();
        if !scanner.take(b',') {
            return Ok(elements);
        }
    }
}

impl Scanner<'_> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let matches = self.next() == Some(byte);
        self.at += usize::from(matches);
        matches
    }

    fn expect(&mut self, byte: u8, reason: &'static str) -> Result<(), SyntaxError> {
        if self.take(byte) { Ok(()) } else { Err(SyntaxError::new(self.at, reason)) }
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.next(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Scans a name and its colon.
    fn key(&mut self) -> Result<Range<usize>, SyntaxError> {
        self.skip_whitespace();
        let key = self.string()?;
        self.skip_whitespace();
        self.expect(b':', "expected `:`")?;
        Ok(key)
    }

    /// Scans the next value. Not recursive, so deep nesting uses no stack.
    fn value(&mut self) -> Result<Range<usize>, SyntaxError> {
        self.skip_whitespace();
        let start = self.at;
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.skip_whitespace();
            if self.enter_or_skip(&mut open)? {
                continue;
            }
            loop {
                let Some(kind) = open.last() else { return Ok(start..self.at) };
                self.skip_whitespace();
                if self.take(b',') {
                    if *kind == b'}' {
                        self.key()?;
                    }
                    break;
                }
                let reason = if *kind == b'}' { "expected `,` or `}`" } else { "expected `,` or `]`" };
                self.expect(*kind, reason)?;
                open.pop();
            }
        }
    }

    /// Skips a value without children, or enters one that has children. Returns `true` if it entered one.
    fn enter_or_skip(&mut self, open: &mut Vec<u8>) -> Result<bool, SyntaxError> {
        let close = match self.next() {
            Some(b'{') => b'}',
            Some(b'[') => b']',
            Some(b'"') => return self.string().map(|_| false),
            _ => return self.scalar().map(|()| false),
        };
        if open.len() >= DEPTH {
            return Err(SyntaxError::new(self.at, "it is nested too deeply"));
        }
        self.at += 1;
        self.skip_whitespace();
        if self.take(close) {
            return Ok(false);
        }
        open.push(close);
        if close == b'}' {
            self.key()?;
        }
        Ok(true)
    }

    fn string(&mut self) -> Result<Range<usize>, SyntaxError> {
        let start = self.at;
        self.expect(b'"', "expected a string")?;
        loop {
            match self.next() {
                None => return Err(SyntaxError::new(start, "the string is not terminated")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => self.escape()?,
                Some(0..0x20) => return Err(SyntaxError::new(self.at, "a control character in a string")),
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        let bytes = &self.text.as_bytes()[self.at + 1..];
        self.at += match bytes {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', digits @ ..] if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return Err(SyntaxError::new(self.at, "invalid escape sequence")),
        };
        Ok(())
    }

    /// Scans a number or a keyword. `NaN` and the infinities are not JSON, but they occur in outputs written
    /// by Python.
    fn scalar(&mut self) -> Result<(), SyntaxError> {
        let rest = &self.text[self.at..];
        let words = ["true", "false", "null", "NaN", "Infinity", "-Infinity"];
        let length = words.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        match length.or_else(|| number(rest.as_bytes())) {
            Some(length) => {
                self.at += length;
                Ok(())
            }
            None => Err(SyntaxError::new(self.at, "expected a value")),
        }
    }
}

/// Returns the length of the number at the start of the bytes.
fn number(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match (bytes.get(at), digits(at.min(bytes.len()))) {
        (Some(b'0'), _) => 1,
        (_, 0) => return None,
        (_, count) => count,
    };
    if bytes.get(at) == Some(&b'.') {
        let count = digits(at + 1);
        at += (count > 0).then_some(count + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits((at + 1 + sign).min(bytes.len()));
        at += (count > 0).then_some(count + sign + 1)?;
    }
    Some(at)
}

/// Decodes a JSON string, given with its quotes. Unpaired surrogates become U+FFFD.
pub(super) fn unquoted(string: &str) -> Cow<'_, str> {
    let inner = string.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(string);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut units: Vec<u16> = Vec::new();
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        if !before.is_empty() {
            flush(&mut text, &mut units);
            text.push_str(before);
        }
        let plain = |text: &mut String, units: &mut Vec<u16>, c| {
            flush(text, units);
            text.push(c);
        };
        let length = match escape.as_bytes().get(1) {
            Some(b'u') => {
                let digits = escape.get(2..6).unwrap_or_default();
                units.push(u16::from_str_radix(digits, 16).unwrap_or(0xFFFD));
                2 + digits.len()
            }
            Some(byte) => {
                let c = match byte {
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    other => char::from(*other),
                };
                plain(&mut text, &mut units, c);
                2
            }
            None => 1,
        };
        rest = escape.get(length..).unwrap_or_default();
    }
    flush(&mut text, &mut units);
    text.push_str(rest);
    Cow::Owned(text)
}

/// Appends the collected UTF-16 units, which may contain surrogate pairs.
fn flush(text: &mut String, units: &mut Vec<u16>) {
    text.extend(char::decode_utf16(units.drain(..)).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("{}")]
    #[case(" [1, -0, 2.5e+3, 1E9, \"a\\u00e9\\\"\\\\\", true, false, null, NaN, -Infinity] \r\n")]
    #[case("{\"a\": {\"b\": [[], {}, [{\"c\": 1}]]}, \"d\":[1 ,2]}")]
    fn json_is_scanned_as_one_value(#[case] text: &str) {
        assert_eq!(document(text), Ok(text.len() - text.trim_start().len()..text.trim_end().len()));
    }

    #[rstest]
    #[case("", 0)]
    #[case("{", 1)]
    #[case("{\"a\" 1}", 5)]
    #[case("{\"a\": 1,}", 8)]
    #[case("[1,]", 3)]
    #[case("[1 2]", 3)]
    #[case("[01]", 2)]
    #[case("[1.]", 1)]
    #[case("[-]", 1)]
    #[case("[1e]", 1)]
    #[case("[+1]", 1)]
    #[case("[\"a]", 1)]
    #[case("[\"\\x\"]", 2)]
    #[case("[\"\\u12g4\"]", 2)]
    #[case("[\"\\", 2)]
    #[case("[\"a\nb\"]", 3)]
    #[case("[t]", 1)]
    #[case("{'a': 1}", 1)]
    #[case("[1} ", 2)]
    #[case("{} x", 3)]
    #[case("// c\n{}", 0)]
    #[case("\u{feff}{}", 0)]
    fn a_syntax_error_has_an_offset(#[case] text: &str, #[case] at: usize) {
        assert_eq!(document(text).map_err(|error| error.at), Err(at));
    }

    #[test]
    fn depth_is_limited_and_uses_no_stack() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(document(&deep(DEPTH)).is_ok());
        assert!(document(&deep(DEPTH + 1)).is_err());
        assert!(document(&"[{\"a\":".repeat(1 << 20)).is_err());
    }

    #[rstest]
    #[case(r#""a\"\\\/\b\f\n\r\t\u00e9é""#, "a\"\\/\u{8}\u{c}\n\r\té\u{e9}")]
    #[case(r#""\ud83d\ude00""#, "😀")]
    #[case(r#""\ud83d\nx\ude00""#, "\u{fffd}\nx\u{fffd}")]
    #[case(r#""plain""#, "plain")]
    fn strings_are_unescaped(#[case] string: &str, #[case] text: &str) {
        assert_eq!(unquoted(string), text);
    }
}
