use std::path::Path;

use serde_json::{Value, json};

use crate::text::{Position, PositionEncoding, Text};

use super::{Waiting, WaitingHunk, one_line};

/// LSP's number for the least of diagnostics.
const HINT: u32 = 4;
/// Lines of the new text in a hint.
const SHOWN_LINES: usize = 8;
/// Characters of each.
const SHOWN_CHARACTERS: usize = 120;

/// LSP's diagnostics for the hunks that wait in a document: what is wanted, and in place of which lines.
pub fn hints(waiting: &[Waiting], path: &Path, text: &Text, encoding: PositionEncoding) -> Vec<Value> {
    let of = |one: &Waiting| {
        let hint = |hunk: &WaitingHunk| {
            json!({
                "range": range(hunk, text, encoding), "severity": HINT, "source": "editd",
                "code": format!("{} {}", one.id, hunk.id), "message": message(one, hunk),
            })
        };
        one.within(path).map(hint).collect::<Vec<_>>()
    };
    waiting.iter().flat_map(of).collect()
}

/// The lines of a hunk, without the last one's end. New lines belong to the line that they come before, and at
/// the end of the text to the last one.
fn range(hunk: &WaitingHunk, text: &Text, encoding: PositionEncoding) -> Value {
    let behind = text.line_count().saturating_sub(1);
    let first = (hunk.line as usize).min(behind);
    let last = (first + (hunk.lines as usize).saturating_sub(1)).min(behind);
    let end = text.byte_of(Position { line: last, character: usize::MAX }, PositionEncoding::Utf32);
    let end = text.position_of(end, encoding);
    json!({
        "start": { "line": first, "character": 0 },
        "end": { "line": end.line, "character": end.character },
    })
}

fn message(one: &Waiting, hunk: &WaitingHunk) -> String {
    let wants = match (hunk.kind.as_deref(), hunk.lines, hunk.new_text.is_empty()) {
        _ if hunk.conflicted => "wants something else here than there is now",
        (Some("create"), ..) => "wants this file to be",
        (Some("delete"), ..) => "wants this file to go",
        (Some("rename"), ..) => "wants this file to have another name",
        (Some("encoding"), ..) => "wants this file in another encoding",
        (_, 0, _) => "wants new lines before this one",
        (_, 1, true) => "wants this line to go",
        (_, _, true) => "wants these lines to go",
        _ => "wants this instead",
    };
    let mut message = format!("{} {wants}", one_line(&one.author));
    if let Some(label) = one.label.as_deref().filter(|label| !label.trim().is_empty()) {
        message.extend([" (", &one_line(label), ")"]);
    }
    let mut lines = hunk.new_text.lines();
    for (at, line) in lines.by_ref().take(SHOWN_LINES).enumerate() {
        message.push_str(if at == 0 { ":\n" } else { "\n" });
        message.extend(line.chars().take(SHOWN_CHARACTERS));
    }
    let left = lines.count();
    if left > 0 {
        message.extend(["\n… ", &left.to_string(), " more"]);
    }
    message
}
