//! The space that the contents of all snapshots share.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::{CONTENTS, LOG};

/// The space for the contents of all snapshots in a folder.
#[derive(Debug)]
pub struct Room {
    folder: PathBuf,
    limit: u64,
    used: AtomicU64,
}

impl Room {
    /// Measures the snapshots in a folder. `limit` is the maximum size of all contents, in bytes.
    pub fn of(folder: &Path, limit: u64) -> Self {
        let used = names(folder).map(|name| size(&folder.join(name))).sum();
        Self { folder: folder.to_owned(), limit, used: AtomicU64::new(used) }
    }

    /// Returns the limit, in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes space, if there is as much.
    pub(super) fn take(&self, bytes: u64) -> bool {
        let add = |used: u64| used.checked_add(bytes).filter(|used| *used <= self.limit);
        self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, add).is_ok()
    }

    /// Returns space.
    pub(super) fn give_back(&self, bytes: u64) {
        let subtract = |used: u64| Some(used.saturating_sub(bytes));
        let _ = self.used.fetch_update(Ordering::AcqRel, Ordering::Acquire, subtract);
    }

    /// Returns `true` if less than this number of bytes is free.
    pub(super) fn lacks(&self, bytes: u64) -> bool {
        self.used.load(Ordering::Acquire).saturating_add(bytes) > self.limit
    }

    /// Returns `true` if less than a quarter of the space is free.
    pub fn is_scarce(&self) -> bool {
        self.lacks(self.limit / 4)
    }

    /// Removes snapshots until half of the space is free, those first that were not used for the longest time. Returns
    /// the names of the removed ones. `needed` are the [names](super::name_of) of others, which stay.
    pub fn free(&self, needed: &HashSet<OsString>) -> HashSet<OsString> {
        let others = names(&self.folder).filter(|name| !needed.contains(name));
        let mut others: Vec<_> = others.map(|name| (last_use(&self.folder.join(&name)), name)).collect();
        others.sort();
        let mut removed = HashSet::new();
        for (_, name) in others {
            if !self.lacks(self.limit / 2) {
                break;
            }
            let folder = self.folder.join(&name);
            let bytes = size(&folder);
            match fs::remove_dir_all(&folder) {
                Ok(()) => {
                    self.give_back(bytes);
                    removed.insert(name);
                }
                Err(error) => tracing::warn!(%error, "a snapshot that is not used cannot be removed"),
            }
        }
        removed
    }
}

fn names(folder: &Path) -> impl Iterator<Item = OsString> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name())
}

fn size(snapshot: &Path) -> u64 {
    fs::metadata(snapshot.join(CONTENTS)).map_or(0, |contents| contents.len())
}

fn last_use(snapshot: &Path) -> SystemTime {
    let changed = |name: &OsStr| fs::metadata(snapshot.join(name)).and_then(|file| file.modified()).ok();
    changed(OsStr::new(LOG)).or_else(|| changed(OsStr::new(""))).unwrap_or(SystemTime::UNIX_EPOCH)
}
