//! Changes of commands that a tool of a client has announced with the same content. The tool has probably made them, and
//! its client reports them soon. One that is not reported in time is recorded as a change of the command.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::history_recording::Intent;
use crate::engine::jobs::blocking;
use crate::engine::native::PreparedChange;
use crate::engine::runs::RunRoot;
use crate::engine::runs::record::FileChange;
use editd_workspace::{Action, PlannedFile};

/// Time that a report may take. A client reports an edit right after its tool has made it.
const REPORT: Duration = Duration::from_secs(10);

/// The changes that are set aside, at most one of each file, oldest first.
#[derive(Debug, Default)]
pub(super) struct SetAsideChanges {
    changes: Mutex<Vec<SetAside>>,
    /// Notified when a change is added.
    added: Notify,
}

/// A change of a file, with all that its record needs.
pub(super) struct SetAside {
    of: Arc<RunRoot>,
    file: FileChange,
    write: PendingWrite,
    intent: Intent,
    due: Instant,
}

impl fmt::Debug for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SetAside").field(&self.file.path()).finish()
    }
}

impl SetAsideChanges {
    fn is_empty(&self) -> bool {
        self.changes.lock().is_empty()
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.changes.lock().iter().any(|change| change.file.path() == path)
    }

    pub(super) fn add(&self, change: SetAside) {
        self.changes.lock().push(change);
        self.added.notify_one();
    }

    /// Removes the changes that `is_it` selects.
    fn take(&self, is_it: impl Fn(&SetAside) -> bool) -> Vec<SetAside> {
        let mut changes = self.changes.lock();
        let (taken, left) = std::mem::take(&mut *changes).into_iter().partition(is_it);
        *changes = left;
        taken
    }

    fn due(&self) -> Option<Instant> {
        self.changes.lock().first().map(|change| change.due)
    }
}

impl SetAside {
    pub(super) fn new(of: &Arc<RunRoot>, file: FileChange, write: PendingWrite, intent: Intent) -> Self {
        Self { of: of.clone(), file, write, intent, due: Instant::now() + REPORT }
    }
}

impl Engine {
    /// Forgets the changes of files, because the client has reported them.
    pub(crate) fn reported<'a>(&self, files: impl IntoIterator<Item = &'a PlannedFile>) {
        if self.runs.set_aside.is_empty() {
            return;
        }
        for file in files {
            let new_path = match &file.action {
                Action::Rename { to, .. } => Some(to),
                _ => None,
            };
            let is_it = |path: &Path| path == file.path || new_path.is_some_and(|to| path == to);
            self.runs.set_aside.take(|change| is_it(change.file.path()));
        }
    }

    /// Records what is set aside of these files, before a later change of them is recorded.
    pub(crate) fn record_set_aside(&self, writes: &[PendingWrite]) {
        let is_concerned = |path: &Path| writes.iter().any(|write| write.computed.file.path == path);
        if !self.runs.set_aside.is_empty() {
            self.record_unreported(|change| is_concerned(change.file.path()));
        }
    }

    fn record_unreported(&self, is_it: impl Fn(&SetAside) -> bool) {
        for SetAside { of, file, write, intent, .. } in self.runs.set_aside.take(is_it) {
            // A late report would record it twice.
            for change in self.prepared.leading_to(file.path(), file.hash_after()) {
                let PreparedChange { label, origin, files } = &*change;
                let others = files.iter().filter(|it| !it.gives(file.path(), file.hash_after()));
                let files = others.cloned().collect();
                let rest = PreparedChange { label: label.clone(), origin: origin.clone(), files };
                self.prepared.replace(&change, rest);
            }
            match self.record_batch(&mut [write], &intent) {
                Ok(Some(transaction)) => {
                    self.queue_for_review(&of, (&intent.author, transaction), vec![file]);
                }
                Ok(None) => {}
                Err(refusal) => tracing::warn!(?refusal, "a change of a command is not recorded"),
            }
        }
    }

    /// Records all changes that are set aside, because the daemon stops.
    pub(crate) fn record_all_set_aside(&self) {
        self.record_unreported(|_| true);
    }

    /// Records changes that are not reported in time, until the daemon stops.
    pub(crate) async fn follow_set_aside(self) {
        loop {
            let pause = async {
                match self.runs.set_aside.due() {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => self.runs.set_aside.added.notified().await,
                }
            };
            tokio::select! {
                () = pause => {}
                () = self.stopped.cancelled() => return,
            }
            let (engine, now) = (self.clone(), Instant::now());
            if blocking(move || engine.record_unreported(|change| change.due <= now)).await.is_err() {
                return;
            }
        }
    }
}
