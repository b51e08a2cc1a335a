//! Review of what commands have changed. It opens after the answer about the run, so it never delays an agent.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::engine::Engine;
use crate::engine::jobs::blocking;
use crate::engine::runs::RunRoot;
use crate::engine::runs::record::FileChange;
use crate::workspace::PlannedFile;
use crate::workspace::history::{DISK, PathChange, TERMINAL};
use crate::workspace::limits::LANDED_FILES;
use crate::workspace::review::to_decide;

/// A recorded change of a command.
pub(super) struct LandedChange {
    of: Arc<RunRoot>,
    transaction: Arc<str>,
    files: Vec<FileChange>,
}

/// The recorded changes whose review has not been opened yet.
#[derive(Debug)]
pub(super) struct LandedQueue {
    sender: UnboundedSender<LandedChange>,
    receiver: Mutex<Option<UnboundedReceiver<LandedChange>>>,
}

impl Default for LandedQueue {
    fn default() -> Self {
        let (sender, receiver) = unbounded_channel();
        Self { sender, receiver: Mutex::new(Some(receiver)) }
    }
}

impl Engine {
    /// Queues a change for review, unless a person has run the command, its author is not known, or it has changed too many files.
    pub(super) fn queue_for_review(
        &self,
        of: &Arc<RunRoot>,
        (author, transaction): (&str, Arc<str>),
        files: Vec<FileChange>,
    ) {
        if ![TERMINAL, DISK].contains(&author) && (1..=LANDED_FILES).contains(&files.len()) {
            // The receiver is gone only when the daemon stops.
            let _ = self.runs.landed.sender.send(LandedChange { of: of.clone(), transaction, files });
        }
    }

    /// Opens the reviews of landed changes as they arrive, until the daemon stops.
    pub(crate) async fn follow_landed(self) {
        let Some(mut receiver) = self.runs.landed.receiver.lock().take() else { return };
        loop {
            let landed = tokio::select! {
                landed = receiver.recv() => landed,
                () = self.stopped.cancelled() => None,
            };
            let Some(landed) = landed else { return };
            let engine = self.clone();
            if let Err(failure) = blocking(move || engine.review_landed(&landed)).await {
                tracing::warn!(?failure, "the review of a landed change cannot be opened");
            }
        }
    }

    fn review_landed(&self, LandedChange { of, transaction, files }: &LandedChange) {
        if !self.reviews_agents(files.iter().map(|file| file.path().to_owned())) {
            return;
        }
        let recorded = || self.history.find(transaction).filter(|recorded| recorded.undone_by.is_none());
        let Some(change) = recorded() else { return };
        let Some(reverting) = self.reverting(of, files) else {
            tracing::warn!(%transaction, "a landed change has no review, because a content is no longer stored");
            return;
        };
        let paths: Vec<_> = change.entry.paths.iter().map(PathChange::inverse).collect();
        let paths = to_decide(&paths, &reverting);
        let (root, now) = (of.root.path(), SystemTime::now());
        let opened = self.workspace.update(|w| w.review_landed(&change.entry, root, reverting, paths, now));
        if let Err(refusal) = opened {
            tracing::warn!(?refusal, %transaction, "a landed change has no review");
        }
        // An undo that has ended since has not seen the review.
        if recorded().is_none() {
            self.workspace.update(|w| w.landed_undone(transaction));
        }
    }

    /// Returns the changes that revert a landed change, or `None` if a content is no longer stored.
    fn reverting(&self, of: &RunRoot, files: &[FileChange]) -> Option<Vec<PlannedFile>> {
        let base = self.disk.resolve(&of.root, Path::new(".editd")).ok()?;
        let revert = |(index, file): (usize, &FileChange)| {
            // The lock is released after each file, because the agent's next command needs it.
            let (write, _) = self.pending(&of.state.lock(), &base, &file.inverse(), index)?;
            Some(write.computed.into_file())
        };
        files.iter().enumerate().map(revert).collect()
    }
}
