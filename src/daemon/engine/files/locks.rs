//! File locks: requests on the same file run one after the other, and clients take turns.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use editd_workspace::{FileKey, SessionId};

/// A lock queue for each file, so that requests on one file take effect one after the other.
///
/// The requests of a client run in the order of their arrival, but only the first of them is in the queue of the file;
/// the others wait in a line of that client. So a client waits for one request of each other client, not for all.
///
/// A request that needs several files joins all their queues in one step, once it is the first of its client for each
/// of them. So a request waits only for earlier ones, and no two can deadlock.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileLocks(Arc<Mutex<Queues>>);

/// A client that takes turns with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// The daemon itself.
    Daemon,
    /// All connections of a process, whatever names they have.
    Process(i32),
    /// A connection whose process is not known.
    Connection(SessionId),
}

#[derive(Debug, Default)]
struct Queues {
    /// The requests of one client for each file.
    of_clients: HashMap<(Client, FileKey), Queue>,
    /// The first request of each client for each file.
    of_files: HashMap<FileKey, Queue>,
}

type Queue = VecDeque<Arc<Waiter>>;

#[derive(Debug)]
struct Waiter {
    client: Client,
    keys: Vec<FileKey>,
    /// Changes only under the lock of the queues.
    place: Mutex<Place>,
    at_head: Notify,
}

/// Number of queues of one kind in which a request is not first.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the lines of its client.
    OfClient(usize),
    /// In the queues of its files.
    OfFiles(usize),
}

/// A lock on a set of files, or a position in the queue for it. Dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct LockGuard {
    locks: FileLocks,
    waiter: Arc<Waiter>,
}

impl FileLocks {
    /// Joins the queues of these files.
    pub(crate) fn join(&self, client: Client, mut keys: Vec<FileKey>) -> LockGuard {
        keys.sort();
        keys.dedup();
        let place = Mutex::new(Place::OfClient(0));
        let waiter = Arc::new(Waiter { client, keys, place, at_head: Notify::new() });
        let mut queues = self.0.lock();
        let ahead = enter(&mut queues.of_clients, waiter.keys_of_client(), &waiter);
        *waiter.place.lock() = Place::OfClient(ahead);
        if ahead == 0 {
            queues.join_files(&waiter);
        }
        drop(queues);
        LockGuard { locks: self.clone(), waiter }
    }
}

impl LockGuard {
    /// Returns `true` if this request is first in all its queues, that is, holds the lock.
    pub(crate) fn is_at_head(&self) -> bool {
        matches!(*self.waiter.place.lock(), Place::OfFiles(0))
    }

    /// Waits until this request holds the lock.
    pub(crate) async fn at_head(&self) {
        while !self.is_at_head() {
            self.waiter.at_head.notified().await;
        }
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        let (waiter, mut queues) = (&self.waiter, self.locks.0.lock());
        let in_files = matches!(*waiter.place.lock(), Place::OfFiles(_));
        if in_files {
            leave(&mut queues.of_files, waiter.keys.iter().cloned(), waiter);
        }
        // The next request of this client joins the queues after those of others.
        for next in leave(&mut queues.of_clients, waiter.keys_of_client(), waiter) {
            queues.join_files(&next);
        }
    }
}

impl Queues {
    fn join_files(&mut self, waiter: &Arc<Waiter>) {
        let ahead = enter(&mut self.of_files, waiter.keys.iter().cloned(), waiter);
        *waiter.place.lock() = Place::OfFiles(ahead);
        if ahead == 0 {
            waiter.at_head.notify_one();
        }
    }
}

/// Adds a request to queues. Returns the number of those in which it is not first.
fn enter<K: Eq + Hash>(
    queues: &mut HashMap<K, Queue>,
    keys: impl Iterator<Item = K>,
    waiter: &Arc<Waiter>,
) -> usize {
    let mut ahead = 0;
    for key in keys {
        let queue = queues.entry(key).or_default();
        ahead += usize::from(!queue.is_empty());
        queue.push_back(waiter.clone());
    }
    ahead
}

/// Removes a request from queues. Returns the requests that are first in all their queues now.
fn leave<K: Eq + Hash>(
    queues: &mut HashMap<K, Queue>,
    keys: impl Iterator<Item = K>,
    waiter: &Arc<Waiter>,
) -> Vec<Arc<Waiter>> {
    let mut first = Vec::new();
    for key in keys {
        let Some(queue) = queues.get_mut(&key) else { continue };
        let was_first = queue.front().is_some_and(|first| Arc::ptr_eq(first, waiter));
        queue.retain(|other| !Arc::ptr_eq(other, waiter));
        match queue.front() {
            None => {
                queues.remove(&key);
            }
            Some(next) if was_first && next.step_forward() => first.push(next.clone()),
            Some(_) => {}
        }
    }
    first
}

impl Waiter {
    fn keys_of_client(&self) -> impl Iterator<Item = (Client, FileKey)> {
        self.keys.iter().map(|key| (self.client, key.clone()))
    }

    /// Counts one queue less in which this request is not first. Returns `true` if none is left.
    fn step_forward(&self) -> bool {
        let mut place = self.place.lock();
        let (Place::OfClient(ahead) | Place::OfFiles(ahead)) = &mut *place;
        *ahead -= 1;
        let is_first = *ahead == 0;
        if is_first && matches!(*place, Place::OfFiles(_)) {
            self.at_head.notify_one();
        }
        is_first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Client = Client::Process(1);

    fn keys(names: &[&str]) -> Vec<FileKey> {
        names.iter().map(FileKey::path).collect()
    }

    #[tokio::test]
    async fn a_file_is_served_in_the_order_of_arrival() {
        let locks = FileLocks::default();
        let first = locks.join(ONE, keys(&["/a"]));
        let second = locks.join(ONE, keys(&["/a"]));
        let third = locks.join(ONE, keys(&["/a"]));
        assert!(first.is_at_head() && !second.is_at_head() && !third.is_at_head());
        drop(second);
        assert!(!third.is_at_head());
        drop(first);
        third.at_head().await;
    }

    #[tokio::test]
    async fn requests_on_overlapping_sets_cannot_block_each_other() {
        let locks = FileLocks::default();
        let ab = locks.join(ONE, keys(&["/a", "/b"]));
        let bc = locks.join(ONE, keys(&["/c", "/b", "/b"]));
        let ca = locks.join(ONE, keys(&["/a", "/c"]));
        assert!(ab.is_at_head() && !bc.is_at_head() && !ca.is_at_head());
        drop(ab);
        bc.at_head().await;
        assert!(!ca.is_at_head());
        drop(bc);
        ca.at_head().await;
        drop(ca);
        assert!(locks.0.lock().of_files.is_empty() && locks.0.lock().of_clients.is_empty());
    }

    #[tokio::test]
    async fn clients_take_turns() {
        let (locks, other) = (FileLocks::default(), Client::Process(2));
        let mut many: VecDeque<_> = (0..3).map(|_| locks.join(ONE, keys(&["/a"]))).collect();
        let first = locks.join(other, keys(&["/a"]));
        let second = locks.join(other, keys(&["/a", "/b"]));
        many.pop_front();
        first.at_head().await;
        assert!(!many[0].is_at_head() && !second.is_at_head());
        drop(first);
        many[0].at_head().await;
        assert!(!second.is_at_head());
        many.pop_front();
        second.at_head().await;
        assert!(!many[0].is_at_head());
        drop(second);
        many[0].at_head().await;
    }

    #[tokio::test]
    async fn sets_of_several_clients_cannot_block_each_other() {
        let (locks, names) = (FileLocks::default(), ["/a", "/b", "/c"]);
        let set = |n: usize| keys(&[names[n % 3], names[(n / 3) % 3]]);
        let mut waiting: Vec<_> =
            (0..90).map(|n| locks.join(Client::Process(i32::try_from(n % 4).unwrap()), set(n * 7))).collect();
        while !waiting.is_empty() {
            let at = waiting.iter().position(LockGuard::is_at_head).expect("one runs");
            waiting.remove(at);
        }
        assert!(locks.0.lock().of_files.is_empty() && locks.0.lock().of_clients.is_empty());
    }

    #[test]
    fn other_files_do_not_wait() {
        let locks = FileLocks::default();
        let _a = locks.join(ONE, keys(&["/a"]));
        assert!(locks.join(ONE, keys(&["/b"])).is_at_head());
    }
}
