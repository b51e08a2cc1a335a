//! Diagnostics that editors report, as received from their language servers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_text::{Position, PositionEncoding, Text, floor_char_boundary};

use super::limits::{
    DIAGNOSTIC_MESSAGE_BYTES, DIAGNOSTIC_SOURCE_BYTES, DIAGNOSTICS_BYTES, DIAGNOSTICS_PER_FILE,
};
use super::session::SessionId;

/// Approximate size of an entry apart from its texts, in bytes.
const ENTRY_BYTES: usize = 128;

/// The severity of a diagnostic, with its name on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// An informational message.
    Information,
    /// A hint.
    Hint,
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Start, in the position encoding of the report.
    pub start: Position,
    /// End.
    pub end: Position,
    /// The severity.
    pub severity: Severity,
    /// The message, truncated if it is long.
    pub message: String,
    /// The source, such as the name of a linter.
    pub source: Option<String>,
}

/// All diagnostics that an editor reported for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The version of the document that it refers to, if known.
    pub version: Option<i32>,
    /// The position encoding.
    pub encoding: PositionEncoding,
    /// The diagnostics, up to the limits.
    pub items: Vec<Diagnostic>,
    /// Sequence number over all reports.
    pub number: u64,
}

/// The latest reports of all editors, one for each file.
#[derive(Debug, Default)]
pub struct Reports {
    by_session: BTreeMap<SessionId, OfSession>,
    last: u64,
}

#[derive(Debug, Default)]
struct OfSession {
    files: BTreeMap<PathBuf, (Arc<Report>, usize)>,
    bytes: usize,
}

impl Reports {
    /// Stores the report of an editor for a file, replacing the previous one. Diagnostics beyond the limits
    /// are dropped.
    pub fn insert(&mut self, session: SessionId, path: &Path, mut report: Report) {
        self.remove(session, path);
        self.last += 1;
        report.number = self.last;
        let of_session = self.by_session.entry(session).or_default();
        let base = ENTRY_BYTES + path.as_os_str().len();
        let room = DIAGNOSTICS_BYTES.saturating_sub(of_session.bytes);
        report.items.truncate(DIAGNOSTICS_PER_FILE);
        report.items.iter_mut().for_each(Diagnostic::truncate);
        let mut used = base;
        report.items.retain(|item| {
            used += item.weight();
            used <= room
        });
        let bytes = base + report.items.iter().map(Diagnostic::weight).sum::<usize>();
        if bytes <= room {
            of_session.bytes += bytes;
            of_session.files.insert(path.to_owned(), (Arc::new(report), bytes));
        }
    }

    /// Removes the report of an editor for a file that it has closed.
    pub fn remove(&mut self, session: SessionId, path: &Path) {
        let Some(of_session) = self.by_session.get_mut(&session) else { return };
        if let Some((_, bytes)) = of_session.files.remove(path) {
            of_session.bytes -= bytes;
        }
    }

    /// Removes all reports of an editor.
    pub fn forget(&mut self, session: SessionId) {
        self.by_session.remove(&session);
    }

    /// Returns the report of an editor for a file.
    pub fn of(&self, session: SessionId, path: &Path) -> Option<&Arc<Report>> {
        self.by_session.get(&session)?.files.get(path).map(|(report, _)| report)
    }

    /// Returns the sessions of all editors that reported on a file.
    pub fn sessions(&self, path: &Path) -> Vec<SessionId> {
        let reported = self.by_session.iter().filter(|(_, of_session)| of_session.files.contains_key(path));
        reported.map(|(session, _)| *session).collect()
    }

    /// Returns the paths of all files with reports, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        let files: BTreeSet<_> = self.by_session.values().flat_map(|of| of.files.keys()).collect();
        files.into_iter().cloned().collect()
    }

    /// Returns the number of diagnostics.
    pub fn count(&self) -> usize {
        let files = self.by_session.values().flat_map(|of_session| of_session.files.values());
        files.map(|(report, _)| report.items.len()).sum()
    }
}

impl Diagnostic {
    fn truncate(&mut self) {
        truncate(&mut self.message, DIAGNOSTIC_MESSAGE_BYTES);
        if let Some(source) = &mut self.source {
            truncate(source, DIAGNOSTIC_SOURCE_BYTES);
        }
    }

    fn known_at(&self, line: Option<String>) -> KnownDiagnostic {
        (self.severity, self.message.clone(), self.source.clone(), line)
    }

    fn weight(&self) -> usize {
        ENTRY_BYTES + self.message.len() + self.source.as_ref().map_or(0, String::len)
    }
}

fn truncate(text: &mut String, limit: usize) {
    if text.len() > limit {
        text.truncate(floor_char_boundary(text, limit));
        text.push('…');
    }
    text.shrink_to_fit();
}

/// The diagnostics of a file before a change, for comparison.
#[derive(Clone, Debug, Default)]
pub struct Before(Vec<KnownDiagnostic>);

/// The severity, message, source and line of a diagnostic.
type KnownDiagnostic = (Severity, String, Option<String>, Option<String>);

impl Before {
    /// Records a report and the text it refers to. `text` is `None` if that text is no longer available, so
    /// that lines cannot be compared.
    pub fn of(report: &Report, text: Option<&Text>) -> Self {
        let known = |item: &Diagnostic| item.known_at(text.map(|text| line_of(text, item.start.line)));
        Self(report.items.iter().map(known).collect())
    }

    /// Returns the indices of the new diagnostics in a report about a later text. A diagnostic is known if
    /// it has the same severity, message, source and text of its first line; the line number does not
    /// matter. Duplicates are known as often as they occurred before.
    pub fn fresh(mut self, report: &Report, text: &Text) -> Vec<usize> {
        let mut left: Vec<_> = report.items.iter().enumerate().collect();
        // Entries with a known line are matched first, because the others match any line.
        for with_line in [true, false] {
            left.retain(|(_, item)| {
                let wanted = item.known_at(with_line.then(|| line_of(text, item.start.line)));
                let Some(known) = self.0.iter().position(|known| *known == wanted) else { return true };
                self.0.swap_remove(known);
                false
            });
        }
        left.into_iter().map(|(index, _)| index).collect()
    }
}

/// Returns the text of a line without surrounding whitespace, because changed indentation does not make a
/// diagnostic new.
fn line_of(text: &Text, line: usize) -> String {
    let at = |line| text.byte_of(Position { line, character: 0 }, PositionEncoding::Utf8);
    let start = at(line);
    let end = at(line + 1).min(start + LINE_BYTES);
    // A line truncated inside a character is compared up to that character.
    let line = (start..=end).rev().find_map(|end| text.slice(start..end)).unwrap_or_default();
    line.trim().to_owned()
}

/// Maximum bytes of a line that are compared.
const LINE_BYTES: usize = 1 << 10;

#[cfg(test)]
mod tests;
