//! Resolution of a path in a request to an opened location under a root.
//!
//! The system opens the folder under the root; it follows symlinks inside and refuses every way out. The last
//! component is followed by hand, so that a dangling link is judged by the same rules. The result is what was
//! opened: no path is resolved again between this check and a later commit.

use super::open::not_beneath;
use super::state::require_file;
use crate::sys::{OpenedFolder, system};
use crate::{DiskError, DiskErrorKind, Kind, Result, Root, Stat, Target};
use editd_workspace::FileKey;
use rustix::fs::readlinkat;
use rustix::io::Errno;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

const OPERATION: &str = "resolve";

/// Maximum number of symlinks followed, as in the kernel.
const MAX_LINKS: usize = 40;

/// Resolves `relative` to a location under `root`.
pub(super) fn resolve(root: &Root, relative: &Path) -> Result<Target> {
    let resolver = Resolver::new(root, relative)?;
    let mut path = relative.to_owned();
    for links in 0..=MAX_LINKS {
        match resolver.resolve_once(&path)? {
            Resolution::Target(mut target) => {
                target.via_symlink = links > 0;
                return Ok(target);
            }
            Resolution::Redirect(next) => path = next,
        }
    }
    Err(resolver.refusal(DiskErrorKind::Loop))
}

/// Returns the canonical path, relative to the root, of the folder that `relative` leads to.
pub(super) fn resolve_folder(root: &Root, relative: &Path) -> Result<PathBuf> {
    let resolver = Resolver::new(root, relative)?;
    let opened = system().open_folder(root, relative).map_err(|errno| resolver.failure(errno))?;
    Ok(opened.below(root).to_owned())
}

/// Result of one pass over a path.
enum Resolution {
    Target(Target),
    /// The path, relative to the root, to resolve instead: a symlink leads there.
    Redirect(PathBuf),
}

struct Resolver<'r> {
    root: &'r Root,
    /// The path of the request, for errors.
    requested: PathBuf,
}

impl<'r> Resolver<'r> {
    fn new(root: &'r Root, relative: &Path) -> Result<Self> {
        let resolver = Self { root, requested: root.path().join(relative) };
        if relative.as_os_str().as_bytes().contains(&0) {
            return Err(resolver.refusal(DiskErrorKind::InvalidName));
        }
        if relative.is_absolute() {
            return Err(resolver.refusal(DiskErrorKind::OutsideRoot));
        }
        Ok(resolver)
    }

    fn refusal(&self, kind: DiskErrorKind) -> DiskError {
        DiskError::new(kind, OPERATION, &self.requested)
    }

    fn failure(&self, errno: Errno) -> DiskError {
        let error = not_beneath(errno, OPERATION, &self.requested);
        if errno == Errno::STALE { error.with_kind(DiskErrorKind::Changed) } else { error }
    }

    /// Resolves everything but a symlink in the last existing component.
    fn resolve_once(&self, path: &Path) -> Result<Resolution> {
        if path.is_absolute() {
            return Err(self.refusal(DiskErrorKind::OutsideRoot));
        }
        let Some(name) = file_name(path) else { return Err(self.not_a_file(path)) };
        let folder = path.parent().unwrap_or(Path::new(""));
        match system().open_folder(self.root, folder) {
            Ok(opened) => self.at_name(&opened, name, &[]),
            Err(Errno::NOENT) => self.below_missing(path),
            Err(errno) => Err(self.failure(errno)),
        }
    }

    /// Returns the error for a path that can only name a folder.
    fn not_a_file(&self, path: &Path) -> DiskError {
        match system().open_folder(self.root, path) {
            Ok(_) => self.refusal(DiskErrorKind::NotAFile { what: "a folder" }),
            Err(Errno::NOENT) => self.refusal(DiskErrorKind::NotAFile { what: "the name of a folder" }),
            Err(errno) => self.failure(errno),
        }
    }

    /// Resolves a name in an opened folder. `rest` holds the components after it that do not exist.
    fn at_name(&self, opened: &OpenedFolder, name: &OsStr, rest: &[OsString]) -> Result<Resolution> {
        let (stat, mount) = match system().find(opened.handle.as_fd(), name) {
            Ok(found) => found,
            Err(Errno::NOENT) => return Ok(Resolution::Target(self.missing(opened, name, rest))),
            Err(errno) => return Err(self.failure(errno)),
        };
        if stat.kind() == Kind::Symlink {
            return Ok(Resolution::Redirect(joined(&self.follow(opened, name)?, rest)));
        }
        if !rest.is_empty() {
            // The name has appeared since the folders were opened: start again.
            return Ok(Resolution::Redirect(joined(&opened.below(self.root).join(name), rest)));
        }
        require_file(&stat, &self.requested)?;
        let name = self.stored_name(opened, name, &stat)?;
        let mut target = self.missing(opened, &name, &[]);
        (target.exists, target.size, target.mount) = (true, stat.size, mount);
        if stat.nlink > 1 {
            target.key = FileKey::Inode { device: stat.dev, inode: stat.ino };
        }
        Ok(Resolution::Target(target))
    }

    /// Returns the name of an existing file as its folder has stored it, so that a file has one path however it
    /// is spelled.
    fn stored_name<'n>(&self, opened: &OpenedFolder, name: &'n OsStr, stat: &Stat) -> Result<Cow<'n, OsStr>> {
        if !self.root.folds_names() {
            return Ok(name.into());
        }
        let stored = system().stored_name(opened.handle.as_fd(), name, stat);
        stored.map(Cow::Owned).map_err(|errno| self.failure(errno))
    }

    /// Returns the path, relative to the root, that a symlink leads to.
    fn follow(&self, opened: &OpenedFolder, name: &OsStr) -> Result<PathBuf> {
        let text = match readlinkat(&opened.handle, name, Vec::new()) {
            Ok(text) => PathBuf::from(OsString::from_vec(text.into_bytes())),
            // The name is no longer a symlink: check again.
            Err(Errno::INVAL | Errno::NOENT) => PathBuf::from(name),
            Err(errno) => return Err(self.failure(errno)),
        };
        if !text.is_absolute() {
            return Ok(opened.below(self.root).join(text));
        }
        let below = text.strip_prefix(self.root.path()).or_else(|_| text.strip_prefix(self.root.given()));
        below.map(Path::to_owned).map_err(|_| self.refusal(DiskErrorKind::OutsideRoot))
    }

    /// Resolves a path some of whose folders do not exist.
    fn below_missing(&self, path: &Path) -> Result<Resolution> {
        let mut folders: Vec<Component<'_>> = path.components().collect();
        let mut rest: Vec<OsString> = Vec::new();
        while let Some(last) = folders.pop() {
            rest.insert(0, last.as_os_str().to_owned());
            match system().open_folder(self.root, &folders.iter().collect::<PathBuf>()) {
                // `..` after a missing folder has no meaning that could be checked.
                Ok(opened) if rest.iter().any(|part| part == "..") => {
                    return Err(self.refusal(out_or_missing(opened.below(self.root), &rest)));
                }
                Ok(opened) => return self.at_name(&opened, &rest[0], &rest[1..]),
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(self.failure(errno)),
            }
        }
        Err(self.refusal(DiskErrorKind::NotFound))
    }

    /// Returns the location of a missing file: `name`, then `rest`, under the opened folder.
    fn missing(&self, opened: &OpenedFolder, name: &OsStr, rest: &[OsString]) -> Target {
        let path = joined(&opened.path.join(name), rest);
        let mut missing_dirs = vec![name.to_owned()];
        missing_dirs.extend_from_slice(rest);
        let name = missing_dirs.pop().unwrap_or_default();
        Target {
            key: FileKey::Path(Arc::from(path.as_path())),
            path,
            root: self.root.clone(),
            exists: false,
            size: 0,
            via_symlink: false,
            missing_dirs,
            name,
            in_the_way: None,
            parent: opened.handle.clone(),
            mount: None,
        }
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

fn joined(first: &Path, rest: &[OsString]) -> PathBuf {
    let mut path = first.to_owned();
    path.extend(rest);
    path
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
