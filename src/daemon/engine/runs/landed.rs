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
use editd_workspace::PlannedFile;
use editd_workspace::history::{DISK, PastAction, PastEntry, PathChange, TERMINAL};
use editd_workspace::limits::LANDED_FILES;
use editd_workspace::review::to_decide;

/// Maximum number of files whose content is not recorded that a review names.
const OMITTED_NAMED: usize = 10;

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
    /// Queues a change for review, unless a person has run the command or its author is not known.
    pub(super) fn queue_for_review(
        &self,
        of: &Arc<RunRoot>,
        (author, transaction): (&str, Arc<str>),
        files: Vec<FileChange>,
    ) {
        if ![TERMINAL, DISK].contains(&author) {
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

    fn review_landed(&self, LandedChange { of: of_root, transaction, files }: &LandedChange) {
        let recorded = || self.history.find(transaction).filter(|recorded| recorded.undone_by.is_none());
        let Some(change) = recorded() else { return };
        let entry = &*change.entry;
        let changed = entry.paths.iter().map(|change| change.path.clone());
        if !self.reviews_agents(files.iter().map(|file| file.path().to_owned()).chain(changed)) {
            return;
        }
        let inverse: Vec<_> = entry.paths.iter().map(PathChange::inverse).collect();
        // A revert creates what was deleted.
        let of = |action| {
            let files = entry.files.iter().filter(move |file| file.action == action);
            files.map(|file| file.path.as_path()).collect()
        };
        let mut paths = to_decide(&inverse, (of(PastAction::Delete), of(PastAction::Create)));
        let parts = files.chunks(LANDED_FILES).collect::<Vec<_>>();
        // Links, folders and permissions may be all that has changed.
        let parts = if parts.is_empty() && !paths.is_empty() { vec![&[][..]] } else { parts };
        let count = parts.len();
        for (at, part) in (1..).zip(parts) {
            let reverting = self.reverting((of_root, entry), part);
            let label = entry.label.clone();
            let label = if count > 1 {
                let label = label.unwrap_or_else(|| transaction.to_string());
                Some(format!("{label} (part {at} of {count})"))
            } else {
                label
            };
            let (paths, now) = (std::mem::take(&mut paths), SystemTime::now());
            let reason = if at == 1 { omitted_note(entry) } else { None };
            let opened = self.workspace.update(|w| {
                w.review_landed((entry, label, reason), of_root.root.path(), (reverting, paths), now)
            });
            if let Err(refusal) = opened {
                tracing::warn!(?refusal, %transaction, "a landed change has no review");
            }
        }
        // An undo that has ended since has not seen the review.
        if recorded().is_none() {
            self.workspace.update(|w| w.landed_undone(transaction));
        }
    }

    /// Returns the changes that revert files of a landed change. If a content is no longer in the snapshot, because
    /// another command has changed the file since, the change has no texts.
    fn reverting(&self, (of, entry): (&RunRoot, &PastEntry), files: &[FileChange]) -> Vec<PlannedFile> {
        let base = self.disk.resolve(&of.root, Path::new(".editd")).ok();
        let revert = |(index, file): (usize, &FileChange)| {
            // The lock is released after each file, because the agent's next command needs it.
            let pending =
                base.as_ref().and_then(|base| self.pending(&of.state.lock(), base, &file.inverse(), index));
            match pending {
                Some((write, _)) => Some(write.computed.into_file()),
                None => entry.file_at(file.path()).map(|past| PlannedFile::reverting(past, &entry.id)),
            }
        };
        files.iter().enumerate().filter_map(revert).collect()
    }
}

/// Returns the reason that names changed files which the review does not cover.
fn omitted_note(entry: &PastEntry) -> Option<String> {
    let omitted = &entry.run.as_ref()?.omitted;
    let named: Vec<_> =
        omitted.iter().take(OMITTED_NAMED).map(|(path, _)| path.display().to_string()).collect();
    let more = match omitted.len().saturating_sub(OMITTED_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let is_some = !named.is_empty();
    is_some.then(|| {
        format!("changed files whose content is not recorded are not part of it: {}{more}", named.join(", "))
    })
}
