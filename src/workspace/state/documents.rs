use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::Text;
use crate::workspace::buffers::{Buffer, BufferId, Loaded, TextChange};
use crate::workspace::diagnostics::Report;
use crate::workspace::files::FileKey;
use crate::workspace::session::SessionId;

use super::Workspace;

/// An event of a document that an editor has open.
#[derive(Debug)]
pub enum DocumentEvent {
    /// The editor opened the document.
    Opened(Box<Buffer>),
    /// The editor changed the text.
    Changed {
        /// The document.
        id: BufferId,
        /// Version after the change; `None` means the next one.
        version: Option<i32>,
        /// Changes, in the order in which they apply.
        changes: Vec<TextChange>,
    },
    /// The editor sent a change that does not fit, so the text is no longer known.
    Lost(BufferId),
    /// The editor saved the document.
    Saved(BufferId),
    /// The editor closed the document.
    Closed(BufferId),
    /// The editor reported whether the document has unsaved changes.
    State {
        /// The document.
        id: BufferId,
        /// `true` if it has unsaved changes.
        dirty: bool,
        /// Version to which the report applies.
        version: i32,
    },
    /// The user switched to the document.
    Focused(BufferId),
    /// The document was found to match its file on disk.
    Settled {
        /// The document.
        id: BufferId,
        /// The matching text and file.
        loaded: Loaded,
    },
}

impl DocumentEvent {
    /// The document that the event is about.
    pub fn id(&self) -> &BufferId {
        match self {
            Self::Opened(buffer) => &buffer.id,
            Self::Changed { id, .. }
            | Self::Lost(id)
            | Self::Saved(id)
            | Self::Closed(id)
            | Self::State { id, .. }
            | Self::Focused(id)
            | Self::Settled { id, .. } => id,
        }
    }
}

/// Effects of a [`DocumentEvent`] for the caller to carry out.
#[derive(Clone, Debug)]
pub struct DocumentEffect {
    /// Path of the file.
    pub path: PathBuf,
    /// `true` if any session has read the file.
    pub is_read: bool,
    /// `true` if the document may match the file on disk now, which the caller should check.
    pub may_be_same: bool,
}

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
    /// Applies an event of a document. Returns `None` if the document is open neither before nor after.
    pub fn update_document(&mut self, event: DocumentEvent) -> Option<DocumentEffect> {
        let id = event.id().clone();
        let before = self.buffers().get(&id).cloned();
        let was_unchanged = before.as_ref().is_some_and(|buffer| !buffer.touched);
        let may_be_same = match &event {
            DocumentEvent::Opened(_) | DocumentEvent::Saved(_) => true,
            // A repeated report changes nothing.
            DocumentEvent::State { dirty: false, .. } => {
                before.as_ref().is_some_and(|buffer| buffer.dirty != Some(false) || buffer.touched)
            }
            // The first change may be a reload of the file.
            DocumentEvent::Changed { .. } => was_unchanged,
            _ => false,
        };
        if let DocumentEvent::Closed(id) = &event {
            self.close_document(id);
        }
        let buffers = self.buffers_mut();
        match event {
            DocumentEvent::Opened(buffer) => buffers.open(*buffer),
            DocumentEvent::Changed { id, version, changes } => {
                let next = || before.as_ref().map_or(0, |buffer| buffer.version.saturating_add(1));
                buffers.change(&id, version.unwrap_or_else(next), changes);
            }
            DocumentEvent::Lost(id) => buffers.lose(&id),
            DocumentEvent::Saved(id) => buffers.save(&id),
            DocumentEvent::Closed(_) => {}
            DocumentEvent::State { id, dirty, version } => buffers.set_dirty(&id, dirty, version),
            DocumentEvent::Focused(id) => buffers.focus(&id),
            DocumentEvent::Settled { id, loaded } => buffers.settle(&id, loaded),
        }
        let buffer = before.as_ref().or_else(|| self.buffers().get(&id))?;
        let is_read = self.is_read(&buffer.key);
        Some(DocumentEffect { path: buffer.path.clone(), is_read, may_be_same })
    }

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
