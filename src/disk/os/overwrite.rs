//! Writing a file in place if its inode must stay the same.

use super::stage::with_space;
use super::{DiskError, DiskErrorKind, Entry, Result, convert};
use crate::disk::{Examined, Stat};
use rustix::fs::{FallocateFlags, Mode, OFlags, fallocate, fchmod, fstat, fsync, openat};
use rustix::io::Errno;
use std::fs::File;
use std::os::unix::fs::FileExt;

const OPERATION: &str = "write";

/// Overwrites the inode that was examined. A failure may leave a part of the content.
pub(super) fn overwrite(entry: &Entry, original: &Examined, content: &[u8]) -> Result<()> {
    let file = open(entry)?;
    let failed = |errno| {
        let error = DiskError::from_errno(errno, OPERATION, &entry.path);
        with_space(error, entry, content.len() as u64)
    };
    let before = convert(&fstat(&file).map_err(failed)?);
    if !before.same_file(&original.stat) {
        return Err(DiskError::new(DiskErrorKind::Changed, OPERATION, &entry.path));
    }
    reserve(&file, before.size, content.len() as u64).map_err(failed)?;
    write(&file, content).map_err(failed)?;
    keep_mode(&file, &original.stat).map_err(failed)?;
    fsync(&file).map_err(failed)
}

fn open(entry: &Entry) -> Result<File> {
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    openat(entry.dir.descriptor(), &entry.name, flags, Mode::empty())
        .map(File::from)
        .map_err(|errno| DiskError::from_errno(errno, OPERATION, &entry.path))
}

/// Reserves the space for a longer content first, so that a full disk is detected before a byte is changed.
fn reserve(file: &File, old: u64, new: u64) -> std::result::Result<(), Errno> {
    if new <= old {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, old, new - old) {
        Err(errno @ (Errno::NOSPC | Errno::DQUOT)) => Err(errno),
        // Not every file system supports this; otherwise the write itself fails.
        _ => Ok(()),
    }
}

fn write(file: &File, content: &[u8]) -> std::result::Result<(), Errno> {
    let result = file.write_all_at(content, 0).and_then(|()| file.set_len(content.len() as u64));
    result.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

/// Restores the mode: a write clears set-user-id bits, and the file must keep them.
fn keep_mode(file: &File, original: &Stat) -> std::result::Result<(), Errno> {
    let mode = fstat(file)?.st_mode;
    if mode == original.mode {
        return Ok(());
    }
    fchmod(file, Mode::from_raw_mode(original.mode & 0o7777))
}
