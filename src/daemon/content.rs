use std::sync::{Arc, OnceLock};

use crate::disk::{FileBytes, Piece};
use crate::edit::Plan;
use crate::text::{ContentHash, DecodedVec, Format, Text, decode_vec};
use crate::workspace::{RefusalKind, Snapshot, Truth};

use super::observe::Observed;

/// Up to this many splices the result shares the memory of what it is made of, rope and bytes; beyond it,
/// making both anew costs less.
const SHARED_SPLICES: usize = 256;
/// From this size on it pays to use a second thread beside the one that serves a request: below it, waking
/// one costs more than what it would do.
pub(crate) const LARGE: usize = 256 << 10;

/// What a file is to hold, ready to be written.
#[derive(Debug)]
pub(crate) struct Content {
    /// The file's bytes.
    pub(crate) bytes: FileBytes,
    /// Whether the text shares the memory of the one it was made of.
    pub(crate) shares: bool,
    /// None where the bytes are no text.
    text: Option<Text>,
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
        Self::restored(observed, plan, format, size_limit)
    }

    /// The same where what the plan adds was in the file before: so it means in the file's encoding what it
    /// meant then, also where that was guessed.
    pub(crate) fn restored(
        observed: &Observed,
        plan: &Plan,
        format: Format,
        size_limit: u64,
    ) -> Result<Self, RefusalKind> {
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
        Ok(Self { bytes, shares, text: Some(text), format, hash: Arc::default() })
    }

    /// A file's bytes as they are, text or not.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        let (shares, hash) = (false, Arc::default());
        match decode_vec(bytes) {
            Ok(DecodedVec { text, format, bytes }) => {
                let rope = Some(Text::from(text.as_str()));
                let bytes = bytes.map_or_else(|| text.into_bytes().into(), FileBytes::from);
                Self { bytes, shares, text: rope, format, hash }
            }
            Err((bytes, _)) => Self { bytes: bytes.into(), shares, text: None, format: Format::UTF8, hash },
        }
    }

    /// Its text, if it is one.
    pub(crate) fn text(&self) -> Option<&Text> {
        self.text.as_ref()
    }

    /// How its text is written.
    pub(crate) fn format(&self) -> Format {
        self.format
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

    /// What the file is once it is written.
    pub(crate) fn truth(&self) -> Truth {
        let Some(text) = &self.text else { return Truth::Opaque(self.hash()) };
        let (text, size) = (text.clone(), self.bytes.len() as u64);
        Truth::Text(Arc::new(Snapshot { hash: self.hash(), text, format: self.format, size }))
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
    Err(RefusalKind::GuessedEncoding { name: format.encoding.name() })
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
