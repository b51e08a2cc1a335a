//! The clocks with which times of files are compared.

use std::time::{SystemTime, UNIX_EPOCH};

use editd_workspace::MTime;

use crate::sys::system;

/// Returns the current time of the system's clock.
pub fn system_clock() -> MTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    MTime { seconds: since.as_secs().cast_signed(), nanos: since.subsec_nanos() }
}

/// Returns the current time of the clock by which file systems stamp files. It may be a few milliseconds behind
/// [`system_clock`].
pub fn file_clock() -> MTime {
    system().file_clock()
}
