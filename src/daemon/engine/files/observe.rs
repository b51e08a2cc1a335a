//! Observing files: reading them together with their open documents.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use dashmap::DashMap;

use crate::engine::change::content::LARGE;
use crate::engine::files::open_documents::{OpenDocuments, as_written};
use crate::engine::workspace_handle::Observation;
use crate::engine::{Engine, SessionContext, refusal_of};
use editd_disk::{Expected, FileBytes, FileImage, Handle, Root, Stat, Target};
use editd_edit::Deadline;
use editd_text::{ContentHash, DecodedVec, Format, NotText, Text, decode_vec};
use editd_workspace::{
    FileContent, FileKey, ObservedVersion, Reading, Refusal, RefusalKind, ShownLines, Snapshot,
};

/// The content of a file, read while the request holds its lock.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) target: Target,
    pub(crate) stat: Option<Stat>,
    /// Handle of the open file on disk.
    pub(crate) handle: Option<Handle>,
    /// Encoded bytes of the file. A change that replaces the file must be computed for exactly these bytes.
    pub(crate) bytes: FileBytes,
    /// The current content.
    pub(crate) content: FileContent,
    /// The text as one string, if the file is text. Matching needs one string; a stored snapshot is a rope.
    pub(crate) text: Option<Arc<String>>,
    /// The reason why a file is not text.
    pub(crate) not_text: Option<RefusalKind>,
    /// The open documents of the file, if any.
    pub(crate) open: Option<OpenDocuments>,
    /// The content on disk, if the current content is unsaved text of an editor.
    pub(crate) on_disk: Option<DiskContent>,
}

/// The content on disk of a file with unsaved text in an editor.
#[derive(Clone, Debug)]
pub(crate) struct DiskContent {
    /// The text; `None` if the file does not exist or is not text.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
}

impl Observed {
    /// Returns the observed version, as the workspace state records it.
    pub(crate) fn version(&self) -> ObservedVersion {
        let (key, path) = (self.target.key.clone(), self.target.path.clone());
        ObservedVersion { key, path, content: self.content.clone(), is_unsaved: self.is_unsaved() }
    }

    /// Returns the observation, as the cache stores it.
    pub(crate) fn observation(&self) -> Observation {
        let disk = self.on_disk.as_ref().and_then(|on_disk| on_disk.snapshot.clone());
        Observation { seen: self.version(), stat: self.stat, disk, root: self.target.root.clone() }
    }

    /// Returns the state that a change of the file expects; `None` if the file does not exist.
    pub(crate) fn expected(&self) -> Option<Expected> {
        Some(Expected {
            stat: self.stat?,
            bytes: self.bytes.clone(),
            hash: self.content.hash()?,
            handle: self.handle.clone(),
        })
    }

    /// Returns `true` if the current content is unsaved text of an editor.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.on_disk.is_some()
    }

    /// Returns `true` if the file exists, on disk or as unsaved text of an editor.
    pub(crate) fn exists(&self) -> bool {
        !matches!(self.content, FileContent::Missing)
    }

    /// Returns the text on disk, if there is one.
    pub(crate) fn disk_snapshot(&self) -> Option<&Arc<Snapshot>> {
        match &self.on_disk {
            Some(on_disk) => on_disk.snapshot.as_ref(),
            None => self.content.snapshot(),
        }
    }

    /// Replaces the current content by the unsaved text of an editor.
    fn with_unsaved_text(self, text: &Text, open_documents: OpenDocuments, deadline: Deadline) -> Self {
        let (snapshot, written) = as_written(text, &self, deadline);
        let on_disk = Some(DiskContent { snapshot: self.content.snapshot().cloned() });
        let bytes = snapshot.format.encode(&written).map_or_else(|_| Vec::new(), Cow::into_owned);
        let (content, text) = (FileContent::Text(Arc::new(snapshot)), Some(Arc::new(written)));
        Self {
            bytes: bytes.into(),
            content,
            text,
            not_text: None,
            open: Some(open_documents),
            on_disk,
            ..self
        }
    }

    /// Returns the snapshot and its text, or the reason why the file has no text.
    pub(crate) fn content(&self) -> Result<(&Arc<Snapshot>, &str), RefusalKind> {
        match (&self.content, &self.text) {
            (FileContent::Text(snapshot), Some(text)) => Ok((snapshot, text)),
            (FileContent::Missing, _) => Err(RefusalKind::Missing),
            _ => Err(self.not_text.clone().unwrap_or(RefusalKind::Binary)),
        }
    }
}

impl Engine {
    /// Observes a file: the unsaved text of an editor if there is any, otherwise the file on disk.
    pub(crate) fn observe(&self, target: Target) -> Result<Observed, Refusal> {
        let disk = self.observe_disk(target)?;
        let Some(open_documents) = self.open_documents(&disk) else { return Ok(disk) };
        let owner = open_documents.owner();
        if owner.holds_unsaved() {
            let text = owner.buffer.text.clone();
            return Ok(disk.with_unsaved_text(&text, open_documents, self.deadline()));
        }
        Ok(Observed { open: Some(open_documents), ..disk })
    }

    /// Reads a file from disk. Reuses the cached snapshot if the content has not changed, which saves the
    /// hash.
    pub(crate) fn observe_disk(&self, target: Target) -> Result<Observed, Refusal> {
        let image = self
            .disk
            .read(&target, self.config.limits.file_size)
            .map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
        let mut observed = Observed {
            target,
            stat: None,
            handle: None,
            bytes: FileBytes::default(),
            content: FileContent::Missing,
            text: None,
            not_text: None,
            open: None,
            on_disk: None,
        };
        let Some(FileImage { bytes, stat, handle }) = image else { return Ok(observed) };
        (observed.stat, observed.handle) = (Some(stat), Some(handle));
        match into_text(bytes) {
            Ok(FileText { text, bytes, format }) => {
                observed.content =
                    FileContent::Text(self.snapshot(&observed.target.key, &text, format, &bytes));
                (observed.bytes, observed.text) = (bytes, Some(text));
            }
            Err((bytes, why)) => {
                observed.content = FileContent::Opaque(ContentHash::of(&bytes));
                (observed.bytes, observed.not_text) = (bytes.into(), Some(why));
            }
        }
        Ok(observed)
    }

    /// Reads an evicted text from the state folder.
    pub(crate) fn stored_base(&self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        let bytes = self.workspace.bases.get(&hash.to_string()).ok()??;
        let size = bytes.len() as u64;
        // The stored file is trusted only if its content matches its name.
        if ContentHash::of(&bytes) != hash {
            return None;
        }
        let FileText { text, format, .. } = into_text(bytes).ok()?;
        Some(Arc::new(Snapshot { hash, text: text.as_str().into(), format, size }))
    }

    /// Returns a text by its hash, from memory or from the state directory.
    pub(crate) fn known_text(&self, hash: ContentHash) -> Option<String> {
        let cached = self.workspace.update(|w| w.text(hash));
        cached.or_else(|| self.stored_base(hash)).map(|snapshot| snapshot.text.to_string())
    }

    /// Records that a session was given the content of a file.
    pub(crate) fn record_read(&self, session: &SessionContext, observation: Observation, reading: Reading) {
        self.workspace.update(|w| {
            w.record_read(session.id, &observation.seen, reading);
            w.cache(observation);
        });
    }

    /// Records that a session was shown lines of a file, by a search.
    pub(crate) fn record_found(
        &self,
        session: &SessionContext,
        observation: Observation,
        lines: &ShownLines,
    ) {
        self.workspace.update(|w| {
            w.record_found(session.id, &observation.seen, lines);
            w.cache(observation);
        });
    }

    fn snapshot(&self, key: &FileKey, text: &str, format: Format, bytes: &FileBytes) -> Arc<Snapshot> {
        let size = bytes.len() as u64;
        let known = self.cache.get(key).and_then(|cached| cached.snapshot.clone());
        let is_same =
            |known: &Arc<Snapshot>| known.size == size && known.format == format && known.text.eq_str(text);
        known.filter(is_same).unwrap_or_else(|| {
            let (hash, text) = hash_and_rope(bytes, text);
            Arc::new(Snapshot { hash, text, format, size })
        })
    }
}

/// Computes the hash and the rope of a text, in parallel if the text is large.
fn hash_and_rope(bytes: &FileBytes, text: &str) -> (ContentHash, Text) {
    let hash = || ContentHash::of_chunks(bytes.pieces());
    if bytes.len() < LARGE {
        return (hash(), Text::from(text));
    }
    std::thread::scope(|scope| {
        let hashing = std::thread::Builder::new().spawn_scoped(scope, hash);
        let rope = Text::from(text);
        // If no thread could be started, this thread hashes.
        let hashed = hashing.ok().and_then(|hashing| hashing.join().ok());
        (hashed.unwrap_or_else(hash), rope)
    })
}

/// A decoded text with its bytes.
struct FileText {
    text: Arc<String>,
    bytes: FileBytes,
    format: Format,
}

/// Decodes the bytes of a file. On failure, returns the bytes with the reason why they are not text.
fn into_text(bytes: Vec<u8>) -> Result<FileText, (Vec<u8>, RefusalKind)> {
    match decode_vec(bytes) {
        Ok(DecodedVec { text, format, bytes }) => {
            let text = Arc::new(text);
            let bytes = bytes.map_or_else(|| text.clone().into(), FileBytes::from);
            Ok(FileText { text, bytes, format })
        }
        Err((bytes, NotText::Binary)) => Err((bytes, RefusalKind::Binary)),
        Err((bytes, NotText::Encoding)) => {
            let detail = "no known encoding reproduces its bytes".to_owned();
            Err((bytes, RefusalKind::Encoding { detail }))
        }
    }
}

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
/// [`WorkspaceState`](crate::engine::workspace_handle::WorkspaceState) writes to it. No guard of the map
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
