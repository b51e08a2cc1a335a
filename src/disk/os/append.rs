//! Adding to the end of a file of editd's own.

use super::flush::flush;
use super::{DiskError, Entry, Result};
use crate::disk::Flush;
use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;

const OPERATION: &str = "write to";

/// Opens, appends, flushes.
pub(super) fn append(entry: &Entry, bytes: &[u8], how: Flush) -> Result<()> {
    let failed = |errno| DiskError::from_errno(errno, OPERATION, &entry.path);
    let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(entry.dir.as_os()?, &entry.name, flags, Mode::from_raw_mode(0o600)).map_err(failed)?;
    let mut file = File::from(fd);
    let written = file.write_all(bytes);
    written.map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    flush(&file, how).map_err(failed)
}
