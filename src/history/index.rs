use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::text::ContentHash;
use crate::workspace::history::{PastEntry, Undone};

use super::RecordedEntry;
use super::load::{Found, Reader};
use super::segment::{LineLocation, SegmentName};
use super::writer::State;

/// In-memory index of all entries, as far as the segments were read.
#[derive(Debug, Default)]
pub(super) struct Index {
    reader: Reader,
    /// In the order in which they happened.
    entries: Vec<(Arc<PastEntry>, LineLocation)>,
    by_id: HashMap<Arc<str>, usize>,
    by_path: HashMap<PathBuf, Vec<usize>>,
    undone: Undone,
    /// Entries that happened but are not in `entries` yet.
    fresh: Vec<(Arc<PastEntry>, LineLocation)>,
    /// Entries that were begun and whose end is unknown.
    begun: HashMap<Arc<str>, (PastEntry, LineLocation)>,
}

impl Index {
    /// Continues reading all segments; drops entries of removed segments and those from before `oldest`.
    /// Returns the entries that an earlier run began and did not complete.
    pub(super) fn sync(&mut self, state: &State, oldest: Option<SystemTime>) -> Vec<PastEntry> {
        let gone = self.reader.keep_only(&state.segments);
        for name in &state.segments {
            self.read_on(state, name);
        }
        for id in &state.pending {
            self.landed(id, None);
        }
        self.merge_fresh();
        if gone || self.entries.first().is_some_and(|(entry, _)| oldest.is_some_and(|o| entry.at < o)) {
            self.drop_old(&state.segments, oldest);
        }
        let old = |(_, location): &(PastEntry, LineLocation)| location.segment.nonce != state.nonce;
        let mut interrupted: Vec<_> =
            self.begun.values().filter(|begun| old(begun)).map(|(entry, _)| entry.clone()).collect();
        interrupted.sort_by_key(|entry| entry.at);
        interrupted
    }

    /// Continues reading one segment.
    pub(super) fn read_on(&mut self, state: &State, name: &SegmentName) {
        let is_done = name.nonce != state.nonce;
        for found in self.reader.read_on(&state.folder, name, is_done) {
            match found {
                Found::Entry(entry, location) => drop(self.begun.insert(entry.id.clone(), (entry, location))),
                Found::Landed(id, files) => self.landed(&id, files.as_deref()),
                Found::Failed(id) => self.failed(&id),
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

    /// Returns the incomplete entries that were begun in that segment.
    pub(super) fn begun_in(&self, name: &SegmentName) -> Vec<PastEntry> {
        let mut begun: Vec<_> = (self.begun.values())
            .filter(|(_, location)| location.segment == *name)
            .map(|(entry, _)| entry.clone())
            .collect();
        begun.sort_by_key(|entry| entry.at);
        begun
    }

    /// Records that a begun change has happened, to all files or to the given ones. A repetition has no
    /// effect.
    pub(super) fn landed(&mut self, id: &str, files: Option<&[usize]>) {
        let Some((mut entry, location)) = self.begun.remove(id) else { return };
        if let Some(files) = files {
            entry.files.retain(|file| files.contains(&file.detail));
        }
        self.fresh.push((Arc::new(entry), location));
    }

    pub(super) fn failed(&mut self, id: &str) {
        self.begun.remove(id);
    }

    /// Returns `true` if an entry after `id`, which is only begun, found this content at a path. Every change
    /// reads a file before it begins, so content that an entry found was really there.
    pub(super) fn was_found_after(&self, id: &str, path: &Path, content: Option<ContentHash>) -> bool {
        let Some((_, own)) = self.begun.get(id) else { return false };
        let found = |entry: &PastEntry| {
            !entry.rescued && entry.files.iter().any(|it| it.path == path && it.hash_before == content)
        };
        let positions = self.by_path.get(path).map(Vec::as_slice).unwrap_or_default();
        let happened =
            positions.iter().map(|at| &self.entries[*at]).map(|(entry, location)| (&**entry, location));
        let begun = self.begun.values().map(|(entry, location)| (entry, location));
        happened.chain(begun).any(|(entry, location)| location > own && found(entry))
    }

    pub(super) fn find(&self, id: &str) -> Option<RecordedEntry> {
        let at = *self.by_id.get(id)?;
        Some(self.kept(at))
    }

    pub(super) fn newest(
        &self,
        before: Option<&str>,
        limit: usize,
        mut accept: impl FnMut(&RecordedEntry) -> bool,
    ) -> Option<Vec<RecordedEntry>> {
        let end = match before {
            Some(id) => *self.by_id.get(id)?,
            None => self.entries.len(),
        };
        Some((0..end).rev().map(|at| self.kept(at)).filter(|kept| accept(kept)).take(limit).collect())
    }

    pub(super) fn about(&self, path: &Path) -> Vec<Arc<PastEntry>> {
        let positions = self.by_path.get(path).map(Vec::as_slice).unwrap_or_default();
        positions.iter().map(|at| self.entries[*at].0.clone()).collect()
    }

    pub(super) fn location_of(&self, id: &str) -> Option<LineLocation> {
        let at = *self.by_id.get(id)?;
        Some(self.entries[at].1.clone())
    }

    fn kept(&self, at: usize) -> RecordedEntry {
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
