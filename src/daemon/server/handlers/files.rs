//! Methods about the files that a session has read, about diagnostics, and about open files.

use std::sync::Arc;

use super::editor::id_of;
use super::search::path_of;
use crate::engine::files::changes::FileDifference;
use crate::engine::jobs::blocking;
use crate::engine::{Result, SessionContext};
use crate::server::{Daemon, encode};
use editd_disk::real_path;
use editd_protocol::{
    ChangedFile, ChangesParams, ChangesResult, DiagnosticsChangedParams, DiagnosticsResult, FileParams,
    ForgetResult, OpenFilesParams, OpenFilesResult, path_of_uri, requested_path, uri_of,
};
use editd_workspace::diagnostics::Report;

impl Daemon {
    /// `editd/changes`.
    pub async fn changes(
        &self,
        session: &Arc<SessionContext>,
        ChangesParams { since, path, uri }: ChangesParams,
    ) -> Result<ChangesResult> {
        let (cursor, files) = self.engine.changes(session, path_of(path, uri)?, since).await?;
        Ok(ChangesResult { cursor, files: files.into_iter().map(changed_file).collect() })
    }

    /// `editd/forget`. Waits for the file lock, so that it forgets exactly the content that was read before
    /// it.
    pub async fn forget(&self, session: &Arc<SessionContext>, params: FileParams) -> Result<ForgetResult> {
        let path = requested_path(params.path, params.uri, ("path", "uri"))?;
        let forgotten = self.engine.on_file(session, path, |engine, session, target, _| {
            engine.workspace.update(|w| w.forget(session.id, &target.key));
            Ok(ForgetResult {})
        });
        forgotten.await
    }

    /// Records the diagnostics that an editor reports for a document.
    pub fn diagnostics_changed(&self, session: &SessionContext, params: DiagnosticsChangedParams) {
        let Ok(path) = path_of_uri(&params.uri) else { return };
        let (id, path) = (id_of(session, &params.uri), real_path(&path));
        let DiagnosticsChangedParams { version, items, .. } = params;
        let report = Report { version, encoding: session.encoding, items, number: 0 };
        self.engine.workspace.update(|w| w.diagnose(&id, &path, report));
        self.engine.diagnostics_reported.notify_waiters();
    }

    /// `editd/diagnostics`.
    pub async fn diagnostics(
        &self,
        session: &Arc<SessionContext>,
        FileParams { path, uri }: FileParams,
    ) -> Result<DiagnosticsResult> {
        let (engine, session, only) = (self.engine.clone(), session.clone(), path_of(path, uri)?);
        let (items, truncated) = blocking(move || engine.diagnostics(&session, only.as_ref())).await??;
        Ok(DiagnosticsResult { items: encode::diagnostics(items), truncated })
    }

    /// `editd/openFiles`.
    pub async fn open_files(
        &self,
        session: &Arc<SessionContext>,
        OpenFilesParams { since, wait_ms }: OpenFilesParams,
    ) -> Result<OpenFilesResult> {
        self.engine.wait_for_focus(since, wait_ms).await;
        let (engine, session) = (self.engine.clone(), session.clone());
        let (revision, files) = blocking(move || engine.open_files(&session)).await?;
        Ok(OpenFilesResult { revision, files: files.into_iter().map(encode::open_file).collect() })
    }
}

fn changed_file(FileDifference { path, by, before, now, diff }: FileDifference) -> ChangedFile {
    ChangedFile {
        uri: uri_of(&path),
        path: path.display().to_string(),
        by,
        hash_before: Some(before.to_string()),
        hash: now.map(|hash| hash.to_string()),
        diff,
    }
}
