//! What tools answer: the daemon's results without what a model has no use for.

mod change;
mod file;

use lsp_types::Uri;
use serde::Serialize;

pub(super) use change::ChangeOutput;

/// What a name stands for that is no text, or not on one line: such a file is best named by its URI.
pub(super) fn uri_if_needed(path: &str, uri: &Uri) -> Option<String> {
    let is_odd = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control();
    path.contains(is_odd).then(|| uri.to_string())
}

/// A text on one line, for lists. Names of files and people may hold anything, also what looks like more lines of
/// an answer.
pub(super) fn in_one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Something that is wrong in a file.
#[derive(Debug, Serialize)]
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
        let source =
            self.source.as_ref().map(|source| format!(" ({})", in_one_line(source))).unwrap_or_default();
        let outdated = if self.outdated { " [of an earlier text]" } else { "" };
        let message = in_one_line(&self.message);
        format!("{}:{}: {}: {message}{source}{outdated}\n", in_one_line(&self.path), self.line, self.severity)
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
