//! New diagnostics: those that editors report for files after a change and did not report before.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::Range;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::disk::Target;
use crate::protocol::{ApplyResult, DiagnosticEntry};
use crate::text::{Position, PositionEncoding, Text, eq_ignoring_crlf};
use crate::workspace::diagnostics::{Before, Diagnostic, Report};
use crate::workspace::limits::{DIAGNOSTICS_LISTED, DIAGNOSTICS_WAIT_MS};
use crate::workspace::{Diagnosed, SessionId};

use super::job::blocking;
use super::{Core, SessionContext};

/// Watches the files of a request for diagnostics that its change causes.
#[derive(Clone)]
pub(crate) struct Watch(Option<Arc<AwaitedDiagnostics>>);

struct AwaitedDiagnostics {
    /// Maximum time to wait for reports.
    wait: Duration,
    /// The files of the request, with their diagnostics right before the change.
    files: Mutex<Vec<Watched>>,
}

/// A watched file.
#[derive(Clone)]
struct Watched {
    target: Target,
    before: Vec<PriorReport>,
}

/// The diagnostics of one editor for a file, right before the change.
#[derive(Clone)]
struct PriorReport {
    session: SessionId,
    /// `true` if the editor reports diagnostics, so the request waits for its report.
    sends_diagnostics: bool,
    /// The open version of the document.
    version: Option<i32>,
    /// Number of the editor's last report.
    number: u64,
    items: Before,
}

impl PriorReport {
    fn of(diagnosed: &Diagnosed) -> Self {
        let report = diagnosed.report.as_deref();
        Self {
            session: diagnosed.session,
            sends_diagnostics: diagnosed.tells,
            version: diagnosed.version,
            number: report.map_or(0, |report| report.number),
            items: report.map(|report| Before::of(report, diagnosed.text_of_report())).unwrap_or_default(),
        }
    }

    /// Returns `true` if the report is about the text after the change.
    fn precedes(&self, report: &Report) -> bool {
        match (self.version, report.version) {
            (Some(before), Some(now)) => now > before,
            _ => report.number > self.number,
        }
    }
}

impl Watch {
    /// Creates a watch for the `diagnosticsWaitMs` of a request. Without it, the watch does nothing.
    pub(crate) fn of(wait_ms: Option<u64>) -> Self {
        let wanted = |ms: u64| AwaitedDiagnostics {
            wait: Duration::from_millis(ms.min(DIAGNOSTICS_WAIT_MS)),
            files: Mutex::default(),
        };
        Self(wait_ms.map(|ms| Arc::new(wanted(ms))))
    }

    /// Records the diagnostics of the files right before they are changed.
    pub(crate) fn begin(&self, core: &Core, targets: Vec<&Target>) {
        let Some(wanted) = &self.0 else { return };
        let watched = |target: &Target| Watched {
            target: target.clone(),
            before: core.diagnosed(target).iter().map(PriorReport::of).collect(),
        };
        *wanted.files.lock() = targets.into_iter().map(watched).collect();
    }

    /// Waits for the reports or the timeout, and adds new diagnostics to the answer. Holds no lock while it
    /// waits.
    pub(crate) async fn end(self, core: &Core, session: &Arc<SessionContext>, result: &mut ApplyResult) {
        let Some(wanted) = self.0 else { return };
        let mut files = std::mem::take(&mut *wanted.files.lock());
        files.retain(|file| !file.before.is_empty());
        if result.transaction.is_none() || files.is_empty() {
            result.diagnostics = Some(Vec::new());
            return;
        }
        core.wait_for_diagnostics(&files, Instant::now() + wanted.wait).await;
        let (core, session) = (core.clone(), session.clone());
        let fresh = blocking(move || {
            let mut fresh = Vec::new();
            for file in files {
                core.add_new_diagnostics(&session, file, &mut fresh);
            }
            fresh
        });
        // The change is committed, so it is reported even if its diagnostics cannot be collected.
        result.diagnostics = Some(fresh.await.unwrap_or_default());
    }
}

impl Core {
    /// Returns the diagnostics of all editors for a file.
    pub(crate) fn diagnosed(&self, target: &Target) -> Vec<Diagnosed> {
        self.workspace.update(|w| w.diagnosed(&target.path, &target.key))
    }

    /// Waits until every editor that reports diagnostics has reported on the changed files or has
    /// disconnected.
    async fn wait_for_diagnostics(&self, files: &[Watched], deadline: Instant) {
        loop {
            let mut reported = pin!(self.diagnoses.notified());
            // Enabled before the check, so that a report between the check and the wait is not missed.
            reported.as_mut().enable();
            if files.iter().all(|file| self.is_reported(file))
                || timeout_at(deadline, reported).await.is_err()
            {
                return;
            }
        }
    }

    fn is_reported(&self, file: &Watched) -> bool {
        let now = self.diagnosed(&file.target);
        let has_reported = |before: &PriorReport| {
            let now = now.iter().find(|now| now.session == before.session && now.tells);
            now.is_none_or(|now| now.report.as_ref().is_some_and(|report| before.precedes(report)))
        };
        file.before.iter().filter(|before| before.sends_diagnostics).all(has_reported)
    }

    fn add_new_diagnostics(&self, session: &SessionContext, file: Watched, fresh: &mut Vec<DiagnosticEntry>) {
        let Ok(observed) = self.observe(file.target.clone()) else { return };
        let Some(present) = observed.content.snapshot() else { return };
        let diagnosed = self.diagnosed(&file.target);
        for before in file.before {
            let Some(now) = diagnosed.iter().find(|now| now.session == before.session) else { continue };
            let Some(report) = now.report.as_ref().filter(|report| before.precedes(report)) else {
                continue;
            };
            let converter = EntryConverter::of(&file.target.path, now, &present.text, session.encoding);
            for index in before.items.fresh(report, converter.text) {
                let entry = converter.entry(&report.items[index], &present.hash.to_string());
                // Two editors with the same language server report the same diagnostics.
                if fresh.len() < DIAGNOSTICS_LISTED && !fresh.contains(&entry) {
                    fresh.push(entry);
                }
            }
        }
    }
}

/// Converts the entries of a report for a client.
pub(crate) struct EntryConverter<'a> {
    path: &'a Path,
    /// The text of the report if it is known to be the current text, else the current text.
    text: &'a Text,
    /// `true` if the report is known to be about the current text.
    is_current: bool,
    from: PositionEncoding,
    to: PositionEncoding,
}

impl<'a> EntryConverter<'a> {
    /// Creates a converter. `present` is the current text of the file.
    pub(crate) fn of(
        path: &'a Path,
        diagnosed: &'a Diagnosed,
        present: &'a Text,
        to: PositionEncoding,
    ) -> Self {
        let text = diagnosed.text_of_report();
        let text = text.filter(|text| *text == present || eq_ignoring_crlf(text, &present.to_string()));
        let from = diagnosed.report.as_ref().map_or(to, |report| report.encoding);
        Self { path, text: text.unwrap_or(present), is_current: text.is_some(), from, to }
    }

    /// Converts an entry. `hash` is the hash of the current text of the file.
    pub(crate) fn entry(&self, item: &Diagnostic, hash: &str) -> DiagnosticEntry {
        DiagnosticEntry {
            path: self.path.display().to_string(),
            range: Range { start: self.position(item.start), end: self.position(item.end) },
            severity: item.severity.name().to_owned(),
            message: item.message.clone(),
            source: item.source.clone(),
            hash: self.is_current.then(|| hash.to_owned()),
        }
    }

    fn position(&self, at: Position) -> lsp_types::Position {
        let convert = self.is_current && self.from != self.to;
        let at = if convert { self.text.position_of(self.text.byte_of(at, self.from), self.to) } else { at };
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        lsp_types::Position { line: number(at.line), character: number(at.character) }
    }
}
