use std::path::Path;

use serde_json::{Value, json};

use crate::text::{Position, PositionEncoding, Text};

use super::{PendingHunk, PendingProposal, one_line};

/// `DiagnosticSeverity.Hint` of LSP.
const HINT: u32 = 4;
/// Maximum number of lines of the new text in a hint.
const SHOWN_LINES: usize = 8;
/// Maximum number of characters of each line.
const SHOWN_CHARACTERS: usize = 120;

/// Returns an LSP diagnostic for each hunk that waits in a document. The range covers the lines to replace,
/// the message contains the new text.
pub fn hints(
    waiting: &[PendingProposal],
    path: &Path,
    text: &Text,
    encoding: PositionEncoding,
) -> Vec<Value> {
    let of = |one: &PendingProposal| {
        let hint = |hunk: &PendingHunk| {
            json!({
                "range": range(hunk, text, encoding), "severity": HINT, "source": "editd",
                "code": format!("{} {}", one.id, hunk.id), "message": message(one, hunk),
            })
        };
        one.within(path).map(hint).collect::<Vec<_>>()
    };
    waiting.iter().flat_map(of).collect()
}

/// Returns the range of the lines of a hunk, without the last line ending. The range of an insertion is the
/// line after it, or the last line at the end of the text.
fn range(hunk: &PendingHunk, text: &Text, encoding: PositionEncoding) -> Value {
    let last_line = text.line_count().saturating_sub(1);
    let first = (hunk.line as usize).min(last_line);
    let last = (first + (hunk.lines as usize).saturating_sub(1)).min(last_line);
    let end = text.byte_of(Position { line: last, character: usize::MAX }, PositionEncoding::Utf32);
    let end = text.position_of(end, encoding);
    json!({
        "start": { "line": first, "character": 0 },
        "end": { "line": end.line, "character": end.character },
    })
}

fn message(one: &PendingProposal, hunk: &PendingHunk) -> String {
    let wants = match (hunk.kind.as_deref(), hunk.lines, hunk.new_text.is_empty()) {
        _ if hunk.conflicted => "wants this here, but these lines have changed since",
        (Some("create"), ..) => "wants to create this file",
        (Some("delete"), ..) => "wants to delete this file",
        (Some("rename"), ..) => "wants to rename this file",
        (Some("encoding"), ..) => "wants to write this file in another encoding",
        (_, 0, _) => "wants new lines before this one",
        (_, 1, true) => "wants to delete this line",
        (_, _, true) => "wants to delete these lines",
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
