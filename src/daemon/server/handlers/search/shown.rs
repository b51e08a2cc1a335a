//! Lines that a search shows: its reader may change them as if it had read them.

use std::path::{Path, PathBuf};

use crate::engine::files::resolve::Purpose;
use crate::engine::{Engine, SessionContext};
use editd_edit::LineRange;
use editd_protocol::{FoundLine, fitting};
use editd_text::{HashTag, LineIndex};
use editd_workspace::limits::TOOL_LIST;
use editd_workspace::{Audience, RequestedPath, Role, ShownLines};

/// Maximum number of files of a search whose lines count as shown.
const MAX_FILES: usize = 100;

/// Maximum size of such a file, in bytes: it is read once more.
const MAX_SIZE: u64 = 1 << 20;

/// Counts found lines as shown to an agent, as far as they are complete and reach it. The first match of each file gets
/// the tag of the version. `files` are the paths, each with the number of its matches.
pub(super) fn show(
    engine: &Engine,
    session: &SessionContext,
    files: impl IntoIterator<Item = (PathBuf, usize)>,
    matches: &mut [FoundLine],
) {
    if session.role != Role::Agent {
        return;
    }
    let size =
        |found: &FoundLine| found.size(&session.relative(Path::new(&found.path)).display().to_string());
    let mut reaching = match session.abilities.audience {
        Audience::Tools(_) => fitting(matches, TOOL_LIST, size),
        Audience::Wire | Audience::CommandLine => matches.len(),
    };
    // Of a match that is too large for an answer, only a part reaches a model.
    if matches.first().is_some_and(|first| size(first) > TOOL_LIST) {
        reaching = 0;
    }
    let mut rest = &mut matches[..reaching];
    for (path, count) in files.into_iter().take(MAX_FILES) {
        if rest.is_empty() {
            return;
        }
        let (of_file, others) = rest.split_at_mut(count.min(rest.len()));
        let tag = show_file(engine, session, &path, of_file);
        if let Some(first) = of_file.first_mut() {
            first.tag = tag.map(|tag| tag.to_string());
        }
        rest = others;
    }
}

/// Counts the lines of a file as shown, and returns the tag of the version; `None` if it is not the searched one.
fn show_file(engine: &Engine, session: &SessionContext, path: &Path, found: &[FoundLine]) -> Option<HashTag> {
    let target = engine.locate(session, &RequestedPath::of(path), Purpose::Read).ok()?;
    if target.size > MAX_SIZE {
        return None;
    }
    let observed = engine.observe(target).ok()?;
    let (snapshot, text) = (observed.content.snapshot()?, observed.text.as_ref()?);
    let lines = LineIndex::of(text);
    let mut shown = Vec::new();
    for found in found {
        for (number, text) in found.lines() {
            let number = usize::try_from(number).ok()?;
            let now = lines.get(number.checked_sub(1)?)?;
            if now.content == text {
                shown.push(LineRange { start: number, end: number });
            } else if !now.content.contains(text) {
                // The file has changed since.
                return None;
            }
        }
    }
    let tag = HashTag::from(snapshot.hash);
    engine.record_found(session, observed.observation(), &ShownLines::from_ranges(shown));
    Some(tag)
}
