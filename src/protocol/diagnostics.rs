//! What editors say is wrong in files, and what others are told of it.

use lsp_types::Range;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::text::{Position, PositionEncoding};
use crate::workspace::diagnostics::{Diagnostic, Report, Severity};
use crate::workspace::limits::DIAGNOSTICS_PER_FILE;

/// Notification of an editor: all that is wrong in a document, in place of what was said before.
pub const DIAGNOSTICS_CHANGED: &str = "editd/diagnosticsChanged";

/// Parameters of [`DIAGNOSTICS_CHANGED`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DiagnosticsChangedParams {
    /// The document.
    pub uri: String,
    /// The version of it that is meant.
    #[serde(default)]
    pub version: Option<i32>,
    /// LSP diagnostics; what is none of them is passed over, and so is what is beyond the limit.
    #[serde(default, deserialize_with = "items")]
    pub items: Vec<Diagnostic>,
}

impl DiagnosticsChangedParams {
    /// The same as a report of an editor that counts columns like this.
    pub fn into_report(self, encoding: PositionEncoding) -> Report {
        Report { version: self.version, encoding, items: self.items, number: 0 }
    }
}

/// What is taken of an LSP diagnostic.
#[derive(Deserialize)]
struct Item {
    range: Range,
    #[serde(default)]
    severity: Option<u8>,
    message: Message,
    #[serde(default)]
    source: Option<String>,
}

/// Since LSP 3.18 it may be marked up.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Plain(String),
    Marked { value: String },
}

fn items<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Diagnostic>, D::Error> {
    let items = Vec::<Value>::deserialize(deserializer)?.into_iter().take(DIAGNOSTICS_PER_FILE);
    Ok(items.filter_map(|item| Some(serde_json::from_value::<Item>(item).ok()?.into())).collect())
}

impl From<Item> for Diagnostic {
    fn from(item: Item) -> Self {
        let position =
            |at: lsp_types::Position| Position { line: at.line as usize, character: at.character as usize };
        Self {
            start: position(item.range.start),
            end: position(item.range.end),
            severity: match item.severity {
                Some(2) => Severity::Warning,
                Some(3) => Severity::Information,
                Some(4) => Severity::Hint,
                // Where nothing is said, the reader decides; the worst is seen.
                _ => Severity::Error,
            },
            message: match item.message {
                Message::Plain(message) | Message::Marked { value: message } => message,
            },
            source: item.source,
        }
    }
}

/// Parameters of `editd/diagnostics`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiagnosticsParams {
    /// Only of this file.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The same as a `file:` URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// One thing that is wrong, as others are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticEntry {
    /// The file's canonical path.
    pub path: String,
    /// Where, in the connection's encoding where `hash` is there, else as the editor counts.
    pub range: Range,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// What is wrong.
    pub message: String,
    /// Who says so.
    pub source: Option<String>,
    /// Hash of the file's text that it is about; null where that is not the present one.
    pub hash: Option<String>,
}

/// The answer to `editd/diagnostics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticsResult {
    /// By path and place.
    pub items: Vec<DiagnosticEntry>,
    /// Whether there are more than one answer carries.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_diagnostic_is_passed_over() {
        let range = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
        let told = json!({ "uri": "file:///a", "version": 3, "items": [
            { "range": range, "severity": 2, "message": "m", "source": "s", "code": 7, "data": {} },
            { "range": range, "message": { "kind": "markdown", "value": "*m*" } },
            { "range": range },
            { "message": "m" },
            { "range": { "start": { "line": -1, "character": 0 } }, "message": "m" },
            7,
        ] });
        let told: DiagnosticsChangedParams = serde_json::from_value(told).unwrap();
        let said: Vec<_> = told.items.iter().map(|item| (item.severity, item.message.as_str())).collect();
        assert_eq!(said, [(Severity::Warning, "m"), (Severity::Error, "*m*")]);
        assert_eq!(told.items[0].start, Position { line: 1, character: 2 });
    }
}
