//! New diagnostics: those that editors report for files after a change and did not report before.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::blocking;
use crate::engine::{Engine, Result, SessionContext};
use editd_disk::Target;
use editd_text::{ContentHash, Position, PositionEncoding, Text, eq_ignoring_crlf};
use editd_workspace::diagnostics::{Before, Diagnostic, Report};
use editd_workspace::limits::{DIAGNOSTICS_LISTED, DIAGNOSTICS_WAIT_MS};
use editd_workspace::{Diagnosed, RequestedPath, SessionId};

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
    pub(crate) fn begin(&self, engine: &Engine, targets: Vec<&Target>) {
        let Some(wanted) = &self.0 else { return };
        let watched = |target: &Target| Watched {
            target: target.clone(),
            before: engine.diagnosed(target).iter().map(PriorReport::of).collect(),
        };
        *wanted.files.lock() = targets.into_iter().map(watched).collect();
    }

    /// Waits for the reports or the timeout, and returns the new diagnostics; `None` without a watch. Holds no
    /// lock while it waits.
    pub(crate) async fn end(
        self,
        engine: &Engine,
        session: &Arc<SessionContext>,
        is_committed: bool,
    ) -> Option<Vec<FileDiagnostic>> {
        let wanted = self.0?;
        let mut files = std::mem::take(&mut *wanted.files.lock());
        files.retain(|file| !file.before.is_empty());
        if !is_committed || files.is_empty() {
            return Some(Vec::new());
        }
        engine.wait_for_diagnostics(&files, Instant::now() + wanted.wait).await;
        let (engine, session) = (engine.clone(), session.clone());
        let fresh = blocking(move || {
            let mut fresh = Vec::new();
            for file in files {
                engine.add_new_diagnostics(&session, file, &mut fresh);
            }
            fresh
        });
        // The change is committed, so it is reported even if its diagnostics cannot be collected.
        Some(fresh.await.unwrap_or_default())
    }
}

impl Engine {
    /// Returns the diagnostics of all editors for a file.
    pub(crate) fn diagnosed(&self, target: &Target) -> Vec<Diagnosed> {
        self.workspace.update(|w| w.diagnosed(&target.path, &target.key))
    }

    /// Waits until every editor that reports diagnostics has reported on the changed files or has
    /// disconnected.
    async fn wait_for_diagnostics(&self, files: &[Watched], deadline: Instant) {
        loop {
            let mut reported = pin!(self.diagnostics_reported.notified());
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

    fn add_new_diagnostics(&self, session: &SessionContext, file: Watched, fresh: &mut Vec<FileDiagnostic>) {
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
                let entry = converter.entry(&report.items[index], present.hash);
                // Two editors with the same language server report the same diagnostics.
                if fresh.len() < DIAGNOSTICS_LISTED && !fresh.contains(&entry) {
                    fresh.push(entry);
                }
            }
        }
    }

    /// Returns the diagnostics of a file, or of all files that the session may read. The flag is `true` if there
    /// are more than an answer may hold.
    pub(crate) fn diagnostics(
        &self,
        session: &SessionContext,
        only: Option<&RequestedPath>,
    ) -> Result<(Vec<FileDiagnostic>, bool)> {
        let targets = if let Some(path) = only {
            vec![self.locate(session, path, Purpose::Read)?]
        } else {
            let files = self.workspace.update(|w| w.diagnostics.files());
            // Files outside the roots and files that may not be read are omitted.
            let located = |path: &PathBuf| self.locate(session, &RequestedPath::of(path), Purpose::Read).ok();
            files.iter().filter_map(located).collect()
        };
        let mut items = Vec::new();
        for target in targets {
            if items.len() > DIAGNOSTICS_LISTED {
                break;
            }
            items.extend(self.entries(session, target));
        }
        let truncated = items.len() > DIAGNOSTICS_LISTED;
        items.truncate(DIAGNOSTICS_LISTED);
        Ok((items, truncated))
    }

    /// Returns all diagnostics of a file, sorted by position.
    fn entries(&self, session: &SessionContext, target: Target) -> Vec<FileDiagnostic> {
        let diagnosed = self.diagnosed(&target);
        let path = target.path.clone();
        if diagnosed.iter().all(|one| one.report.as_ref().is_none_or(|report| report.items.is_empty())) {
            return Vec::new();
        }
        let Ok(observed) = self.observe(target) else { return Vec::new() };
        let Some(present) = observed.content.snapshot() else { return Vec::new() };
        let mut entries: Vec<FileDiagnostic> = Vec::new();
        for one in &diagnosed {
            let converter = EntryConverter::of(&path, one, &present.text, session.encoding);
            let items = one.report.iter().flat_map(|report| &report.items);
            entries.extend(items.map(|item| converter.entry(item, present.hash)));
        }
        // Two editors with the same language server report the same diagnostics.
        let order = |one: &FileDiagnostic| (one.item.start, one.item.end);
        entries.sort_by(|a, b| (order(a), &a.item.message).cmp(&(order(b), &b.item.message)));
        entries.dedup();
        entries
    }
}

/// A diagnostic of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileDiagnostic {
    pub(crate) path: PathBuf,
    /// The diagnostic; the positions are in the encoding of the session if `hash` is set, else in that of the editor.
    pub(crate) item: Diagnostic,
    /// Hash of the text that the diagnostic refers to; `None` if that is not the current text.
    pub(crate) hash: Option<ContentHash>,
}

/// Converts the entries of a report for a session.
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
    pub(crate) fn entry(&self, item: &Diagnostic, hash: ContentHash) -> FileDiagnostic {
        let item =
            Diagnostic { start: self.position(item.start), end: self.position(item.end), ..item.clone() };
        FileDiagnostic { path: self.path.to_owned(), item, hash: self.is_current.then_some(hash) }
    }

    fn position(&self, at: Position) -> Position {
        let convert = self.is_current && self.from != self.to;
        if convert { self.text.position_of(self.text.byte_of(at, self.from), self.to) } else { at }
    }
}
