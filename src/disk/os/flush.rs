//! Getting written bytes to stable storage, as soon as was promised and no sooner.

use super::root::{EXT4, TMPFS};
use crate::disk::Flush;
use rustix::fs::{fstatfs, fsync};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsRawFd;

/// Sees to it that the file's bytes are where they have to be by now.
pub(super) fn flush(file: &File, flush: Flush) -> Result<(), Errno> {
    match flush {
        Flush::Later => Ok(()),
        Flush::Now => fsync(file),
        Flush::Ordered => match fstatfs(file)?.f_type.cast_unsigned() {
            // There is nothing that a power cut could leave.
            TMPFS => Ok(()),
            EXT4 => begin_writing(file).or_else(|_| fsync(file)),
            // XFS and btrfs give a file its length when the data is written, whenever that is; of others
            // nothing is known.
            _ => fsync(file),
        },
    }
}

/// Lets the kernel begin to write the file out, and does not wait for it.
///
/// ext4 allots blocks when it begins to write, and (with `data=ordered`, its default) commits an allotment
/// only after the data in it. A name that the file is given later is committed with or after that. So it is
/// what `rename` over a file does by itself, but it also holds for an exchange of names and on file systems
/// mounted with `noauto_da_alloc`.
#[expect(unsafe_code, reason = "rustix has no `sync_file_range`")]
fn begin_writing(file: &File) -> Result<(), Errno> {
    // SAFETY: the descriptor is open as long as the file is borrowed, and no memory is handed over.
    let result = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    if result == 0 { Ok(()) } else { Err(Errno::IO) }
}
