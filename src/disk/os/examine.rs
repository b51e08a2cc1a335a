//! Determines whether a file may be changed, and whether another inode may replace it.

use super::{DiskError, DiskErrorKind, Entry, Handle, Result, convert_statx, read, require_file};
use crate::disk::{Examined, Expected, Stat};
use rustix::fs::{Access, AtFlags, Statx, StatxAttributes, StatxFlags, accessat, statx};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::os::fd::AsFd;

const OPERATION: &str = "change";
const STICKY: u32 = 0o1000;

/// Examines the file and its folder; refuses a file that must not be changed.
pub(super) fn examine(entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>> {
    let Some((handle, raw)) = opened(entry, expected)? else { return Ok(None) };
    let failed = |errno| DiskError::from_errno(errno, OPERATION, &entry.path);
    let stat = convert_statx(&raw);
    require_file(&stat, &entry.path)?;
    require_writable(entry, &raw, &stat)?;
    let folder = state(entry.dir.descriptor()).map_err(failed)?;
    let pinned = if raw.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) {
        Some(DiskErrorKind::Busy)
    } else {
        (!lets_replace(&folder, stat.uid) || !is_open_to_us(entry)?)
            .then_some(DiskErrorKind::PermissionDenied)
    };
    Ok(Some(Examined { stat, pinned, handle }))
}

/// Returns the file, opened, and its state.
fn opened(entry: &Entry, expected: Option<&Expected>) -> Result<Option<(Handle, Statx)>> {
    let failed = |errno| DiskError::from_errno(errno, OPERATION, &entry.path);
    if let Some((expected, handle)) = expected.and_then(|it| Some((it, it.handle.clone()?))) {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        let named = statx(entry.dir.descriptor(), &entry.name, flags, StatxFlags::BASIC_STATS);
        // While it is open, no other file can have its inode number.
        if let Some(raw) = named.ok().filter(|raw| convert_statx(raw).same_file(&expected.stat)) {
            return Ok(Some((handle, raw)));
        }
    }
    let Some(fd) = read::open(entry)? else { return Ok(None) };
    let raw = state(&fd).map_err(failed)?;
    Ok(Some((Handle::os(fd), raw)))
}

fn state(fd: impl AsFd) -> std::result::Result<Statx, Errno> {
    statx(fd, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)
}

/// Refuses files that are not writable. Replacing a file requires no write permission on it, and root
/// requires none at all, but a file marked as read-only is not meant to be replaced either.
fn require_writable(entry: &Entry, raw: &Statx, stat: &Stat) -> Result<()> {
    let sealed = raw.stx_attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND);
    if stat.has_no_write_bit() || sealed {
        return Err(DiskError::new(DiskErrorKind::ReadOnly, OPERATION, &entry.path));
    }
    match accessat(entry.dir.descriptor(), &entry.name, Access::WRITE_OK, AtFlags::EACCESS) {
        // A running program can be replaced, although it cannot be written.
        Ok(()) | Err(Errno::TXTBSY) => Ok(()),
        Err(errno) => {
            let error = DiskError::from_errno(errno, OPERATION, &entry.path);
            let own = errno == Errno::ACCESS && stat.uid == geteuid().as_raw();
            Err(if own { error.with_kind(DiskErrorKind::ReadOnly) } else { error })
        }
    }
}

/// Returns `true` if this process may create and remove names in the folder.
fn is_open_to_us(entry: &Entry) -> Result<bool> {
    let rights = Access::WRITE_OK | Access::EXEC_OK;
    Ok(accessat(entry.dir.descriptor(), ".", rights, AtFlags::EACCESS).is_ok())
}

/// Returns `true` if a folder that this process may write lets it rename over a file of that owner.
fn lets_replace(folder: &Statx, file_owner: u32) -> bool {
    let me = geteuid();
    let sealed = folder.stx_attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND);
    let sticky = u32::from(folder.stx_mode) & STICKY != 0;
    let mine = me.is_root() || me.as_raw() == folder.stx_uid || me.as_raw() == file_owner;
    !sealed && (!sticky || mine)
}
