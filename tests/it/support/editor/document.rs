//! A document as an editor keeps it, and edits of it, worked out the plain way.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

pub(crate) struct Document {
    path: PathBuf,
    pub(crate) text: String,
    pub(crate) version: i64,
    pub(crate) dirty: bool,
    pub(crate) edits_received: usize,
    /// Whether the file begins with a byte order mark, which the editor does not show.
    bom: bool,
}

impl Document {
    pub(super) fn new(path: PathBuf, text: &str, dirty: bool) -> Self {
        let bom = fs::read(&path).is_ok_and(|bytes| bytes.starts_with(b"\xef\xbb\xbf"));
        Self { path, text: text.to_owned(), version: 1, dirty, edits_received: 0, bom }
    }

    /// As editors write: a new file in the place of the old one, with its mark.
    pub(super) fn write(&self) -> std::io::Result<()> {
        let mark = if self.bom { "\u{feff}" } else { "" };
        let beside = self.path.with_extension("saving");
        fs::write(&beside, format!("{mark}{}", self.text))?;
        fs::rename(&beside, &self.path)
    }

    pub(super) fn read(&self) -> Option<String> {
        let text = fs::read_to_string(&self.path).ok()?;
        Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }
}

#[derive(Clone, Copy)]
pub(super) enum Encoding {
    Utf8,
    Utf16,
    Utf32,
}

impl Encoding {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "utf-8" => Self::Utf8,
            "utf-16" => Self::Utf16,
            "utf-32" => Self::Utf32,
            other => panic!("no encoding {other}"),
        }
    }

    fn width(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// The position of a byte. Lines end in `\n` or `\r\n`.
    pub(super) fn position(self, text: &str, at: usize) -> Value {
        let before = &text[..at];
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let character: usize = before[start..].chars().map(|one| self.width(one)).sum();
        json!({ "line": line, "character": character })
    }

    /// The byte of a position, or none if there is none such.
    fn byte(self, text: &str, position: &Value) -> Option<usize> {
        let (line, character) = (position["line"].as_u64()?, position["character"].as_u64()?);
        let mut start = 0;
        for _ in 0..line {
            start += text[start..].find('\n')? + 1;
        }
        let content = text[start..].split('\n').next()?.trim_end_matches('\r');
        let mut units = 0;
        let mut at = start;
        for one in content.chars() {
            if units >= character {
                break;
            }
            units += self.width(one) as u64;
            at += one.len_utf8();
        }
        (units == character).then_some(at)
    }
}

/// Applies edits that must be sorted, disjoint, in the text and between its characters.
pub(super) fn apply_all(text: &str, edits: &Value, encoding: Encoding) -> Result<String, String> {
    let edits = edits.as_array().ok_or("edits are no list")?;
    if edits.is_empty() {
        return Err("an empty list of edits".to_owned());
    }
    let (mut result, mut copied) = (String::new(), 0);
    for edit in edits {
        let place = |end: &str| encoding.byte(text, &edit["range"][end]);
        let (Some(start), Some(end)) = (place("start"), place("end")) else {
            return Err(format!("a range outside the text: {edit}"));
        };
        if start < copied || end < start {
            return Err(format!("edits that are not sorted or overlap: {edits:?}"));
        }
        result.push_str(&text[copied..start]);
        result.push_str(edit["newText"].as_str().ok_or("no new text")?);
        copied = end;
    }
    Ok(result + &text[copied..])
}
