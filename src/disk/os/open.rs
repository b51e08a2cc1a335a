//! Opening roots, and folders and files under a root. No path is trusted: what was opened decides.

use super::state::{require_file, state};
use crate::error::ErrnoContext;
use crate::place::RootInner;
use crate::sys::{Look, system};
use crate::{DiskError, DiskErrorKind, Kind, Listed, Result, Root, Scanned, Target};
use rustix::fs::{AtFlags, Dir, DirEntry, FileType, OFlags, statat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Opens an absolute path to a folder as a root.
pub(super) fn open_root(given: &Path) -> Result<Root> {
    const OPERATION: &str = "open the root";
    if !given.is_absolute() {
        return Err(DiskError::new(DiskErrorKind::InvalidName, OPERATION, given));
    }
    let opened = system().open_root(given).context(OPERATION, given)?;
    Ok(Root(Arc::new(RootInner {
        given: given.to_owned(),
        path: opened.path,
        device: opened.device,
        mount: opened.mount,
        handle: opened.folder.into(),
        steady_stamps: opened.steady_stamps,
        folds_names: opened.folds_names.map_or_else(OnceLock::new, OnceLock::from),
    })))
}

/// Returns the error for a path that could not be opened under a root.
pub(super) fn not_beneath(errno: Errno, operation: &'static str, path: &Path) -> DiskError {
    let error = DiskError::from_errno(errno, operation, path);
    match errno {
        Errno::XDEV => error.with_kind(DiskErrorKind::OutsideRoot),
        Errno::AGAIN => error.with_kind(DiskErrorKind::Unstable),
        _ => error,
    }
}

/// Opens the canonical path of the target's folder again and compares the two. A canonical path contains no
/// symlinks, so a symlink that is there now counts as a change too.
pub(super) fn confirm(target: &Target) -> Result<()> {
    const OPERATION: &str = "reopen";
    let root = &target.root;
    let folder = target.opened_dir();
    let below = folder.strip_prefix(root.path()).unwrap_or(Path::new(""));
    let stayed = if below.as_os_str().is_empty() {
        system().has_stayed(root).context(OPERATION, &folder)?
    } else {
        match system().open_below(root, below, system().held_folder()) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => false,
            reopened => {
                let reopened = state(reopened.context(OPERATION, &folder)?, OPERATION, &folder)?;
                reopened.same_file(&state(&target.parent, OPERATION, &folder)?)
            }
        }
    };
    if stayed { Ok(()) } else { Err(DiskError::new(DiskErrorKind::Changed, OPERATION, &folder)) }
}

/// Lists a folder, without `.` and `..`.
pub(super) fn list(root: &Root, folder: &Path) -> Result<Vec<Listed>> {
    each_entry(root, folder, |fd, entry, name| {
        Ok(Some(Listed { name: name.to_owned(), kind: kind(fd, entry, name) }))
    })
}

/// Lists a folder, without `.` and `..`, with the state of each name.
pub(super) fn scan(root: &Root, folder: &Path) -> Result<Vec<Scanned>> {
    each_entry(root, folder, |fd, entry, name| match system().look(fd.as_fd(), entry.file_name()) {
        Ok(Look { stat, born, mount }) => {
            // Files of an overlay may have another device than its folders.
            let is_mounted = !root.is_on(mount) || stat.kind() == Kind::Folder && !root.has_device_of(&stat);
            Ok(Some(Scanned { name: name.to_owned(), stat: root.mark_racy(stat), born, is_mounted }))
        }
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(DiskError::from_errno(errno, "check", &root.path().join(folder).join(name))),
    })
}

/// Collects what `of` returns for the entries of a folder, except `.` and `..`.
fn each_entry<T>(
    root: &Root,
    folder: &Path,
    of: impl Fn(&OwnedFd, &DirEntry, &OsStr) -> Result<Option<T>>,
) -> Result<Vec<T>> {
    let path = root.path().join(folder);
    let fd = open_without_symlinks(root, folder, &path, OFlags::RDONLY | OFlags::DIRECTORY)?;
    let mut found = Vec::new();
    for entry in Dir::read_from(&fd).context("list", &path)? {
        let entry = entry.context("list", &path)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            found.extend(of(&fd, &entry, name)?);
        }
    }
    Ok(found)
}

/// Returns the target of a symlink.
pub(super) fn read_link(root: &Root, below: &Path) -> Result<PathBuf> {
    const OPERATION: &str = "read the link";
    let path = root.path().join(below);
    system().read_link(root, below).map_err(|errno| not_beneath(errno, OPERATION, &path))
}

/// Returns the kind of a name. Some file systems do not report it in a listing.
fn kind(folder: &OwnedFd, entry: &DirEntry, name: &OsStr) -> Kind {
    let file_type = match entry.file_type() {
        FileType::Unknown => statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .map_or(FileType::Unknown, |raw| FileType::from_raw_mode(raw.st_mode)),
        file_type => file_type,
    };
    match file_type {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Symlink,
        _ => Kind::Other,
    }
}

/// Opens a regular file for reading. Never blocks: a FIFO without a writer opens at once and is then refused.
pub(super) fn open_file(root: &Root, below: &Path) -> Result<File> {
    let path = root.path().join(below);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let fd = open_without_symlinks(root, below, &path, flags)?;
    require_file(&state(&fd, "read", &path)?, &path)?;
    Ok(File::from(fd))
}

/// Opens a path under the root again. No symlink on it is followed, so nothing outside can be opened, even if
/// names change concurrently.
fn open_without_symlinks(root: &Root, below: &Path, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    system()
        .open_below(root, below, flags | OFlags::CLOEXEC)
        .map_err(|errno| not_beneath(errno, "open", path))
}
