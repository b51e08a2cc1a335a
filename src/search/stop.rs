use std::sync::atomic::{AtomicBool, Ordering};

use crate::edit::Deadline;

/// The stop condition of a search or read, and whether it was met.
pub struct StopCondition<'a> {
    cancelled: &'a (dyn Fn() -> bool + Sync),
    deadline: Deadline,
    happened: AtomicBool,
}

impl std::fmt::Debug for StopCondition<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stop").field("happened", &self.happened).finish_non_exhaustive()
    }
}

impl<'a> StopCondition<'a> {
    /// Creates a condition that is met at a deadline, or when the request is cancelled.
    pub fn new(cancelled: &'a (dyn Fn() -> bool + Sync), deadline: Deadline) -> Self {
        Self { cancelled, deadline, happened: AtomicBool::new(false) }
    }

    /// Returns `true` if the work is to stop.
    pub fn is_due(&self) -> bool {
        let due = self.has_happened() || (self.cancelled)() || self.deadline.check().is_err();
        if due {
            self.now();
        }
        due
    }

    /// Stops the work.
    pub fn now(&self) {
        self.happened.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the work was stopped.
    pub fn has_happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }
}
