//! Opened locations: roots, targets, and entries of opened folders.

use super::stat::Stat;
use crate::workspace::FileKey;
use std::ffi::OsString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opened file or folder, valid only for the disk that created it.
#[derive(Clone, Debug)]
pub struct Handle(pub(super) HandleKind);

/// The representation of a handle, by disk.
#[derive(Clone, Debug)]
pub(super) enum HandleKind {
    /// A descriptor of the real disk.
    Os(Arc<OwnedFd>),
    /// An inode of the memory disk.
    #[cfg(any(test, feature = "test-disks"))]
    Memory(u64),
}

impl From<OwnedFd> for Handle {
    fn from(fd: OwnedFd) -> Self {
        Self(HandleKind::Os(Arc::new(fd)))
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            HandleKind::Os(fd) => fd.as_fd(),
            #[cfg(any(test, feature = "test-disks"))]
            HandleKind::Memory(inode) => panic!("memory inode {inode} has no descriptor"),
        }
    }
}

/// An opened root folder. Cheap to clone; stays open as long as a clone lives.
#[derive(Clone, Debug)]
pub struct Root(pub(super) Arc<RootInner>);

/// State shared by the clones of a root.
#[derive(Debug)]
pub(super) struct RootInner {
    pub(super) given: PathBuf,
    pub(super) path: PathBuf,
    pub(super) device: u64,
    /// Number of the mount that contains the root, if the disk has mounts.
    pub(super) mount: Option<u64>,
    pub(super) handle: Handle,
    /// `true` if timestamps of this file system are known to change with every modification.
    pub(super) steady_stamps: bool,
}

impl Root {
    /// The canonical path that was opened.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The path as requested.
    pub fn given(&self) -> &Path {
        &self.0.given
    }

    /// Number of the device that contains the root folder.
    pub fn device(&self) -> u64 {
        self.0.device
    }

    /// Marks a state as racy if its file system is not the root's, or is not known to update timestamps with
    /// every modification.
    pub(super) fn mark_racy(&self, mut stat: Stat) -> Stat {
        stat.racy |= !self.is_steady(&stat);
        stat
    }

    /// Returns `true` if a file is on a local file system whose timestamps are known to change with every
    /// modification.
    pub(super) fn is_steady(&self, stat: &Stat) -> bool {
        self.0.steady_stamps && stat.dev == self.device()
    }
}

/// Kind of a name in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symlink, regardless of its target.
    Symlink,
    /// A device, pipe or socket.
    Other,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// The name.
    pub name: OsString,
    /// Kind of the file.
    pub kind: Kind,
}

/// A resolved location under a root: an existing file, or a possible one.
#[derive(Clone, Debug)]
pub struct Target {
    /// Identity of the file, for comparison with other targets.
    pub key: FileKey,
    /// Canonical absolute path of the existing or possible file.
    pub path: PathBuf,
    /// Root under which the target was resolved.
    pub root: Root,
    /// `true` if the file existed.
    pub exists: bool,
    /// Size of the file at that time, in bytes.
    pub size: u64,
    /// `true` if the last component of the requested path is a symlink that led here.
    pub via_symlink: bool,
    /// Missing folders between the opened one and the file, outermost first.
    pub missing_dirs: Vec<OsString>,
    /// The file's own name.
    pub name: OsString,
    /// The deepest existing folder, opened. Stored so that nothing is resolved again before a commit.
    pub(super) parent: Handle,
    /// Number of the mount that contains the file, if the disk has mounts and the file existed.
    pub(super) mount: Option<u64>,
}

impl Target {
    /// Returns the path of the opened folder: the file's own, or the deepest existing one.
    pub fn opened_dir(&self) -> PathBuf {
        let levels = self.missing_dirs.len() + 1;
        self.path.ancestors().nth(levels).unwrap_or(Path::new("/")).to_owned()
    }

    /// Returns the file's entry in its opened folder, or `None` while folders are missing.
    pub fn entry(&self) -> Option<Entry> {
        self.missing_dirs.is_empty().then(|| Entry {
            dir: self.parent.clone(),
            name: self.name.clone(),
            path: self.path.clone(),
        })
    }

    /// Returns another entry of the opened folder.
    pub(super) fn beside(&self, name: OsString) -> Entry {
        let path = self.opened_dir().join(&name);
        Entry { dir: self.parent.clone(), name, path }
    }
}

/// A name in an opened folder, the operand of every primitive.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The opened folder.
    pub dir: Handle,
    /// The name in it.
    pub name: OsString,
    /// The path, for errors and reports.
    pub path: PathBuf,
}

/// The content of a file and the state in which it was read.
#[derive(Clone, Debug)]
pub struct FileImage {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// State of the file, identical before and after reading.
    pub stat: Stat,
    /// The file itself, open.
    pub handle: Handle,
}
