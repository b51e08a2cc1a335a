//! Output of tools: results of the daemon, reduced to the parts that are useful for models.

mod change;
mod file;

use lsp_types::Uri;
use serde::Serialize;

pub(super) use change::ChangeOutput;

/// Returns the URI of a file whose name is not UTF-8 or contains control characters.
pub(super) fn uri_if_needed(path: &str, uri: &Uri) -> Option<String> {
    let is_odd = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control();
    path.contains(is_odd).then(|| uri.to_string())
}

/// Removes control characters, so that the text fits on one line. Names of files and people may contain
/// anything, including text that imitates further lines of an answer.
pub(super) fn in_one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A diagnostic.
#[derive(Debug, Serialize)]
pub(super) struct DiagnosticOutput {
    pub(super) path: String,
    /// Line number, from 1.
    pub(super) line: u32,
    /// `error`, `warning`, `information` or `hint`.
    pub(super) severity: String,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    /// `true` if the diagnostic refers to an earlier text of the file, so that `line` may be outdated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) outdated: bool,
}

impl DiagnosticOutput {
    /// Formats the diagnostic as compilers do.
    pub(super) fn line_of_text(&self) -> String {
        let source =
            self.source.as_ref().map(|source| format!(" ({})", in_one_line(source))).unwrap_or_default();
        let outdated = if self.outdated { " [outdated]" } else { "" };
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
