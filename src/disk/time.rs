//! Times of files.

use std::time::{SystemTime, UNIX_EPOCH};

use super::sys::system;
use crate::workspace::MTime;

impl MTime {
    /// Returns the current time of the system's clock.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { seconds: since.as_secs().cast_signed(), nanos: since.subsec_nanos() }
    }

    /// Returns the current time of the clock by which file systems stamp files. It may be a few milliseconds behind
    /// [`now`](Self::now).
    pub fn of_files() -> Self {
        system().file_clock()
    }

    /// Returns `true` if a time of a file is certainly before another one. Some file systems round times down: to two
    /// seconds or to ten milliseconds.
    pub fn is_before(&self, other: &Self) -> bool {
        const MILLISECOND: i128 = 1_000_000;
        let rounding = match self.nanos {
            0 => 2000 * MILLISECOND,
            nanos if nanos % 10_000_000 == 0 => 10 * MILLISECOND,
            _ => 0,
        };
        let nanos = |time: &Self| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanos);
        nanos(self) + rounding < nanos(other)
    }
}
