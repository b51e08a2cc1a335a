//! The JSON style of a notebook: whitespace, separators and escapes.

use memchr::memmem;

use super::list::Gaps;
use super::scan::Member;

/// The JSON style of a file.
#[derive(Debug)]
pub(super) struct Style<'a> {
    /// Line ending and one step of indentation. `None` if the whole file is on one line.
    step: Option<(&'a str, &'a str)>,
    /// Separator between items on one line.
    pub(super) comma: &'a str,
    /// Separator between a name and its value.
    pub(super) colon: &'a str,
    /// `true` if non-ASCII characters are escaped.
    pub(super) ascii: bool,
}

impl<'a> Style<'a> {
    /// Detects the style of a text from the members of its top-level object.
    pub(super) fn of(text: &'a str, open: usize, members: &[Member<'_>]) -> Self {
        let plain = Self { step: None, comma: ", ", colon: ": ", ascii: is_escaped(text) };
        let Some(first) = members.first() else { return plain };
        let colon = &text[first.key.end..first.value.start];
        let comma = members.get(1).map_or(", ", |second| &text[first.span.end..second.span.start]);
        let lead = &text[open..first.span.start];
        let Some(at) = lead.rfind(['\n', '\r']) else { return Self { comma, colon, ..plain } };
        let end = if lead[..=at].ends_with("\r\n") { "\r\n" } else { &lead[at..=at] };
        Self { step: Some((end, &lead[at + 1..])), colon, ..plain }
    }

    /// Returns the gaps for a list at this nesting depth, for when the text has no similar list to copy from.
    pub(super) fn gaps(&self, depth: usize) -> Gaps {
        match self.step {
            None => Gaps::of("", "", self.comma),
            Some((end, step)) => {
                let line = |depth| format!("{end}{}", step.repeat(depth));
                Gaps::of(&line(depth + 1), &line(depth), self.comma)
            }
        }
    }

    /// Returns one step of indentation.
    pub(super) fn indent(&self) -> &'a str {
        self.step.map_or("", |(_, step)| step)
    }

    /// Returns a text as a JSON string.
    pub(super) fn quoted(&self, text: &str) -> String {
        let mut quoted = String::with_capacity(text.len() + 2);
        quoted.push('"');
        for c in text.chars() {
            match c {
                '"' => quoted.push_str("\\\""),
                '\\' => quoted.push_str("\\\\"),
                '\n' => quoted.push_str("\\n"),
                '\r' => quoted.push_str("\\r"),
                '\t' => quoted.push_str("\\t"),
                '\u{8}' => quoted.push_str("\\b"),
                '\u{c}' => quoted.push_str("\\f"),
                c if c < ' ' || self.ascii && !c.is_ascii() => {
                    let escape = |unit: &u16| format!("\\u{unit:04x}");
                    quoted.extend(c.encode_utf16(&mut [0; 2]).iter().map(escape));
                }
                c => quoted.push(c),
            }
        }
        quoted.push('"');
        quoted
    }

    /// Returns a member with this name and value.
    pub(super) fn member(&self, name: &str, value: &str) -> String {
        format!("\"{name}\"{}{value}", self.colon)
    }
}

/// Returns `true` if a text is ASCII and escapes at least one non-ASCII character.
fn is_escaped(text: &str) -> bool {
    let escapes = |at: usize| {
        let slashes = text[..=at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let unit = text.get(at + 2..at + 6).and_then(|digits| u16::from_str_radix(digits, 16).ok());
        slashes % 2 == 1 && unit.is_some_and(|unit| unit >= 0x80)
    };
    text.is_ascii() && memmem::find_iter(text.as_bytes(), b"\\u").any(escapes)
}
