//! Texts of refusals for models that use built-in tools.

use std::fmt::Write as _;

use serde_json::Value;

use editd_protocol::RpcError;
use editd_text::{floor_char_boundary, line_start};

/// Maximum length of the details of a refusal, in bytes. A model needs the beginning; it can read the rest.
const MAX_DETAILS: usize = 1200;

/// Returns the text of a refusal for the model: the reason, the next step, and the text of the file that shows
/// why.
pub fn refusal(error: &RpcError) -> String {
    let data = error.data.as_ref().unwrap_or(&Value::Null);
    let kind = data["kind"].as_str().unwrap_or_default();
    let mut text = error.message.clone();
    let own = data["hint"].as_str().unwrap_or_default();
    let _ = write!(text, "\n{}", next_step(kind, data).unwrap_or(own));
    let details = details(kind, data);
    if !details.is_empty() {
        let _ = write!(text, "\n{}", beginning(&details));
    }
    text
}

/// Returns the text that shows the model the unsaved changes of an editor, after the file on disk.
pub fn unsaved(diff: &str) -> String {
    format!(
        "A person has this file open and has not saved these changes yet. Your edits apply to the text with them:\n{}",
        beginning(diff)
    )
}

/// Returns what to do about a refusal with a built-in tool, which has other parameters than a request. For
/// other kinds, the hint of the daemon fits.
fn next_step(kind: &str, data: &Value) -> Option<&'static str> {
    Some(match kind {
        "unread" => "Read the file, then send the same edit again.",
        "stale" => "Look at what has changed, read the file again, then send an edit that matches.",
        "conflict" => "Read the file again, then send an edit that matches.",
        "not_found" if data["alreadyApplied"] == true => {
            "The file has the new text already: nothing needs to be done."
        }
        "not_found" => {
            "Compare the old text with the file, and send the edit again with the text of the file."
        }
        "ambiguous" | "count_mismatch" => {
            "Add the lines before or after it to the old text, so that it matches only the place that you mean."
        }
        "placeholder" => "Send the complete new text, without a placeholder for code that should stay.",
        "no_change" => "Nothing needs to be done.",
        "exists" => "Read the file and edit it, or choose another name.",
        "busy" | "timeout" => "Send the same edit again in a moment.",
        _ => return None,
    })
}

/// Returns the parts of the file that show why a change is refused.
fn details(kind: &str, data: &Value) -> String {
    let mut text = String::new();
    let diff = data["diff"].as_str().unwrap_or_default();
    match kind {
        "stale" => text.push_str(diff),
        "not_found" => {
            if let Some(closest) = data["closest"].as_array().and_then(|closest| closest.first()) {
                let line = &closest["startLine"];
                let _ = writeln!(text, "The closest text begins at line {line}; from your text to it:");
                text.push_str(closest["diff"].as_str().unwrap_or_default());
            }
        }
        "ambiguous" | "count_mismatch" => {
            for place in data["occurrences"].as_array().into_iter().flatten() {
                let _ = writeln!(text, "Line {}:", place["startLine"]);
                text.push_str(place["excerpt"].as_str().unwrap_or_default());
                text.push('\n');
            }
        }
        _ => {}
    }
    text.trim_end().to_owned()
}

/// Returns the lines that fit, and the number of the others.
fn beginning(text: &str) -> String {
    if text.len() <= MAX_DETAILS {
        return text.to_owned();
    }
    let end = line_start(text, floor_char_boundary(text, MAX_DETAILS));
    format!("{}({} more lines)", &text[..end], text[end..].lines().count())
}
