//! What editors say is wrong in files, as their language servers told them.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::{Position, PositionEncoding, Text};

use super::SessionId;
use super::limits::{
    DIAGNOSTIC_MESSAGE_BYTES, DIAGNOSTIC_SOURCE_BYTES, DIAGNOSTICS_BYTES, DIAGNOSTICS_PER_FILE,
};

/// Bytes that an entry takes besides its texts, about.
const ENTRY_BYTES: usize = 128;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Wrong.
    Error,
    /// Maybe wrong.
    Warning,
    /// Good to know.
    Information,
    /// Could be better.
    Hint,
}

impl Severity {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where it begins, in the encoding of the report.
    pub start: Position,
    /// Where it ends.
    pub end: Position,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in words; cut where it is long.
    pub message: String,
    /// Who says so, for instance the name of a linter.
    pub source: Option<String>,
}

/// All that an editor says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The version of the document that it is about, if the editor says it.
    pub version: Option<i32>,
    /// How its positions are counted.
    pub encoding: PositionEncoding,
    /// The entries, as many as are kept.
    pub items: Vec<Diagnostic>,
    /// Counts all reports, so that a later one is known as such.
    pub number: u64,
}

/// The reports of all editors, one for each of their files.
#[derive(Debug, Default)]
pub struct Reports {
    by_session: HashMap<SessionId, OfSession>,
    last: u64,
}

#[derive(Debug, Default)]
struct OfSession {
    files: BTreeMap<PathBuf, (Arc<Report>, usize)>,
    bytes: usize,
}

impl Reports {
    /// An editor says what is wrong in a file, in place of what it said before. What is beyond the limits is
    /// left out.
    pub fn tell(&mut self, session: SessionId, path: &Path, mut report: Report) {
        self.withdraw(session, path);
        self.last += 1;
        report.number = self.last;
        let of_session = self.by_session.entry(session).or_default();
        let mut bytes = ENTRY_BYTES + path.as_os_str().len();
        let room = DIAGNOSTICS_BYTES.saturating_sub(of_session.bytes);
        report.items.truncate(DIAGNOSTICS_PER_FILE);
        let fits = |item: &mut Diagnostic| {
            item.cut();
            bytes += item.weight();
            bytes <= room
        };
        let kept = report.items.iter_mut().map(fits).take_while(|fits| *fits).count();
        report.items.truncate(kept);
        let bytes =
            ENTRY_BYTES + path.as_os_str().len() + report.items.iter().map(Diagnostic::weight).sum::<usize>();
        if bytes <= room {
            of_session.bytes += bytes;
            of_session.files.insert(path.to_owned(), (Arc::new(report), bytes));
        }
    }

    /// An editor has closed a file: what it said of it does not count any more.
    pub fn withdraw(&mut self, session: SessionId, path: &Path) {
        let Some(of_session) = self.by_session.get_mut(&session) else { return };
        if let Some((_, bytes)) = of_session.files.remove(path) {
            of_session.bytes -= bytes;
        }
    }

    /// An editor is gone.
    pub fn forget(&mut self, session: SessionId) {
        self.by_session.remove(&session);
    }

    /// What an editor says of a file.
    pub fn of(&self, session: SessionId, path: &Path) -> Option<&Arc<Report>> {
        self.by_session.get(&session)?.files.get(path).map(|(report, _)| report)
    }

    /// Who says something of a file.
    pub fn sessions(&self, path: &Path) -> Vec<SessionId> {
        let tells = |(session, of_session): (&SessionId, &OfSession)| {
            of_session.files.contains_key(path).then_some(*session)
        };
        let mut sessions: Vec<_> = self.by_session.iter().filter_map(tells).collect();
        sessions.sort();
        sessions
    }

    /// The files of which something is said, in order.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.by_session.values().flat_map(|of| of.files.keys().cloned()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// How many entries there are.
    pub fn count(&self) -> usize {
        let files = self.by_session.values().flat_map(|of_session| of_session.files.values());
        files.map(|(report, _)| report.items.len()).sum()
    }
}

impl Diagnostic {
    fn cut(&mut self) {
        cut(&mut self.message, DIAGNOSTIC_MESSAGE_BYTES);
        if let Some(source) = &mut self.source {
            cut(source, DIAGNOSTIC_SOURCE_BYTES);
        }
    }

    fn weight(&self) -> usize {
        ENTRY_BYTES + self.message.len() + self.source.as_ref().map_or(0, String::len)
    }
}

fn cut(text: &mut String, limit: usize) {
    if text.len() > limit {
        let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text.shrink_to_fit();
}

/// What was said of a file before it changed, to compare with.
#[derive(Clone, Debug, Default)]
pub struct Before(Vec<(Severity, String, Option<String>, Option<String>)>);

impl Before {
    /// Of a report, and the text that it is about; none where the text is another one by now, and lines cannot
    /// be told from each other.
    pub fn of(report: &Report, text: Option<&Text>) -> Self {
        let known = |item: &Diagnostic| {
            let line = text.map(|text| line_of(text, item.start.line));
            (item.severity, item.message.clone(), item.source.clone(), line)
        };
        Self(report.items.iter().map(known).collect())
    }

    /// The indices of what is new in a report about a later text. An entry is known by what it says and by the
    /// text of the line that it begins in, not by the line's number. Of several equal ones, as many are known as
    /// there were.
    pub fn fresh(mut self, report: &Report, text: &Text) -> Vec<usize> {
        let mut left: Vec<_> = report.items.iter().enumerate().collect();
        // Those whose line was known come first: the others may be any line's.
        for with_line in [true, false] {
            left.retain(|(_, item)| {
                let line = with_line.then(|| line_of(text, item.start.line));
                let is_same = |(severity, message, source, known): &(_, String, _, Option<String>)| {
                    *severity == item.severity
                        && *message == item.message
                        && *source == item.source
                        && *known == line
                };
                let Some(known) = self.0.iter().position(is_same) else { return true };
                self.0.swap_remove(known);
                false
            });
        }
        left.into_iter().map(|(index, _)| index).collect()
    }
}

/// The text of a line without the blanks around it: who indents a block differently changes nothing that is
/// wrong in it.
fn line_of(text: &Text, line: usize) -> String {
    let at = |line| text.byte_of(Position { line, character: 0 }, PositionEncoding::Utf8);
    let start = at(line);
    let end = at(line + 1).min(start + LINE_BYTES);
    // A line that is cut inside a character is compared up to there.
    let cut = (start..=end).rev().find_map(|end| text.slice(start..end)).unwrap_or_default();
    cut.trim().to_owned()
}

/// Bytes of a line by which it is known again.
const LINE_BYTES: usize = 1 << 10;

#[cfg(test)]
mod tests;
