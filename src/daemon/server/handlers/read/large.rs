//! Files that are too large for memory: they are streamed, and only the requested part is retained.

use std::ops::ControlFlow;
use std::thread;

use super::{STRAY, answer_about};
use crate::engine::{Engine, Failure, Result, refusal_of};
use crate::server::handlers::read::window::{View, Window};
use editd_disk::search::StopCondition;
use editd_disk::{Streamed, Target};
use editd_protocol::{ReadContent, ReadResult};
use editd_text::{ContentHash, Encoding, Hasher, NotText, TextStreamer};
use editd_workspace::limits::READ_BYTES;
use editd_workspace::{Refusal, RefusalKind};

/// Maximum length of a UTF-8 character, in bytes.
const LONGEST_CHARACTER: usize = 4;

/// Returns `true` if a file exceeds the size limit and no editor has it open.
pub(crate) fn is_large(engine: &Engine, target: &Target) -> bool {
    size_of(engine, target) > engine.config.limits.file_size && !engine.is_open(target)
}

/// Returns the refusal of a read of a symbol.
pub(crate) fn no_symbols(engine: &Engine, target: &Target) -> RefusalKind {
    let (limit, size) = (engine.config.limits.file_size, size_of(engine, target));
    let reason = format!("it has {size} bytes, and files of more than {limit} are read by lines only");
    RefusalKind::NoSyntax(reason)
}

fn size_of(engine: &Engine, target: &Target) -> u64 {
    engine.disk.stat(target).ok().flatten().map_or(0, |stat| stat.size)
}

/// Reads lines of a file, and its hash. One thread collects the lines and another one hashes, so that both
/// together take about as long as the slower one. Only the lines and two small chunks are in memory.
///
/// The content does not become a base, because a file of this size cannot be changed.
pub(crate) fn read(
    engine: &Engine,
    target: &Target,
    window: &Window,
    stop: &StopCondition<'_>,
) -> Result<ReadResult> {
    let refuse = |kind| Failure::from(Refusal::at(&target.path, kind));
    let (collected, hashed) = thread::scope(|scope| {
        let hashing = scope.spawn(|| hash(engine, target, stop));
        let collected = collect(engine, target, window, stop);
        if collected.is_err() {
            stop.now();
        }
        (collected, hashing.join())
    });
    let collected = collected.map_err(refuse)?;
    let (hash, hash_stream) = hashed.map_err(|_| Failure::bug())?.map_err(refuse)?;
    if stop.has_happened() {
        return Err(refuse(RefusalKind::Timeout { what: "Reading the whole file" }));
    }
    let (lines, Streamed { stat, steady }) = collected;
    let steady = steady && hash_stream.steady && stat.same_version(&hash_stream.stat);
    let passed = lines.end();
    let view =
        View::of(&passed.text, passed.lines, window, passed.text.len() + LONGEST_CHARACTER <= held(window));
    let mut notices: Vec<_> = view.notice().into_iter().collect();
    let limit = engine.config.limits.file_size;
    notices
        .push(format!("The file is larger than {limit} bytes: it can be read and searched, but not edited."));
    if passed.encoding == Encoding::Utf8Stray {
        notices.push(STRAY.to_owned());
    }
    if !steady {
        notices.push("The file was changed while it was read.".to_owned());
    }
    let content = view.content_with(passed.encoding.name(), passed.bom, passed.eol, &passed.text);
    let content = ReadContent::Text(content);
    Ok(answer_about((target, Some(stat)), (hash, stat.size), content, &notices))
}

/// Returns the number of bytes to retain, counted from the start of the first requested line. Includes the
/// characters before the first requested column.
fn held(window: &Window) -> usize {
    window.bytes + LONGEST_CHARACTER * window.columns.first.min(READ_BYTES)
}

/// Returns the requested lines, and the state of the file while it was streamed.
fn collect(
    engine: &Engine,
    target: &Target,
    window: &Window,
    stop: &StopCondition<'_>,
) -> Result<(TextStreamer, Streamed), RefusalKind> {
    // Retains more than is shown, even without a character that is cut in two, so that a cut line is noticed.
    let mut lines = TextStreamer::new(window.offset, held(window));
    let mut not_text = None;
    let streamed = stream(engine, target, &mut |piece| match lines.feed(piece) {
        Ok(()) => go_on(stop),
        Err(why) => {
            not_text = Some(why);
            ControlFlow::Break(())
        }
    })?;
    match not_text {
        None => Ok((lines, streamed)),
        Some(NotText::Binary) => Err(RefusalKind::Binary),
        Some(NotText::Encoding) => {
            Err(RefusalKind::TooLarge { limit: engine.config.limits.file_size, size: streamed.stat.size })
        }
    }
}

fn hash(
    engine: &Engine,
    target: &Target,
    stop: &StopCondition<'_>,
) -> Result<(ContentHash, Streamed), RefusalKind> {
    let mut hasher = Hasher::default();
    let streamed = stream(engine, target, &mut |piece| {
        hasher.update(piece);
        go_on(stop)
    })?;
    Ok((hasher.finish(), streamed))
}

fn go_on(stop: &StopCondition<'_>) -> ControlFlow<()> {
    if stop.is_due() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn stream(
    engine: &Engine,
    target: &Target,
    sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<Streamed, RefusalKind> {
    let streamed = engine.disk.stream(target, sink).map_err(|error| refusal_of(&error))?;
    streamed.ok_or(RefusalKind::Missing)
}
