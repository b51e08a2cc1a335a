//! Files that are too large to be held: a part of them, taken while all of it passes by.

use std::ops::ControlFlow;
use std::thread;

use crate::daemon::failure::refusal_of;
use crate::daemon::{Core, Failure};
use crate::disk::{Streamed, Target};
use crate::protocol::{ReadContent, ReadResult};
use crate::search::Stop;
use crate::text::{ContentHash, Encoding, Hasher, NotText, Passing};
use crate::workspace::limits::READ_BYTES;
use crate::workspace::{Refusal, RefusalKind};

use super::window::{View, Window};
use super::{STRAY, answer_about};

/// Bytes of a character in UTF-8, at most.
const LONGEST_CHARACTER: usize = 4;

/// Whether a file is beyond the limit for files that are worked on, and no editor has it open.
pub(super) fn is_large(core: &Core, target: &Target) -> bool {
    let size = || core.disk.stat(target).ok().flatten().map_or(0, |stat| stat.size);
    size() > core.config.limits.file_size && !core.is_open(target)
}

/// Gives lines of it, and its hash. One thread looks for the lines and another hashes, so that both together
/// take about as long as the slower one; in memory are the lines and two small pieces.
///
/// It does not become a base: a file of this size cannot be changed.
pub(super) fn read(
    core: &Core,
    target: &Target,
    window: &Window,
    stop: &Stop<'_>,
) -> Result<ReadResult, Failure> {
    let refuse = |kind| Failure::from(Refusal::at(&target.path, kind));
    let (looked, hashed) = thread::scope(|scope| {
        let hashing = scope.spawn(|| hash(core, target, stop));
        let looked = look(core, target, window, stop);
        if looked.is_err() {
            stop.now();
        }
        (looked, hashing.join())
    });
    let looked = looked.map_err(refuse)?;
    let (hash, beside) = hashed.map_err(|_| Failure::unanswered())?.map_err(refuse)?;
    if stop.has_happened() {
        return Err(refuse(RefusalKind::Timeout { what: "Passing over all of the file" }));
    }
    let Streamed { stat, steady } = looked.streamed;
    let steady = steady && beside.steady && stat.same_version(&beside.stat);
    let passed = looked.passing.end();
    let view =
        View::of(&passed.text, passed.lines, window, passed.text.len() + LONGEST_CHARACTER <= held(window));
    let mut notices: Vec<_> = view.notice().into_iter().collect();
    let limit = core.config.limits.file_size;
    notices
        .push(format!("The file is larger than {limit} bytes: it can be read and searched, but not edited."));
    if passed.encoding == Encoding::Utf8Stray {
        notices.push(STRAY.to_owned());
    }
    if !steady {
        notices.push("It was written to while it was read.".to_owned());
    }
    let content = view.content_with(passed.encoding.name(), passed.bom, passed.eol, &passed.text);
    let content = ReadContent::Text(content);
    Ok(answer_about(target, Some(&stat), hash, stat.size, content, &notices))
}

/// Bytes from the first wanted line on that are held, which lie before the first wanted character, too.
fn held(window: &Window) -> usize {
    window.bytes + LONGEST_CHARACTER * window.columns.first.min(READ_BYTES)
}

/// What was found by looking for lines.
struct Looked {
    passing: Passing,
    streamed: Streamed,
}

fn look(core: &Core, target: &Target, window: &Window, stop: &Stop<'_>) -> Result<Looked, RefusalKind> {
    // More than is shown, also when a character that is cut in two is left out: so a line that is cut shows.
    let mut passing = Passing::new(window.offset, held(window));
    let mut not_text = None;
    let streamed = stream(core, target, &mut |piece| match passing.feed(piece) {
        Ok(()) => go_on(stop),
        Err(why) => {
            not_text = Some(why);
            ControlFlow::Break(())
        }
    })?;
    match not_text {
        None => Ok(Looked { passing, streamed }),
        Some(NotText::Binary) => Err(RefusalKind::Binary),
        Some(NotText::Encoding) => {
            Err(RefusalKind::TooLarge { limit: core.config.limits.file_size, size: streamed.stat.size })
        }
    }
}

fn hash(core: &Core, target: &Target, stop: &Stop<'_>) -> Result<(ContentHash, Streamed), RefusalKind> {
    let mut hasher = Hasher::default();
    let streamed = stream(core, target, &mut |piece| {
        hasher.update(piece);
        go_on(stop)
    })?;
    Ok((hasher.finish(), streamed))
}

fn go_on(stop: &Stop<'_>) -> ControlFlow<()> {
    if stop.is_due() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn stream(
    core: &Core,
    target: &Target,
    sink: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> Result<Streamed, RefusalKind> {
    let streamed = core.disk.stream(target, sink).map_err(|error| refusal_of(&error))?;
    streamed.ok_or(RefusalKind::Missing)
}
