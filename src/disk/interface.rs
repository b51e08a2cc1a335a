//! The trait [`Disk`], and the values that its primitives take and return.

use crate::{
    DiskErrorKind, Entry, Expected, FileBytes, FileImage, Handle, Lease, Listed, Result, Root, Scanned, Stat,
    Target,
};
use editd_workspace::NewMode;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Maximum number of times an observation is repeated because the file system changed during it. A name that
/// changes this often within microseconds is under attack or in a loop, not in use.
pub(super) const MAX_TRIES: usize = 16;

/// The state of a name before a commit changes anything.
#[derive(Clone, Debug)]
pub struct Examined {
    /// State of the file.
    pub stat: Stat,
    /// Reason why the name cannot be removed from the file, if any: the folder forbids it, or something is
    /// mounted there.
    pub pinned: Option<DiskErrorKind>,
    /// The opened file. While it is held, its inode number cannot be reused for another file.
    pub handle: Handle,
}

impl Examined {
    /// Returns `true` if the file can be replaced by a new inode without changing its identity.
    pub fn is_replaceable(&self) -> bool {
        self.stat.nlink == 1 && self.pinned.is_none()
    }
}

/// Content and attributes of a staged file.
#[derive(Clone, Copy, Debug)]
pub struct StageOrder<'a> {
    /// The whole content.
    pub content: &'a FileBytes,
    /// The file whose owner, mode, ACL and attributes are copied.
    pub like: Option<&'a Examined>,
    /// The permission bits of a new file.
    pub mode: NewMode,
    /// Guarantee that a power cut leaves this content under the file's name.
    pub flush: Flush,
}

/// Receives the pieces of a file.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>;

/// Result of streaming a file.
#[derive(Clone, Copy, Debug)]
pub struct Streamed {
    /// State of the file at the start.
    pub stat: Stat,
    /// `true` if the file was in the same state at the end, so that the streamed bytes are its content.
    pub steady: bool,
}

/// Time at which written bytes reach stable storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// Whenever the file system chooses.
    Later,
    /// No later than any name that the file is given afterwards: a power cut leaves the old file or the new
    /// one, never an empty one.
    Ordered,
    /// Before the call returns.
    Now,
}

/// A file that exists under its staged name.
#[derive(Clone, Debug)]
pub struct StagedFile {
    /// State of the file.
    pub stat: Stat,
    /// The opened file. Holding it keeps its inode number from being reused for another file.
    pub handle: Handle,
}

/// The file system operations that editd needs. Paths are judged by the file or folder that was opened, never
/// by their text.
pub trait Disk: Send + Sync {
    /// Opens a root folder. `path` must be absolute and lead to an existing folder.
    fn open_root(&self, path: &Path) -> Result<Root>;

    /// Resolves `relative` to a location under `root`, whether or not a file exists there. Symlinks that stay
    /// under the root are followed, in the last component too. A dangling link resolves to the path it points
    /// to.
    fn resolve(&self, root: &Root, relative: &Path) -> Result<Target>;

    /// Returns the current state of `target`, which may no longer be a file, or `None` if it does not exist.
    /// Like reading, it uses the opened folder: resolve again if folders may have been moved since.
    fn stat(&self, target: &Target) -> Result<Option<Stat>>;

    /// Reads the whole file at `target` together with its state, or returns `None` if it does not exist.
    /// Refuses files above `limit` bytes before it allocates.
    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>>;

    /// Passes the file at `target` to `sink`, from its start to its initial end, in pieces of any size, until
    /// `sink` breaks off. Returns `None` if the file does not exist. Concurrent writes may or may not be
    /// included.
    fn stream(&self, target: &Target, sink: Sink<'_>) -> Result<Option<Streamed>>;

    /// Returns the state of a canonical path under a root without following a symlink there, or `None` if
    /// nothing exists at it. Use it to judge a path by its surroundings, not to open anything.
    fn peek(&self, root: &Root, below: &Path) -> Result<Option<Stat>>;

    /// Returns the canonical path, relative to the root, of the folder that `relative` leads to. Symlinks
    /// that stay under the root are followed.
    fn folder(&self, root: &Root, relative: &Path) -> Result<PathBuf>;

    /// Lists a folder under a root, in no particular order. No symlink on its path is followed, so the listed
    /// folder lies there even if names change concurrently.
    fn list(&self, root: &Root, folder: &Path) -> Result<Vec<Listed>>;

    /// Lists a folder under a root together with the state of each name, in no particular order. Omits names
    /// that disappear during the call. No symlink is followed, neither on the path nor in the folder.
    fn scan(&self, root: &Root, folder: &Path) -> Result<Vec<Scanned>>;

    /// Reads the whole file at a canonical path under a root together with its state. No symlink is followed.
    /// Refuses files above `limit` bytes before it allocates.
    fn read_below(&self, root: &Root, below: &Path, limit: u64) -> Result<FileImage>;

    /// Returns the target of the symlink at a canonical path under a root. No other symlink is followed.
    fn read_link(&self, root: &Root, below: &Path) -> Result<PathBuf>;

    /// Opens a file under a root for piecewise reading, without a guarantee that the pieces belong to one
    /// state. No symlink on its path is followed. Refuses anything but a regular file, without blocking on
    /// it.
    fn open_file(&self, root: &Root, below: &Path) -> Result<Box<dyn Read + Send>>;

    /// Returns the path of a location within its own file system if a mount gives it a different one.
    /// Considers the mounts between the root and `target`, or those anywhere above the root if there is no
    /// target.
    fn behind_mounts(&self, root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>>;

    /// Confirms that the target's path still leads to the folder that was opened for it. Fails with
    /// [`DiskErrorKind::Changed`] if the folder has been moved or replaced.
    fn confirm(&self, target: &Target) -> Result<()>;

    /// Returns the state of a name in an opened folder, without following symlinks.
    fn stat_entry(&self, entry: &Entry) -> Result<Option<Stat>>;

    /// Reads a name in an opened folder; a symlink there is an error.
    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>>;

    /// Returns `true` if a name in an opened folder holds exactly these bytes; a symlink there is an error.
    /// Cheaper than reading the file, because the bytes read are not retained.
    fn holds(&self, entry: &Entry, bytes: &FileBytes) -> Result<bool>;

    /// Like [`holds`](Disk::holds), for a file that is held open.
    fn holds_held(&self, held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool>;

    /// Determines whether and how the file may be changed. Refuses read-only files, anything but a regular
    /// file, and files that this process may not write. A file that is `expected` and still open is not
    /// opened again.
    fn examine(&self, entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>>;

    /// Writes a new file under a name that does not exist yet. Leaves nothing behind if it fails. Returns
    /// `None`, and leaves nothing behind either, if the file could not have matched the original (owner, ACL
    /// or attributes differ, or the folder accepts no new files): the original has to be written in place.
    fn stage(&self, entry: &Entry, order: StageOrder<'_>) -> Result<Option<StagedFile>>;

    /// Renames `from` to `to`, replacing any existing file.
    fn rename_over(&self, from: &Entry, to: &Entry) -> Result<()>;

    /// Renames `from` to `to`. Fails with [`DiskErrorKind::Exists`] if `to` is taken.
    fn rename_new(&self, from: &Entry, to: &Entry) -> Result<()>;

    /// Swaps two files atomically. Returns `false`, without any effect, if the file system cannot do so.
    fn exchange(&self, a: &Entry, b: &Entry) -> Result<bool>;

    /// Creates a hard link `to` for `from`. Returns `false`, without any effect, if the file system cannot do
    /// so.
    fn link(&self, from: &Entry, to: &Entry) -> Result<bool>;

    /// Writes `content` into the file that `original` holds open, keeping its inode, and flushes it.
    fn overwrite(&self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()>;

    /// Appends bytes to a file. Creates the file, readable by its owner only, if it is missing. A failure may
    /// leave some of the bytes appended.
    fn append(&self, entry: &Entry, bytes: &[u8], flush: Flush) -> Result<()>;

    /// Reads a file that is held open, whether or not it still has a name.
    fn read_held(&self, held: &Handle, path: &Path, limit: u64) -> Result<FileImage>;

    /// Returns the state of a file that is held open.
    fn stat_held(&self, held: &Handle, path: &Path) -> Result<Stat>;

    /// Makes programs that want to open a file for writing wait for a moment, where that is possible.
    fn lease(&self, held: &Handle) -> Option<Lease>;

    /// Removes a file's name.
    fn remove(&self, entry: &Entry) -> Result<()>;

    /// Creates a folder. Fails with [`DiskErrorKind::Exists`] if the name is taken.
    fn make_dir(&self, entry: &Entry) -> Result<()>;

    /// Creates a symlink. Fails with [`DiskErrorKind::Exists`] if the name is taken.
    fn make_link(&self, entry: &Entry, target: &Path) -> Result<()>;

    /// Sets the permission bits of a file or folder; a symlink there is an error.
    fn set_mode(&self, entry: &Entry, mode: u32) -> Result<()>;

    /// Opens a folder by its name in an opened folder; a symlink there is an error.
    fn open_dir(&self, entry: &Entry) -> Result<Handle>;

    /// Removes an empty folder.
    fn remove_dir(&self, entry: &Entry) -> Result<()>;

    /// Flushes a folder's entries to stable storage. `path` is used in errors.
    fn sync_dir(&self, dir: &Handle, path: &Path) -> Result<()>;
}
