//! Deadlines of requests.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

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

/// A limit of the processor time that the current thread uses. Unlike a [`Deadline`], it is not reached sooner because
/// other programs use the processors.
#[derive(Debug, Clone, Copy)]
pub struct ProcessorTime(Duration);

impl ProcessorTime {
    /// Creates a limit of `duration` from now, for this thread.
    pub fn after(duration: Duration) -> Self {
        Self(used().saturating_add(duration))
    }

    /// Returns an error once the time is used. Call it every few hundred steps, not every step.
    pub fn check(self) -> Result<(), TimedOut> {
        if used() >= self.0 { Err(TimedOut) } else { Ok(()) }
    }
}

/// Returns the processor time that this thread has used.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs().try_into().unwrap_or_default())
}
