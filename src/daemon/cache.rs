use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;

use crate::disk::{Root, Stat};
use crate::text::ContentHash;
use crate::workspace::{FileKey, Snapshot};

/// What was last seen of a file that somebody has read.
#[derive(Clone, Debug)]
pub(crate) struct Cached {
    /// Its content.
    pub(crate) snapshot: Arc<Snapshot>,
    /// The state in which it was read.
    pub(crate) stat: Stat,
    /// The root that it was reached through, to look at it again without a session.
    pub(crate) root: Root,
    /// Its canonical path.
    pub(crate) path: PathBuf,
}

/// Snapshots by file, read from any thread. Only the [`MainLoop`](super::main_loop::MainLoop) writes, and nobody gets a guard of the map.
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

    pub(super) fn insert(&self, key: FileKey, cached: Cached) {
        self.keys.insert(cached.path.clone(), key.clone());
        self.by_key.insert(key, Arc::new(cached));
    }

    pub(super) fn remove(&self, key: &FileKey, path: &Path) {
        self.keys.remove(path);
        self.by_key.remove(key);
    }

    /// Lets go of a content wherever it is kept.
    pub(super) fn evict(&self, hash: ContentHash) {
        self.by_key.retain(|_, cached| cached.snapshot.hash != hash);
    }
}
