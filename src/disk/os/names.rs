//! Names in opened folders: rename, exchange, link, remove.

use super::{DiskError, Entry, Result};
use rustix::fs::{AtFlags, RenameFlags, linkat, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

pub(super) fn rename_over(from: &Entry, to: &Entry) -> Result<()> {
    renameat(from.dir.descriptor(), &from.name, to.dir.descriptor(), &to.name)
        .map_err(|errno| DiskError::from_errno(errno, "replace", &to.path))
}

pub(super) fn rename_new(from: &Entry, to: &Entry) -> Result<()> {
    let renamed = renameat_with(
        from.dir.descriptor(),
        &from.name,
        to.dir.descriptor(),
        &to.name,
        RenameFlags::NOREPLACE,
    );
    match renamed {
        Err(errno) if is_unsupported(errno) => link_and_remove(from, to),
        result => result.map_err(|errno| DiskError::from_errno(errno, "rename to", &to.path)),
    }
}

/// Renames with a link and a removal, for a file system that cannot restrict a rename to a free name.
fn link_and_remove(from: &Entry, to: &Entry) -> Result<()> {
    match linkat(from.dir.descriptor(), &from.name, to.dir.descriptor(), &to.name, AtFlags::empty()) {
        Ok(()) => remove(from),
        Err(errno) if is_link_unsupported(errno) => check_and_rename(from, to),
        Err(errno) => Err(DiskError::from_errno(errno, "link to", &to.path)),
    }
}

/// Renames on a file system that has no hard links either (exFAT through FUSE). Weaker: a file that another
/// program creates between the check and the rename is lost.
fn check_and_rename(from: &Entry, to: &Entry) -> Result<()> {
    match statat(to.dir.descriptor(), &to.name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => rename_over(from, to),
        Ok(_) => Err(DiskError::from_errno(Errno::EXIST, "rename to", &to.path)),
        Err(errno) => Err(DiskError::from_errno(errno, "rename to", &to.path)),
    }
}

pub(super) fn exchange(a: &Entry, b: &Entry) -> Result<bool> {
    match renameat_with(a.dir.descriptor(), &a.name, b.dir.descriptor(), &b.name, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(errno) if is_unsupported(errno) => Ok(false),
        Err(errno) => Err(DiskError::from_errno(errno, "replace", &b.path)),
    }
}

pub(super) fn link(from: &Entry, to: &Entry) -> Result<bool> {
    match linkat(from.dir.descriptor(), &from.name, to.dir.descriptor(), &to.name, AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(errno) if is_link_unsupported(errno) => Ok(false),
        Err(errno) => Err(DiskError::from_errno(errno, "keep", &from.path)),
    }
}

pub(super) fn remove(entry: &Entry) -> Result<()> {
    unlinkat(entry.dir.descriptor(), &entry.name, AtFlags::empty())
        .map_err(|errno| DiskError::from_errno(errno, "remove", &entry.path))
}

/// Returns `true` if a link is not possible: the system may forbid links to files of other owners, or the
/// file system has no links.
fn is_link_unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::MLINK) || is_unsupported(errno)
}

/// Returns `true` for the errors of file systems that do not support a kind of rename.
fn is_unsupported(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}
