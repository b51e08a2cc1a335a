//! Resolution of a path in a request to an opened location under a root.
//!
//! The kernel opens the folder under the root; it follows symlinks inside and refuses every way out. The last
//! component is followed by hand, so that a dangling link is judged by the same rules. The result is what was
//! opened: no path is resolved again between this check and a later commit.

use super::root::path_of;
use super::{DiskError, DiskErrorKind, Handle, Result, Root, Stat, Target, convert_statx, require_file};
use crate::disk::MAX_TRIES;
use crate::workspace::FileKey;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, StatxFlags, openat2, readlinkat, statx};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

const OPERATION: &str = "resolve";

/// Maximum number of symlinks followed, as in the kernel.
const MAX_LINKS: usize = 40;

/// Result of one resolution step.
enum Step {
    Found(Target),
    /// The path, relative to the root, that a symlink leads to.
    Follow(PathBuf),
}

/// Resolves `relative` to a location under `root`.
pub(super) fn resolve(root: &Root, relative: &Path) -> Result<Target> {
    let requested = root.path().join(relative);
    refuse_unusable(relative, &requested)?;
    let mut path = relative.to_owned();
    for links in 0..=MAX_LINKS {
        match step(root, &path, &requested)? {
            Step::Found(mut target) => {
                target.via_symlink = links > 0;
                return Ok(target);
            }
            Step::Follow(next) => path = next,
        }
    }
    Err(refusal(DiskErrorKind::Loop, &requested))
}

/// Returns the canonical path, relative to the root, of the folder that `relative` leads to.
pub(super) fn folder(root: &Root, relative: &Path) -> Result<PathBuf> {
    let requested = root.path().join(relative);
    refuse_unusable(relative, &requested)?;
    let opened = open_folder(root, relative).map_err(|errno| from_errno(errno, &requested))?;
    Ok(opened.path.strip_prefix(root.path()).unwrap_or(Path::new("")).to_owned())
}

fn refusal(kind: DiskErrorKind, requested: &Path) -> DiskError {
    DiskError::new(kind, OPERATION, requested)
}

fn refuse_unusable(relative: &Path, requested: &Path) -> Result<()> {
    if relative.as_os_str().as_bytes().contains(&0) {
        return Err(refusal(DiskErrorKind::InvalidName, requested));
    }
    if relative.is_absolute() {
        return Err(refusal(DiskErrorKind::OutsideRoot, requested));
    }
    Ok(())
}

/// Resolves everything but a symlink in the last existing component.
fn step(root: &Root, path: &Path, requested: &Path) -> Result<Step> {
    if path.is_absolute() {
        return Err(refusal(DiskErrorKind::OutsideRoot, requested));
    }
    let Some(name) = file_name(path) else { return Err(as_folder(root, path, requested)) };
    let folder = path.parent().unwrap_or(Path::new(""));
    match open_folder(root, folder) {
        Ok(opened) => at_name(root, &opened, name, &[], requested),
        Err(Errno::NOENT) => below_missing(root, path, requested),
        Err(errno) => Err(from_errno(errno, requested)),
    }
}

/// Returns the last component, unless the path names a folder by ending in a slash, `.` or `..`.
fn file_name(path: &Path) -> Option<&OsStr> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.ends_with(b"/") || bytes.ends_with(b"/.") {
        return None;
    }
    path.file_name()
}

/// Returns the error for a path that can only name a folder.
fn as_folder(root: &Root, path: &Path, requested: &Path) -> DiskError {
    match open_folder(root, path) {
        Ok(_) => refusal(DiskErrorKind::NotAFile { what: "a folder" }, requested),
        Err(Errno::NOENT) => refusal(DiskErrorKind::NotAFile { what: "the name of a folder" }, requested),
        Err(errno) => from_errno(errno, requested),
    }
}

/// An opened folder and its canonical path.
struct Opened {
    handle: Handle,
    path: PathBuf,
}

/// Opens a folder under the root, following symlinks that stay there.
fn open_folder(root: &Root, folder: &Path) -> std::result::Result<Opened, Errno> {
    let root_fd = root.0.handle.descriptor();
    if folder.as_os_str().is_empty() {
        // The root itself may have been moved away, and another folder may be at its path.
        let path = path_of(root_fd)?;
        return if path == root.path() {
            Ok(Opened { handle: root.0.handle.clone(), path })
        } else {
            Err(Errno::STALE)
        };
    }
    let fd = match open_beneath(root_fd, folder, ResolveFlags::empty()) {
        Err(Errno::XDEV) => {
            open_beneath(root_fd, &inside(root, root_fd, folder)?, ResolveFlags::NO_SYMLINKS)?
        }
        opened => opened?,
    };
    let path = path_of(&fd)?;
    // A root that was moved away still opens its files, but under paths that no client asked for.
    if !path.starts_with(root.path()) {
        return Err(Errno::STALE);
    }
    Ok(Opened { handle: Handle::os(fd), path })
}

/// Returns the path, relative to the root, of a folder that is reached by an absolute symlink. The kernel
/// treats such a link as a way out even if it stays inside. The path is only a candidate: the caller opens it
/// again under the root, without following any symlink.
fn inside(root: &Root, root_fd: &OwnedFd, folder: &Path) -> std::result::Result<PathBuf, Errno> {
    if folder.components().any(|part| part == Component::ParentDir) {
        return Err(Errno::XDEV);
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    // Errors from outside must be indistinguishable.
    let outside = |_| Errno::XDEV;
    let fd = openat2(root_fd, folder, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS).map_err(outside)?;
    let path = path_of(&fd)?;
    let below = path.strip_prefix(root.path()).map_err(|_| Errno::XDEV)?;
    Ok(Path::new(".").join(below))
}

/// Opens a folder as an `O_PATH` descriptor, always under the root. Retries if the kernel reports that a
/// rename or mount elsewhere made its walk uncertain.
pub(super) fn open_beneath(
    root: &OwnedFd,
    folder: &Path,
    also: ResolveFlags,
) -> std::result::Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | also;
    for _ in 0..MAX_TRIES * 4 {
        match openat2(root, folder, flags, Mode::empty(), how) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::AGAIN)
}

/// Resolves a name in an opened folder. `rest` holds the components after it that do not exist.
fn at_name(root: &Root, opened: &Opened, name: &OsStr, rest: &[OsString], requested: &Path) -> Result<Step> {
    let folder = opened.handle.descriptor();
    let known = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let (stat, mount) = match statx(folder, name, flags, known) {
        Ok(raw) => (convert_statx(&raw), raw.stx_mnt_id),
        Err(Errno::NOENT) => return Ok(Step::Found(missing(root, opened, name, rest))),
        Err(errno) => return Err(from_errno(errno, requested)),
    };
    if FileType::from_raw_mode(stat.mode) == FileType::Symlink {
        return follow(root, opened, name, rest, requested).map(Step::Follow);
    }
    if !rest.is_empty() {
        // The name has appeared since the folders were opened: start again.
        return Ok(Step::Follow(joined(&beneath(root, opened, name), rest)));
    }
    require_file(&stat, requested)?;
    Ok(Step::Found(found(root, opened, name, (&stat, mount))))
}

/// Returns the path, relative to the root, that a symlink leads to.
fn follow(
    root: &Root,
    opened: &Opened,
    name: &OsStr,
    rest: &[OsString],
    requested: &Path,
) -> Result<PathBuf> {
    let text = match readlinkat(opened.handle.descriptor(), name, Vec::new()) {
        Ok(text) => PathBuf::from(OsString::from_vec(text.into_bytes())),
        // The name is no longer a symlink: check again.
        Err(Errno::INVAL | Errno::NOENT) => PathBuf::from(name),
        Err(errno) => return Err(from_errno(errno, requested)),
    };
    if text.is_absolute() {
        let below = text.strip_prefix(root.path()).or_else(|_| text.strip_prefix(root.given()));
        let below = below.map_err(|_| refusal(DiskErrorKind::OutsideRoot, requested))?;
        return Ok(joined(below, rest));
    }
    Ok(joined(&beneath(root, opened, text.as_os_str()), rest))
}

/// Returns `name` in an opened folder as a path relative to the root.
fn beneath(root: &Root, opened: &Opened, name: &OsStr) -> PathBuf {
    opened.path.strip_prefix(root.path()).unwrap_or(Path::new("")).join(name)
}

fn joined(first: &Path, rest: &[OsString]) -> PathBuf {
    let mut path = first.to_owned();
    path.extend(rest);
    path
}

/// Resolves a path some of whose folders do not exist.
fn below_missing(root: &Root, path: &Path, requested: &Path) -> Result<Step> {
    let mut parts: Vec<Component<'_>> = path.components().collect();
    let mut rest: Vec<OsString> = Vec::new();
    while let Some(last) = parts.pop() {
        rest.insert(0, last.as_os_str().to_owned());
        let folder: PathBuf = parts.iter().collect();
        match open_folder(root, &folder) {
            Ok(opened) => return below(root, &opened, &rest, requested),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(from_errno(errno, requested)),
        }
    }
    Err(refusal(DiskErrorKind::NotFound, requested))
}

/// Resolves the components after the deepest existing folder. They must be plain names: `..` after a missing
/// folder has no meaning that could be checked.
fn below(root: &Root, opened: &Opened, rest: &[OsString], requested: &Path) -> Result<Step> {
    if rest.iter().any(|part| part == "..") {
        return Err(refusal(out_or_missing(&beneath(root, opened, OsStr::new("")), rest), requested));
    }
    match rest {
        [name, rest @ ..] => at_name(root, opened, name, rest, requested),
        [] => Err(refusal(DiskErrorKind::NotFound, requested)),
    }
}

/// Returns `OutsideRoot` if the components would lead out of the root, assuming that all of them were
/// folders, and `NotFound` otherwise.
fn out_or_missing(folder: &Path, rest: &[OsString]) -> DiskErrorKind {
    let mut depth = folder.components().count();
    for part in rest {
        match (part == "..", depth) {
            (true, 0) => return DiskErrorKind::OutsideRoot,
            (true, _) => depth -= 1,
            (false, _) => depth += 1,
        }
    }
    DiskErrorKind::NotFound
}

fn found(root: &Root, opened: &Opened, name: &OsStr, (stat, mount): (&Stat, u64)) -> Target {
    let mut target = missing(root, opened, name, &[]);
    (target.exists, target.size, target.mount) = (true, stat.size, Some(mount));
    if stat.nlink > 1 {
        target.key = FileKey::Inode { device: stat.dev, inode: stat.ino };
    }
    target
}

/// Returns the location of a missing file: `name`, then `rest`, under the opened folder.
fn missing(root: &Root, opened: &Opened, name: &OsStr, rest: &[OsString]) -> Target {
    let path = joined(&opened.path.join(name), rest);
    let mut missing_dirs = vec![name.to_owned()];
    missing_dirs.extend_from_slice(rest);
    let name = missing_dirs.pop().unwrap_or_default();
    Target {
        key: FileKey::Path(Arc::from(path.as_path())),
        path,
        root: root.clone(),
        exists: false,
        size: 0,
        via_symlink: false,
        missing_dirs,
        name,
        parent: opened.handle.clone(),
        mount: None,
    }
}

fn from_errno(errno: Errno, requested: &Path) -> DiskError {
    let error = DiskError::from_errno(errno, OPERATION, requested);
    match errno {
        Errno::XDEV => error.with_kind(DiskErrorKind::OutsideRoot),
        Errno::AGAIN => error.with_kind(DiskErrorKind::Unstable),
        Errno::STALE => error.with_kind(DiskErrorKind::Changed),
        _ => error,
    }
}
