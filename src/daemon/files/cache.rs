//! The cache of file snapshots.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;

use crate::disk::{Root, Stat};
use crate::text::ContentHash;
use crate::workspace::{FileKey, Snapshot};

/// The last observation of a file that a session has read.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    /// Content of the file; `None` if it was evicted from memory.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
    /// Metadata of the file at the time of the read.
    pub(crate) stat: Stat,
    /// The root through which it was read, so that it can be checked again without a session.
    pub(crate) root: Root,
    /// Canonical path of the file.
    pub(crate) path: PathBuf,
}

impl Cached {
    /// Returns the content, if the timestamps of the file prove that it has not changed.
    pub(crate) fn unchanged(&self, now: &Stat) -> Option<Arc<Snapshot>> {
        self.snapshot.clone().filter(|_| now.same_version(&self.stat) && !self.stat.racy)
    }
}

/// Snapshots by file, readable from any thread. Only
/// [`WorkspaceState`](crate::daemon::workspace_handle::WorkspaceState) writes to it. No guard of the map
/// leaves this type.
#[derive(Debug, Default)]
pub(crate) struct SnapshotCache {
    by_key: DashMap<FileKey, Arc<Cached>>,
    keys: DashMap<PathBuf, FileKey>,
}

impl SnapshotCache {
    /// Returns the last observation of a file.
    pub(crate) fn get(&self, key: &FileKey) -> Option<Arc<Cached>> {
        self.by_key.get(key).map(|entry| entry.value().clone())
    }

    /// Returns the key of a path, if its file is cached.
    pub(crate) fn key_of(&self, path: &Path) -> Option<FileKey> {
        self.keys.get(path).map(|entry| entry.value().clone())
    }

    /// Returns the paths of all cached files.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.keys.iter().map(|entry| entry.key().clone()).collect()
    }

    pub(crate) fn insert(&self, key: &FileKey, cached: Cached) {
        self.keys.insert(cached.path.clone(), key.clone());
        let path = cached.path.clone();
        if let Some(before) = self.by_key.insert(key.clone(), Arc::new(cached))
            && before.path != path
        {
            self.keys.remove_if(&before.path, |_, owner| owner == key);
        }
    }

    pub(crate) fn remove(&self, key: &FileKey) {
        if let Some((_, cached)) = self.by_key.remove(key) {
            // The path may belong to another file by now.
            self.keys.remove_if(&cached.path, |_, owner| owner == key);
        }
    }

    /// Drops the snapshots with this hash. The metadata of their files stays.
    pub(crate) fn evict(&self, hash: ContentHash) {
        for mut entry in self.by_key.iter_mut() {
            if entry.snapshot.as_ref().is_some_and(|snapshot| snapshot.hash == hash) {
                let emptied = Cached { snapshot: None, ..(**entry).clone() };
                *entry = Arc::new(emptied);
            }
        }
    }
}
