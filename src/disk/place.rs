//! Opened places: roots, targets, names in opened folders.

use super::error::{DiskError, DiskErrorKind, Result};
use super::stat::Stat;
use crate::workspace::FileKey;
use std::ffi::OsString;
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened file or folder of the disk that made it. Meaningless to another disk.
#[derive(Clone)]
pub struct Handle(pub(super) HandleKind);

/// What a handle is, by disk.
#[derive(Clone)]
pub(super) enum HandleKind {
    /// A descriptor of the real disk.
    Os(Arc<OwnedFd>),
    /// An inode of the memory disk.
    Memory(u64),
}

impl Handle {
    /// A handle of the real disk.
    pub(super) fn os(fd: OwnedFd) -> Self {
        Self(HandleKind::Os(Arc::new(fd)))
    }

    /// The descriptor, for the real disk.
    pub(super) fn as_os(&self) -> Result<&Arc<OwnedFd>> {
        match &self.0 {
            HandleKind::Os(fd) => Ok(fd),
            HandleKind::Memory(_) => Err(foreign()),
        }
    }

    /// The inode, for the memory disk.
    pub(super) fn as_memory(&self) -> Result<u64> {
        match &self.0 {
            HandleKind::Memory(inode) => Ok(*inode),
            HandleKind::Os(_) => Err(foreign()),
        }
    }
}

/// The error for a handle that was made by another disk.
fn foreign() -> DiskError {
    DiskError::new(DiskErrorKind::Io, "use a handle of another disk on", Path::new(""))
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            HandleKind::Os(fd) => write!(f, "{fd:?}"),
            HandleKind::Memory(inode) => write!(f, "memory inode {inode}"),
        }
    }
}

/// An opened root folder. Cheap to clone; stays open as long as a clone lives.
#[derive(Clone, Debug)]
pub struct Root(pub(super) Arc<RootInner>);

/// What a root's clones share.
#[derive(Debug)]
pub(super) struct RootInner {
    pub(super) given: PathBuf,
    pub(super) path: PathBuf,
    pub(super) device: u64,
    /// The number of the mount that shows it, where the disk has mounts.
    pub(super) mount: Option<u64>,
    pub(super) handle: Handle,
    /// Whether time stamps of this file system are known to move with every change.
    pub(super) steady_stamps: bool,
}

impl Root {
    /// The canonical path that was opened.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The path as it was asked for.
    pub fn given(&self) -> &Path {
        &self.0.given
    }

    /// The number of the device that the root folder is on.
    pub fn device(&self) -> u64 {
        self.0.device
    }

    /// Marks a state as racy where its file system is not the root's own, or not one whose stamps are
    /// known to move with every change.
    pub(super) fn judged(&self, mut stat: Stat) -> Stat {
        stat.racy |= !self.is_steady(&stat);
        stat
    }

    /// Whether a file is on a file system of this machine whose stamps are known to move with every change.
    pub(super) fn is_steady(&self, stat: &Stat) -> bool {
        self.0.steady_stamps && stat.dev == self.device()
    }
}

/// What stands at a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symlink, wherever it leads.
    Symlink,
    /// A device, pipe or socket.
    Other,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The name.
    pub name: OsString,
    /// What stands there.
    pub kind: Kind,
}

/// A resolved place beneath a root: a file, or where one would be.
#[derive(Clone, Debug)]
pub struct Target {
    /// What makes it the same file as another target.
    pub key: FileKey,
    /// The canonical absolute path as it is or would be.
    pub path: PathBuf,
    /// The root it was resolved beneath.
    pub root: Root,
    /// Whether a file was there.
    pub exists: bool,
    /// The bytes that it had.
    pub size: u64,
    /// Whether the last component of the path that was asked for is a symlink that led here.
    pub via_symlink: bool,
    /// Folders between the opened one and the file that do not exist yet, outermost first.
    pub missing_dirs: Vec<OsString>,
    /// The file's own name.
    pub name: OsString,
    /// The deepest existing folder, opened: kept so that nothing is resolved again before a commit.
    pub(super) parent: Handle,
    /// The number of the mount that shows the file, where the disk has mounts and a file was there.
    pub(super) mount: Option<u64>,
}

impl Target {
    /// The path of the opened folder: the file's own, or the deepest that exists.
    pub fn opened_dir(&self) -> PathBuf {
        let levels = self.missing_dirs.len() + 1;
        self.path.ancestors().nth(levels).unwrap_or(Path::new("/")).to_owned()
    }

    /// The file's name in its opened folder; none while folders are missing.
    pub fn entry(&self) -> Option<Entry> {
        self.missing_dirs.is_empty().then(|| Entry {
            dir: self.parent.clone(),
            name: self.name.clone(),
            path: self.path.clone(),
        })
    }

    /// Another name in the opened folder.
    pub(super) fn beside(&self, name: OsString) -> Entry {
        let path = self.opened_dir().join(&name);
        Entry { dir: self.parent.clone(), name, path }
    }
}

/// A name in an opened folder: what every primitive works on.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The opened folder.
    pub dir: Handle,
    /// The name in it.
    pub name: OsString,
    /// The path, for errors and reports.
    pub path: PathBuf,
}

/// A file's content and the state it was read in.
#[derive(Clone, Debug)]
pub struct FileImage {
    /// All of its bytes.
    pub bytes: Vec<u8>,
    /// The same before and after reading.
    pub stat: Stat,
    /// The file itself, open.
    pub handle: Handle,
}
