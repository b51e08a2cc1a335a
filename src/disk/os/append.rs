//! Appending to private files of editd.

use super::flush::flush;
use super::{DiskError, Entry, Result};
use crate::disk::Flush;
use parking_lot::Mutex;
use rustix::fs::{AtFlags, Mode, OFlags, fstat, openat, statat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

const OPERATION: &str = "write to";

/// Appends to files. The most recent file stays open, because the next append usually goes to the same one:
/// every change is recorded twice.
#[derive(Debug, Default)]
pub(super) struct Appender {
    last: Mutex<Option<Opened>>,
}

#[derive(Debug)]
struct Opened {
    path: PathBuf,
    /// Device and inode number.
    inode: (u64, u64),
    file: Arc<File>,
}

impl Appender {
    pub(super) fn append(&self, entry: &Entry, bytes: &[u8], how: Flush) -> Result<()> {
        let failed = |errno| DiskError::from_errno(errno, OPERATION, &entry.path);
        let file = match self.still_open(entry)? {
            Some(file) => file,
            None => self.open(entry)?,
        };
        let written = (&*file).write_all(bytes);
        written.map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
        flush(&file, how).map_err(failed)
    }

    /// Returns the open file if the name still leads to it.
    fn still_open(&self, entry: &Entry) -> Result<Option<Arc<File>>> {
        let last = self.last.lock();
        let Some(last) = last.as_ref().filter(|last| last.path == entry.path) else { return Ok(None) };
        let named = statat(entry.dir.descriptor(), &entry.name, AtFlags::SYMLINK_NOFOLLOW);
        Ok(named.is_ok_and(|named| (named.st_dev, named.st_ino) == last.inode).then(|| last.file.clone()))
    }

    fn open(&self, entry: &Entry) -> Result<Arc<File>> {
        let failed = |errno| DiskError::from_errno(errno, OPERATION, &entry.path);
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o600);
        let file = openat(entry.dir.descriptor(), &entry.name, flags, mode).map_err(failed)?;
        let stat = fstat(&file).map_err(failed)?;
        let file = Arc::new(File::from(file));
        let inode = (stat.st_dev, stat.st_ino);
        *self.last.lock() = Some(Opened { path: entry.path.clone(), inode, file: file.clone() });
        Ok(file)
    }
}
