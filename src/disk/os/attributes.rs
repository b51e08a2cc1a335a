//! Attributes of a file: whether they let it be changed or replaced, and how a file that replaces it gets
//! them.

use super::permissions;
use super::read;
use super::state::{require_file, stat_entry};
use crate::error::ErrnoContext;
use crate::sys::{Inspected, Treatment, is_unsupported, system};
use crate::{DiskError, DiskErrorKind, Entry, Examined, Expected, Handle, Kind, Result, Stat};
use rustix::fs::{
    Access, AtFlags, Gid, Uid, XattrFlags, accessat, fchmod, fchown, fgetxattr, flistxattr, fsetxattr, fstat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::AsFd;

const OPERATION: &str = "change";
const STICKY: u32 = 0o1000;

/// Maximum size of an attribute's value, and of a file's list of names, in bytes. Linux has the same limit; a file
/// with a larger value keeps its inode.
const MAX_XATTR: usize = 64 * 1024;

/// Sets the permission bits of a file or folder.
pub(super) fn set_mode(entry: &Entry, mode: u32) -> Result<()> {
    const OPERATION: &str = "set the mode of";
    let found = stat_entry(entry)?;
    if found.is_some_and(|stat| stat.kind() == Kind::Symlink) {
        return Err(DiskError::new(DiskErrorKind::NotAFile { what: "a symlink" }, OPERATION, &entry.path));
    }
    system().set_mode(entry.dir.as_fd(), &entry.name, permissions(mode)).context(OPERATION, &entry.path)
}

/// Examines the file and its folder; refuses a file that must not be changed.
pub(super) fn examine(entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>> {
    let Some((handle, file)) = opened(entry, expected)? else { return Ok(None) };
    let stat = file.stat;
    require_file(&stat, &entry.path)?;
    require_writable(entry, &file)?;
    let folder = system().inspect(entry.dir.as_fd()).context(OPERATION, &entry.path)?;
    let pinned = if file.is_mount_root {
        Some(DiskErrorKind::Busy)
    } else {
        let rights = Access::WRITE_OK | Access::EXEC_OK;
        let is_open_to_us = || accessat(&entry.dir, ".", rights, AtFlags::EACCESS).is_ok();
        let is_replaceable = lets_replace(&folder, stat.uid) && is_open_to_us();
        (!is_replaceable).then_some(DiskErrorKind::PermissionDenied)
    };
    Ok(Some(Examined { stat, pinned, handle }))
}

/// Returns the file, opened, and its state.
fn opened(entry: &Entry, expected: Option<&Expected>) -> Result<Option<(Handle, Inspected)>> {
    if let Some((expected, handle)) = expected.and_then(|it| Some((it, it.handle.clone()?))) {
        let named = system().inspect_name(entry.dir.as_fd(), &entry.name);
        // While it is open, no other file can have its inode number.
        if let Some(found) = named.ok().filter(|found| found.stat.same_file(&expected.stat)) {
            return Ok(Some((handle, found)));
        }
    }
    let Some(fd) = read::open(entry)? else { return Ok(None) };
    let found = system().inspect(fd.as_fd()).context(OPERATION, &entry.path)?;
    Ok(Some((fd.into(), found)))
}

/// Refuses files that are not writable. Replacing a file requires no write permission on it, and root
/// requires none at all, but a file marked as read-only is not meant to be replaced either.
fn require_writable(entry: &Entry, file: &Inspected) -> Result<()> {
    if file.stat.has_no_write_bit() || file.is_sealed {
        return Err(DiskError::new(DiskErrorKind::ReadOnly, OPERATION, &entry.path));
    }
    match accessat(&entry.dir, &entry.name, Access::WRITE_OK, AtFlags::EACCESS) {
        // A running program can be replaced, although it cannot be written.
        Ok(()) | Err(Errno::TXTBSY) => Ok(()),
        Err(errno) => {
            let error = DiskError::from_errno(errno, OPERATION, &entry.path);
            // Without the permission, the error is `ACCESS`; the other one means that the file is immutable.
            let own = errno == Errno::ACCESS && file.stat.uid == geteuid().as_raw();
            Err(if own || errno == Errno::PERM { error.with_kind(DiskErrorKind::ReadOnly) } else { error })
        }
    }
}

/// Returns `true` if a folder that this process may write lets it rename over a file of that owner.
fn lets_replace(folder: &Inspected, file_owner: u32) -> bool {
    let me = geteuid();
    let sticky = folder.stat.mode & STICKY != 0;
    let mine = me.is_root() || me.as_raw() == folder.stat.uid || me.as_raw() == file_owner;
    !folder.is_sealed && (!sticky || mine)
}

/// Gives `file` the owner, attributes and mode of `original`, in this order: a change of owner clears
/// set-user-id bits, and the mode of a file with an ACL is its mask. Returns the state of the file, or `None`
/// if it would lose an attribute of the original.
pub(super) fn reproduce(file: &File, original: &Examined) -> rustix::io::Result<Option<Stat>> {
    let wanted = &original.stat;
    let is_unique = system().is_unique(original.handle.as_fd());
    if is_unique || !chown(file, wanted)? || !copy_xattrs(file, &original.handle)? {
        return Ok(None);
    }
    fchmod(file, permissions(wanted.mode & 0o7777))?;
    let stat = Stat::of(&fstat(file)?);
    let is_alike = (stat.mode, stat.uid, stat.gid) == (wanted.mode, wanted.uid, wanted.gid);
    Ok(is_alike.then_some(stat))
}

fn chown(file: &File, wanted: &Stat) -> rustix::io::Result<bool> {
    let present = fstat(file)?;
    if (present.st_uid, present.st_gid) == (wanted.uid, wanted.gid) {
        return Ok(true);
    }
    match fchown(file, Some(Uid::from_raw(wanted.uid)), Some(Gid::from_raw(wanted.gid))) {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::INVAL) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Copies the extended attributes. Returns `false` if the new file cannot have all of them.
fn copy_xattrs(file: &File, old: &Handle) -> rustix::io::Result<bool> {
    let system = system();
    let mut inherited_acl = system.has_acl(file.as_fd());
    let names = match read_xattr(|buffer| flistxattr(old, buffer)) {
        Err(errno) if is_unsupported(errno) => Some(Vec::new()),
        names => names?,
    };
    let Some(names) = names else { return Ok(false) };
    for name in names.split_inclusive(|byte| *byte == 0) {
        let name = CStr::from_bytes_with_nul(name).map_err(|_| Errno::INVAL)?;
        inherited_acl &= !system.is_acl(name);
        let is_settled = match system.treatment(name.to_bytes()) {
            Treatment::Drop => true,
            Treatment::Copy => copy_xattr(file, old, name)?,
            Treatment::Keep => false,
        };
        if !is_settled {
            return Ok(false);
        }
    }
    if inherited_acl { system.remove_acl(file.as_fd()) } else { Ok(true) }
}

/// Copies one attribute. Returns `false` if the new file does not accept it.
fn copy_xattr(file: &File, old: &Handle, name: &CStr) -> rustix::io::Result<bool> {
    let Some(value) = read_xattr(|buffer| fgetxattr(old, name, buffer))? else { return Ok(false) };
    match fsetxattr(file, name, &value, XattrFlags::empty()) {
        Ok(()) => Ok(true),
        // The last two mean that the value is too large for the new file (`setxattr(2)` of both systems).
        Err(Errno::PERM | Errno::ACCESS | Errno::INVAL | Errno::TOOBIG | Errno::RANGE) => Ok(false),
        Err(errno) if is_unsupported(errno) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Reads into a small buffer, and into the largest one if the value does not fit. Returns `None` if the value is
/// larger than [`MAX_XATTR`].
fn read_xattr(read: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Option<Vec<u8>>> {
    for size in [512, MAX_XATTR] {
        let mut value = vec![0; size];
        match read(&mut value) {
            Err(Errno::RANGE) => {}
            length => {
                value.truncate(length?);
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}
