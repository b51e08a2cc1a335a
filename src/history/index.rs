use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::text::ContentHash;
use crate::workspace::history::{PastEntry, Undone};

use super::RecordedEntry;
use super::segment::{Line, LineLocation, Reader, SegmentName};
use super::writer::WriterState;

/// In-memory index of all entries, as far as the segments were read.
#[derive(Debug, Default)]
pub(super) struct Index {
    reader: Reader,
    /// In the order in which they happened.
    entries: Vec<LocatedEntry>,
    by_id: HashMap<Arc<str>, usize>,
    by_path: HashMap<PathBuf, Vec<usize>>,
    undone: Undone,
    /// Entries that happened but are not in `entries` yet.
    fresh: Vec<LocatedEntry>,
    /// Entries that were begun and whose end is unknown.
    pub(super) begun: HashMap<Arc<str>, LocatedEntry>,
}

/// An entry and the location of its line.
type LocatedEntry = (Arc<PastEntry>, LineLocation);

impl Index {
    /// Continues reading all segments; drops entries of removed segments and those from before `oldest`.
    /// Returns the entries that an earlier run began and did not complete.
    pub(super) fn sync(&mut self, state: &WriterState, oldest: Option<SystemTime>) -> Vec<Arc<PastEntry>> {
        let gone = self.reader.keep_only(&state.segments);
        for name in &state.segments {
            self.read_on(state, name);
        }
        for id in &state.pending {
            self.record_applied(id, None);
        }
        self.merge_fresh();
        if gone || self.entries.first().is_some_and(|(entry, _)| oldest.is_some_and(|o| entry.at < o)) {
            self.drop_old(&state.segments, oldest);
        }
        self.begun_in(|segment| segment.nonce != state.nonce)
    }

    /// Continues reading one segment.
    pub(super) fn read_on(&mut self, state: &WriterState, name: &SegmentName) {
        let is_done = name.nonce != state.nonce;
        for (line, location) in self.reader.read_on(&state.folder, name, is_done) {
            match line {
                Line::Entry(entry) => drop(self.begun.insert(entry.id.clone(), (Arc::new(entry), location))),
                Line::Landed { id, files } => self.record_applied(&id, files.as_deref()),
                Line::Failed { id } => drop(self.begun.remove(id.as_str())),
            }
        }
    }

    /// Moves the entries that happened into `entries`, in the order in which they were begun.
    pub(super) fn merge_fresh(&mut self) {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_by(|(_, a), (_, b)| a.cmp(b));
        let in_order = match (self.entries.last(), fresh.first()) {
            (Some((_, last)), Some((_, first))) => last < first,
            _ => true,
        };
        if !in_order {
            let mut entries = std::mem::take(&mut self.entries);
            entries.extend(fresh);
            entries.sort_by(|(_, a), (_, b)| a.cmp(b));
            fresh = entries;
            self.clear();
        }
        for (entry, location) in fresh {
            self.add(entry, location);
        }
    }

    /// Returns the incomplete entries that were begun in the selected segments, oldest first.
    pub(super) fn begun_in(&self, selects: impl Fn(&SegmentName) -> bool) -> Vec<Arc<PastEntry>> {
        let selected = self.begun.values().filter(|(_, location)| selects(&location.segment));
        let mut begun: Vec<_> = selected.map(|(entry, _)| entry.clone()).collect();
        begun.sort_by_key(|entry| entry.at);
        begun
    }

    /// Records that a begun change has happened, to all files or to the given ones. A repetition has no
    /// effect.
    pub(super) fn record_applied(&mut self, id: &str, files: Option<&[usize]>) {
        let Some((mut entry, location)) = self.begun.remove(id) else { return };
        if let Some(files) = files {
            Arc::make_mut(&mut entry).files.retain(|file| files.contains(&file.detail));
        }
        self.fresh.push((entry, location));
    }

    /// Returns `true` if an entry after `id`, which is only begun, found this content at a path. Every change
    /// reads a file before it begins, so content that an entry found was really there.
    pub(super) fn was_found_after(&self, id: &str, path: &Path, content: Option<ContentHash>) -> bool {
        let Some((_, own)) = self.begun.get(id) else { return false };
        let found = |entry: &PastEntry| {
            !entry.rescued && entry.files.iter().any(|it| it.path == path && it.hash_before == content)
        };
        let mut others = self.entries_about(path).chain(self.begun.values());
        others.any(|(entry, location)| location > own && found(entry))
    }

    /// Returns all entries about a path, oldest first.
    fn entries_about(&self, path: &Path) -> impl Iterator<Item = &LocatedEntry> {
        let positions = self.by_path.get(path).map(Vec::as_slice).unwrap_or_default();
        positions.iter().map(|at| &self.entries[*at])
    }

    pub(super) fn find(&self, id: &str) -> Option<RecordedEntry> {
        self.by_id.get(id).map(|at| self.recorded(*at))
    }

    pub(super) fn newest(
        &self,
        before: Option<&str>,
        limit: usize,
        mut accept: impl FnMut(&RecordedEntry) -> bool,
    ) -> Option<Vec<RecordedEntry>> {
        let end = before.map_or(Some(self.entries.len()), |id| self.by_id.get(id).copied())?;
        let recorded = (0..end).rev().map(|at| self.recorded(at));
        Some(recorded.filter(|recorded| accept(recorded)).take(limit).collect())
    }

    pub(super) fn about(&self, path: &Path) -> Vec<Arc<PastEntry>> {
        self.entries_about(path).map(|(entry, _)| entry.clone()).collect()
    }

    pub(super) fn location_of(&self, id: &str) -> Option<LineLocation> {
        self.by_id.get(id).map(|at| self.entries[*at].1.clone())
    }

    fn recorded(&self, at: usize) -> RecordedEntry {
        let entry = self.entries[at].0.clone();
        let undone_by = self.undone.by(&entry.id).cloned();
        RecordedEntry { entry, undone_by }
    }

    fn add(&mut self, entry: Arc<PastEntry>, location: LineLocation) {
        let at = self.entries.len();
        if let Some(undoes) = &entry.undoes {
            self.undone.record(&entry.id, undoes);
        }
        let paths = entry.files.iter().flat_map(|file| [file.path.as_path(), file.place()]);
        for path in paths.collect::<HashSet<_>>() {
            self.by_path.entry(path.to_owned()).or_default().push(at);
        }
        self.by_id.insert(entry.id.clone(), at);
        self.entries.push((entry, location));
    }

    fn drop_old(&mut self, segments: &[SegmentName], oldest: Option<SystemTime>) {
        let stays = |entry: &PastEntry, location: &LineLocation| {
            segments.binary_search(&location.segment).is_ok()
                && oldest.is_none_or(|oldest| entry.at >= oldest)
        };
        self.begun.retain(|_, (entry, location)| stays(entry, location));
        let entries = std::mem::take(&mut self.entries);
        self.clear();
        for (entry, location) in entries.into_iter().filter(|(entry, location)| stays(entry, location)) {
            self.add(entry, location);
        }
    }

    /// Clears the entries, to add them again.
    fn clear(&mut self) {
        self.entries.clear();
        self.by_id.clear();
        self.by_path.clear();
        self.undone = Undone::default();
    }
}
