//! What editors say of files after a change that they did not say before.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use lsp_types::Range;
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::disk::Target;
use crate::protocol::{ApplyResult, DiagnosticEntry};
use crate::text::{Position, PositionEncoding, Text, eq_folded};
use crate::workspace::diagnostics::{Before, Diagnostic, Report};
use crate::workspace::limits::{DIAGNOSTICS_LISTED, DIAGNOSTICS_WAIT_MS};
use crate::workspace::{Diagnosed, SessionId};

use super::event::{DiagnosticsEvent, Event};
use super::job::blocking;
use super::{Core, SessionContext};

/// A request that wants to know what its change made wrong.
#[derive(Clone)]
pub(crate) struct Watch(Option<Arc<Wanted>>);

struct Wanted {
    /// How long to wait for what editors say.
    wait: Duration,
    /// Its files with what was said of them right before the change.
    files: Mutex<Vec<Watched>>,
}

/// A file of such a request.
#[derive(Clone)]
struct Watched {
    target: Target,
    before: Vec<SaidBefore>,
}

/// What an editor said of it.
#[derive(Clone)]
struct SaidBefore {
    session: SessionId,
    /// Whether it is to be waited for.
    tells: bool,
    /// The version that it had open.
    version: Option<i32>,
    /// Counts the reports.
    number: u64,
    items: Before,
}

impl SaidBefore {
    fn of(diagnosed: &Diagnosed) -> Self {
        let report = diagnosed.report.as_deref();
        Self {
            session: diagnosed.session,
            tells: diagnosed.tells,
            version: diagnosed.version,
            number: report.map_or(0, |report| report.number),
            items: report.map(|report| Before::of(report, diagnosed.text_of_report())).unwrap_or_default(),
        }
    }

    /// Whether a report is about a text after the change.
    fn precedes(&self, report: &Report) -> bool {
        match (self.version, report.version) {
            (Some(before), Some(now)) => now > before,
            _ => report.number > self.number,
        }
    }
}

impl Watch {
    /// For a request with this `diagnosticsWaitMs`. Without one it costs nothing.
    pub(crate) fn of(wait_ms: Option<u64>) -> Self {
        let wanted = |ms: u64| Wanted {
            wait: Duration::from_millis(ms.min(DIAGNOSTICS_WAIT_MS)),
            files: Mutex::default(),
        };
        Self(wait_ms.map(|ms| Arc::new(wanted(ms))))
    }

    /// Notes what is said of the files right before they are changed.
    pub(crate) fn begin(&self, core: &Core, targets: Vec<&Target>) {
        let Some(wanted) = &self.0 else { return };
        let watched = |target: &Target| Watched {
            target: target.clone(),
            before: core.diagnosed(target).iter().map(SaidBefore::of).collect(),
        };
        *wanted.files.lock() = targets.into_iter().map(watched).collect();
    }

    /// Adds what is new to the answer, when it is there or the time is over. Nothing is held meanwhile.
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
                core.add_fresh(&session, file, &mut fresh);
            }
            fresh
        });
        // The change has happened: it is told even if this cannot be.
        result.diagnostics = Some(fresh.await.unwrap_or_default());
    }
}

impl Core {
    /// What editors say of a file.
    pub(crate) fn diagnosed(&self, target: &Target) -> Vec<Diagnosed> {
        let (path, key) = (target.path.clone(), target.key.clone());
        self.ask(|reply| Event::Diagnostics(DiagnosticsEvent::Of { path, key, reply })).unwrap_or_default()
    }

    /// Until every editor that tells has told of the files as they are after the change, or is gone.
    async fn wait_for_diagnostics(&self, files: &[Watched], deadline: Instant) {
        loop {
            let mut told = pin!(self.diagnoses.notified());
            // What is told between the look and the wait counts.
            told.as_mut().enable();
            if files.iter().all(|file| self.is_told(file)) || timeout_at(deadline, told).await.is_err() {
                return;
            }
        }
    }

    fn is_told(&self, file: &Watched) -> bool {
        let now = self.diagnosed(&file.target);
        let has_told = |before: &SaidBefore| {
            let now = now.iter().find(|now| now.session == before.session && now.tells);
            now.is_none_or(|now| now.report.as_ref().is_some_and(|report| before.precedes(report)))
        };
        file.before.iter().filter(|before| before.tells).all(has_told)
    }

    fn add_fresh(&self, session: &SessionContext, file: Watched, fresh: &mut Vec<DiagnosticEntry>) {
        let Ok(observed) = self.observe(file.target.clone()) else { return };
        let Some(present) = observed.truth.snapshot() else { return };
        let said = self.diagnosed(&file.target);
        for before in file.before {
            let Some(now) = said.iter().find(|now| now.session == before.session) else { continue };
            let Some(report) = now.report.as_ref().filter(|report| before.precedes(report)) else {
                continue;
            };
            let told = Told::of(&file.target.path, now, &present.text, session.encoding);
            for index in before.items.fresh(report, told.text) {
                let entry = told.entry(&report.items[index], &present.hash.to_string());
                // Two editors with the same language server say the same.
                if fresh.len() < DIAGNOSTICS_LISTED && !fresh.contains(&entry) {
                    fresh.push(entry);
                }
            }
        }
    }
}

/// How entries of a report are told to somebody.
pub(crate) struct Told<'a> {
    path: &'a Path,
    /// The text that the entries are about, as far as it is known.
    text: &'a Text,
    /// Whether it is known to be that.
    is_current: bool,
    from: PositionEncoding,
    to: PositionEncoding,
}

impl<'a> Told<'a> {
    /// `present` is the file's text now.
    pub(crate) fn of(
        path: &'a Path,
        diagnosed: &'a Diagnosed,
        present: &'a Text,
        to: PositionEncoding,
    ) -> Self {
        let text = diagnosed.text_of_report();
        let text = text.filter(|text| *text == present || eq_folded(text, &present.to_string()));
        let from = diagnosed.report.as_ref().map_or(to, |report| report.encoding);
        Self { path, text: text.unwrap_or(present), is_current: text.is_some(), from, to }
    }

    /// `hash` is that of the file's text now.
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
