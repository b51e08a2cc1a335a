use std::borrow::Cow;
use std::sync::Arc;

use crate::disk::{FileImage, Stat, Target};
use crate::text::{ContentHash, Decoded, Encoding, Format, NotText, Text, decode};
use crate::workspace::{FileKey, Refusal, RefusalKind, Seen, Snapshot, Truth};

use super::Core;
use super::event::Sighting;
use super::failure::refusal_of;

/// A file as it is at this moment, looked at while nobody else changes it through editd.
#[derive(Debug)]
pub(crate) struct Observed {
    pub(crate) target: Target,
    pub(crate) stat: Option<Stat>,
    pub(crate) truth: Truth,
    /// The whole text in one piece, where there is one: finding places needs it so, keeping it does not.
    pub(crate) text: Option<String>,
    /// Why there is no text, where the file holds something else.
    pub(crate) not_text: Option<RefusalKind>,
}

impl Observed {
    pub(crate) fn seen(&self) -> Seen {
        Seen { key: self.target.key.clone(), path: self.target.path.clone(), truth: self.truth.clone() }
    }

    pub(crate) fn sighting(&self) -> Sighting {
        Sighting { seen: self.seen(), stat: self.stat, root: self.target.root.clone() }
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
    /// Reads a file and finds out whether it is what was last seen of it. Equal bytes need no new hash.
    pub(crate) fn observe(&self, target: Target) -> Result<Observed, Refusal> {
        let image = self
            .disk
            .read(&target, self.config.limits.file_size)
            .map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
        let Some(FileImage { bytes, stat }) = image else {
            return Ok(Observed { target, stat: None, truth: Truth::Missing, text: None, not_text: None });
        };
        let size = bytes.len() as u64;
        match into_text(bytes) {
            Ok((text, format)) => {
                let snapshot = self.snapshot(&target.key, &text, format, size);
                let truth = Truth::Text(snapshot);
                Ok(Observed { target, stat: Some(stat), truth, text: Some(text), not_text: None })
            }
            Err((bytes, why)) => {
                let truth = Truth::Opaque(ContentHash::of(&bytes));
                Ok(Observed { target, stat: Some(stat), truth, text: None, not_text: Some(why) })
            }
        }
    }

    /// A text that left memory, from the state folder.
    pub(crate) fn kept_base(&self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        let bytes = self.bases.get(&hash.to_string()).ok()??;
        let size = bytes.len() as u64;
        // What lies on disk is only believed if it is what it is called.
        if ContentHash::of(&bytes) != hash {
            return None;
        }
        let (text, format) = into_text(bytes).ok()?;
        Some(Arc::new(Snapshot { hash, text: text.as_str().into(), format, size }))
    }

    fn snapshot(&self, key: &FileKey, text: &str, format: Format, size: u64) -> Arc<Snapshot> {
        let known = self.cache.get(key).map(|cached| cached.snapshot.clone());
        let is_same =
            |known: &Arc<Snapshot>| known.size == size && known.format == format && known.text.eq_str(text);
        known.filter(is_same).unwrap_or_else(|| Arc::new(new_snapshot(text, format, size)))
    }
}

fn new_snapshot(text: &str, format: Format, size: u64) -> Snapshot {
    // What was decoded encodes back to the same bytes, so this is the hash of the file.
    let hash = format.encode(text).map_or_else(|_| ContentHash::of(text.as_bytes()), |b| ContentHash::of(&b));
    Snapshot { hash, text: Text::from(text), format, size }
}

/// The text of a file's bytes, or the bytes again with the reason why they are none.
fn into_text(bytes: Vec<u8>) -> Result<(String, Format), (Vec<u8>, RefusalKind)> {
    let format = match decode(&bytes, None) {
        Ok(Decoded { text: Cow::Owned(text), format }) => return Ok((text, format)),
        Ok(Decoded { text: Cow::Borrowed(text), format }) if format.bom => {
            return Ok((text.to_owned(), format));
        }
        Ok(Decoded { format, .. }) => format,
        Err(NotText::Binary) => return Err((bytes, RefusalKind::Binary)),
        Err(NotText::Encoding) => {
            let detail = "no known encoding gives its bytes again".to_owned();
            return Err((bytes, RefusalKind::Encoding { detail }));
        }
    };
    debug_assert_eq!(format.encoding, Encoding::Utf8);
    // Plain UTF-8 takes the bytes over instead of copying them.
    String::from_utf8(bytes).map(|text| (text, format)).map_err(|e| (e.into_bytes(), RefusalKind::Binary))
}
