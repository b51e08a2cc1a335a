//! Settles changes that were begun by a daemon that was killed.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::text::ContentHash;
use crate::workspace::history::{PastAction, PastEntry, PastFile};

use super::History;
use super::index::Index;
use super::line::Line;
use super::segment::SegmentName;

/// Settles the changes begun in one segment of an earlier run, without reading any other segment.
pub(super) fn settle_segment(history: &History, name: &SegmentName) {
    let (mut index, state) = (Index::default(), history.writer.lock().state());
    index.read_on(&state, name);
    index.merge_fresh();
    let interrupted = index.begun_in(name);
    settle(history, &mut index, &interrupted);
}

/// Determines for each change whether it has happened, and records the result: the files may be different the
/// next time.
pub(super) fn settle(history: &History, index: &mut Index, interrupted: &[PastEntry]) {
    for entry in interrupted {
        let mut files = Vec::new();
        for file in &entry.files {
            if has_happened(history, index, entry, file) {
                files.push(file.detail);
            }
        }
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
    index.merge_fresh();
}

/// Returns `true` if a file is in the state that the entry produced, or was when a later entry found it.
fn has_happened(history: &History, index: &mut Index, entry: &PastEntry, file: &PastFile) -> bool {
    let (location, limit) = (file.place(), history.limits.file_size);
    let moved = match file.action {
        PastAction::Rename(_) => present(&file.path, limit).is_ok_and(|hash| hash.is_none()),
        _ => true,
    };
    if moved && present(location, limit).is_ok_and(|hash| hash == file.hash_after) {
        return true;
    }
    // Read after the file: a change that happens concurrently was recorded before.
    let state = history.writer.lock().state();
    for name in state.segments.iter().filter(|name| name.nonce == state.nonce) {
        index.read_on(&state, name);
    }
    index.merge_fresh();
    index.was_found_after(&entry.id, location, file.hash_after)
}

/// Returns the hash of the file at a path, or `None` if there is no file.
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
