//! What tools answer: the daemon's results without what a model has no use for.

mod change;

use lsp_types::Uri;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use change::ChangeOutput;

/// Bytes of one diff that a model is shown; the rest it can read.
const DIFF: usize = 16 << 10;

/// A text, cut at the end of a line if it is too long to be shown.
pub(super) fn shown(text: &str) -> String {
    if text.len() <= DIFF {
        return text.to_owned();
    }
    let end = (0..=DIFF).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
    let left = text[end..].lines().count();
    format!("{}(cut: {left} more lines; read the file to see them)\n", &text[..end])
}

/// What a name stands for that is no text: such a file can be named by its URI only.
pub(super) fn uri_if_needed(path: &str, uri: &Uri) -> Option<String> {
    path.contains(char::REPLACEMENT_CHARACTER).then(|| uri.to_string())
}

/// A text on one line, for lists.
pub(super) fn in_one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Something that is wrong in a file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DiagnosticOutput {
    pub(super) path: String,
    /// From 1.
    pub(super) line: u32,
    /// `error`, `warning`, `information` or `hint`.
    pub(super) severity: String,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    /// It is about an earlier text of the file, and `line` may be another by now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) outdated: bool,
}

impl DiagnosticOutput {
    /// As compilers print it.
    pub(super) fn line_of_text(&self) -> String {
        let source = self.source.as_ref().map(|source| format!(" ({source})")).unwrap_or_default();
        let outdated = if self.outdated { " [of an earlier text]" } else { "" };
        format!("{}:{}: {}: {}{source}{outdated}\n", self.path, self.line, self.severity, self.message)
    }
}

impl From<crate::protocol::DiagnosticEntry> for DiagnosticOutput {
    fn from(entry: crate::protocol::DiagnosticEntry) -> Self {
        Self {
            path: entry.path,
            line: entry.range.start.line + 1,
            severity: entry.severity,
            message: entry.message,
            source: entry.source,
            outdated: entry.hash.is_none(),
        }
    }
}
