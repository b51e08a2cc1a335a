//! Changes files through the editors that have them open.
//!
//! An open document belongs to its editor: editd sends the edit to the editor, and then compares the document
//! with the intended text. A file that no editor has open, or that its editor would damage by saving it, is
//! written on disk.

mod apply;
mod back;
mod interrupted;
mod ready;
mod route;
mod save;
mod settle;

pub(crate) use interrupted::Interrupted;
pub(crate) use route::{EditorPart, Saving};

use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::protocol::RpcError;
use crate::workspace::buffers::Buffer;
use crate::workspace::{Abilities, SessionId};

use super::Core;
use super::clients::PendingResponse;

/// Timeout for an editor to apply edits. Editors do so between two keystrokes; an editor that does not is
/// busy.
const APPLY: Duration = Duration::from_secs(10);
/// Timeout for an editor to reload a file, or to report a change that it has made.
const SETTLE: Duration = Duration::from_secs(2);
/// Timeout for an editor to save, which may run formatters.
const SAVE: Duration = Duration::from_secs(10);
/// Interval at which a document is checked while waiting for its editor.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The name and the capabilities of an editor.
#[derive(Clone, Debug)]
pub(crate) struct Editor {
    pub(crate) name: String,
    pub(crate) abilities: Abilities,
}

/// The error of a request to an editor.
#[derive(Clone, Debug)]
pub(crate) enum EditorRequestError {
    /// The editor has disconnected.
    Gone,
    /// The editor did not answer in time.
    Late,
    /// The editor answered with an error.
    Error(RpcError),
}

impl Core {
    /// Returns the editor of a session, or `None` if it has disconnected.
    pub(crate) fn editor(&self, session: SessionId) -> Option<Editor> {
        self.workspace.update(|w| {
            let session = w.session(session)?;
            Some(Editor { name: session.author.clone(), abilities: session.abilities })
        })
    }

    /// Returns the open documents of an editor.
    pub(crate) fn open_in(&self, session: SessionId) -> Vec<Buffer> {
        let is_in = |buffer: &&Buffer| buffer.id.session == session;
        self.workspace.update(|w| w.buffers().all().filter(is_in).cloned().collect())
    }
}

/// Waits for the answer of an editor, on a thread that may block. After a timeout the caller can wait again.
fn answer(asked: &mut PendingResponse, timeout: Duration) -> Result<Value, EditorRequestError> {
    let answered = Handle::current().block_on(tokio::time::timeout(timeout, asked));
    match answered {
        Ok(Ok(Ok(value))) => Ok(value),
        Ok(Ok(Err(error))) => Err(EditorRequestError::Error(error)),
        Ok(Err(_)) => Err(EditorRequestError::Gone),
        Err(_) => Err(EditorRequestError::Late),
    }
}

impl EditorRequestError {
    fn reason(&self, timeout: Duration) -> String {
        match self {
            Self::Gone => "it disconnected".to_owned(),
            Self::Late => format!("it did not answer within {} s", timeout.as_secs()),
            Self::Error(error) => error.message.trim_end_matches('.').to_owned(),
        }
    }
}
