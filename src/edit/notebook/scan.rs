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
    if scanner.at < text.len() {
        return Err(SyntaxError::new(scanner.at, "expected the end of the file"));
    }
    Ok(value)
}

/// Returns the members of the object at `value`, which must have been scanned before.
pub(super) fn members<'a>(text: &'a str, value: &Range<usize>) -> Result<Vec<Member<'a>>, SyntaxError> {
    items(text, value, (b'{', b'}', "expected an object"), |scanner| {
        let key = scanner.key()?;
        let value = scanner.value()?;
        Ok(Member { name: unquoted(&text[key.clone()]), span: key.start..value.end, key, value })
    })
}

/// Returns the elements of the array at `value`, which must have been scanned before.
pub(super) fn elements(text: &str, value: &Range<usize>) -> Result<Vec<Range<usize>>, SyntaxError> {
    items(text, value, (b'[', b']', "expected an array"), Scanner::value)
}

/// Returns the items of the list at `value`, each scanned by `item`.
fn items<'a, T>(
    text: &'a str,
    value: &Range<usize>,
    (open, close, expected): (u8, u8, &'static str),
    item: impl Fn(&mut Scanner<'a>) -> Result<T, SyntaxError>,
) -> Result<Vec<T>, SyntaxError> {
    let mut scanner = Scanner { text, at: value.start };
    scanner.expect(open, expected)?;
    let mut items = Vec::new();
    scanner.skip_whitespace();
    let mut more = !scanner.take(close);
    while more {
        items.push(item(&mut scanner)?);
        scanner.skip_whitespace();
        more = scanner.take(b',');
    }
    Ok(items)
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
        let word = words.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        let length = word.or_else(|| number(rest.as_bytes()));
        self.at += length.ok_or_else(|| SyntaxError::new(self.at, "expected a value"))?;
        Ok(())
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
    let mut units: Vec<u16> = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        units.extend(plain.encode_utf16());
        let length = match escape.as_bytes().first() {
            Some(b'u') => {
                let digits = escape.get(1..5).unwrap_or_default();
                units.push(u16::from_str_radix(digits, 16).unwrap_or(0xFFFD));
                1 + digits.len()
            }
            Some(byte) => {
                units.push(u16::from(match byte {
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => *other,
                }));
                1
            }
            None => 0,
        };
        rest = escape.get(length..).unwrap_or_default();
    }
    units.extend(rest.encode_utf16());
    Cow::Owned(String::from_utf16_lossy(&units))
}
