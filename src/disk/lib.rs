//! The file system behind a trait, [`Disk`]: the real disk and, in tests only, the disks of
//! `tests/support/disk`. Above it are searches ([`search`]), past transactions ([`history`]) and the last known state of
//! all files under a root ([`snapshot`]).
//!
//! [`Disk`] has two halves. The daemon observes with the methods up to [`confirm`](Disk::confirm): it opens
//! roots, resolves paths under them, reads files and lists folders. The remaining methods are the primitives
//! on which [`commit`] is implemented once for every disk. A test can therefore fail the k-th primitive and
//! check that a set of changes was applied as a whole or not at all.
//!
//! The disk does not know which roots or names are allowed, what a session has read, or what a text means.
//! All calls block; the daemon runs them on dedicated threads.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use editd_disk::{Change, Disk, Durability, Expected, Journal, LossReason, OsDisk, Rescue, commit};
//! use editd_workspace::NewMode;
//!
//! /// No other program writes here, so no text needs to be rescued.
//! struct Alone;
//!
//! impl Rescue for Alone {
//!     fn keep(&self, _: &Path, _: &[u8], _: LossReason) -> std::io::Result<()> { unreachable!() }
//! }
//!
//! let (disk, state, shop) = (OsDisk::new(), tempfile::tempdir()?, tempfile::tempdir()?);
//! std::fs::write(shop.path().join("a.txt"), "old")?;
//! let root = disk.open_root(shop.path())?;
//! let (journal, _) = Journal::open(&disk, state.path(), Arc::new(Alone))?;
//!
//! let (a, b) = (disk.resolve(&root, Path::new("a.txt"))?, disk.resolve(&root, Path::new("new/b.txt"))?);
//! let image = disk.read(&a, 1 << 20)?.expect("it is there");
//! let changes = [
//!     Change::Replace { target: a, content: b"new".to_vec().into(), expect: Expected::image(&image) },
//!     Change::Create { target: b, content: b"more".to_vec().into(), mode: NewMode::Plain },
//! ];
//! commit(&disk, &journal, &changes, Durability::Process)?;
//! assert_eq!(std::fs::read(shop.path().join("a.txt"))?, b"new");
//! assert_eq!(std::fs::read(shop.path().join("new/b.txt"))?, b"more");
//! // The first file no longer matches what its change expects, so neither change is applied again.
//! assert!(commit(&disk, &journal, &changes, Durability::Process).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bases;
mod bytes;
mod change;
mod commit;
mod displaced;
mod error;
pub mod history;
mod interface;
mod journal;
mod os;
mod place;
mod present;
mod private;
mod real_path;
mod recovery;
pub mod search;
pub mod snapshot;
mod sys;
#[cfg(any(test, feature = "test-disks"))]
#[path = "../../tests/support/disk/mod.rs"]
mod test_disks;
#[cfg(test)]
mod tests;
pub mod time;
mod watch;

pub use bases::BaseStore;
pub use bytes::{FileBytes, Piece};
pub use change::{Change, CommitError, Committed, Displaced, Durability, Expected};
pub use commit::{StagedSet, commit, stage};
pub use displaced::DisplacedFileMonitor;
pub use error::{DiskError, DiskErrorKind, Result};
pub use interface::{Disk, Examined, Flush, Sink, StageOrder, StagedFile, Streamed};
pub use journal::{Journal, LossReason, Rescue};
pub use os::OsDisk;
pub use place::{
    Entry, FileImage, Handle, Kind, Listed, MTime, Root, Scanned, Stat, Target, entry_below, is_stray,
};
pub use present::present;
pub use private::{make_private_folder, open_private_file, read_private_file, replace_private_file};
pub use real_path::real_path;
pub use recovery::Recovery;
#[cfg(target_os = "linux")]
pub use sys::other_paths;
pub use sys::{
    Lease, SOCKET_PATH, boot_id, fill_randomly, has_no_new_privileges, has_other_files, is_listening,
    leads_session, limit_unread, peer_has_no_new_privileges, resident_bytes, usual_path, watch_limit,
    weaker_system,
};
#[cfg(any(test, feature = "test-disks"))]
pub use test_disks::{FailingDisk, MemoryDisk};
pub use watch::{WatchHint, Watcher};
