//! Changes files through the editors that have them open.
//!
//! An open document belongs to its editor: editd sends the edit to the editor, and then compares the document
//! with the intended text. A file that no editor has open, or that its editor would damage by saving it, is
//! written on disk.

mod apply;
mod back;
mod interrupted;
mod language_servers;
pub(crate) mod open_files;
mod ready;
mod renamed;
mod route;
mod saved;

pub(crate) use interrupted::Interrupted;
pub(crate) use language_servers::{FileInEditor, RENAME, ServedFiles, ServedUses, only_rename};
pub(crate) use renamed::renamed_documents;
pub(crate) use route::{EditorPart, Saving};

use std::time::Duration;

use crate::engine::Engine;
use editd_workspace::buffers::Buffer;
use editd_workspace::{Abilities, SessionId};

/// Timeout for an editor to apply edits. Editors do so between two keystrokes; an editor that does not is
/// busy.
pub(crate) const APPLY: Duration = Duration::from_secs(10);

/// Timeout for an editor to reload a file, or to report a change that it has made.
pub(crate) const SETTLE: Duration = Duration::from_secs(2);

/// Timeout for an editor to save, which may run formatters.
pub(crate) const SAVE: Duration = Duration::from_secs(10);

/// Interval at which a document is checked while waiting for its editor.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The name and the capabilities of an editor.
#[derive(Clone, Debug)]
pub(crate) struct Editor {
    pub(crate) name: String,
    pub(crate) abilities: Abilities,
}

impl Engine {
    /// Returns the editor of a session, or `None` if it has disconnected.
    pub(crate) fn editor(&self, session: SessionId) -> Option<Editor> {
        self.clients.get(session)?;
        self.workspace.update(|w| {
            let session = w.session(session)?;
            Some(Editor { name: session.author.clone(), abilities: session.abilities })
        })
    }

    /// Returns the open documents of an editor.
    pub(crate) fn open_in(&self, session: SessionId) -> Vec<Buffer> {
        let is_in = |buffer: &&Buffer| buffer.id.session == session;
        self.workspace.update(|w| w.buffers.all().filter(is_in).cloned().collect())
    }
}
