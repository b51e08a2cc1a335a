use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;

use crate::disk::{Root, Stat};
use crate::text::ContentHash;
use crate::workspace::{FileKey, Snapshot};

/// What was last seen of a file that somebody has read.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    /// Its content; none if it left memory.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// The state in which it was read.
    pub(crate) stat: Stat,
    /// The root that it was reached through, to look at it again without a session.
    pub(crate) root: Root,
    /// Its canonical path.
    pub(crate) path: PathBuf,
}

impl Cached {
    /// The content, if the stamps of the file prove that it still is that.
    pub(crate) fn unchanged(&self, now: &Stat) -> Option<Arc<Snapshot>> {
        self.snapshot.clone().filter(|_| now.same_version(&self.stat) && !self.stat.racy)
    }
}

/// Snapshots by file, read from any thread. Only the [`Keeper`](super::books::Keeper) writes, and nobody gets a guard of the map.
#[derive(Debug, Default)]
pub(crate) struct SnapshotCache {
    by_key: DashMap<FileKey, Arc<Cached>>,
    keys: DashMap<PathBuf, FileKey>,
}

impl SnapshotCache {
    /// What was last seen of a file.
    pub(crate) fn get(&self, key: &FileKey) -> Option<Arc<Cached>> {
        self.by_key.get(key).map(|entry| entry.value().clone())
    }

    /// The file that a path names, if it is one that is kept here.
    pub(crate) fn key_of(&self, path: &Path) -> Option<FileKey> {
        self.keys.get(path).map(|entry| entry.value().clone())
    }

    /// The paths of all files kept here.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.keys.iter().map(|entry| entry.key().clone()).collect()
    }

    pub(super) fn insert(&self, key: &FileKey, cached: Cached) {
        self.keys.insert(cached.path.clone(), key.clone());
        let path = cached.path.clone();
        if let Some(before) = self.by_key.insert(key.clone(), Arc::new(cached))
            && before.path != path
        {
            self.keys.remove_if(&before.path, |_, kept| kept == key);
        }
    }

    pub(super) fn remove(&self, key: &FileKey) {
        if let Some((_, cached)) = self.by_key.remove(key) {
            // The path may lead to another file by now.
            self.keys.remove_if(&cached.path, |_, kept| kept == key);
        }
    }

    /// Lets go of a content wherever it is kept. What else is known of the files stays.
    pub(super) fn evict(&self, hash: ContentHash) {
        for mut entry in self.by_key.iter_mut() {
            if entry.snapshot.as_ref().is_some_and(|snapshot| snapshot.hash == hash) {
                let emptied = Cached { snapshot: None, ..(**entry).clone() };
                *entry = Arc::new(emptied);
            }
        }
    }
}
