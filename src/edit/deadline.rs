//! When to give up.

use std::time::{Duration, Instant};

/// The moment at which work on a request ends, if there is one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline(Option<Instant>);

/// The deadline has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the deadline has passed")]
pub struct TimedOut;

impl Deadline {
    /// No end.
    pub const NONE: Self = Self(None);

    /// Ends at `moment`.
    pub fn at(moment: Instant) -> Self {
        Self(Some(moment))
    }

    /// Ends `duration` from now.
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now().checked_add(duration))
    }

    /// The moment, for those who keep time themselves.
    pub fn instant(self) -> Option<Instant> {
        self.0
    }

    /// An error once the moment has come. Costs a clock reading where there is one: ask every few
    /// hundred steps, not every step.
    pub fn check(self) -> Result<(), TimedOut> {
        match self.0 {
            Some(moment) if Instant::now() >= moment => Err(TimedOut),
            _ => Ok(()),
        }
    }
}
