use std::borrow::Cow;
use std::sync::Arc;

use crate::disk::{FileBytes, FileImage, Handle, Stat, Target};
use crate::edit::Deadline;
use crate::text::{ContentHash, DecodedVec, Format, NotText, Text, decode_vec};
use crate::workspace::{FileKey, Refusal, RefusalKind, Seen, Snapshot, Truth};

use super::Core;
use super::content::LARGE;
use super::copies::{Copies, as_written};
use super::event::Sighting;
use super::failure::refusal_of;

/// A file as it is at this moment, looked at while nobody else changes it through editd.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) target: Target,
    pub(crate) stat: Option<Stat>,
    /// The file on the disk, open.
    pub(crate) handle: Option<Handle>,
    /// What the file holds. Whatever is written over it must be meant for just these bytes.
    pub(crate) bytes: FileBytes,
    pub(crate) truth: Truth,
    /// The whole text in one piece, where there is one: finding places needs it so, keeping it does not.
    pub(crate) text: Option<Arc<String>>,
    /// Why there is no text, where the file holds something else.
    pub(crate) not_text: Option<RefusalKind>,
    /// The editors that have it open, if any.
    pub(crate) open: Option<Copies>,
    /// What is on the disk, where the truth is unsaved text of an editor.
    pub(crate) below: Option<Below>,
}

/// What is on the disk below the unsaved text of an editor.
#[derive(Clone, Debug)]
pub(crate) struct Below {
    /// Its text; none if there is no file.
    pub(crate) snapshot: Option<Arc<Snapshot>>,
}

impl Observed {
    pub(crate) fn seen(&self) -> Seen {
        let (key, path) = (self.target.key.clone(), self.target.path.clone());
        Seen { key, path, truth: self.truth.clone(), typed: self.is_unsaved() }
    }

    pub(crate) fn sighting(&self) -> Sighting {
        let disk = self.below.as_ref().and_then(|below| below.snapshot.clone());
        Sighting { seen: self.seen(), stat: self.stat, disk, root: self.target.root.clone() }
    }

    /// Whether the truth is unsaved text of an editor.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.below.is_some()
    }

    /// Whether there is a file, on the disk or so far only in an editor.
    pub(crate) fn exists(&self) -> bool {
        !matches!(self.truth, Truth::Missing)
    }

    /// The text on the disk, if there is one.
    pub(crate) fn disk_snapshot(&self) -> Option<&Arc<Snapshot>> {
        match &self.below {
            Some(below) => below.snapshot.as_ref(),
            None => self.truth.snapshot(),
        }
    }

    /// The same file, of which an editor shows unsaved text.
    fn below_unsaved(self, text: &Text, copies: Copies, deadline: Deadline) -> Self {
        let (snapshot, written) = as_written(text, &self, deadline);
        let below = Some(Below { snapshot: self.truth.snapshot().cloned() });
        let bytes = snapshot.format.encode(&written).map_or_else(|_| Vec::new(), Cow::into_owned);
        let (truth, text) = (Truth::Text(Arc::new(snapshot)), Some(Arc::new(written)));
        Self { bytes: bytes.into(), truth, text, not_text: None, open: Some(copies), below, ..self }
    }

    /// The content and its text, or why there is none.
    pub(crate) fn content(&self) -> Result<(&Arc<Snapshot>, &str), RefusalKind> {
        match (&self.truth, &self.text) {
            (Truth::Text(snapshot), Some(text)) => Ok((snapshot, text)),
            (Truth::Missing, _) => Err(RefusalKind::Missing),
            _ => Err(self.not_text.clone().unwrap_or(RefusalKind::Binary)),
        }
    }
}

impl Core {
    /// Looks at a file: at what an editor shows of it where that is unsaved, else at the disk.
    pub(crate) fn observe(&self, target: Target) -> Result<Observed, Refusal> {
        let disk = self.observe_disk(target)?;
        let Some(copies) = self.copies(&disk) else { return Ok(disk) };
        let owner = copies.owner();
        if owner.holds_unsaved() {
            let text = owner.buffer.text.clone();
            return Ok(disk.below_unsaved(&text, copies, self.deadline()));
        }
        Ok(Observed { open: Some(copies), ..disk })
    }

    /// Reads a file and finds out whether it is what was last seen of it. Equal bytes need no new hash.
    fn observe_disk(&self, target: Target) -> Result<Observed, Refusal> {
        let image = self
            .disk
            .read(&target, self.config.limits.file_size)
            .map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
        let mut observed = Observed {
            target,
            stat: None,
            handle: None,
            bytes: FileBytes::default(),
            truth: Truth::Missing,
            text: None,
            not_text: None,
            open: None,
            below: None,
        };
        let Some(FileImage { bytes, stat, handle }) = image else { return Ok(observed) };
        (observed.stat, observed.handle) = (Some(stat), Some(handle));
        match into_text(bytes) {
            Ok(FileText { text, bytes, format }) => {
                observed.truth = Truth::Text(self.snapshot(&observed.target.key, &text, format, &bytes));
                (observed.bytes, observed.text) = (bytes, Some(text));
            }
            Err((bytes, why)) => {
                observed.truth = Truth::Opaque(ContentHash::of(&bytes));
                (observed.bytes, observed.not_text) = (bytes.into(), Some(why));
            }
        }
        Ok(observed)
    }

    /// A text that left memory, from the state folder.
    pub(crate) fn kept_base(&self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        let bytes = self.bases.get(&hash.to_string()).ok()??;
        let size = bytes.len() as u64;
        // What lies on disk is only believed if it is what it is called.
        if ContentHash::of(&bytes) != hash {
            return None;
        }
        let FileText { text, format, .. } = into_text(bytes).ok()?;
        Some(Arc::new(Snapshot { hash, text: text.as_str().into(), format, size }))
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

/// Both of a file that was not known, each on a thread of its own where it is large.
fn hash_and_rope(bytes: &FileBytes, text: &str) -> (ContentHash, Text) {
    let hash = || ContentHash::of_chunks(bytes.pieces());
    if bytes.len() < LARGE {
        return (hash(), Text::from(text));
    }
    std::thread::scope(|scope| {
        let hashing = std::thread::Builder::new().spawn_scoped(scope, hash);
        let rope = Text::from(text);
        // Without another thread it is done by this one.
        let hashed = hashing.ok().and_then(|hashing| hashing.join().ok());
        (hashed.unwrap_or_else(hash), rope)
    })
}

/// A file's text beside its bytes.
struct FileText {
    text: Arc<String>,
    bytes: FileBytes,
    format: Format,
}

/// The text of a file's bytes, or the bytes again with the reason why they are none.
fn into_text(bytes: Vec<u8>) -> Result<FileText, (Vec<u8>, RefusalKind)> {
    match decode_vec(bytes) {
        Ok(DecodedVec { text, format, bytes }) => {
            let text = Arc::new(text);
            let bytes = bytes.map_or_else(|| text.clone().into(), FileBytes::from);
            Ok(FileText { text, bytes, format })
        }
        Err((bytes, NotText::Binary)) => Err((bytes, RefusalKind::Binary)),
        Err((bytes, NotText::Encoding)) => {
            let detail = "no known encoding gives its bytes again".to_owned();
            Err((bytes, RefusalKind::Encoding { detail }))
        }
    }
}
