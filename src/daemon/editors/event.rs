//! What the books are told and asked of editors.

use std::path::PathBuf;

use crate::text::Text;
use crate::workspace::buffers::{Buffer, BufferId, Loaded, TextChange};
use crate::workspace::{FileKey, SessionId, Workspace};

use crate::daemon::event::Reply;

use super::Editor;

/// What happens to documents in editors.
pub(crate) enum DocumentEvent {
    Opened(Box<Buffer>),
    Changed {
        id: BufferId,
        version: i32,
        changes: Vec<TextChange>,
    },
    Saved(BufferId),
    Closed(BufferId),
    /// Its editor says whether it holds unsaved text.
    State {
        id: BufferId,
        dirty: bool,
        version: i32,
    },
    Focused(BufferId),
    /// A text that it held was found to be its file's.
    Settled {
        id: BufferId,
        loaded: Loaded,
    },
}

impl DocumentEvent {
    /// The document.
    pub(crate) fn id(&self) -> &BufferId {
        match self {
            Self::Opened(buffer) => &buffer.id,
            Self::Changed { id, .. }
            | Self::Saved(id)
            | Self::Closed(id)
            | Self::State { id, .. }
            | Self::Focused(id)
            | Self::Settled { id, .. } => id,
        }
    }
}

/// Everything that can happen to editors and their documents, but for their connections.
pub(crate) enum EditorsEvent {
    /// Something happened to a document in an editor. Answers its path if a session has read it.
    Document { event: DocumentEvent, reply: Reply<Option<PathBuf>> },
    /// Somebody asks who has a file open.
    OpenCopies { path: PathBuf, key: FileKey, reply: Reply<Vec<Buffer>> },
    /// Somebody waits for a document to hold a text; gives a number to ask by.
    Expect { id: BufferId, text: Text, reply: Reply<u64> },
    /// They ask whether it has.
    Reached { number: u64, reply: Reply<bool> },
    /// They wait no more.
    Unexpect { number: u64 },
    /// Somebody asks what an editor is called and can do.
    Editor { session: SessionId, reply: Reply<Option<Editor>> },
}

impl EditorsEvent {
    /// Handles it. A reply to somebody who has gone away is no error.
    pub(crate) fn handle(self, workspace: &mut Workspace) {
        match self {
            Self::Document { event, reply } => drop(reply.send(document(workspace, event))),
            Self::OpenCopies { path, key, reply } => {
                let copies = workspace.buffers().of(&path, &key).into_iter().cloned().collect();
                let _ = reply.send(copies);
            }
            Self::Expect { id, text, reply } => {
                let _ = reply.send(workspace.buffers_mut().expect(id, text));
            }
            Self::Reached { number, reply } => {
                let _ = reply.send(workspace.buffers().has_reached(number));
            }
            Self::Unexpect { number } => workspace.buffers_mut().forget(number),
            Self::Editor { session, reply } => {
                let editor = workspace
                    .session(session)
                    .map(|session| Editor { name: session.author.clone(), abilities: session.abilities });
                let _ = reply.send(editor);
            }
        }
    }
}

/// Notes what happened to a document. Gives its path if a session has read it.
fn document(workspace: &mut Workspace, event: DocumentEvent) -> Option<PathBuf> {
    let id = event.id().clone();
    let place = |workspace: &Workspace| {
        workspace.buffers().get(&id).map(|buffer| (buffer.key.clone(), buffer.path.clone()))
    };
    let before = place(workspace);
    let buffers = workspace.buffers_mut();
    match event {
        DocumentEvent::Opened(buffer) => buffers.open(*buffer),
        DocumentEvent::Changed { id, version, changes } => buffers.change(&id, version, changes),
        DocumentEvent::Saved(id) => buffers.save(&id),
        DocumentEvent::Closed(id) => drop(buffers.close(&id)),
        DocumentEvent::State { id, dirty, version } => buffers.set_dirty(&id, dirty, version),
        DocumentEvent::Focused(id) => buffers.focus(&id),
        DocumentEvent::Settled { id, loaded } => buffers.settle(&id, loaded),
    }
    let (key, path) = before.or_else(|| place(workspace))?;
    workspace.is_read(&key).then_some(path)
}
