//! Opening roots, and folders and files under a root. No path is trusted: what was opened decides.

use super::state::{convert, convert_statx, require_file, state};
use crate::disk::error::ErrnoContext;
use crate::disk::interface::MAX_TRIES;
use crate::disk::place::RootInner;
use crate::disk::{DiskError, DiskErrorKind, Handle, Kind, Listed, Result, Root, Scanned, Target};
use rustix::fs::{
    AtFlags, Dir, DirEntry, FileType, Mode, OFlags, ResolveFlags, StatxFlags, fstat, fstatfs, openat2,
    readlinkat, statat, statx,
};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

// File system types as numbered by `statfs`. On these, every change is known to update a timestamp, up to the
// resolution of the clock.
pub(super) const EXT4: u64 = 0xef53;
const XFS: u64 = 0x5846_5342;
const BTRFS: u64 = 0x9123_683e;
pub(super) const TMPFS: u64 = 0x0102_1994;

/// Flags for a folder that is only held, not listed or flushed.
pub(super) const HELD_FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Opens an absolute path to a folder as a root.
pub(super) fn open_root(given: &Path) -> Result<Root> {
    const OPERATION: &str = "open the root";
    if !given.is_absolute() {
        return Err(DiskError::new(DiskErrorKind::InvalidName, OPERATION, given));
    }
    let fd = rustix::fs::open(given, HELD_FOLDER, Mode::empty()).context(OPERATION, given)?;
    let known = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    let state = statx(&fd, c"", AtFlags::EMPTY_PATH, known).context(OPERATION, given)?;
    let fs_type = fstatfs(&fd).context(OPERATION, given)?.f_type.cast_unsigned();
    Ok(Root(Arc::new(RootInner {
        given: given.to_owned(),
        path: path_of(&fd).context(OPERATION, given)?,
        device: convert_statx(&state).dev,
        mount: Some(state.stx_mnt_id),
        handle: fd.into(),
        steady_stamps: matches!(fs_type, EXT4 | XFS | BTRFS | TMPFS),
    })))
}

/// Returns the canonical path of an open file or folder. A removed folder has none ([`Errno::NOENT`]).
fn path_of(fd: impl AsFd) -> rustix::io::Result<PathBuf> {
    const REMOVED: &[u8] = b" (deleted)";
    let number = fd.as_fd().as_raw_fd().to_string();
    let bytes = readlinkat(descriptors()?, number, Vec::with_capacity(256))?.into_bytes();
    if bytes.ends_with(REMOVED) && fstat(fd)?.st_nlink == 0 {
        return Err(Errno::NOENT);
    }
    Ok(OsString::from_vec(bytes).into())
}

/// Returns the folder of this process's descriptors, as links to the open files. It stays open, because every
/// change reads it twice and looking it up again would add half of the remaining cost.
fn descriptors() -> rustix::io::Result<&'static OwnedFd> {
    static FOLDER: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(folder) = FOLDER.get() {
        return Ok(folder);
    }
    let folder = rustix::fs::open("/proc/self/fd", HELD_FOLDER, Mode::empty())?;
    Ok(FOLDER.get_or_init(|| folder))
}

/// An opened folder and its canonical path.
pub(super) struct OpenedFolder {
    pub(super) handle: Handle,
    pub(super) path: PathBuf,
}

impl OpenedFolder {
    /// Opens a folder under the root, following symlinks that stay there.
    pub(super) fn open(root: &Root, folder: &Path) -> rustix::io::Result<Self> {
        let root_handle = &root.0.handle;
        if folder.as_os_str().is_empty() {
            // The root itself may have been moved away, and another folder may be at its path.
            let path = path_of(root_handle)?;
            let stayed = path == root.path();
            return if stayed { Ok(Self { handle: root_handle.clone(), path }) } else { Err(Errno::STALE) };
        }
        let fd = match open_beneath(root, folder, HELD_FOLDER, ResolveFlags::empty()) {
            Err(Errno::XDEV) => {
                open_beneath(root, &inside(root, folder)?, HELD_FOLDER, ResolveFlags::NO_SYMLINKS)?
            }
            opened => opened?,
        };
        let path = path_of(&fd)?;
        // A root that was moved away still opens its files, but under paths that no client asked for.
        if !path.starts_with(root.path()) {
            return Err(Errno::STALE);
        }
        Ok(Self { handle: fd.into(), path })
    }

    /// Returns the folder's path relative to the root.
    pub(super) fn below<'p>(&'p self, root: &Root) -> &'p Path {
        self.path.strip_prefix(root.path()).unwrap_or(Path::new(""))
    }
}

/// Returns the path, relative to the root, of a folder that is reached by an absolute symlink. The kernel
/// treats such a link as a way out even if it stays inside. The path is only a candidate: the caller opens it
/// again under the root, without following any symlink.
fn inside(root: &Root, folder: &Path) -> rustix::io::Result<PathBuf> {
    if folder.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::XDEV);
    }
    let fd = openat2(&root.0.handle, folder, HELD_FOLDER, Mode::empty(), ResolveFlags::NO_MAGICLINKS);
    // Errors from outside must be indistinguishable.
    let path = path_of(fd.map_err(|_| Errno::XDEV)?)?;
    let below = path.strip_prefix(root.path()).map_err(|_| Errno::XDEV)?;
    Ok(Path::new(".").join(below))
}

/// Opens a path, always under the root. Retries if the kernel reports that a rename or mount elsewhere made
/// its walk uncertain.
fn open_beneath(root: &Root, path: &Path, flags: OFlags, also: ResolveFlags) -> rustix::io::Result<OwnedFd> {
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | also;
    for _ in 0..MAX_TRIES * 4 {
        match openat2(&root.0.handle, path, flags, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::AGAIN)
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
        path_of(&root.0.handle).context(OPERATION, &folder)? == root.path()
    } else {
        match open_beneath(root, below, HELD_FOLDER, ResolveFlags::NO_SYMLINKS) {
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
    each_entry(root, folder, |fd, entry, name| {
        match statat(fd, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(raw) => Ok(Some(Scanned { name: name.to_owned(), stat: root.mark_racy(convert(&raw)) })),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(DiskError::from_errno(errno, "check", &root.path().join(folder).join(name))),
        }
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
    let fd = open_link(root, below, &path)?;
    let target = readlinkat(&fd, c"", Vec::with_capacity(256)).context(OPERATION, &path)?;
    Ok(OsString::from_vec(target.into_bytes()).into())
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

/// Opens a symlink itself. No symlink on the path to it is followed.
fn open_link(root: &Root, below: &Path, path: &Path) -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    open_beneath(root, below, flags, ResolveFlags::NO_SYMLINKS)
        .map_err(|errno| not_beneath(errno, "open", path))
}

/// Opens a path under the root again. No symlink on it is followed, so nothing outside can be opened, even if
/// names change concurrently.
fn open_without_symlinks(root: &Root, below: &Path, path: &Path, flags: OFlags) -> Result<OwnedFd> {
    let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
    open_beneath(root, below, flags | OFlags::CLOEXEC, ResolveFlags::NO_SYMLINKS)
        .map_err(|errno| not_beneath(errno, "open", path))
}
