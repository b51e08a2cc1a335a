//! Shares of the authors in work that only a few requests may do at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits of each author. An author waits for its own requests, so that others find a free place soon.
#[derive(Debug)]
pub(crate) struct AuthorPermits {
    of_each: usize,
    authors: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl AuthorPermits {
    /// Creates permits of which each author has that many.
    pub(crate) fn new(of_each: usize) -> Self {
        Self { of_each, authors: Mutex::default() }
    }

    /// Waits until an author has a permit.
    pub(crate) async fn acquire(&self, author: &str) -> Option<OwnedSemaphorePermit> {
        // The semaphores are never closed.
        self.of(author).acquire_owned().await.ok()
    }

    fn of(&self, author: &str) -> Arc<Semaphore> {
        let mut authors = self.authors.lock();
        if let Some(known) = authors.get(author).and_then(Weak::upgrade) {
            return known;
        }
        authors.retain(|_, semaphore| semaphore.strong_count() > 0);
        let new = Arc::new(Semaphore::new(self.of_each));
        authors.insert(author.to_owned(), Arc::downgrade(&new));
        new
    }
}
