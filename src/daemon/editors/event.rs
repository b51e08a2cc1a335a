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
    /// Without a version it is the one behind the last.
    Changed {
        id: BufferId,
        version: Option<i32>,
        changes: Vec<TextChange>,
    },
    /// What it holds is not known any more.
    Lost(BufferId),
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
            | Self::Lost(id)
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
    /// Something happened to a document in an editor.
    Document { event: DocumentEvent, reply: Reply<Option<Effect>> },
    /// Somebody asks who has a file open.
    OpenCopies { path: PathBuf, key: FileKey, reply: Reply<Vec<Buffer>> },
    /// Somebody asks what an editor has open.
    OpenIn { session: SessionId, reply: Reply<Vec<Buffer>> },
    /// Somebody asks for everything of which its editor does not say that it is saved.
    NotSaved { reply: Reply<Vec<Buffer>> },
    /// Somebody asks which files are open at all.
    OpenPaths { reply: Reply<Vec<PathBuf>> },
    /// Somebody waits for a document to hold a text; gives a number to ask by.
    Expect { id: BufferId, text: Text, reply: Reply<u64> },
    /// They ask whether it has.
    Reached { number: u64, reply: Reply<bool> },
    /// They wait no more.
    Forget { number: u64 },
    /// An editor has other folders open.
    Folders { session: SessionId, roots: Vec<PathBuf> },
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
            Self::OpenIn { session, reply } => {
                let of_session = workspace.buffers().all().filter(|buffer| buffer.id.session == session);
                let _ = reply.send(of_session.cloned().collect());
            }
            Self::NotSaved { reply } => {
                let open = workspace.buffers().all().filter(|buffer| buffer.dirty != Some(false));
                let _ = reply.send(open.cloned().collect());
            }
            Self::OpenPaths { reply } => {
                let _ = reply.send(workspace.buffers().all().map(|buffer| buffer.path.clone()).collect());
            }
            Self::Expect { id, text, reply } => {
                let _ = reply.send(workspace.buffers_mut().expect(id, text));
            }
            Self::Reached { number, reply } => {
                let _ = reply.send(workspace.buffers().has_reached(number));
            }
            Self::Forget { number } => workspace.buffers_mut().forget(number),
            Self::Folders { session, roots } => workspace.set_roots(session, roots),
            Self::Editor { session, reply } => {
                let editor = workspace
                    .session(session)
                    .map(|session| Editor { name: session.author.clone(), abilities: session.abilities });
                let _ = reply.send(editor);
            }
        }
    }
}

/// What follows of what happened to a document.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    /// Its file.
    pub(crate) path: PathBuf,
    /// Whether a session has read it.
    pub(crate) is_read: bool,
    /// Whether it may have come to be what is on the disk, which somebody should look at.
    pub(crate) may_be_same: bool,
}

/// Notes what happened to a document that is open before or after.
fn document(workspace: &mut Workspace, event: DocumentEvent) -> Option<Effect> {
    let id = event.id().clone();
    let before = workspace.buffers().get(&id).cloned();
    let was_unchanged = before.as_ref().is_some_and(|buffer| !buffer.touched);
    let may_be_same = match &event {
        DocumentEvent::Opened(_) | DocumentEvent::Saved(_) => true,
        // What it has said before needs no second look.
        DocumentEvent::State { dirty: false, .. } => {
            before.as_ref().is_some_and(|buffer| buffer.dirty != Some(false) || buffer.touched)
        }
        // A first change can be that the editor has loaded the file anew.
        DocumentEvent::Changed { .. } => was_unchanged,
        _ => false,
    };
    if let DocumentEvent::Closed(id) = &event {
        workspace.close_document(id);
    }
    let buffers = workspace.buffers_mut();
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
    let buffer = before.as_ref().or_else(|| workspace.buffers().get(&id))?;
    let is_read = workspace.is_read(&buffer.key);
    Some(Effect { path: buffer.path.clone(), is_read, may_be_same })
}
