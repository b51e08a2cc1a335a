//! A read lease: while it is held, every open of the file for writing waits.

use crate::Handle;
use crate::error::errno_of;
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd};
use std::thread::sleep;
use std::time::Duration;

/// Number of attempts to take a lease while another program has the file open for writing: enough for a save
/// to end, but not for a program that never closes the file.
const TRIES: usize = 10;
const BETWEEN_TRIES: Duration = Duration::from_micros(200);
/// `fcntl` operation that sets the signal of a lease. The number is the same on every Linux, but `libc` does
/// not define it.
const F_SETSIG: i32 = 10;

/// A lease on a file. While it is held, no other program can newly open the file for writing. The kernel
/// revokes it after `lease-break-time` (45 s), thousands of times longer than it is ever held.
#[derive(Debug)]
pub struct Lease(Handle);

impl Lease {
    /// Takes a lease on a file that is open for reading. Returns `None` if the file system has no leases, the
    /// file belongs to another user, or another program keeps it open for writing.
    pub(super) fn take(file: &Handle) -> Option<Self> {
        // Waiting programs are detected by polling. The kernel also sends a signal, which would end the
        // process if it were not one that is ignored by default.
        control(file, F_SETSIG, libc::SIGURG).ok()?;
        for _ in 0..TRIES {
            match control(file, libc::F_SETLEASE, libc::F_RDLCK) {
                Ok(_) => return Some(Self(file.clone())),
                Err(Errno::AGAIN) => sleep(BETWEEN_TRIES),
                Err(_) => return None,
            }
        }
        None
    }

    /// Returns `true` if another program is waiting to open the file.
    pub fn is_wanted(&self) -> bool {
        control(&self.0, libc::F_GETLEASE, 0) != Ok(libc::F_RDLCK)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        control(&self.0, libc::F_SETLEASE, libc::F_UNLCK).ok();
    }
}

#[expect(unsafe_code, reason = "rustix has none of the `fcntl` operations for leases")]
fn control(file: &Handle, operation: i32, argument: i32) -> Result<i32, Errno> {
    // SAFETY: the descriptor is open as long as the file is borrowed; these operations take a number and touch
    // no memory of this process.
    let result = unsafe { libc::fcntl(file.as_fd().as_raw_fd(), operation, argument) };
    if result < 0 {
        return Err(errno_of(&std::io::Error::last_os_error()));
    }
    Ok(result)
}
