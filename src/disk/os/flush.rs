//! Flushing written bytes to stable storage, as soon as the durability requires and no sooner.

use super::open::{EXT4, TMPFS};
use crate::disk::Flush;
use rustix::fs::{fstatfs, fsync};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::AsRawFd;

/// Flushes the file's bytes as `flush` requires.
pub(super) fn flush(file: &File, flush: Flush) -> Result<(), Errno> {
    match flush {
        Flush::Later => Ok(()),
        Flush::Now => fsync(file),
        Flush::Ordered => match fstatfs(file)?.f_type.cast_unsigned() {
            // A power cut leaves nothing on tmpfs.
            TMPFS => Ok(()),
            EXT4 => begin_writing(file).or_else(|_| fsync(file)),
            // XFS and btrfs update a file's length when its data is written, at any time; other file systems
            // are unknown.
            _ => fsync(file),
        },
    }
}

/// Makes the kernel start writing the file out, without waiting for it.
///
/// ext4 allocates blocks when it starts to write, and (with `data=ordered`, its default) commits an
/// allocation only after its data. A name that the file is given later is committed with it or after it. ext4
/// does this by itself for a `rename` over a file; doing it here covers exchanges of names and file systems
/// mounted with `noauto_da_alloc` as well.
#[expect(unsafe_code, reason = "rustix has no `sync_file_range`")]
fn begin_writing(file: &File) -> Result<(), Errno> {
    // SAFETY: the descriptor is open as long as the file is borrowed, and no memory is handed over.
    let result = unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    if result == 0 { Ok(()) } else { Err(Errno::IO) }
}
