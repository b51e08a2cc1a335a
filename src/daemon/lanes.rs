use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::workspace::FileKey;

/// A queue before every file, so that requests on one file take effect one after another, in the order in
/// which they came.
///
/// A request that needs several files joins all their queues in one step. So every request only waits for
/// earlier ones, and no two can wait for each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lanes(Arc<Mutex<HashMap<FileKey, VecDeque<Arc<Waiter>>>>>);

#[derive(Debug)]
struct Waiter {
    /// Queues in which somebody is still before this request. Guarded by the lanes' lock.
    behind: Mutex<usize>,
    at_head: Notify,
}

/// A place in the queues of some files; dropping it leaves them.
#[derive(Debug)]
pub(crate) struct Place {
    lanes: Lanes,
    keys: Vec<FileKey>,
    waiter: Arc<Waiter>,
}

impl Lanes {
    /// Joins the queues of these files at their ends.
    pub(crate) fn join(&self, mut keys: Vec<FileKey>) -> Place {
        keys.sort();
        keys.dedup();
        let waiter = Arc::new(Waiter { behind: Mutex::new(0), at_head: Notify::new() });
        let mut lanes = self.0.lock();
        for key in &keys {
            let lane = lanes.entry(key.clone()).or_default();
            *waiter.behind.lock() += usize::from(!lane.is_empty());
            lane.push_back(waiter.clone());
        }
        drop(lanes);
        Place { lanes: self.clone(), keys, waiter }
    }
}

impl Place {
    /// Whether this request is first in all its queues.
    pub(crate) fn is_at_head(&self) -> bool {
        *self.waiter.behind.lock() == 0
    }

    /// Waits until it is.
    pub(crate) async fn at_head(&self) {
        while !self.is_at_head() {
            self.waiter.at_head.notified().await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut lanes = self.lanes.0.lock();
        for key in &self.keys {
            let Some(lane) = lanes.get_mut(key) else { continue };
            let was_first = lane.front().is_some_and(|first| Arc::ptr_eq(first, &self.waiter));
            lane.retain(|waiter| !Arc::ptr_eq(waiter, &self.waiter));
            match lane.front() {
                None => {
                    lanes.remove(key);
                }
                Some(next) if was_first => next.step_forward(),
                Some(_) => {}
            }
        }
    }
}

impl Waiter {
    fn step_forward(&self) {
        let mut behind = self.behind.lock();
        *behind -= 1;
        if *behind == 0 {
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
        let lanes = Lanes::default();
        let first = lanes.join(keys(&["/a"]));
        let second = lanes.join(keys(&["/a"]));
        let third = lanes.join(keys(&["/a"]));
        assert!(first.is_at_head() && !second.is_at_head() && !third.is_at_head());
        drop(second);
        assert!(!third.is_at_head());
        drop(first);
        third.at_head().await;
    }

    #[tokio::test]
    async fn requests_on_overlapping_sets_cannot_block_each_other() {
        let lanes = Lanes::default();
        let ab = lanes.join(keys(&["/a", "/b"]));
        let bc = lanes.join(keys(&["/c", "/b", "/b"]));
        let ca = lanes.join(keys(&["/a", "/c"]));
        assert!(ab.is_at_head() && !bc.is_at_head() && !ca.is_at_head());
        drop(ab);
        bc.at_head().await;
        assert!(!ca.is_at_head());
        drop(bc);
        ca.at_head().await;
        drop(ca);
        assert!(lanes.0.lock().is_empty());
    }

    #[test]
    fn other_files_do_not_wait() {
        let lanes = Lanes::default();
        let _a = lanes.join(keys(&["/a"]));
        assert!(lanes.join(keys(&["/b"])).is_at_head());
    }
}
