//! `editd/read`: a file as text, as notebook cells or as an image.

mod large;
mod notebook;
mod window;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::config::SyntaxMode;
use crate::engine::files::observe::Observed;
use crate::engine::jobs::blocking;
use crate::engine::{Engine, Failure, Result, SessionContext};
use crate::image::{DECODED_BYTES, ImageError, is_image, prepare};
use crate::server::handlers::read::window::{View, Window};
use crate::server::handlers::symbols::lines_of_symbol;
use crate::server::{Daemon, encode};
use editd_disk::{FileBytes, Stat, Target};
use editd_protocol::{
    ImageContent, Invalid, MAX_READS, ReadContent, ReadEntry, ReadParams, ReadResult, ReadSeveralParams,
    ReadSeveralResult, requested_path, uri_of,
};
use editd_syntax::Language;
use editd_syntax::parsing::{self, FileVersion};
use editd_text::{ContentHash, Encoding, Format, HashTag};
use editd_workspace::limits::READ_BYTES;
use editd_workspace::{Contest, FileContent, Reading, Refusal, RefusalKind, Role, ShownLines, Snapshot};

/// Maximum size of a text that is parsed before a change needs it, in bytes: a parser keeps a few of this size.
const MAX_READ_AHEAD: usize = 512 << 10;

/// Maximum length of the first line of a script that names its program, in bytes. The system reads no more.
const MAX_FIRST_LINE: usize = 256;

/// Minimum room for a further part in an answer, in bytes. The beginning of a part that is shorter tells little.
const MIN_ROOM: usize = 500;

/// The outcome of the first step of a read, which holds the file lock.
enum FirstStep {
    Read(ReadResult, Option<SoonChanged>),
    /// An image. Decoding takes time and memory, so it follows after the lock on the file is released.
    Image(Encoded),
    /// A file that is too large for memory. It is streamed after the lock on the file is released.
    Large(Target),
}

impl Daemon {
    /// `editd/readSeveral`.
    pub async fn read_several(
        &self,
        session: &Arc<SessionContext>,
        ReadSeveralParams { reads, max_bytes }: ReadSeveralParams,
    ) -> Result<ReadSeveralResult> {
        let all = reads.len();
        if all == 0 || all > MAX_READS {
            let problem = format!("{all} parts: name 1 to {MAX_READS}");
            return Err(Invalid::new("reads", problem).into());
        }
        let mut room = max_bytes.unwrap_or(READ_BYTES).min(READ_BYTES);
        let mut entries = Vec::with_capacity(all);
        for (index, mut params) in reads.into_iter().enumerate() {
            if room < MIN_ROOM && index > 0 {
                break;
            }
            params.max_bytes = Some(params.max_bytes.unwrap_or(room).min(room));
            let entry = match self.read(session, params).await {
                Ok(read) => ReadEntry::Read(Box::new(read)),
                Err(Failure::Invalid(invalid)) => {
                    return Err(invalid.within(&format!("reads[{index}]")).into());
                }
                // Each part is read or refused by itself.
                Err(failure @ Failure::Refused(_)) => {
                    ReadEntry::Refused { error: failure.error(session.abilities.audience) }
                }
                Err(failure) => return Err(failure),
            };
            room = room.saturating_sub(entry.size());
            entries.push(entry);
        }
        Ok(ReadSeveralResult { more: all - entries.len(), reads: entries })
    }

    /// `editd/read`.
    pub async fn read(&self, session: &Arc<SessionContext>, params: ReadParams) -> Result<ReadResult> {
        let window = Window::of(&params, session.abilities.audience)?;
        let names_lines = params.offset.is_some() || params.limit.is_some() || params.lines.is_some();
        if params.symbol.is_some() && names_lines {
            let problem = "it cannot be combined with `lines`, `offset` or `limit`";
            return Err(Invalid::new("symbol", problem).into());
        }
        let (path, symbol) = (requested_path(params.path, params.uri, ("path", "uri"))?, params.symbol);
        let first = self.engine.on_file(session, path, move |engine, session, target, _| {
            if large::is_large(engine, &target) {
                match symbol {
                    Some(_) => Err(Refusal::at(&target.path, large::no_symbols(engine, &target)).into()),
                    None => Ok(FirstStep::Large(target)),
                }
            } else {
                read(engine, session, target, (&window, symbol.as_deref()))
            }
        });
        match first.await? {
            FirstStep::Read(result, soon_changed) => {
                // Parsed beside the answer, which does not wait for it.
                if let Some(soon_changed) = soon_changed {
                    tokio::task::spawn_blocking(move || soon_changed.parse());
                }
                Ok(result)
            }
            FirstStep::Image(encoded) => decode(&self.engine, encoded).await,
            FirstStep::Large(target) => {
                // Such a file cannot be edited, so its version needs no name.
                let window = Window { anchored: false, ..window };
                let pass = self
                    .engine
                    .searching(session, move |engine, _, stop| large::read(engine, &target, &window, stop));
                pass.await
            }
        }
    }
}

fn read(
    engine: &Engine,
    session: &SessionContext,
    target: Target,
    (window, symbol): (&Window, Option<&str>),
) -> Result<FirstStep> {
    let observed = engine.observe(target)?;
    if let Some(open_documents) = &observed.open
        && open_documents.contest() == Some(Contest::TwoEditors)
    {
        let kind = engine.contested(open_documents, Contest::TwoEditors);
        return Err(Refusal::at(&observed.target.path, kind).into());
    }
    let observation = observed.observation();
    let encoded = encoded(&observed);
    let refuse = |kind| Failure::from(Refusal::at(&observed.target.path, kind));
    if symbol.is_some() && encoded.is_some() {
        return Err(refuse(RefusalKind::NoSyntax("it is an image".to_owned())));
    }
    let window = &match (symbol, observed.content()) {
        (Some(symbol), Ok((_, text))) => {
            let lines =
                lines_of_symbol(&observed.target.path, text, symbol, engine.deadline()).map_err(refuse)?;
            window.at(lines)
        }
        _ => *window,
    };
    let shown = observed.content().map_err(refuse).map(|content| shown(session, &observed, content, window));
    // A missing or binary file is recorded too, because the session's old base is no longer valid.
    let reading = shown.as_ref().map_or(Reading::WHOLE, |(_, reading)| reading.clone());
    engine.record_read(session, observation, reading);
    if let Some(encoded) = encoded {
        return Ok(FirstStep::Image(encoded));
    }
    let soon_changed = SoonChanged::of(engine, session, &observed);
    shown.map(|(result, _)| FirstStep::Read(result, soon_changed))
}

/// A version of a file that its reader may change. The check of the change for syntax errors is quicker if the version
/// was parsed before.
struct SoonChanged {
    path: PathBuf,
    snapshot: Arc<Snapshot>,
    language: Language,
}

impl SoonChanged {
    /// Returns the version that an agent reads, or `None` if its changes are not checked.
    fn of(engine: &Engine, session: &SessionContext, observed: &Observed) -> Option<Self> {
        if session.role != Role::Agent || engine.config.syntax == SyntaxMode::Off {
            return None;
        }
        let path = &observed.target.path;
        let snapshot = observed.content.snapshot().filter(|snapshot| snapshot.format == Format::UTF8)?;
        let length = snapshot.text.len_bytes();
        let beginning = snapshot.text.slice(0..length.min(MAX_FIRST_LINE)).unwrap_or_default();
        let language = Language::of(path, &beginning).filter(|_| length <= MAX_READ_AHEAD)?;
        Some(Self { path: path.clone(), snapshot: snapshot.clone(), language })
    }

    fn parse(&self) {
        let text = self.snapshot.text.to_string();
        let version = FileVersion {
            path: &self.path,
            text: &text,
            hash: Some(self.snapshot.hash),
            language: self.language,
        };
        parsing::keep(&version);
    }
}

/// Returns the answer with the text, or with the cells of a notebook, and the part of the file that it covers.
fn shown(
    session: &SessionContext,
    observed: &Observed,
    (snapshot, text): (&Arc<Snapshot>, &str),
    window: &Window,
) -> (ReadResult, Reading) {
    let mut notices = Vec::new();
    let cells = notebook::wanted(observed, window).then(|| notebook::shown(text, window));
    let (content, reading) = match cells {
        Some(Ok((content, notice))) => {
            notices.extend(notice);
            // The metadata of the notebook is in none of the cells.
            (ReadContent::Notebook(content), Reading::part(ShownLines::NONE))
        }
        other => {
            notices.extend(other.and_then(Result::err));
            let view = View::of_whole(text, window);
            notices.extend(view.notice());
            let reading = view.reading();
            let mut content = view.content(text, snapshot.format);
            if window.anchored {
                content.name_version(anchor(session, &observed.target.path, snapshot.hash));
            }
            (ReadContent::Text(content), reading)
        }
    };
    if snapshot.format.encoding == Encoding::Utf8Stray {
        notices.push(STRAY.to_owned());
    }
    if observed.open.as_ref().is_some_and(|open_documents| open_documents.unknown().is_some()) {
        let unknown = "An editor has this file open, but its text there is not known: it may hold unsaved text that is not shown here.";
        notices.push(unknown.to_owned());
    }
    let result = ReadResult {
        source: if observed.is_unsaved() { "editor" } else { "disk" }.to_owned(),
        version: observed.open.as_ref().map(|open_documents| open_documents.owner().buffer.version),
        ..answer_about((&observed.target, observed.stat), (snapshot.hash, snapshot.size), content, &notices)
    };
    (result, reading)
}

const STRAY: &str = "Some bytes of this file are not UTF-8; each is shown as one character from U+10FF80 to U+10FFFF and stays unchanged.";

/// Returns the name of a version of a file: its path and the tag, or the tag alone if the path has control
/// characters.
fn anchor(session: &SessionContext, path: &Path, hash: ContentHash) -> String {
    let tag = HashTag::from(hash);
    let path = session.relative(path).display().to_string();
    // A name with a line break cannot stand on the first line.
    if path.contains(char::is_control) { format!("#{tag}") } else { format!("{path}#{tag}") }
}

/// Returns the answer about a file, with its state on disk.
fn answer_about(
    (target, stat): (&Target, Option<Stat>),
    (hash, size): (ContentHash, u64),
    content: ReadContent,
    notices: &[String],
) -> ReadResult {
    ReadResult {
        uri: uri_of(&target.path),
        path: target.path.display().to_string(),
        hash: hash.to_string(),
        size,
        mtime: stat.map(|stat| encode::mtime(stat.mtime)).unwrap_or_default(),
        source: "disk".to_owned(),
        version: None,
        content,
        notice: (!notices.is_empty()).then(|| notices.join(" ")),
    }
}

/// An encoded image file.
struct Encoded {
    target: Target,
    stat: Option<Stat>,
    hash: ContentHash,
    bytes: FileBytes,
}

/// Returns the image if the file is one.
fn encoded(observed: &Observed) -> Option<Encoded> {
    let FileContent::Opaque(hash) = observed.content else { return None };
    let begins = observed.bytes.pieces().next().is_some_and(is_image);
    let (target, stat) = (observed.target.clone(), observed.stat);
    begins.then(|| Encoded { target, stat, hash, bytes: observed.bytes.clone() })
}

/// Decodes an image and prepares it for the answer. Decodes one image at a time, because each may take a
/// second and a quarter of a gigabyte, and a running decoder cannot be stopped.
async fn decode(engine: &Engine, encoded: Encoded) -> Result<ReadResult> {
    let permit = engine.decoding.clone().lock_owned();
    let permit = engine.when_free(permit, "other images are being decoded").await?;
    blocking(move || {
        let _permit = permit;
        prepared(&encoded)
    })
    .await?
}

fn prepared(Encoded { target, stat, hash, bytes }: &Encoded) -> Result<ReadResult> {
    let bytes = bytes.to_vec();
    let image = prepare(&bytes).map_err(|error| {
        let kind = match error {
            ImageError::TooLarge(size) => RefusalKind::TooLarge { limit: DECODED_BYTES, size },
            ImageError::Unknown | ImageError::Damaged(_) => RefusalKind::DamagedImage(error.to_string()),
        };
        Refusal::at(&target.path, kind)
    })?;
    let original = (image.original_width, image.original_height);
    let notice = (original != (image.width, image.height)).then(|| {
        let (width, height) = original;
        let first = if bytes.starts_with(b"GIF") { " This is the first frame of the animation." } else { "" };
        format!("Scaled from {width} by {height} pixels to {} by {}.{first}", image.width, image.height)
    });
    let content = ImageContent {
        mime_type: image.mime_type.to_owned(),
        data: STANDARD.encode(&image.bytes),
        width: image.width,
        height: image.height,
        original_width: image.original_width,
        original_height: image.original_height,
    };
    let (content, size) = (ReadContent::Image(content), bytes.len() as u64);
    Ok(answer_about((target, *stat), (*hash, size), content, notice.as_slice()))
}
