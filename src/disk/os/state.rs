//! States of files, as the kernel reports them.

use crate::error::ErrnoContext;
use crate::{DiskError, DiskErrorKind, Entry, Result, Stat};
use rustix::fs::{AtFlags, FileType, fstat, statat};
use rustix::io::Errno;
use std::os::fd::AsFd;
use std::path::Path;

/// Returns the state of a name, or of a path below the folder, without following a symlink there.
pub(super) fn stat_entry(entry: &Entry) -> Result<Option<Stat>> {
    match statat(&entry.dir, &entry.name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(raw) => Ok(Some(Stat::of(&raw))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(DiskError::from_errno(errno, "check", &entry.path)),
    }
}

/// Returns the state of an open file.
pub(super) fn state(file: impl AsFd, operation: &'static str, path: &Path) -> Result<Stat> {
    fstat(file).map(|raw| Stat::of(&raw)).context(operation, path)
}

/// Refuses anything but a regular file.
pub(super) fn require_file(stat: &Stat, path: &Path) -> Result<()> {
    let what = match file_type(stat) {
        FileType::RegularFile => return Ok(()),
        FileType::Directory => "a folder",
        FileType::Symlink => "a symlink",
        FileType::Fifo => "a named pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something unknown",
    };
    Err(DiskError::new(DiskErrorKind::NotAFile { what }, "use", path))
}

/// Returns the type of a file.
fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.mode as rustix::fs::RawMode)
}
