//! Attributes of a file: whether they let it be changed or replaced, and how a file that replaces it gets
//! them.

use super::read;
use super::state::{convert, convert_statx, require_file};
use crate::disk::error::ErrnoContext;
use crate::disk::{DiskError, DiskErrorKind, Entry, Examined, Expected, Handle, Kind, Result, Stat};
use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, Statx, StatxAttributes, StatxFlags, Uid, XattrFlags, accessat, chmod,
    fchmod, fchown, fgetxattr, flistxattr, fremovexattr, fsetxattr, fstat, openat, statx,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::CStr;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};

const OPERATION: &str = "change";
const STICKY: u32 = 0o1000;
const ACL: &CStr = c"system.posix_acl_access";

/// Linux limits an attribute's value, and a file's list of names, to this many bytes.
const MAX_XATTR: usize = 64 * 1024;

/// Sets the permission bits of a file or folder.
pub(super) fn set_mode(entry: &Entry, mode: u32) -> Result<()> {
    const OPERATION: &str = "set the mode of";
    // A file need not be readable for this, but such a descriptor can only be used by its name in `/proc`.
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = openat(&entry.dir, &entry.name, flags, Mode::empty()).context(OPERATION, &entry.path)?;
    if convert(&fstat(&fd).context(OPERATION, &entry.path)?).kind() == Kind::Symlink {
        return Err(DiskError::new(DiskErrorKind::NotAFile { what: "a symlink" }, OPERATION, &entry.path));
    }
    let name = format!("/proc/self/fd/{}", fd.as_raw_fd());
    chmod(name, Mode::from_raw_mode(mode)).context(OPERATION, &entry.path)
}

/// Examines the file and its folder; refuses a file that must not be changed.
pub(super) fn examine(entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>> {
    let Some((handle, raw)) = opened(entry, expected)? else { return Ok(None) };
    let stat = convert_statx(&raw);
    require_file(&stat, &entry.path)?;
    require_writable(entry, &raw, &stat)?;
    let folder = statx_of(&entry.dir).context(OPERATION, &entry.path)?;
    let pinned = if raw.stx_attributes.contains(StatxAttributes::MOUNT_ROOT) {
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
fn opened(entry: &Entry, expected: Option<&Expected>) -> Result<Option<(Handle, Statx)>> {
    if let Some((expected, handle)) = expected.and_then(|it| Some((it, it.handle.clone()?))) {
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
        let named = statx(&entry.dir, &entry.name, flags, StatxFlags::BASIC_STATS);
        // While it is open, no other file can have its inode number.
        if let Some(raw) = named.ok().filter(|raw| convert_statx(raw).same_file(&expected.stat)) {
            return Ok(Some((handle, raw)));
        }
    }
    let Some(fd) = read::open(entry)? else { return Ok(None) };
    let raw = statx_of(&fd).context(OPERATION, &entry.path)?;
    Ok(Some((fd.into(), raw)))
}

fn statx_of(fd: impl AsFd) -> rustix::io::Result<Statx> {
    statx(fd, c"", AtFlags::EMPTY_PATH, StatxFlags::BASIC_STATS)
}

fn is_sealed(raw: &Statx) -> bool {
    raw.stx_attributes.intersects(StatxAttributes::IMMUTABLE | StatxAttributes::APPEND)
}

/// Refuses files that are not writable. Replacing a file requires no write permission on it, and root
/// requires none at all, but a file marked as read-only is not meant to be replaced either.
fn require_writable(entry: &Entry, raw: &Statx, stat: &Stat) -> Result<()> {
    if stat.has_no_write_bit() || is_sealed(raw) {
        return Err(DiskError::new(DiskErrorKind::ReadOnly, OPERATION, &entry.path));
    }
    match accessat(&entry.dir, &entry.name, Access::WRITE_OK, AtFlags::EACCESS) {
        // A running program can be replaced, although it cannot be written.
        Ok(()) | Err(Errno::TXTBSY) => Ok(()),
        Err(errno) => {
            let error = DiskError::from_errno(errno, OPERATION, &entry.path);
            let own = errno == Errno::ACCESS && stat.uid == geteuid().as_raw();
            Err(if own { error.with_kind(DiskErrorKind::ReadOnly) } else { error })
        }
    }
}

/// Returns `true` if a folder that this process may write lets it rename over a file of that owner.
fn lets_replace(folder: &Statx, file_owner: u32) -> bool {
    let me = geteuid();
    let sticky = u32::from(folder.stx_mode) & STICKY != 0;
    let mine = me.is_root() || me.as_raw() == folder.stx_uid || me.as_raw() == file_owner;
    !is_sealed(folder) && (!sticky || mine)
}

/// Gives `file` the owner, attributes and mode of `original`, in this order: a change of owner clears
/// set-user-id bits, and the mode of a file with an ACL is its mask. Returns the state of the file, or `None`
/// if it would lose an attribute of the original.
pub(super) fn reproduce(file: &File, original: &Examined) -> rustix::io::Result<Option<Stat>> {
    let wanted = &original.stat;
    if !chown(file, wanted)? || !copy_xattrs(file, &original.handle)? {
        return Ok(None);
    }
    fchmod(file, Mode::from_raw_mode(wanted.mode & 0o7777))?;
    let stat = convert(&fstat(file)?);
    let is_alike = (stat.mode, stat.uid, stat.gid) == (wanted.mode, wanted.uid, wanted.gid);
    Ok(is_alike.then_some(stat))
}

/// Returns `true` if a file has an access-control list beyond its mode.
pub(super) fn has_acl(file: impl AsFd) -> bool {
    fgetxattr(file, ACL, &mut [0_u8; 0][..]).is_ok()
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
    let mut inherited_acl = has_acl(file);
    let names = match read_xattr(|buffer| flistxattr(old, buffer)) {
        Err(Errno::OPNOTSUPP) => Vec::new(),
        names => names?,
    };
    for name in names.split_inclusive(|byte| *byte == 0) {
        let name = CStr::from_bytes_with_nul(name).map_err(|_| Errno::INVAL)?;
        inherited_acl &= name != ACL;
        let is_settled = match name.to_bytes() {
            // Dropped: privileges of a program, which the kernel removes on every write so that changed code
            // does not inherit them.
            b"security.capability" => true,
            b"security.selinux" | b"system.posix_acl_access" => copy_xattr(file, old, name)?,
            user if user.starts_with(b"user.") => copy_xattr(file, old, name)?,
            // Not known to be copyable, so the original's inode has to stay.
            _ => false,
        };
        if !is_settled {
            return Ok(false);
        }
    }
    if inherited_acl {
        fremovexattr(file, ACL)?;
    }
    Ok(true)
}

/// Copies one attribute. Returns `false` if the new file does not accept it.
fn copy_xattr(file: &File, old: &Handle, name: &CStr) -> rustix::io::Result<bool> {
    let value = read_xattr(|buffer| fgetxattr(old, name, buffer))?;
    match fsetxattr(file, name, &value, XattrFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP | Errno::INVAL) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// Reads into a small buffer, and into the largest one if the value does not fit.
fn read_xattr(read: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> rustix::io::Result<Vec<u8>> {
    let mut value = vec![0; 512];
    let length = match read(&mut value) {
        Err(Errno::RANGE) => {
            value.resize(MAX_XATTR, 0);
            read(&mut value)?
        }
        length => length?,
    };
    value.truncate(length);
    Ok(value)
}
