//! Rechecks of files with open documents.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use crate::engine::Engine;
use crate::engine::files::locks::Client;
use crate::engine::jobs::blocking;
use editd_workspace::buffers::BufferId;
use editd_workspace::{DocumentEffect, DocumentEvent, FileKey};

/// Maximum number of concurrent rechecks.
const MAX_CONCURRENT: usize = 2;

/// The files that are being rechecked because of their open documents. Each is rechecked by a single task,
/// however often its editor changes it.
#[derive(Debug)]
pub(crate) struct RecheckQueue {
    /// The running rechecks. The value is `true` if another recheck was requested in the meantime.
    running: Mutex<HashMap<PathBuf, bool>>,
    /// Limits concurrent rechecks.
    room: Arc<Semaphore>,
}

impl Default for RecheckQueue {
    fn default() -> Self {
        Self { running: Mutex::default(), room: Arc::new(Semaphore::new(MAX_CONCURRENT)) }
    }
}

impl RecheckQueue {
    /// Requests a recheck of a file. Returns `true` if none is running, so that the caller must start one.
    pub(crate) fn begin(&self, path: &Path) -> bool {
        let mut running = self.running.lock();
        if let Some(again) = running.get_mut(path) {
            *again = true;
            return false;
        }
        running.insert(path.to_owned(), false);
        true
    }

    /// Ends a recheck. Returns `false` if another one was requested in the meantime, so that the caller must
    /// repeat it.
    pub(crate) fn end(&self, path: &Path) -> bool {
        let mut running = self.running.lock();
        match running.get_mut(path) {
            Some(again) if *again => {
                *again = false;
                false
            }
            _ => {
                running.remove(path);
                true
            }
        }
    }
}

/// Minimum time between two rechecks of a file, however many notifications its editor sends.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);

impl Engine {
    /// Applies an event of an editor to the workspace. Sessions that have read the file are notified when typing
    /// pauses.
    pub(crate) fn update_document(&self, id: &BufferId, event: DocumentEvent) {
        let is_closed = matches!(event, DocumentEvent::Closed);
        let effect = self.workspace.update(|w| w.update_document(id, event));
        let Some(DocumentEffect { path, is_read, may_be_same }) = effect else { return };
        if may_be_same || is_closed && self.interrupted.is_about(&path) {
            self.recheck_later(path.clone());
        }
        if is_read {
            self.hints.soon(path);
        }
    }

    /// Compares the open documents of a file with the disk, in the background.
    pub(crate) fn recheck_later(&self, path: PathBuf) {
        if !self.rechecks.begin(&path) {
            return;
        }
        let engine = self.clone();
        tokio::spawn(async move {
            loop {
                // Wait for the file lock, because requests in its queue may be about to change the file.
                let lock = engine.locks.join(Client::Daemon, vec![key_of(&path)]);
                lock.at_head().await;
                let permit = engine.rechecks.room.clone().acquire_owned().await;
                let (checker, at) = (engine.clone(), path.clone());
                // An error here is reported by the next request on the file.
                let _ = blocking(move || (checker.recheck(&at), lock, permit).0).await;
                if engine.rechecks.end(&path) {
                    return;
                }
                tokio::time::sleep(RECHECK_INTERVAL).await;
            }
        });
    }

    fn recheck(&self, path: &Path) -> Option<()> {
        let target = self.target_at(path)?;
        self.settle_interrupted(&target);
        self.observe(target).ok().map(drop)
    }
}

pub(crate) fn key_of(path: &Path) -> FileKey {
    match std::fs::metadata(path) {
        Ok(found) if found.nlink() > 1 => FileKey::Inode { device: found.dev(), inode: found.ino() },
        _ => FileKey::path(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_rechecked_by_one_task_and_again_on_request() {
        let (rechecks, path) = (RecheckQueue::default(), Path::new("/a"));
        assert!(rechecks.begin(path));
        assert!(!rechecks.begin(path) && !rechecks.begin(path));
        assert!(!rechecks.end(path) && rechecks.end(path));
        assert!(rechecks.begin(path));
    }
}
