//! Settling interrupted sets when their editors are back.

use std::path::Path;

use crate::edit::{Deadline, Plan};
use crate::text::{ContentHash, Text};
use crate::workspace::buffers::Buffer;
use crate::workspace::{FileKey, Refusal, RefusalKind};

use crate::daemon::Core;

use super::EditorsEvent;
use super::apply::{TakenBack, carried};

/// Which side of an edit a document is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// It holds the edit, whatever was typed elsewhere.
    After,
    Before,
    /// Somebody has typed just there.
    Unclear,
}

impl Core {
    /// Forgets the sets of an earlier process that have happened: everything on the disk is as they made it.
    pub(crate) fn forget_landed(&self) {
        for set in self.interrupted.all() {
            let is_there = |(path, hash): &(std::path::PathBuf, Option<String>)| {
                let now = std::fs::read(path).ok().map(|bytes| ContentHash::of(&bytes).to_string());
                now == *hash
            };
            if !set.files().is_empty() && set.files().iter().all(is_there) {
                self.interrupted.end(set.transaction());
            }
        }
    }

    /// Gives a file's documents their text again that hold a part of an interrupted set.
    pub(crate) fn settle_interrupted(&self, path: &Path) {
        for (transaction, reached) in self.interrupted.of(path) {
            let key = FileKey::path(path);
            let event = |reply| EditorsEvent::OpenCopies { path: path.to_owned(), key, reply };
            let open = self.ask_editors(event).unwrap_or_default();
            let Some((after, back)) = reached.way_back() else {
                self.interrupted.settle(&transaction, path);
                continue;
            };
            let put_back = |buffer: &Buffer| match side(&after, &back, &buffer.text, self.deadline()) {
                Side::After => {
                    self.take_back_from(buffer.clone(), after.clone(), back.clone()) != TakenBack::Gone
                }
                Side::Before => true,
                Side::Unclear => {
                    tracing::warn!(path = %path.display(), "an interrupted edit was typed over; it stays");
                    true
                }
            };
            if !open.is_empty() && open.iter().all(put_back) {
                self.interrupted.settle(&transaction, path);
            }
        }
    }

    /// Refuses a file that waits for its editor.
    pub(super) fn require_not_interrupted(&self, path: &Path) -> Result<(), Refusal> {
        self.settle_interrupted(path);
        let Some(transaction) = self.interrupted.blocks(path) else { return Ok(()) };
        Err(Refusal::at(path, RefusalKind::Recovering { transaction }))
    }
}

/// On which side of an edit a text is that may have been typed in since.
pub(super) fn side(after: &Text, back: &Plan, now: &Text, deadline: Deadline) -> Side {
    if carried((after, back), now, deadline).is_some() {
        return Side::After;
    }
    let text = after.to_string();
    let before = Text::from(back.apply(&text).as_str());
    let forth = back.invert(&text);
    if carried((&before, &forth), now, deadline).is_some() { Side::Before } else { Side::Unclear }
}
