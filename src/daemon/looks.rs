use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Files that are looked at at the same time.
const AT_ONCE: usize = 2;

/// Which files are being looked at because of their open documents: each by one task, however often an editor
/// gives reason to.
#[derive(Debug)]
pub(crate) struct Looks {
    /// Whether there was reason to look again meanwhile.
    at: Mutex<HashMap<PathBuf, bool>>,
    room: Arc<Semaphore>,
}

impl Default for Looks {
    fn default() -> Self {
        Self { at: Mutex::default(), room: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

impl Looks {
    /// There is reason to look at a file. Whether nobody does yet.
    pub(crate) fn begin(&self, path: &Path) -> bool {
        let mut at = self.at.lock();
        if let Some(again) = at.get_mut(path) {
            *again = true;
            return false;
        }
        at.insert(path.to_owned(), false);
        true
    }

    /// It was looked at. Whether that was the last time for now.
    pub(crate) fn end(&self, path: &Path) -> bool {
        let mut at = self.at.lock();
        match at.get_mut(path) {
            Some(again) if *again => {
                *again = false;
                false
            }
            _ => {
                at.remove(path);
                true
            }
        }
    }

    /// Waits until few enough others look.
    pub(crate) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.room.clone().acquire_owned().await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_looked_at_by_one_and_once_more_if_there_was_reason() {
        let (looks, path) = (Looks::default(), Path::new("/a"));
        assert!(looks.begin(path));
        assert!(!looks.begin(path) && !looks.begin(path));
        assert!(!looks.end(path) && looks.end(path));
        assert!(looks.begin(path));
    }
}
