//! Limits of the walks that run at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of walks at a time for the runs of one author.
const PER_AUTHOR: usize = 4;
/// Maximum number of walks at a time. They have to leave most threads to other requests.
const ALL: usize = 64;

/// Permits for walks.
#[derive(Debug)]
pub(super) struct WalkPermits {
    all: Arc<Semaphore>,
    authors: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Default for WalkPermits {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(ALL)), authors: Mutex::default() }
    }
}

impl WalkPermits {
    /// Waits until an author may begin another walk. The walk ends before the permits are dropped.
    pub(super) async fn acquire(&self, author: &str) -> [Option<OwnedSemaphorePermit>; 2] {
        let own = self.of(author).acquire_owned().await;
        let all = self.all.clone().acquire_owned().await;
        // The semaphores are never closed.
        [own.ok(), all.ok()]
    }

    fn of(&self, author: &str) -> Arc<Semaphore> {
        let mut authors = self.authors.lock();
        if let Some(known) = authors.get(author).and_then(Weak::upgrade) {
            return known;
        }
        authors.retain(|_, semaphore| semaphore.strong_count() > 0);
        let new = Arc::new(Semaphore::new(PER_AUTHOR));
        authors.insert(author.to_owned(), Arc::downgrade(&new));
        new
    }
}
