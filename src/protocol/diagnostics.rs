//! Diagnostics that editors send, and the form in which other clients receive them.

use lsp_types::Range;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::text::{Position, PositionEncoding};
use crate::workspace::diagnostics::{Diagnostic, Report, Severity};
use crate::workspace::limits::DIAGNOSTICS_PER_FILE;

/// Notification from an editor: all diagnostics of a document. They replace the previous ones.
pub const DIAGNOSTICS_CHANGED: &str = "editd/diagnosticsChanged";

/// Parameters of [`DIAGNOSTICS_CHANGED`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DiagnosticsChangedParams {
    /// The document.
    pub uri: String,
    /// Version of the document that the diagnostics refer to.
    #[serde(default)]
    pub version: Option<i32>,
    /// LSP diagnostics. Malformed items and items beyond the limit are ignored.
    #[serde(default, deserialize_with = "items")]
    pub items: Vec<Diagnostic>,
}

impl DiagnosticsChangedParams {
    /// Converts to a report of an editor that counts columns in `encoding`.
    pub fn into_report(self, encoding: PositionEncoding) -> Report {
        Report { version: self.version, encoding, items: self.items, number: 0 }
    }
}

/// The part of an LSP diagnostic that editd uses.
#[derive(Deserialize)]
struct Item {
    range: Range,
    #[serde(default)]
    severity: Option<u8>,
    message: Message,
    #[serde(default)]
    source: Option<String>,
}

/// Message of a diagnostic. Since LSP 3.18 it may be markup content.
#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Plain(String),
    MarkedMerge { value: String },
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
                // LSP leaves a missing severity to the client; an error is least likely to be overlooked.
                _ => Severity::Error,
            },
            message: match item.message {
                Message::Plain(message) | Message::MarkedMerge { value: message } => message,
            },
            source: item.source,
        }
    }
}

/// Parameters of `editd/diagnostics`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiagnosticsParams {
    /// Restricts the result to this file.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// A diagnostic as clients receive it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticEntry {
    /// Canonical path of the file.
    pub path: String,
    /// Range, in the position encoding of the connection if `hash` is set, else in that of the editor.
    pub range: Range,
    /// `error`, `warning`, `information` or `hint`.
    pub severity: String,
    /// Message of the diagnostic.
    pub message: String,
    /// Program that reported it.
    pub source: Option<String>,
    /// Hash of the text that the diagnostic refers to; null if that is not the current text.
    pub hash: Option<String>,
}

/// Result of `editd/diagnostics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiagnosticsResult {
    /// Diagnostics, sorted by path and position.
    pub items: Vec<DiagnosticEntry>,
    /// `true` if there are more diagnostics than one response holds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn malformed_diagnostics_are_ignored() {
        let range = json!({ "start": { "line": 1, "character": 2 }, "end": { "line": 1, "character": 3 } });
        let params = json!({ "uri": "file:///a", "version": 3, "items": [
            { "range": range, "severity": 2, "message": "m", "source": "s", "code": 7, "data": {} },
            { "range": range, "message": { "kind": "markdown", "value": "*m*" } },
            { "range": range },
            { "message": "m" },
            { "range": { "start": { "line": -1, "character": 0 } }, "message": "m" },
            7,
        ] });
        let params: DiagnosticsChangedParams = serde_json::from_value(params).unwrap();
        let received: Vec<_> =
            params.items.iter().map(|item| (item.severity, item.message.as_str())).collect();
        assert_eq!(received, [(Severity::Warning, "m"), (Severity::Error, "*m*")]);
        assert_eq!(params.items[0].start, Position { line: 1, character: 2 });
    }
}
