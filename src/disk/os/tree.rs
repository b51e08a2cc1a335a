//! Listing folders and reading files of a tree. Every folder and file is opened again under the root, and no
//! symlink on its path is followed. Nothing outside can be opened, even if names change concurrently.

use super::{DiskError, DiskErrorKind, Kind, Listed, Result, Root, require_file};
use crate::disk::MAX_TRIES;
use rustix::fs::{
    AtFlags, Dir, DirEntry, FileType, Mode, OFlags, RawMode, ResolveFlags, fstat, openat2, statat,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Lists a folder, without `.` and `..`.
pub(super) fn list(root: &Root, folder: &Path) -> Result<Vec<Listed>> {
    let failed = |errno| DiskError::from_errno(errno, "list", &root.path().join(folder));
    let fd = open_below(root, folder, OFlags::RDONLY | OFlags::DIRECTORY)?;
    let mut found = Vec::new();
    for entry in Dir::read_from(&fd).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name != "." && name != ".." {
            found.push(Listed { name: name.to_owned(), kind: kind(&fd, &entry, name) });
        }
    }
    Ok(found)
}

/// Opens a regular file for reading. Never blocks: a FIFO without a writer opens at once and is then refused.
pub(super) fn open(root: &Root, below: &Path) -> Result<File> {
    let fd = open_below(root, below, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
    let path = || root.path().join(below);
    let raw = fstat(&fd).map_err(|errno| DiskError::from_errno(errno, "read", &path()))?;
    if !is_file(raw.st_mode) {
        require_file(&super::convert(&raw), &path())?;
    }
    Ok(File::from(fd))
}

fn is_file(mode: RawMode) -> bool {
    FileType::from_raw_mode(mode) == FileType::RegularFile
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

/// Opens a path under the root. Retries if the kernel reports that a rename or mount elsewhere made its walk
/// uncertain.
fn open_below(root: &Root, below: &Path, flags: OFlags) -> Result<OwnedFd> {
    let failed = |errno| DiskError::from_errno(errno, "open", &root.path().join(below));
    let below = if below.as_os_str().is_empty() { OsString::from(".") } else { below.as_os_str().to_owned() };
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    let root = root.0.handle.descriptor();
    for _ in 0..MAX_TRIES {
        match openat2(root, below.as_os_str(), flags | OFlags::CLOEXEC, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(errno @ Errno::XDEV) => return Err(failed(errno).with_kind(DiskErrorKind::OutsideRoot)),
            opened => return opened.map_err(failed),
        }
    }
    Err(failed(Errno::AGAIN).with_kind(DiskErrorKind::Unstable))
}
