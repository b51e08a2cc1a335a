use std::path::PathBuf;
use std::sync::Arc;

use crate::disk::Target;
use crate::protocol::{
    DiagnosticEntry, DiagnosticsChangedParams, DiagnosticsResult, FileParams, RequestPath, path_of_uri,
};
use crate::workspace::limits::DIAGNOSTICS_LISTED;

use crate::daemon::diagnoses::EntryConverter;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::documents::{canonical, id_of};

impl Daemon {
    /// Records the diagnostics that an editor reports for a document.
    pub fn diagnostics_changed(&self, session: &SessionContext, params: DiagnosticsChangedParams) {
        let Ok(path) = path_of_uri(&params.uri) else { return };
        let (id, path) = (id_of(session, &params.uri), canonical(&path));
        let report = params.into_report(session.encoding);
        self.core.workspace.update(|w| w.diagnose(&id, &path, report));
        self.core.diagnoses.notify_waiters();
    }

    /// `editd/diagnostics`.
    pub async fn diagnostics(
        &self,
        session: &Arc<SessionContext>,
        FileParams { path, uri }: FileParams,
    ) -> Result<DiagnosticsResult, Failure> {
        let (core, session) = (self.core.clone(), session.clone());
        let only = match (path, uri) {
            (None, None) => None,
            (path, uri) => Some(RequestPath::from_fields(path, uri, ("path", "uri"))?),
        };
        blocking(move || core.diagnostics(&session, only.as_ref())).await?
    }
}

impl Core {
    fn diagnostics(
        &self,
        session: &SessionContext,
        only: Option<&RequestPath>,
    ) -> Result<DiagnosticsResult, Failure> {
        let targets = if let Some(path) = only {
            vec![self.locate(session, path, Purpose::Read)?]
        } else {
            let files = self.workspace.update(|w| w.diagnosed_files());
            // Files outside the roots and files that may not be read are omitted.
            let located = |path: &PathBuf| self.locate(session, &RequestPath::of(path), Purpose::Read).ok();
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
        Ok(DiagnosticsResult { items, truncated })
    }

    /// Returns all diagnostics of a file, sorted by position.
    fn entries(&self, session: &SessionContext, target: Target) -> Vec<DiagnosticEntry> {
        let diagnosed = self.diagnosed(&target);
        let path = target.path.clone();
        if diagnosed.iter().all(|one| one.report.as_ref().is_none_or(|report| report.items.is_empty())) {
            return Vec::new();
        }
        let Ok(observed) = self.observe(target) else { return Vec::new() };
        let Some(present) = observed.content.snapshot() else { return Vec::new() };
        let hash = present.hash.to_string();
        let mut entries: Vec<DiagnosticEntry> = Vec::new();
        for one in &diagnosed {
            let converter = EntryConverter::of(&path, one, &present.text, session.encoding);
            let items = one.report.iter().flat_map(|report| &report.items);
            entries.extend(items.map(|item| converter.entry(item, &hash)));
        }
        // Two editors with the same language server report the same diagnostics.
        entries.sort_by(|a, b| (position(a), &a.message).cmp(&(position(b), &b.message)));
        entries.dedup();
        entries
    }
}

fn position(entry: &DiagnosticEntry) -> [u32; 4] {
    let (start, end) = (entry.range.start, entry.range.end);
    [start.line, start.character, end.line, end.character]
}
