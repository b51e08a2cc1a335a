//! Confirms that the opened folder is still the one at its path.

use super::root::path_of;
use super::{DiskError, DiskErrorKind, Result, Target, resolve};
use rustix::fs::{ResolveFlags, fstat};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::path::Path;

const OPERATION: &str = "reopen";

/// Opens the canonical path of the target's folder again and compares the two. A canonical path contains no
/// symlinks, so a symlink that is there now counts as a change too.
pub(super) fn confirm(target: &Target) -> Result<()> {
    let folder = target.opened_dir();
    let below = folder.strip_prefix(target.root.path()).unwrap_or(Path::new(""));
    let root = target.root.0.handle.descriptor();
    let changed = || DiskError::new(DiskErrorKind::Changed, OPERATION, &folder);
    let failed = |errno| DiskError::from_errno(errno, OPERATION, &folder);
    if below.as_os_str().is_empty() {
        let stayed = path_of(root).map_err(failed)? == target.root.path();
        return if stayed { Ok(()) } else { Err(changed()) };
    }
    let fd = match resolve::open_beneath(root, below, ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => return Err(changed()),
        result => result.map_err(failed)?,
    };
    let same = identity(&fd).map_err(failed)? == identity(target.parent.descriptor()).map_err(failed)?;
    if same { Ok(()) } else { Err(changed()) }
}

fn identity(fd: &OwnedFd) -> std::result::Result<(u64, u64), Errno> {
    fstat(fd).map(|stat| (stat.st_dev, stat.st_ino))
}
