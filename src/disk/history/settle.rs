//! Finds out whether changes that an earlier run began have happened.

use super::History;
use super::index::{BegunEntry, Index};
use super::segment::{Line, SegmentName};
use crate::present;
use editd_workspace::history::{PastAction, PastEntry, PastFile};

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
