use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::buffers::{Buffer, BufferId, Loaded, TextChange};
use crate::diagnostics::Report;
use crate::files::FileKey;
use crate::session::SessionId;
use editd_text::{Position, Text};

use super::Workspace;

/// An event of a document that an editor has open.
#[derive(Debug)]
pub enum DocumentEvent {
    /// The editor opened the document.
    Opened(Box<Buffer>),
    /// The editor changed the text.
    Changed {
        /// Version after the change; `None` means the next one.
        version: Option<i32>,
        /// Changes, in the order in which they apply.
        changes: Vec<TextChange>,
    },
    /// The editor sent a change that does not fit, so the text is no longer known.
    Lost,
    /// The editor saved the document.
    Saved,
    /// The editor closed the document.
    Closed,
    /// The editor reported whether the document has unsaved changes.
    State {
        /// `true` if it has unsaved changes.
        dirty: bool,
        /// Version to which the report applies.
        version: i32,
    },
    /// The user switched to the document, or selects something else in it.
    Focused {
        /// Start and end of the selection, if the editor reports it.
        selection: Option<(Position, Position)>,
    },
    /// The document was found to match its file on disk, with this text and file.
    Settled(Loaded),
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
    pub fn update_document(&mut self, id: &BufferId, event: DocumentEvent) -> Option<DocumentEffect> {
        let before = self.buffers.get(id).cloned();
        let may_be_same = match &event {
            DocumentEvent::Opened(_) | DocumentEvent::Saved => true,
            // A repeated report changes nothing.
            DocumentEvent::State { dirty: false, .. } => {
                before.as_ref().is_some_and(|buffer| buffer.dirty != Some(false) || buffer.touched)
            }
            // The first change may be a reload of the file.
            DocumentEvent::Changed { .. } => before.as_ref().is_some_and(|buffer| !buffer.touched),
            _ => false,
        };
        let changes_open = matches!(event, DocumentEvent::Opened(_) | DocumentEvent::Closed);
        let buffers = &mut self.buffers;
        match event {
            DocumentEvent::Opened(buffer) => buffers.open(*buffer),
            DocumentEvent::Changed { version, changes } => {
                let next = || before.as_ref().map_or(0, |buffer| buffer.version.saturating_add(1));
                buffers.change(id, version.unwrap_or_else(next), changes);
            }
            DocumentEvent::Lost => buffers.get_mut(id)?.lose(),
            DocumentEvent::Saved => buffers.get_mut(id)?.save(),
            DocumentEvent::Closed => {
                if let Some(buffer) = buffers.close(id) {
                    self.diagnostics.remove(id.session, &buffer.path);
                }
            }
            DocumentEvent::State { dirty, version } => buffers.get_mut(id)?.set_dirty(dirty, version),
            DocumentEvent::Focused { selection } => buffers.focus(id, selection),
            DocumentEvent::Settled(loaded) => buffers.get_mut(id)?.settle(loaded),
        }
        if changes_open {
            self.update_reviewer(id.session);
        }
        let buffer = before.as_ref().or_else(|| self.buffers.get(id))?;
        let is_read = self.is_read(&buffer.key);
        Some(DocumentEffect { path: buffer.path.clone(), is_read, may_be_same })
    }

    /// Stores an editor's diagnostics for a document, replacing the previous ones. `path` is the path of the
    /// file in case the document is not open.
    pub fn diagnose(&mut self, id: &BufferId, path: &Path, mut report: Report) {
        let open = self.buffers.get(id);
        for (item, buffer) in report.items.iter_mut().filter_map(|item| Some((item, open?))) {
            (item.start, item.end) = (buffer.position_in_text(item.start), buffer.position_in_text(item.end));
        }
        if self.sessions.contains_key(&id.session) {
            self.diagnostics.insert(id.session, open.map_or(path, |buffer| &buffer.path), report);
        }
    }

    /// Returns the diagnostics for a file, by editor, including editors that have it open without any.
    pub fn diagnosed(&self, path: &Path, key: &FileKey) -> Vec<Diagnosed> {
        let mut open = self.buffers.of(path, key);
        open.sort_by(|a, b| a.id.cmp(&b.id));
        let with_document = |buffer: &Buffer| {
            let session = buffer.id.session;
            Diagnosed {
                session,
                tells: self.sessions.get(&session).is_some_and(|session| session.abilities.diagnostics),
                version: Some(buffer.version),
                text: buffer.blocked_reason.is_none().then(|| buffer.text.clone()),
                report: self.diagnostics.of(session, &buffer.path).cloned(),
            }
        };
        let mut diagnosed: Vec<Diagnosed> = open.into_iter().map(with_document).collect();
        for session in self.diagnostics.sessions(path) {
            if diagnosed.iter().all(|diagnosed| diagnosed.session != session) {
                let report = self.diagnostics.of(session, path).cloned();
                diagnosed.push(Diagnosed { session, tells: false, version: None, text: None, report });
            }
        }
        diagnosed
    }
}
