//! Settling interrupted sets when their editors are back.

use std::path::Path;

use crate::disk::Target;
use crate::text::ContentHash;
use crate::workspace::{Refusal, RefusalKind};

use crate::daemon::Core;
use crate::daemon::copies::{Copy, Standing};

use super::back::{Side, TakenBack, side};

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

    /// Gives a file's documents their text again that hold a part of an interrupted set. The caller holds the
    /// file's queue.
    pub(crate) fn settle_interrupted(&self, target: &Target) {
        let waiting = self.interrupted.of(&target.path);
        if waiting.is_empty() {
            return;
        }
        let Ok(observed) = self.observe(target.clone()) else { return };
        let Some(copies) = &observed.open else { return };
        for (transaction, reached) in waiting {
            let Some((after, back)) = reached.way_back() else {
                self.interrupted.settle(&transaction, &target.path);
                continue;
            };
            // What is on the disk was saved by a person, or committed since.
            let holds_more = |copy: &&Copy| copy.standing != Standing::Same;
            let put_back = |copy: &Copy| match side(&after, &back, &copy.buffer.text, self.deadline()) {
                Side::After => {
                    let (buffer, after, back) = (copy.buffer.clone(), after.clone(), back.clone());
                    matches!(self.take_back_from(buffer, after, back), TakenBack::Yes | TakenBack::TypedOver)
                }
                Side::Before => true,
                Side::Unclear => {
                    tracing::warn!(path = %target.path.display(), "an interrupted edit was typed over; it stays");
                    true
                }
            };
            if copies.iter().filter(holds_more).all(put_back) {
                self.interrupted.settle(&transaction, &target.path);
            }
        }
    }

    /// Refuses a file that waits for its editor.
    pub(super) fn require_not_interrupted(&self, target: &Target) -> Result<(), Refusal> {
        self.settle_interrupted(target);
        let Some(transaction) = self.interrupted.blocks(&target.path) else { return Ok(()) };
        Err(Refusal::at(&target.path, RefusalKind::Recovering { transaction }))
    }

    /// Files were changed: what was known of an interrupted change of them is of the past.
    pub(crate) fn forget_interrupted<'p>(&self, paths: impl Iterator<Item = &'p Path>) {
        for path in paths {
            for (transaction, _) in self.interrupted.of(path) {
                self.interrupted.settle(&transaction, path);
            }
        }
    }
}
