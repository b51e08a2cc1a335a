//! What became of changes that were begun by a daemon that was killed.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use crate::text::ContentHash;
use crate::workspace::history::{PastAction, PastEntry, PastFile};

use super::History;
use super::index::Index;
use super::line::Line;
use super::segment::SegmentName;

/// Settles what was begun in one segment of an earlier run, without reading any other.
pub(super) fn settle_segment(history: &History, name: &SegmentName) {
    let (mut index, state) = (Index::default(), history.writer.lock().state());
    index.read_on(&state, name);
    index.tidy();
    let interrupted = index.begun_in(name);
    settle(history, &mut index, &interrupted);
}

/// Finds out of each, oldest first, whether it has happened, and writes that down: the files may be something
/// else when it is asked for the next time.
pub(super) fn settle(history: &History, index: &mut Index, interrupted: &[PastEntry]) {
    for (at, entry) in interrupted.iter().enumerate() {
        let later = &interrupted[at + 1..];
        let happened = |file: &&PastFile| has_happened(history, index, entry, file, later);
        let files: Vec<usize> = entry.files.iter().filter(happened).map(|file| file.detail).collect();
        let line = if files.is_empty() {
            index.failed(&entry.id);
            Line::Failed { id: entry.id.to_string() }
        } else {
            index.landed(&entry.id, Some(&files));
            Line::Landed { id: entry.id.to_string(), files: Some(files) }
        };
        if let Err(error) = history.writer.lock().settle(&line, false) {
            tracing::warn!(%error, "the history cannot be written");
        }
    }
    index.tidy();
}

/// Whether a file is what the entry made of it, or was, when a later entry found it.
fn has_happened(
    history: &History,
    index: &Index,
    entry: &PastEntry,
    file: &PastFile,
    later: &[PastEntry],
) -> bool {
    let place = file.place();
    let found_it = |other: &PastEntry| {
        let found = |it: &PastFile| it.path == place && it.hash_before == file.hash_after;
        other.id != entry.id && other.at >= entry.at && other.files.iter().any(found)
    };
    let known: Vec<Arc<PastEntry>> = index.about(place);
    if later.iter().any(found_it) || known.iter().any(|other| found_it(other)) {
        return true;
    }
    let limit = history.limits.file_size;
    let moved = !matches!(file.action, PastAction::Rename(_))
        || present(&file.path, limit).is_ok_and(|hash| hash.is_none());
    moved && present(place, limit).is_ok_and(|hash| hash == file.hash_after)
}

/// The hash of the file at a path; none if there is nothing.
fn present(path: &Path, limit: u64) -> io::Result<Option<ContentHash>> {
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed();
    let mut file = match File::options().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let stat = file.metadata()?;
    if !stat.is_file() || stat.len() > limit {
        return Err(ErrorKind::Unsupported.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stat.len()).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(Some(ContentHash::of(&bytes)))
}
