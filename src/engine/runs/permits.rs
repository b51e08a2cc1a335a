//! Limits of the walks that run at the same time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::engine::author_permits::AuthorPermits;

/// Maximum number of walks at a time for the runs of one author.
const PER_AUTHOR: usize = 4;
/// Maximum number of walks at a time. They have to leave most threads to other requests.
const ALL: usize = 64;

/// Permits for walks.
#[derive(Debug)]
pub(super) struct WalkPermits {
    all: Arc<Semaphore>,
    authors: AuthorPermits,
}

impl Default for WalkPermits {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(ALL)), authors: AuthorPermits::new(PER_AUTHOR) }
    }
}

impl WalkPermits {
    /// Waits until an author may begin another walk. The walk ends before the permits are dropped.
    pub(super) async fn acquire(&self, author: &str) -> [Option<OwnedSemaphorePermit>; 2] {
        let own = self.authors.acquire(author).await;
        // The semaphore is never closed.
        [own, self.all.clone().acquire_owned().await.ok()]
    }
}
