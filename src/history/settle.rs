//! Finds out whether changes that an earlier run began have happened.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::io::Errno;

use super::History;
use super::index::{BegunEntry, Index};
use super::segment::{Line, SegmentName};
use crate::text::ContentHash;
use crate::workspace::history::{PastAction, PastEntry, PastFile};

impl History {
    /// Settles the changes begun in the newest segments of a run, one of each author, without reading any other
    /// segment if there is none.
    pub(super) fn settle_run(&self, nonce: &str) {
        let (mut index, state) = (Index::default(), self.writer.lock().state());
        let of_run: Vec<_> = state.segments.iter().filter(|name| name.nonce == nonce).collect();
        let is_newest = |(at, name): &(usize, &&SegmentName)| {
            !of_run[at + 1..].iter().any(|newer| newer.owner == name.owner)
        };
        let newest: Vec<_> = of_run.iter().enumerate().filter(is_newest).map(|(_, name)| *name).collect();
        for name in &newest {
            index.read_on(&state, name);
        }
        if index.begun.is_empty() {
            return;
        }
        for name in of_run {
            index.read_on(&state, name);
        }
        index.merge_fresh();
        let interrupted = index.begun_in(|segment| newest.contains(&segment));
        self.settle(&mut index, &interrupted);
    }

    /// Determines for each change whether it has happened, and records the result: the files may be different the
    /// next time.
    pub(super) fn settle(&self, index: &mut Index, interrupted: &[BegunEntry]) {
        for (entry, owner) in interrupted {
            let happened = entry.files.iter().filter(|file| self.has_happened(index, entry, file));
            let files: Vec<_> = happened.map(|file| file.detail).collect();
            let line = if files.is_empty() {
                index.begun.remove(&entry.id);
                Line::Failed { id: entry.id.to_string() }
            } else {
                index.record_applied(&entry.id, Some(&files));
                Line::Landed { id: entry.id.to_string(), files: Some(files) }
            };
            if let Err(error) = self.writer.lock().settle(&line, Some(*owner), false) {
                tracing::warn!(%error, "the history cannot be written");
            }
        }
        index.merge_fresh();
    }

    /// Returns `true` if a file is in the state that the entry produced, or was when a later entry found it.
    fn has_happened(&self, index: &mut Index, entry: &PastEntry, file: &PastFile) -> bool {
        let (location, limit) = (file.place(), self.limits.file_size);
        let moved = match file.action {
            PastAction::Rename(_) => present(&file.path, limit).is_ok_and(|hash| hash.is_none()),
            _ => true,
        };
        if moved && present(location, limit).is_ok_and(|hash| hash == file.hash_after) {
            return true;
        }
        // Read after the file: a change that happens concurrently was recorded before.
        let state = self.writer.lock().state();
        for name in state.segments.iter().filter(|name| name.nonce == state.nonce) {
            index.read_on(&state, name);
        }
        index.merge_fresh();
        index.was_found_after(&entry.id, location, file.hash_after)
    }
}

/// Returns `true` if an error of opening a file says that there is none: nothing, or a link, or something below a file.
fn is_no_file(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP))
}

/// Returns the hash of the file at a canonical path, or `None` if there is no file, for instance because a link or a
/// folder has its name.
fn present(path: &Path, limit: u64) -> io::Result<Option<ContentHash>> {
    let flags = (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed();
    let folder = path.parent().unwrap_or(Path::new("/"));
    if folder.canonicalize().is_ok_and(|canonical| canonical != folder) {
        return Ok(None);
    }
    let mut file = match File::options().read(true).custom_flags(flags).open(path) {
        Err(error) if is_no_file(&error) => return Ok(None),
        opened => opened?,
    };
    let stat = file.metadata()?;
    if !stat.is_file() {
        return Ok(None);
    }
    if stat.len() > limit {
        return Err(ErrorKind::Unsupported.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stat.len()).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(Some(ContentHash::of(&bytes)))
}
