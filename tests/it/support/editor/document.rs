//! An editor's document, and a simple reference implementation of LSP edits.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

pub(crate) struct Document {
    path: PathBuf,
    pub(crate) text: String,
    pub(crate) version: i64,
    pub(crate) dirty: bool,
    pub(crate) edits_received: usize,
    /// `true` if the file begins with a byte order mark, which is not part of `text`.
    bom: bool,
}

impl Document {
    pub(super) fn new(path: PathBuf, text: &str, dirty: bool) -> Self {
        let marks = |text: &str| text.chars().take_while(|character| *character == '\u{feff}').count();
        let bom = fs::read_to_string(&path).is_ok_and(|file| marks(&file) > marks(text));
        Self { path, text: text.to_owned(), version: 1, dirty, edits_received: 0, bom }
    }

    /// Writes the file like editors do: as a new file renamed over the old one, with its byte order mark.
    pub(super) fn write(&self) -> std::io::Result<()> {
        let mark = if self.bom { "\u{feff}" } else { "" };
        let temporary = self.path.with_extension("saving");
        fs::write(&temporary, format!("{mark}{}", self.text))?;
        fs::rename(&temporary, &self.path)
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

    /// Returns the LSP position of a byte offset. Lines end in `\n` or `\r\n`.
    pub(super) fn position(self, text: &str, at: usize) -> Value {
        let before = &text[..at];
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let character: usize = before[start..].chars().map(|one| self.width(one)).sum();
        json!({ "line": line, "character": character })
    }

    /// Returns the byte offset of an LSP position, or `None` if it is outside the text.
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

/// Applies edits. Returns an error unless they are sorted, disjoint, inside the text and on character
/// boundaries.
pub(super) fn apply_all(text: &str, edits: &Value, encoding: Encoding) -> Result<String, String> {
    let edits = edits.as_array().ok_or("edits are not a list")?;
    if edits.is_empty() {
        return Err("an empty list of edits".to_owned());
    }
    let (mut result, mut copied) = (String::new(), 0);
    for edit in edits {
        let offset = |end: &str| encoding.byte(text, &edit["range"][end]);
        let (Some(start), Some(end)) = (offset("start"), offset("end")) else {
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
