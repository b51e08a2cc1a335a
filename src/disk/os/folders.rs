//! Creating, opening, removing and flushing folders.

use super::{DiskError, Entry, Handle, Result, attributes};
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstat, fsync, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use std::path::Path;

pub(super) fn make(entry: &Entry, umask: u32) -> Result<()> {
    let failed = |errno| DiskError::from_errno(errno, "create the folder", &entry.path);
    mkdirat(entry.dir.descriptor(), &entry.name, Mode::from_raw_mode(0o777)).map_err(failed)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The folder exists now, so a mode that cannot be checked or corrected is not a failure.
    let Ok(fd) = openat(entry.dir.descriptor(), &entry.name, flags, Mode::empty()) else { return Ok(()) };
    let wanted = 0o777 & !umask;
    let present = fstat(&fd).map_or(wanted, |stat| stat.st_mode);
    if present & 0o777 != wanted && !attributes::has_acl(&fd) {
        fchmod(&fd, Mode::from_raw_mode(present & 0o7000 | wanted)).ok();
    }
    Ok(())
}

pub(super) fn open(entry: &Entry) -> Result<Handle> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(entry.dir.descriptor(), &entry.name, flags, Mode::empty())
        .map(Handle::os)
        .map_err(|errno| DiskError::from_errno(errno, "open the folder", &entry.path))
}

pub(super) fn remove(entry: &Entry) -> Result<()> {
    unlinkat(entry.dir.descriptor(), &entry.name, AtFlags::REMOVEDIR)
        .map_err(|errno| DiskError::from_errno(errno, "remove the folder", &entry.path))
}

pub(super) fn sync(dir: &Handle, path: &Path) -> Result<()> {
    let failed = |errno| DiskError::from_errno(errno, "flush the folder", path);
    // The held handle is an `O_PATH` descriptor, which cannot be flushed.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let fd = openat(dir.descriptor(), ".", flags, Mode::empty()).map_err(failed)?;
    match fsync(&fd) {
        // The file system has nothing to flush for folders.
        Ok(()) | Err(Errno::INVAL) => Ok(()),
        Err(errno) => Err(failed(errno)),
    }
}
