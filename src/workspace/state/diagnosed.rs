use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::Text;
use crate::workspace::buffers::{Buffer, BufferId};
use crate::workspace::diagnostics::Report;
use crate::workspace::{FileKey, SessionId};

use super::Workspace;

/// What an editor says of a file, and what it has of it.
#[derive(Clone, Debug)]
pub struct Diagnosed {
    /// The editor's session.
    pub session: SessionId,
    /// Whether it has the file open and has announced that it tells diagnostics: then more can be expected.
    pub tells: bool,
    /// The version of its document now, if it has it open.
    pub version: Option<i32>,
    /// The document's text, if it has it open.
    pub text: Option<Text>,
    /// What it said last.
    pub report: Option<Arc<Report>>,
}

impl Diagnosed {
    /// The text that the report is about, if that is what the document holds now.
    pub fn text_of_report(&self) -> Option<&Text> {
        let is_current = self.report.as_ref().is_some_and(|report| report.version == self.version);
        self.text.as_ref().filter(|_| is_current)
    }
}

impl Workspace {
    /// An editor says what is wrong in a document, in place of what it said before. `path` is where the file is
    /// if it does not have it open.
    pub fn diagnose(&mut self, id: &BufferId, path: &Path, report: Report) {
        let open = self.buffers.get(id).map(|buffer| buffer.path.clone());
        if self.sessions.contains_key(&id.session) {
            self.diagnostics.tell(id.session, open.as_deref().unwrap_or(path), report);
        }
    }

    /// A document was closed.
    pub fn close_document(&mut self, id: &BufferId) {
        if let Some(buffer) = self.buffers.close(id) {
            self.diagnostics.withdraw(id.session, &buffer.path);
        }
    }

    /// What editors say of a file, and which of them have it open.
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
            text: buffer.trouble.is_none().then(|| buffer.text.clone()),
            report: self.diagnostics.of(session, &buffer.path).cloned(),
        }
    }

    /// The files of which editors say something.
    pub fn diagnosed_files(&self) -> Vec<PathBuf> {
        self.diagnostics.files()
    }
}
