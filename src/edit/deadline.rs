//! Deadlines of requests.

use std::time::{Duration, Instant};

/// The time at which work on a request ends, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline(Option<Instant>);

/// The deadline has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the deadline has passed")]
pub struct TimedOut;

impl Deadline {
    /// No deadline.
    pub const NONE: Self = Self(None);

    /// Creates a deadline `duration` from now.
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now().checked_add(duration))
    }

    /// Returns the time of the deadline, for code with its own clock checks.
    pub fn instant(self) -> Option<Instant> {
        self.0
    }

    /// Returns an error once the deadline has passed. Reads the clock if there is a deadline: call it every
    /// few hundred steps, not every step.
    pub fn check(self) -> Result<(), TimedOut> {
        match self.0 {
            Some(moment) if Instant::now() >= moment => Err(TimedOut),
            _ => Ok(()),
        }
    }
}
