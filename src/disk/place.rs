//! Opened locations (roots, targets, and entries of opened folders) and the states of files in them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

pub use editd_workspace::MTime;

use super::{Disk, DiskError, DiskErrorKind, Result};
use editd_workspace::FileKey;

/// Prefix of the names of all staged and displaced files. These names have a fixed short length, because the
/// file's own name plus a suffix would not fit if the name already has the maximum length.
const STRAY_PREFIX: &str = ".editd-";

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
    /// `true` if several spellings of a name lead to one file, as soon as that is known.
    pub(super) folds_names: OnceLock<bool>,
}

impl Root {
    /// The canonical path that was opened.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Sets the path as requested, for a root that was opened by another path.
    #[must_use]
    pub fn given_as(self, given: &Path) -> Self {
        let renamed = |inner| Self(Arc::new(RootInner { given: given.to_owned(), ..inner }));
        Arc::try_unwrap(self.0).map_or_else(Self, renamed)
    }

    /// The path as requested.
    pub fn given(&self) -> &Path {
        &self.0.given
    }

    /// The opened folder.
    pub(super) fn handle(&self) -> &Handle {
        &self.0.handle
    }

    /// Returns `true` if two roots are the same folder, which a path may no longer lead to.
    pub fn is_same_folder(&self, other: &Self) -> bool {
        match (&self.0.handle.0, &other.0.handle.0) {
            (HandleKind::Os(one), HandleKind::Os(other)) => {
                let id = |folder: &OwnedFd| {
                    let folder = File::from(folder.try_clone()?).metadata()?;
                    Ok::<_, io::Error>((folder.dev(), folder.ino()))
                };
                matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
            }
            #[cfg(any(test, feature = "test-disks"))]
            (HandleKind::Memory(one), HandleKind::Memory(other)) => one == other,
            #[cfg(any(test, feature = "test-disks"))]
            _ => false,
        }
    }

    /// Returns `true` if a file is on the file system of the root.
    pub fn has_device_of(&self, stat: &Stat) -> bool {
        stat.dev == self.0.device
    }

    /// Returns `true` unless a mount is known to be another one than that of the root.
    pub(super) fn is_on(&self, mount: Option<u64>) -> bool {
        self.0.mount.is_none() || mount.is_none() || self.0.mount == mount
    }

    /// Returns `true` if a target is known to be on the mount of the root: such locations are reached only through
    /// that mount.
    pub(super) fn has_mount_of(&self, target: &Target) -> bool {
        self.0.mount.is_some() && self.0.mount == target.mount
    }

    /// Marks a state as racy if its file system is not the root's, or is not known to update timestamps with
    /// every modification.
    pub(super) fn mark_racy(&self, mut stat: Stat) -> Stat {
        stat.racy |= !self.is_steady(&stat);
        stat
    }

    /// Returns an entry of the root folder.
    pub(super) fn entry(&self, name: impl Into<OsString>) -> Entry {
        let name = name.into();
        Entry { dir: self.0.handle.clone(), path: self.path().join(&name), name }
    }

    /// Returns `true` if a file is on a local file system whose timestamps are known to change with every
    /// modification.
    pub(super) fn is_steady(&self, stat: &Stat) -> bool {
        self.0.steady_stamps && stat.dev == self.0.device
    }
}

/// Returns the entry at a path from a root. No symlink is followed.
pub fn entry_below(disk: &dyn Disk, root: &Root, below: &Path) -> Result<Entry> {
    let mut names = below.iter();
    let not_found = || DiskError::new(DiskErrorKind::NotFound, "open", root.path());
    let mut entry = root.entry(names.next().ok_or_else(not_found)?);
    for name in names {
        let dir = disk.open_dir(&entry)?;
        entry = Entry { dir, path: entry.path.join(name), name: name.to_owned() };
    }
    Ok(entry)
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

/// A name in a folder, with its state.
#[derive(Clone, Debug)]
pub struct Scanned {
    /// The name.
    pub name: OsString,
    /// State of the file, of a symlink itself.
    pub stat: Stat,
    /// Time at which the file was created, if the file system knows it. No program can set it, and it stays when the
    /// file is renamed.
    pub born: Option<MTime>,
    /// `true` if something is mounted on the name.
    pub is_mounted: bool,
}

impl Scanned {
    /// Returns the kind of the file.
    pub fn kind(&self) -> Kind {
        self.stat.kind()
    }
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
    /// State of the link or folder that has the first missing name and gives it up when the file is created.
    pub in_the_way: Option<Box<Stat>>,
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

    /// Returns the file's entry in its opened folder, or `None` while folders are missing or something is in the
    /// way.
    pub fn entry(&self) -> Option<Entry> {
        let is_reached = self.missing_dirs.is_empty() && self.in_the_way.is_none();
        is_reached.then(|| Entry {
            dir: self.parent.clone(),
            name: self.name.clone(),
            path: self.path.clone(),
        })
    }

    /// Returns the location of the file at a path below the folder of this file, as if nothing had the first of
    /// its names. `in_the_way` is the link or folder that has it.
    #[must_use]
    pub fn in_place_of(&self, path: &Path, in_the_way: Option<Stat>) -> Self {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let below = path.strip_prefix(folder).unwrap_or(path);
        let mut missing_dirs = self.missing_dirs.clone();
        missing_dirs.extend(below.iter().map(OsStr::to_owned));
        let name = missing_dirs.pop().unwrap_or_default();
        let in_the_way = in_the_way.map(Box::new);
        let missing = Self { exists: false, size: 0, via_symlink: false, mount: None, ..self.clone() };
        Self { key: FileKey::path(path), path: path.to_owned(), missing_dirs, name, in_the_way, ..missing }
    }

    /// Returns the path of the link or folder that is in the way.
    pub fn path_in_the_way(&self) -> Option<PathBuf> {
        self.in_the_way.as_ref().map(|_| self.first_missing().path)
    }

    /// Returns the entry of the first missing name in the opened folder.
    pub(super) fn first_missing(&self) -> Entry {
        self.beside(self.missing_dirs.first().unwrap_or(&self.name).clone())
    }

    /// Returns another entry of the opened folder.
    pub(super) fn beside(&self, name: OsString) -> Entry {
        let path = self.opened_dir().join(&name);
        Entry { dir: self.parent.clone(), name, path }
    }

    /// Returns an entry of the opened folder with a fresh name, for a staged or displaced file.
    pub(super) fn stray_beside(&self) -> Entry {
        self.beside(OsString::from(format!("{STRAY_PREFIX}{}", fresh_id())))
    }
}

/// Returns sixteen hexadecimal digits that are unique.
pub(super) fn fresh_id() -> String {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{:016x}", SEED.hash_one(COUNT.fetch_add(1, Ordering::Relaxed)))
}

/// Returns `true` if a name is one that a commit temporarily gives to files it is about to install or remove.
/// Listings omit such files, and a start may remove those that the journal names.
pub fn is_stray(name: &OsStr) -> bool {
    let Some(random) = name.to_str().and_then(|name| name.strip_prefix(STRAY_PREFIX)) else { return false };
    random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit())
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

impl Entry {
    /// The path of the opened folder.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
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

/// A file's state, as returned by one system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Device number.
    pub dev: u64,
    /// Inode number. Some file systems reuse it as soon as a file is removed.
    pub ino: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, as reported by the file system.
    pub mtime: MTime,
    /// Time of the last change of content, link count, owner or mode. Unlike `mtime`, programs cannot set it.
    pub ctime: MTime,
    /// File type and permission bits.
    pub mode: u32,
    /// Number of names of the file.
    pub nlink: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// `true` if an equal state later does not prove equal content, because the file was too young when it
    /// was read or its file system is not well known. See [`Stat::is_racy`].
    pub racy: bool,
}

impl Stat {
    /// Coarsest timestamp clock of a file system, rounded up (ext4 with small inodes: 1 s). A file changed
    /// within this many seconds before it was read may change again without a trace in its timestamps.
    pub const RACY_SECONDS: i64 = 2;

    /// Returns `true` if nothing that the file system reports has changed between two observations. Proves
    /// equal content only if the earlier observation was not [`racy`](Stat::racy).
    pub fn same_version(&self, other: &Self) -> bool {
        self.same_content(other)
            && self.ctime == other.ctime
            && self.mode == other.mode
            && self.nlink == other.nlink
            && (self.uid, self.gid) == (other.uid, other.gid)
    }

    /// Like [`Stat::same_version`], but ignores what a rename or a chmod changes.
    pub fn same_content(&self, other: &Self) -> bool {
        self.same_file(other) && self.size == other.size && self.mtime == other.mtime
    }

    /// Returns the kind of the file.
    pub fn kind(&self) -> Kind {
        /// The bits of a mode that hold the type of the file, and their values.
        const TYPE: u32 = 0o170_000;
        match self.mode & TYPE {
            0o100_000 => Kind::File,
            0o040_000 => Kind::Folder,
            0o120_000 => Kind::Symlink,
            _ => Kind::Other,
        }
    }

    /// Returns `true` if both are the same inode.
    pub fn same_file(&self, other: &Self) -> bool {
        (self.dev, self.ino) == (other.dev, other.ino)
    }

    /// Returns `true` if a state observed at `now` could not reveal a later change by its timestamps: one of
    /// them is younger than the coarsest clock, or in the future.
    pub fn is_racy(&self, now: MTime) -> bool {
        let young = |stamp: MTime| stamp.seconds >= now.seconds - Self::RACY_SECONDS;
        young(self.mtime) || young(self.ctime)
    }

    /// Returns `true` if the file has no write permission for anyone; editd respects that even as root.
    pub fn has_no_write_bit(&self) -> bool {
        self.mode & 0o222 == 0
    }
}
