//! Work on many files at the same time. It waits for disks and parsers, so it has threads of its own instead of those of
//! a pool for computations.

use std::num::NonZero;
use std::thread::{available_parallelism, scope};

use parking_lot::Mutex;

/// Number of items for which the start of threads is worth its time.
const MANY: usize = 32;

/// Maximum number of threads. Other requests need processors, too.
const THREADS: usize = 8;

/// Applies a function to all items, on several threads if there are many. Returns the results in the order of the
/// items.
pub(crate) fn map_all<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    // The number of processors is found in several files of the system, which takes longer than the work on a small file.
    let threads =
        if items.len() < MANY { 1 } else { available_parallelism().map_or(1, NonZero::get).min(THREADS) };
    if threads == 1 {
        return items.into_iter().map(work).collect();
    }
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    // Each item is taken together with the place for its result, so the threads need no other order.
    let left = Mutex::new(items.into_iter().zip(&mut results));
    scope(|scope| {
        let take_all = || {
            loop {
                // The lock ends with this statement, before the work begins.
                let next = left.lock().next();
                let Some((item, place)) = next else { return };
                *place = Some(work(item));
            }
        };
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take_all)).collect();
        take_all();
        drop(others);
    });
    results.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, MANY - 1, MANY, 1_000] {
            let doubled = map_all((0..count).collect(), |item| item * 2);
            assert!(doubled.into_iter().eq((0..count).map(|item| item * 2)), "{count}");
        }
    }

    #[test]
    fn a_panic_is_not_lost() {
        let panics = || map_all((0..MANY).collect(), |item| assert!(item != 5, "item {item}"));
        assert!(std::panic::catch_unwind(panics).is_err());
    }
}
