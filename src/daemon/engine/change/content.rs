//! The new content of a file.

use std::sync::{Arc, OnceLock};

use crate::engine::files::observe::Observed;
use editd_disk::{FileBytes, Piece};
use editd_edit::Plan;
use editd_text::{ContentHash, DecodedVec, Format, Text, declares, decode_vec};
use editd_workspace::{Action, FileContent, RefusalKind, Snapshot};

/// Maximum number of splices for which the result shares memory with the old text, as rope and as bytes. With
/// more splices, building both from scratch is cheaper.
const SHARED_SPLICES: usize = 256;

/// Size in bytes from which a second thread pays off for a request. Below it, waking the thread costs more
/// than the work that it takes over.
pub(crate) const LARGE: usize = 256 << 10;

/// The new content of a file, encoded for writing.
#[derive(Debug)]
pub(crate) struct Content {
    /// The encoded bytes.
    pub(crate) bytes: FileBytes,
    /// `true` if the text shares memory with the text from which it was computed.
    pub(crate) shares: bool,
    /// The decoded text; `None` if the bytes are not text.
    pub(crate) text: Option<Text>,
    pub(crate) format: Format,
    hash: Arc<OnceLock<ContentHash>>,
}

impl Content {
    /// Applies `plan` to the observed text, or to an empty text if the file has no text. Refuses text that
    /// the encoding of the file cannot represent reliably.
    pub(crate) fn of_plan(
        observed: &Observed,
        plan: &Plan,
        format: Format,
        size_limit: u64,
    ) -> Result<Self, RefusalKind> {
        check_added(observed, plan, format)?;
        Self::restored(observed, plan, format, size_limit)
    }

    /// Like [`of_plan`](Self::of_plan), for a plan that adds only text that was in the file before. Such text
    /// is allowed even if the encoding was guessed, because it is encoded as it was then.
    pub(crate) fn restored(
        observed: &Observed,
        plan: &Plan,
        format: Format,
        size_limit: u64,
    ) -> Result<Self, RefusalKind> {
        let (shares, text, bytes) = match (observed.content.snapshot(), &observed.text) {
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

    /// Wraps the bytes of a file, which need not be text.
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

    /// Starts hashing large content on another thread.
    pub(crate) fn hash_in_background(self) -> Self {
        if let (true, Ok(runtime)) = (self.bytes.len() >= LARGE, tokio::runtime::Handle::try_current()) {
            let (hash, bytes) = (self.hash.clone(), self.bytes.clone());
            runtime.spawn_blocking(move || *hash.get_or_init(|| hash_of(&bytes)));
        }
        self
    }

    /// Sets the hash, if it is known.
    pub(crate) fn with_hash(self, hash: Option<ContentHash>) -> Self {
        let hash = hash.map_or_else(OnceLock::new, OnceLock::from);
        Self { hash: Arc::new(hash), ..self }
    }

    /// Returns the hash of the bytes. Waits if another thread is already hashing them. Otherwise hashes them
    /// on this thread, so a call never waits for a thread that may not start.
    pub(crate) fn hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| hash_of(&self.bytes))
    }

    /// Returns the content of the file after the write.
    pub(crate) fn content(&self) -> FileContent {
        let Some(text) = &self.text else { return FileContent::Opaque(self.hash()) };
        let (text, size) = (text.clone(), self.bytes.len() as u64);
        FileContent::Text(Arc::new(Snapshot { hash: self.hash(), text, format: self.format, size }))
    }
}

fn hash_of(bytes: &FileBytes) -> ContentHash {
    ContentHash::of_chunks(bytes.pieces())
}

/// Returns the result of a plan as pieces of the old text and the inserted texts.
fn spliced(text: &Arc<String>, plan: &Plan) -> FileBytes {
    let mut pieces = Vec::with_capacity(plan.splices().len() * 2 + 1);
    let mut copied = 0;
    for splice in plan.splices() {
        pieces.push(Piece::new(text.clone(), copied..splice.range.start));
        pieces.push(Piece::new(Arc::new(splice.text.clone()), 0..splice.text.len()));
        copied = splice.range.end;
    }
    pieces.push(Piece::new(text.clone(), copied..text.len()));
    FileBytes::of_pieces(pieces)
}

/// Refuses added text that depends on the encoding, if the encoding was guessed and the file does not declare it.
fn check_added(observed: &Observed, plan: &Plan, format: Format) -> Result<(), RefusalKind> {
    let before = observed.text.as_ref().map_or("", |text| text.as_str());
    let takes = |added: &str| format.takes(added) || declares(before, format, added);
    if plan.splices().iter().all(|splice| takes(&splice.text)) {
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

/// Returns a warning about bytes that change although their text does not, which a diff cannot show.
pub(super) fn encoding_change(observed: &Observed, action: &Action, format: Format) -> Option<String> {
    let described = |format: Format| {
        let mark = if format.bom { " with a byte order mark" } else { "" };
        format!("{}{mark}", format.encoding.name())
    };
    match (action, observed.content.snapshot()) {
        (Action::Delete, _) => None,
        (_, Some(before)) if !before.format.is_written_as(format) => {
            let (from, to) = (described(before.format), described(format));
            Some(format!("the whole file changes from {from} to {to}"))
        }
        (_, None) if !Format::UTF8.is_written_as(format) => {
            Some(format!("the file is written as {}", described(format)))
        }
        _ => None,
    }
}
