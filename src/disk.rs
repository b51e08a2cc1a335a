//! Files behind a trait: the real disk and a memory disk that is stricter than it.
//!
//! Two halves meet in [`Disk`]. With the methods up to [`confirm`](Disk::confirm) the daemon observes: it opens
//! roots, resolves paths beneath them, reads, lists. The rest are the primitives that [`commit`] is written over,
//! once, for every disk: so a test can fail the k-th of them and see that a set of changes happened
//! whole or not at all.
//!
//! Nothing here knows which roots or names are allowed, what a session has read, or what a text means.
//! All calls block; the daemon runs them on threads of their own.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use editd::disk::{Change, Disk, Durability, Expected, Journal, Lost, MemoryDisk, Rescue, commit};
//! use editd::workspace::NewMode;
//!
//! /// Nobody else writes here, so nothing needs to be rescued.
//! struct Alone;
//!
//! impl Rescue for Alone {
//!     fn keep(&self, _: &Path, _: &[u8], _: Lost) -> std::io::Result<()> { unreachable!() }
//! }
//!
//! let disk = MemoryDisk::new();
//! disk.add_dir("/state");
//! disk.write_behind("/shop/a.txt", b"old");
//! let root = disk.open_root(Path::new("/shop"))?;
//! let (journal, _) = Journal::open(&disk, Path::new("/state"), Arc::new(Alone))?;
//!
//! let (a, b) = (disk.resolve(&root, Path::new("a.txt"))?, disk.resolve(&root, Path::new("new/b.txt"))?);
//! let image = disk.read(&a, 1 << 20)?.expect("it is there");
//! let changes = [
//!     Change::Replace { target: a, content: b"new".to_vec().into(), expect: Expected::image(&image) },
//!     Change::Create { target: b, content: b"more".to_vec().into(), mode: NewMode::Plain },
//! ];
//! commit(&disk, &journal, &changes, Durability::Process).expect("both files are written");
//! assert_eq!(disk.content("/shop/a.txt").as_deref(), Some(&b"new"[..]));
//! assert_eq!(disk.content("/shop/new/b.txt").as_deref(), Some(&b"more"[..]));
//! // The file is not any more what the first change expects: none of the two happens again.
//! assert!(commit(&disk, &journal, &changes, Durability::Process).is_err());
//! # Ok::<(), editd::disk::DiskError>(())
//! ```

mod bases;
mod bytes;
mod change;
mod commit;
mod error;
mod failing;
mod journal;
mod late;
mod memory;
mod os;
mod place;
mod recovery;
mod stat;
#[cfg(test)]
mod tests;
mod watch;

pub use bases::BaseStore;
pub use bytes::{FileBytes, Piece};
pub use change::{Change, CommitError, Committed, Durability, Expected};
pub use commit::{StagedSet, commit, is_stray, stage};
pub use error::{DiskError, DiskErrorKind, Result};
pub use failing::FailingDisk;
pub use journal::{Journal, Lost, Rescue};
pub use late::{Displaced, LateLook};
pub use memory::MemoryDisk;
pub use os::OsDisk;
pub use place::{Entry, FileImage, Handle, Kind, Listed, Root, Target};
pub use recovery::Recovery;
pub use stat::{MTime, Stat};
pub use watch::{WatchHint, Watcher};

use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::workspace::NewMode;

/// The largest number of times an observation is repeated because the file system moved under it.
/// A name that changes this often within microseconds is under attack or in a loop, not in use.
const MAX_TRIES: usize = 16;

/// What a commit found at a name before it touched anything.
#[derive(Clone, Debug)]
pub struct Examined {
    /// The file as it is.
    pub stat: Stat,
    /// Why its name cannot be taken from it, if so: the folder forbids it, or something is mounted there.
    pub pinned: Option<DiskErrorKind>,
    /// The opened file: while it is held, its inode number cannot be given to another file.
    pub handle: Handle,
}

impl Examined {
    /// Whether another inode may take its name without changing what the file is.
    pub fn is_replaceable(&self) -> bool {
        self.stat.nlink == 1 && self.pinned.is_none()
    }
}

/// What a staged file is to hold and to look like.
#[derive(Clone, Copy, Debug)]
pub struct StageOrder<'a> {
    /// The whole content.
    pub content: &'a FileBytes,
    /// The file whose owner, mode, ACL and attributes it takes over.
    pub like: Option<&'a Examined>,
    /// The permission bits of a new file.
    pub mode: NewMode,
    /// How certain it must be that a power cut leaves this content under its name.
    pub flush: Flush,
}

/// Takes the pieces of a file.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> ControlFlow<()>;

/// How the streaming of a file went.
#[derive(Clone, Copy, Debug)]
pub struct Streamed {
    /// The state in which it began.
    pub stat: Stat,
    /// Whether the file was in the same state at the end, so that what was shown was its content.
    pub steady: bool,
}

/// When written bytes reach stable storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// In the file system's own time.
    Later,
    /// No later than a name that the file is given afterwards: a power cut leaves the old file or the new
    /// one, never an empty one.
    Ordered,
    /// Before the call returns.
    Now,
}

/// As long as it lives, nobody can open a file for writing who had not done so before.
#[derive(Debug)]
pub struct Lease(os::OsLease);

impl Lease {
    /// Whether somebody waits to open the file.
    pub fn is_wanted(&self) -> bool {
        self.0.is_wanted()
    }
}

/// How staging went.
#[derive(Clone, Debug)]
pub enum Staged {
    /// The file stands under its staged name.
    Ready {
        /// Its state.
        stat: Stat,
        /// The file, opened: holding it keeps its inode number from being given to another file.
        handle: Handle,
    },
    /// No file was left behind, because it could not have been like the original (its owner, ACL or
    /// attributes, or a folder that takes no new files): the original has to be written in place.
    Unfaithful,
}

/// A file system as editd needs it. All paths are judged by what was opened, never by their text.
pub trait Disk: Send + Sync {
    /// Opens a root folder. `path` must be absolute and lead to an existing folder.
    fn open_root(&self, path: &Path) -> Result<Root>;

    /// Finds the place that `relative` means beneath `root`, whether or not a file is there yet.
    /// Symlinks that stay beneath the root are followed, in the last component too; a link whose end
    /// does not exist means the place where it points.
    fn resolve(&self, root: &Root, relative: &Path) -> Result<Target>;

    /// The state of what is at `target` now, which may have become another thing than a file; none if
    /// nothing is there. Like reading it goes by the opened folder: resolve anew where folders may have
    /// been moved since.
    fn stat(&self, target: &Target) -> Result<Option<Stat>>;

    /// The whole file at `target` with the state it was read in; none if nothing is there. Refuses
    /// files above `limit` bytes before it allocates.
    fn read(&self, target: &Target, limit: u64) -> Result<Option<FileImage>>;

    /// Shows the file at `target` to `sink` from its beginning to what is its end at first, in pieces of any
    /// size, until that breaks off; none if nothing is there. What is written meanwhile may be in it or not.
    fn stream(&self, target: &Target, sink: Sink<'_>) -> Result<Option<Streamed>>;

    /// The state of whatever stands at a canonical path beneath a root, a symlink there not followed; none
    /// if nothing does. For judging a place by what lies around it: nothing is to be opened by it.
    fn peek(&self, root: &Root, below: &Path) -> Result<Option<Stat>>;

    /// The canonical path, from the root, of the folder that `relative` means. Symlinks that stay beneath the
    /// root are followed.
    fn folder(&self, root: &Root, relative: &Path) -> Result<PathBuf>;

    /// What a folder beneath a root holds, in no order. No symlink on its path is followed, so whatever is
    /// renamed meanwhile, it lies there.
    fn list(&self, root: &Root, folder: &Path) -> Result<Vec<Listed>>;

    /// A file beneath a root, to be read piece by piece: for those who need no state that holds for all of it.
    /// No symlink on its path is followed; refuses what is not a regular file, without waiting for it.
    fn open_file(&self, root: &Root, below: &Path) -> Result<Box<dyn Read + Send>>;

    /// The path that a place has within its file system, where a mount gives it another one: between the
    /// root and it, or, without a target, anywhere above the root.
    fn behind_mounts(&self, root: &Root, target: Option<&Target>) -> Result<Option<PathBuf>>;

    /// Confirms that the target's path still leads to the folder that was opened for it; fails with
    /// [`DiskErrorKind::Changed`] if the folder was moved or another has taken its place since.
    fn confirm(&self, target: &Target) -> Result<()>;

    /// The state of a name in an opened folder, symlinks not followed.
    fn look(&self, entry: &Entry) -> Result<Option<Stat>>;

    /// Reads a name in an opened folder; a symlink there is an error.
    fn read_entry(&self, entry: &Entry, limit: u64) -> Result<Option<FileImage>>;

    /// Whether a name in an opened folder holds exactly these bytes; a symlink there is an error. Cheaper
    /// than to read it, because nothing is kept of what is read.
    fn holds(&self, entry: &Entry, bytes: &FileBytes) -> Result<bool>;

    /// The same of a file that is held open.
    fn holds_held(&self, held: &Handle, path: &Path, bytes: &FileBytes) -> Result<bool>;

    /// Judges whether the file may be changed, and how. Refuses what must not be: read-only files,
    /// what is not a regular file, files that this process may not write. A file that is `expected` and still open
    /// is not opened once more.
    fn examine(&self, entry: &Entry, expected: Option<&Expected>) -> Result<Option<Examined>>;

    /// Writes a new file under a name that does not exist yet. Leaves nothing behind when it fails.
    fn stage(&self, entry: &Entry, order: StageOrder<'_>) -> Result<Staged>;

    /// Gives `from`'s file the name `to`, whatever had it before.
    fn rename_over(&self, from: &Entry, to: &Entry) -> Result<()>;

    /// Gives `from`'s file the name `to`; fails with [`DiskErrorKind::Exists`] if that is taken.
    fn rename_new(&self, from: &Entry, to: &Entry) -> Result<()>;

    /// Swaps two files in one step. `false`: this file system cannot, and nothing happened.
    fn exchange(&self, a: &Entry, b: &Entry) -> Result<bool>;

    /// Gives `from`'s file a second name. `false`: this file system cannot, and nothing happened.
    fn link(&self, from: &Entry, to: &Entry) -> Result<bool>;

    /// Writes `content` into the file that `original` holds open, keeping its inode, and flushes it.
    fn overwrite(&self, entry: &Entry, original: &Examined, content: &[u8]) -> Result<()>;

    /// Adds bytes to the end of a file, which is created, readable by its owner only, if it is not there.
    /// A failure may leave a part of them.
    fn append(&self, entry: &Entry, bytes: &[u8], flush: Flush) -> Result<()>;

    /// Reads a file that is held open, whether or not it still has a name.
    fn read_held(&self, held: &Handle, path: &Path, limit: u64) -> Result<FileImage>;

    /// The state of a file that is held open.
    fn look_held(&self, held: &Handle, path: &Path) -> Result<Stat>;

    /// Makes programs that want to open a file for writing wait for a moment, where that is possible.
    fn lease(&self, held: &Handle) -> Option<Lease> {
        let _ = held;
        None
    }

    /// Removes a file's name.
    fn remove(&self, entry: &Entry) -> Result<()>;

    /// Creates a folder; fails with [`DiskErrorKind::Exists`] if the name is taken.
    fn make_dir(&self, entry: &Entry) -> Result<()>;

    /// Opens a folder by its name in an opened folder; a symlink there is an error.
    fn open_dir(&self, entry: &Entry) -> Result<Handle>;

    /// Removes an empty folder.
    fn remove_dir(&self, entry: &Entry) -> Result<()>;

    /// Flushes a folder's names to stable storage. `path` is for errors.
    fn sync_dir(&self, dir: &Handle, path: &Path) -> Result<()>;
}
