//! Shares of clients in what only a few requests may use at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits of each client. A client waits for its own requests, so that others find a free place soon.
///
/// Requests count for their author and for the process of their client: a process that uses many names has one share,
/// and so has a name that many processes use.
#[derive(Debug)]
pub(crate) struct Shares {
    of_each: u32,
    known: Mutex<HashMap<Counted, Weak<Semaphore>>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Author(String),
    Process(i32),
}

/// The author of a request, and the process of its client if that is known.
pub(crate) type Requester<'a> = (&'a str, Option<i32>);

/// The part of a share that a request uses, until it is dropped.
pub(crate) type Used = Vec<OwnedSemaphorePermit>;

impl Shares {
    /// Creates permits of which each client has that many.
    pub(crate) fn new(of_each: u32) -> Self {
        Self { of_each, known: Mutex::default() }
    }

    /// Waits until an author, at a process if that is known, has permits left. A request for more than a whole share takes the share.
    pub(crate) async fn acquire(&self, (author, process): Requester<'_>, count: u32) -> Used {
        let count = count.min(self.of_each);
        let mut used = Vec::new();
        let author = Counted::Author(author.to_owned());
        // Always in this order, so that no two requests wait for each other.
        for client in [Some(author), process.map(Counted::Process)].into_iter().flatten() {
            // The semaphores are never closed.
            used.extend(self.of(client).acquire_many_owned(count).await.ok());
        }
        used
    }

    fn of(&self, client: Counted) -> Arc<Semaphore> {
        let mut known = self.known.lock();
        if let Some(semaphore) = known.get(&client).and_then(Weak::upgrade) {
            return semaphore;
        }
        known.retain(|_, semaphore| semaphore.strong_count() > 0);
        let new = Arc::new(Semaphore::new(self.of_each as usize));
        known.insert(client, Arc::downgrade(&new));
        new
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn neither_many_names_nor_many_processes_give_a_larger_share() {
        let shares = Shares::new(2);
        let acquired = |requester, count| shares.acquire(requester, count).now_or_never();
        let first = acquired(("ada", Some(1)), 2).expect("free");
        assert!(acquired(("eve", Some(1)), 1).is_none());
        assert!(acquired(("ada", Some(2)), 1).is_none());
        assert!(acquired(("ada", None), 1).is_none());
        let other = acquired(("robin", Some(3)), 9).expect("a request for more takes the whole share");
        drop((first, other));
        assert!(acquired(("ada", Some(1)), 1).is_some());
        assert!(acquired(("robin", None), 1).is_some());
    }
}
