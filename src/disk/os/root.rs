//! Opening a root folder.

use super::{DiskError, DiskErrorKind, Handle, Result, Root, convert_statx};
use crate::disk::place::RootInner;
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, fstat, fstatfs, open as open_path, readlinkat, statx};
use rustix::io::Errno;
use std::ffi::OsString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

// File system types as numbered by `statfs`. On these, every change is known to update a timestamp, up to the
// resolution of the clock.
pub(super) const EXT4: u64 = 0xef53;
const XFS: u64 = 0x5846_5342;
const BTRFS: u64 = 0x9123_683e;
pub(super) const TMPFS: u64 = 0x0102_1994;

/// Opens an absolute path to a folder as a root.
pub(super) fn open(given: &Path) -> Result<Root> {
    const OPERATION: &str = "open the root";
    let failed = |errno| DiskError::from_errno(errno, OPERATION, given);
    if !given.is_absolute() {
        return Err(DiskError::new(DiskErrorKind::InvalidName, OPERATION, given));
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let fd = open_path(given, flags, Mode::empty()).map_err(failed)?;
    let known = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    let state = statx(&fd, c"", AtFlags::EMPTY_PATH, known).map_err(failed)?;
    let fs_type = fstatfs(&fd).map_err(failed)?.f_type.cast_unsigned();
    Ok(Root(Arc::new(RootInner {
        given: given.to_owned(),
        path: path_of(&fd).map_err(failed)?,
        device: convert_statx(&state).dev,
        mount: Some(state.stx_mnt_id),
        handle: Handle::os(fd),
        steady_stamps: matches!(fs_type, EXT4 | XFS | BTRFS | TMPFS),
    })))
}

/// Returns the canonical path of an open file or folder. A removed folder has none ([`Errno::NOENT`]).
pub(super) fn path_of(fd: &OwnedFd) -> std::result::Result<PathBuf, Errno> {
    const REMOVED: &[u8] = b" (deleted)";
    let bytes = readlinkat(descriptors()?, fd.as_raw_fd().to_string(), Vec::with_capacity(256))?.into_bytes();
    if bytes.ends_with(REMOVED) && fstat(fd)?.st_nlink == 0 {
        return Err(Errno::NOENT);
    }
    Ok(OsString::from_vec(bytes).into())
}

/// Returns the folder of this process's descriptors, as links to the open files. It stays open, because every
/// change reads it twice and looking it up again would add half of the remaining cost.
fn descriptors() -> std::result::Result<&'static OwnedFd, Errno> {
    static FOLDER: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(folder) = FOLDER.get() {
        return Ok(folder);
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open_path("/proc/self/fd", flags, Mode::empty())?;
    Ok(FOLDER.get_or_init(|| folder))
}
