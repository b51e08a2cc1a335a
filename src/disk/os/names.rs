//! Names in opened folders: rename, exchange, link, remove.

use super::{DiskError, Entry, Result};
use rustix::fs::{AtFlags, RenameFlags, linkat, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

pub(super) fn rename_over(from: &Entry, to: &Entry) -> Result<()> {
    renameat(from.dir.as_os()?, &from.name, to.dir.as_os()?, &to.name)
        .map_err(|errno| DiskError::from_errno(errno, "replace", &to.path))
}

pub(super) fn rename_new(from: &Entry, to: &Entry) -> Result<()> {
    let renamed =
        renameat_with(from.dir.as_os()?, &from.name, to.dir.as_os()?, &to.name, RenameFlags::NOREPLACE);
    match renamed {
        Err(errno) if is_unsupported(errno) => link_and_remove(from, to),
        result => result.map_err(|errno| DiskError::from_errno(errno, "rename to", &to.path)),
    }
}

/// A file system that cannot rename to a free name only can still link to one.
fn link_and_remove(from: &Entry, to: &Entry) -> Result<()> {
    match linkat(from.dir.as_os()?, &from.name, to.dir.as_os()?, &to.name, AtFlags::empty()) {
        Ok(()) => remove(from),
        Err(errno) if knows_no_link(errno) => look_and_rename(from, to),
        Err(errno) => Err(DiskError::from_errno(errno, "link to", &to.path)),
    }
}

/// Where there are no second names either (exFAT through FUSE). Weaker: a file that somebody puts there between
/// the look and the rename is lost.
fn look_and_rename(from: &Entry, to: &Entry) -> Result<()> {
    match statat(to.dir.as_os()?, &to.name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => rename_over(from, to),
        Ok(_) => Err(DiskError::from_errno(Errno::EXIST, "rename to", &to.path)),
        Err(errno) => Err(DiskError::from_errno(errno, "rename to", &to.path)),
    }
}

pub(super) fn exchange(a: &Entry, b: &Entry) -> Result<bool> {
    match renameat_with(a.dir.as_os()?, &a.name, b.dir.as_os()?, &b.name, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(errno) if is_unsupported(errno) => Ok(false),
        Err(errno) => Err(DiskError::from_errno(errno, "replace", &b.path)),
    }
}

pub(super) fn link(from: &Entry, to: &Entry) -> Result<bool> {
    match linkat(from.dir.as_os()?, &from.name, to.dir.as_os()?, &to.name, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(errno) if knows_no_link(errno) => Ok(false),
        Err(errno) => Err(DiskError::from_errno(errno, "keep", &from.path)),
    }
}

pub(super) fn remove(entry: &Entry) -> Result<()> {
    unlinkat(entry.dir.as_os()?, &entry.name, AtFlags::empty())
        .map_err(|errno| DiskError::from_errno(errno, "remove", &entry.path))
}

/// The system may forbid links to what others own, a file system may know none.
fn knows_no_link(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::MLINK) || is_unsupported(errno)
}

/// How file systems say that they do not know a kind of rename.
fn is_unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}
