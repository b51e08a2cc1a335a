//! Documents of a simple LSP client: applies a `WorkspaceEdit` exactly as the specification defines.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde_json::Value;

use super::uri_of;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Documents(BTreeMap<String, String>);

impl Documents {
    pub(crate) fn new(documents: &[(&Path, &str)]) -> Self {
        Self(documents.iter().map(|(path, text)| (uri_of(path), (*text).to_owned())).collect())
    }

    /// Applies `documentChanges` in order. Positions are in `encoding`.
    pub(crate) fn apply(&mut self, edit: &Value, encoding: &str) {
        let changes =
            edit["documentChanges"].as_array().unwrap_or_else(|| panic!("no documentChanges: {edit}"));
        for change in changes {
            match change["kind"].as_str() {
                Some("create") => self.create(text(&change["uri"])),
                Some("delete") => drop(self.remove(text(&change["uri"]))),
                Some("rename") => {
                    let moved = self.remove(text(&change["oldUri"]));
                    self.0.insert(text(&change["newUri"]).to_owned(), moved);
                }
                Some(other) => panic!("an operation that LSP does not know: {other}"),
                None => self.edit(change, encoding),
            }
        }
    }

    fn create(&mut self, uri: &str) {
        assert!(self.0.insert(uri.to_owned(), String::new()).is_none(), "{uri} exists already");
    }

    fn remove(&mut self, uri: &str) -> String {
        self.0.remove(uri).unwrap_or_else(|| panic!("no document {uri}"))
    }

    fn edit(&mut self, change: &Value, encoding: &str) {
        let document = &change["textDocument"];
        assert!(document.get("version").is_some(), "a versioned identifier: {change}");
        let uri = text(&document["uri"]);
        let old = self.0.get(uri).unwrap_or_else(|| panic!("no document {uri}")).clone();
        let edits = change["edits"].as_array().unwrap_or_else(|| panic!("no edits: {change}"));
        let mut pieces: Vec<(Range<usize>, &str)> = edits
            .iter()
            .map(|edit| (range(&old, &edit["range"], encoding), text(&edit["newText"])))
            .collect();
        pieces.sort_by_key(|(range, _)| range.start);
        for pair in pieces.windows(2) {
            assert!(pair[0].0.end <= pair[1].0.start, "edits overlap: {change}");
        }
        let mut new = old;
        for (range, text) in pieces.into_iter().rev() {
            new.replace_range(range, text);
        }
        self.0.insert(uri.to_owned(), new);
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected a string, not {value}"))
}

fn range(text: &str, range: &Value, encoding: &str) -> Range<usize> {
    let at = offset(text, &range["start"], encoding)..offset(text, &range["end"], encoding);
    assert!(at.start <= at.end, "a range runs forward: {range}");
    at
}

/// Returns the byte offset of a position. A position past its line or inside a character fails the test.
fn offset(text: &str, position: &Value, encoding: &str) -> usize {
    let number =
        |key: &str| position[key].as_u64().unwrap_or_else(|| panic!("no {key} in {position}")) as usize;
    let start = line_start(text, number("line"));
    let mut left = number("character");
    for (at, character) in text[start..].char_indices() {
        if left == 0 {
            return start + at;
        }
        assert!(!['\n', '\r'].contains(&character), "past its line's end: {position}");
        let width = match encoding {
            "utf-8" => character.len_utf8(),
            "utf-16" => character.len_utf16(),
            _ => 1,
        };
        left = left.checked_sub(width).unwrap_or_else(|| panic!("inside a character: {position}"));
    }
    assert_eq!(left, 0, "past the text's end: {position}");
    text.len()
}

fn line_start(text: &str, line: usize) -> usize {
    if line == 0 {
        return 0;
    }
    let bytes = text.as_bytes();
    let ends = |at: usize| bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    let end = (0..bytes.len()).filter(|&at| ends(at)).nth(line - 1);
    end.unwrap_or_else(|| panic!("no line {line} in the text")) + 1
}

#[test]
fn positions_count_in_the_encoding() {
    let text = "a\r\nb\r😀é x\n";
    for (encoding, character) in [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)] {
        let position = serde_json::json!({ "line": 2, "character": character });
        assert_eq!(&text[offset(text, &position, encoding)..], "x\n", "{encoding}");
    }
    assert_eq!(offset(text, &serde_json::json!({ "line": 3, "character": 0 }), "utf-16"), text.len());
}

#[test]
fn edits_refer_to_the_text_before_all_of_them() {
    let path = Path::new("/a");
    let edit = |line: u64, from: u64, to: u64, text: &str| {
        serde_json::json!({ "range": { "start": { "line": line, "character": from },
                                       "end": { "line": line, "character": to } }, "newText": text })
    };
    let change = serde_json::json!({ "documentChanges": [{
        "textDocument": { "uri": "file:///a", "version": null },
        "edits": [edit(0, 0, 1, "x\ny"), edit(1, 1, 1, "!")],
    }]});
    let mut documents = Documents::new(&[(path, "a\nb\n")]);
    documents.apply(&change, "utf-16");
    assert_eq!(documents, Documents::new(&[(path, "x\ny\nb!\n")]));
}
