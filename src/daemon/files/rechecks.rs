//! Rechecks of files with open documents.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent rechecks.
const MAX_CONCURRENT: usize = 2;

/// The files that are being rechecked because of their open documents. Each is rechecked by a single task,
/// however often its editor changes it.
#[derive(Debug)]
pub(crate) struct RecheckQueue {
    /// The running rechecks. The value is `true` if another recheck was requested in the meantime.
    running: Mutex<HashMap<PathBuf, bool>>,
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

    /// Waits until fewer than the maximum number of rechecks run.
    pub(crate) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.room.clone().acquire_owned().await.ok()
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
