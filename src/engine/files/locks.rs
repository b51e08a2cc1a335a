//! File locks: requests on the same file run one after the other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::workspace::FileKey;

/// A lock queue for each file, so that requests on one file take effect one after the other, in the order of
/// their arrival.
///
/// A request that needs several files joins all their queues in one step. So a request waits only for earlier
/// ones, and no two can deadlock.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileLocks(Arc<Mutex<HashMap<FileKey, VecDeque<Arc<Waiter>>>>>);

#[derive(Debug)]
struct Waiter {
    /// Number of queues in which this request is not first. Changes only under the lock of the map.
    queues_ahead: Mutex<usize>,
    at_head: Notify,
}

/// A lock on a set of files, or a position in the queue for it. Dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct LockGuard {
    locks: FileLocks,
    keys: Vec<FileKey>,
    waiter: Arc<Waiter>,
}

impl FileLocks {
    /// Joins the queues of these files.
    pub(crate) fn join(&self, mut keys: Vec<FileKey>) -> LockGuard {
        keys.sort();
        keys.dedup();
        let waiter = Arc::new(Waiter { queues_ahead: Mutex::new(0), at_head: Notify::new() });
        let mut locks = self.0.lock();
        for key in &keys {
            let queue = locks.entry(key.clone()).or_default();
            *waiter.queues_ahead.lock() += usize::from(!queue.is_empty());
            queue.push_back(waiter.clone());
        }
        drop(locks);
        LockGuard { locks: self.clone(), keys, waiter }
    }
}

impl LockGuard {
    /// Returns `true` if this request is first in all its queues, that is, holds the lock.
    pub(crate) fn is_at_head(&self) -> bool {
        *self.waiter.queues_ahead.lock() == 0
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
        let mut locks = self.locks.0.lock();
        for key in &self.keys {
            let Some(queue) = locks.get_mut(key) else { continue };
            let was_first = queue.front().is_some_and(|first| Arc::ptr_eq(first, &self.waiter));
            queue.retain(|waiter| !Arc::ptr_eq(waiter, &self.waiter));
            match queue.front() {
                None => {
                    locks.remove(key);
                }
                Some(next) if was_first => next.step_forward(),
                Some(_) => {}
            }
        }
    }
}

impl Waiter {
    fn step_forward(&self) {
        let mut queues_ahead = self.queues_ahead.lock();
        *queues_ahead -= 1;
        if *queues_ahead == 0 {
            self.at_head.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(names: &[&str]) -> Vec<FileKey> {
        names.iter().map(FileKey::path).collect()
    }

    #[tokio::test]
    async fn a_file_is_served_in_the_order_of_arrival() {
        let locks = FileLocks::default();
        let first = locks.join(keys(&["/a"]));
        let second = locks.join(keys(&["/a"]));
        let third = locks.join(keys(&["/a"]));
        assert!(first.is_at_head() && !second.is_at_head() && !third.is_at_head());
        drop(second);
        assert!(!third.is_at_head());
        drop(first);
        third.at_head().await;
    }

    #[tokio::test]
    async fn requests_on_overlapping_sets_cannot_block_each_other() {
        let locks = FileLocks::default();
        let ab = locks.join(keys(&["/a", "/b"]));
        let bc = locks.join(keys(&["/c", "/b", "/b"]));
        let ca = locks.join(keys(&["/a", "/c"]));
        assert!(ab.is_at_head() && !bc.is_at_head() && !ca.is_at_head());
        drop(ab);
        bc.at_head().await;
        assert!(!ca.is_at_head());
        drop(bc);
        ca.at_head().await;
        drop(ca);
        assert!(locks.0.lock().is_empty());
    }

    #[test]
    fn other_files_do_not_wait() {
        let locks = FileLocks::default();
        let _a = locks.join(keys(&["/a"]));
        assert!(locks.join(keys(&["/b"])).is_at_head());
    }
}
