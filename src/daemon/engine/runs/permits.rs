//! Limits of the walks that run at the same time.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::engine::shares::{Requester, Shares, Used};

/// Maximum number of walks at a time for the runs of one client.
const PER_CLIENT: u32 = 4;
/// Maximum number of walks at a time. They have to leave most threads to other requests.
const ALL: usize = 64;

/// Permits for walks.
#[derive(Debug)]
pub(super) struct WalkPermits {
    all: Arc<Semaphore>,
    clients: Shares,
}

impl Default for WalkPermits {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(ALL)), clients: Shares::new(PER_CLIENT) }
    }
}

impl WalkPermits {
    /// Waits until a client may begin another walk. The walk ends before the permits are dropped.
    pub(super) async fn acquire(&self, requester: Requester<'_>) -> (Used, Option<OwnedSemaphorePermit>) {
        let own = self.clients.acquire(requester, 1).await;
        // The semaphore is never closed.
        (own, self.all.clone().acquire_owned().await.ok())
    }
}
