use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::Text;
use crate::workspace::buffers::{Buffer, BufferId};
use crate::workspace::diagnostics::Report;
use crate::workspace::{FileKey, SessionId};

use super::Workspace;

/// An editor's view of a file: its diagnostics and its open document.
#[derive(Clone, Debug)]
pub struct Diagnosed {
    /// The editor's session.
    pub session: SessionId,
    /// `true` if it has the file open and announced that it sends diagnostics, so that more can be expected.
    pub tells: bool,
    /// Current version of its document, if open.
    pub version: Option<i32>,
    /// Text of the document, if open.
    pub text: Option<Text>,
    /// Latest report of the editor.
    pub report: Option<Arc<Report>>,
}

impl Diagnosed {
    /// Returns the text that the report refers to, if it is the current text of the document.
    pub fn text_of_report(&self) -> Option<&Text> {
        let is_current = self.report.as_ref().is_some_and(|report| report.version == self.version);
        self.text.as_ref().filter(|_| is_current)
    }
}

impl Workspace {
    /// Stores an editor's diagnostics for a document, replacing the previous ones. `path` is the path of the
    /// file in case the document is not open.
    pub fn diagnose(&mut self, id: &BufferId, path: &Path, report: Report) {
        let open = self.buffers.get(id).map(|buffer| buffer.path.clone());
        if self.sessions.contains_key(&id.session) {
            self.diagnostics.insert(id.session, open.as_deref().unwrap_or(path), report);
        }
    }

    /// Removes a closed document and its diagnostics.
    pub fn close_document(&mut self, id: &BufferId) {
        if let Some(buffer) = self.buffers.close(id) {
            self.diagnostics.remove(id.session, &buffer.path);
        }
    }

    /// Returns the diagnostics for a file, by editor, including editors that have it open without any.
    pub fn diagnosed(&self, path: &Path, key: &FileKey) -> Vec<Diagnosed> {
        let mut open: Vec<_> =
            self.buffers.of(path, key).into_iter().map(|buffer| (buffer.id.session, buffer)).collect();
        open.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        let mut diagnosed: Vec<Diagnosed> =
            open.into_iter().map(|(session, buffer)| self.open_in(session, buffer)).collect();
        for session in self.diagnostics.sessions(path) {
            if diagnosed.iter().all(|diagnosed| diagnosed.session != session) {
                let report = self.diagnostics.of(session, path).cloned();
                diagnosed.push(Diagnosed { session, tells: false, version: None, text: None, report });
            }
        }
        diagnosed
    }

    fn open_in(&self, session: SessionId, buffer: &Buffer) -> Diagnosed {
        Diagnosed {
            session,
            tells: self.sessions.get(&session).is_some_and(|session| session.abilities.diagnostics),
            version: Some(buffer.version),
            text: buffer.blocked_reason.is_none().then(|| buffer.text.clone()),
            report: self.diagnostics.of(session, &buffer.path).cloned(),
        }
    }

    /// Returns the files with diagnostics.
    pub fn diagnosed_files(&self) -> Vec<PathBuf> {
        self.diagnostics.files()
    }
}
