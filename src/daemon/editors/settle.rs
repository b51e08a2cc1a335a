//! Settling interrupted sets when their editors reconnect.

use std::path::Path;

use crate::disk::Target;
use crate::text::ContentHash;
use crate::workspace::{Refusal, RefusalKind};

use crate::daemon::Core;
use crate::daemon::files::open_documents::{OpenDocument, SyncState};

use super::back::{Side, UndoOutcome, side};

impl Core {
    /// Deletes the records of sets that an earlier process committed: all their files on disk have the new
    /// content.
    pub(crate) fn forget_committed(&self) {
        for set in self.interrupted.all() {
            let has_new_content = |(path, hash): &(std::path::PathBuf, Option<String>)| {
                let now = std::fs::read(path).ok().map(|bytes| ContentHash::of(&bytes).to_string());
                now == *hash
            };
            if !set.files().is_empty() && set.files().iter().all(has_new_content) {
                self.interrupted.end(set.transaction());
            }
        }
    }

    /// Undoes the edits of interrupted sets in the documents of a file. The caller holds the lock of the
    /// file.
    pub(crate) fn settle_interrupted(&self, target: &Target) {
        let waiting = self.interrupted.of(&target.path);
        if waiting.is_empty() {
            return;
        }
        let Ok(observed) = self.observe(target.clone()) else { return };
        let Some(open_documents) = &observed.open else { return };
        for (transaction, reached) in waiting {
            let Some((after, inverse)) = reached.undo_plan() else {
                self.interrupted.settle(&transaction, &target.path);
                continue;
            };
            // A document that equals the disk was saved by the user, or the file was changed since.
            let is_unsynced = |document: &&OpenDocument| document.sync_state != SyncState::Same;
            let is_settled = |document: &OpenDocument| match side(
                &after,
                &inverse,
                &document.buffer.text,
                self.deadline(),
            ) {
                Side::After => {
                    let buffer = document.buffer.clone();
                    let outcome = self.undo_edit_in(buffer, after.clone(), inverse.clone());
                    matches!(outcome, UndoOutcome::Undone | UndoOutcome::TypedOver)
                }
                Side::Before => true,
                Side::Unclear => {
                    let path = target.path.display();
                    tracing::warn!(%path, "an interrupted edit was typed over and is not undone");
                    true
                }
            };
            if open_documents.iter().filter(is_unsynced).all(is_settled) {
                self.interrupted.settle(&transaction, &target.path);
            }
        }
    }

    /// Refuses a change of a file that is part of an interrupted set.
    pub(super) fn require_not_interrupted(&self, target: &Target) -> Result<(), Refusal> {
        self.settle_interrupted(target);
        let Some(transaction) = self.interrupted.blocks(&target.path) else { return Ok(()) };
        Err(Refusal::at(&target.path, RefusalKind::Recovering { transaction }))
    }

    /// Forgets interrupted edits of files that were changed since.
    pub(crate) fn forget_interrupted<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        for path in paths {
            for (transaction, _) in self.interrupted.of(path) {
                self.interrupted.settle(&transaction, path);
            }
        }
    }
}
