//! The files that people have open in attached editors.

use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::engine::files::resolve::Purpose;
use crate::engine::{Engine, SessionContext};
use editd_text::{Position, PositionEncoding, floor_char_boundary};
use editd_workspace::RequestedPath;
use editd_workspace::buffers::Buffer;
use editd_workspace::limits::{OPEN_FILES_LISTED, OPEN_FILES_WAIT_MS, SELECTED_BYTES};

/// A file that an editor has open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    pub(crate) path: PathBuf,
    /// `true` if no other document had the focus since.
    pub(crate) is_active: bool,
    pub(crate) selection: Option<Selection>,
}

/// Selected text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// In the encoding of the session.
    pub(crate) start: Position,
    pub(crate) end: Position,
    pub(crate) text: String,
}

impl Selection {
    /// Returns the selection of a document, unless its text is not known.
    fn of(buffer: &Buffer, to: PositionEncoding) -> Option<Self> {
        let (start, end) = buffer.selection.filter(|_| buffer.blocked_reason.is_none())?;
        // Since the editor reported it, the text may have become shorter.
        let byte = |at| buffer.text.byte_of(buffer.position_in_text(at), buffer.encoding);
        let (start, end) = (byte(start), byte(end).max(byte(start)));
        let mut text = buffer.text.slice(start..end)?;
        text.truncate(floor_char_boundary(&text, SELECTED_BYTES));
        let position = |at| buffer.text.position_of(at, to);
        Some(Self { start: position(start), end: position(end), text })
    }
}

impl Engine {
    /// Returns the open files that a session may read, beginning with the one that had the focus last, and the
    /// revision of the list.
    pub(crate) fn open_files(&self, session: &SessionContext) -> (u64, Vec<OpenFile>) {
        let (revision, mut documents) = self.workspace.update(|w| {
            let documents: Vec<_> =
                w.buffers.all().map(|buffer| (w.buffers.is_focused(buffer), buffer.clone())).collect();
            (w.buffers.revision(), documents)
        });
        documents.sort_by(|(_, a), (_, b)| (b.focused, &a.path, &a.id).cmp(&(a.focused, &b.path, &b.id)));
        let mut files: Vec<OpenFile> = Vec::new();
        for (is_active, buffer) in documents {
            if files.len() == OPEN_FILES_LISTED {
                break;
            }
            // Files outside the roots and files that may not be read are omitted.
            let Ok(target) = self.locate(session, &RequestedPath::of(&buffer.path), Purpose::Read) else {
                continue;
            };
            // Of a file that several editors have open, the document that had the focus last counts.
            if files.iter().all(|file| file.path != target.path) {
                let selection = Selection::of(&buffer, session.encoding);
                files.push(OpenFile { path: target.path, is_active, selection });
            }
        }
        (revision, files)
    }

    /// Waits until the list of open files has another revision than `since`, at most `wait_ms`.
    pub(crate) async fn wait_for_focus(&self, since: Option<u64>, wait_ms: Option<u64>) {
        let wait = Duration::from_millis(wait_ms.unwrap_or_default().min(OPEN_FILES_WAIT_MS));
        let deadline = Instant::now() + wait;
        loop {
            let mut changed = pin!(self.focus_changed.notified());
            // Enabled before the check, so that a change between the check and the wait is not missed.
            changed.as_mut().enable();
            let is_new = since.is_none_or(|since| since != self.workspace.update(|w| w.buffers.revision()));
            if is_new || timeout_at(deadline, changed).await.is_err() {
                return;
            }
        }
    }
}
