use std::sync::{Arc, OnceLock};

use crate::disk::{FileBytes, Piece};
use crate::edit::Plan;
use crate::text::{ContentHash, Format, Text};
use crate::workspace::{RefusalKind, Snapshot};

use super::observe::Observed;

/// Up to this many splices the result shares the memory of what it is made of, rope and bytes; beyond it,
/// making both anew costs less.
const SHARED_SPLICES: usize = 256;
/// From this size on it pays to use a second thread beside the one that serves a request: below it, waking
/// one costs more than what it would do.
pub(crate) const LARGE: usize = 256 << 10;

/// The result of a plan, ready to be written.
#[derive(Debug)]
pub(crate) struct Content {
    /// The file's bytes.
    pub(crate) bytes: FileBytes,
    /// Whether the text shares the memory of the one it was made of.
    pub(crate) shares: bool,
    text: Text,
    format: Format,
    hash: Arc<OnceLock<ContentHash>>,
}

impl Content {
    /// What `plan` makes of a text that was observed; of nothing, where there is none.
    pub(crate) fn of_plan(
        observed: &Observed,
        plan: &Plan,
        format: Format,
        size_limit: u64,
    ) -> Result<Self, RefusalKind> {
        check_added(plan, format)?;
        let (shares, text, bytes) = match (observed.truth.snapshot(), &observed.text) {
            (Some(before), Some(text)) if plan.splices().len() <= SHARED_SPLICES && plan.fits(text) => {
                let mut rope = before.text.clone();
                plan.apply_to(&mut rope);
                let is_utf8 = format == Format::UTF8;
                (true, rope, if is_utf8 { spliced(text, plan) } else { encode(plan.apply(text), format)? })
            }
            (_, text) => {
                let result = plan.apply(text.as_ref().map_or("", |text| text));
                (false, Text::from(result.as_str()), encode(result, format)?)
            }
        };
        let size = bytes.len() as u64;
        if size > size_limit {
            return Err(RefusalKind::TooLarge { limit: size_limit, size });
        }
        Ok(Self { bytes, shares, text, format, hash: Arc::default() })
    }

    /// Begins to hash on another thread, where that is worth it.
    pub(crate) fn hash_beside(self) -> Self {
        if let (true, Ok(runtime)) = (self.bytes.len() >= LARGE, tokio::runtime::Handle::try_current()) {
            let (hash, bytes) = (self.hash.clone(), self.bytes.clone());
            runtime.spawn_blocking(move || *hash.get_or_init(|| hash_of(&bytes)));
        }
        self
    }

    /// The same content, whose hash is known.
    pub(crate) fn known_as(self, hash: Option<ContentHash>) -> Self {
        let hash = hash.map_or_else(OnceLock::new, OnceLock::from);
        Self { hash: Arc::new(hash), ..self }
    }

    /// The hash of the bytes. Where another thread is at it, waits for that; where it has not begun, does it
    /// itself: so nobody ever waits for a thread that may not come.
    pub(crate) fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| hash_of(&self.bytes))
    }

    /// The same as a snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        let size = self.bytes.len() as u64;
        Arc::new(Snapshot { hash: self.hash(), text: self.text.clone(), format: self.format, size })
    }
}

fn hash_of(bytes: &FileBytes) -> ContentHash {
    ContentHash::of_chunks(bytes.pieces())
}

/// The result of a plan as pieces of the old text and the new words.
fn spliced(text: &Arc<String>, plan: &Plan) -> FileBytes {
    let mut pieces = Vec::with_capacity(plan.splices().len() * 2 + 1);
    let mut kept = 0;
    for splice in plan.splices() {
        pieces.push(Piece::new(text.clone(), kept..splice.range.start));
        pieces.push(Piece::new(Arc::new(splice.text.clone()), 0..splice.text.len()));
        kept = splice.range.end;
    }
    pieces.push(Piece::new(text.clone(), kept..text.len()));
    FileBytes::of_pieces(pieces)
}

/// Under a guessed encoding only text that is the same in all of them may be added.
fn check_added(plan: &Plan, format: Format) -> Result<(), RefusalKind> {
    if plan.splices().iter().all(|splice| format.takes(&splice.text)) {
        return Ok(());
    }
    let name = format.encoding.name();
    let detail = format!("its encoding was guessed as {name}, so only ASCII text can be added safely");
    Err(RefusalKind::Encoding { detail })
}

fn encode(text: String, format: Format) -> Result<FileBytes, RefusalKind> {
    if format == Format::UTF8 {
        return Ok(text.into_bytes().into());
    }
    let encoded = format.encode(&text).map_err(|error| RefusalKind::Encoding {
        detail: format!("{} has no character U+{:04X}", format.encoding.name(), u32::from(error.character)),
    })?;
    Ok(encoded.into_owned().into())
}
