use std::sync::atomic::{AtomicBool, Ordering};

use crate::edit::Deadline;

/// When to stop, and whether that has happened.
pub struct Stop<'a> {
    cancelled: &'a (dyn Fn() -> bool + Sync),
    deadline: Deadline,
    happened: AtomicBool,
}

impl std::fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stop").field("happened", &self.happened).finish_non_exhaustive()
    }
}

impl<'a> Stop<'a> {
    /// When nobody waits for the result any more, and at a deadline.
    pub fn new(cancelled: &'a (dyn Fn() -> bool + Sync), deadline: Deadline) -> Self {
        Self { cancelled, deadline, happened: AtomicBool::new(false) }
    }

    /// Whether to stop now.
    pub fn is_due(&self) -> bool {
        let due = self.has_happened() || (self.cancelled)() || self.deadline.check().is_err();
        if due {
            self.now();
        }
        due
    }

    /// Stops now.
    pub fn now(&self) {
        self.happened.store(true, Ordering::Relaxed);
    }

    /// Whether something was stopped.
    pub fn has_happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }
}
