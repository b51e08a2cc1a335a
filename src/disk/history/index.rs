use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use editd_text::ContentHash;
use editd_workspace::history::{PastEntry, Undone};

use super::RecordedEntry;
use super::segment::{Line, LineLocation, Reader, SegmentName};
use super::shares::Owner;
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
    /// The first known segment of each run.
    runs: HashMap<String, u64>,
}

/// An entry and its place.
type LocatedEntry = (Arc<PastEntry>, Place);

/// An entry whose end is unknown, and the owner of its segment.
pub(super) type BegunEntry = (Arc<PastEntry>, Owner);

/// Place of an entry among all others, in the order in which they were begun, and the location of its line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Position of the run that began it.
    run: u64,
    /// Number of the entry in this run. Files are locked when it is assigned.
    number: u64,
    pub(super) line: LineLocation,
}

impl Index {
    /// Continues reading all segments; drops entries of removed segments and those from before `oldest`.
    /// Returns the entries that an earlier run began and did not complete.
    pub(super) fn sync(&mut self, state: &WriterState, oldest: Option<SystemTime>) -> Vec<BegunEntry> {
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

    /// Returns the place of an entry whose line is at a location.
    fn place(&mut self, state: &WriterState, id: &str, line: LineLocation) -> Place {
        let nonce = &line.segment.nonce;
        let run = self.runs.get(nonce).copied().unwrap_or_else(|| {
            let first = state.segments.iter().find(|segment| segment.nonce == *nonce);
            let first = first.unwrap_or(&line.segment).number;
            self.runs.insert(nonce.clone(), first);
            first
        });
        let number = id.rsplit_once('-').and_then(|(_, number)| number.parse().ok()).unwrap_or_default();
        Place { run, number, line }
    }

    /// Continues reading one segment.
    pub(super) fn read_on(&mut self, state: &WriterState, name: &SegmentName) {
        for (line, location) in self.reader.read_on(&state.folder, name, state.growing.get(name).copied()) {
            match line {
                Line::Entry(entry) => {
                    let place = self.place(state, &entry.id, location);
                    self.begun.insert(entry.id.clone(), (Arc::new(entry), place));
                }
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
        for (entry, place) in fresh {
            self.add(entry, place);
        }
    }

    /// Returns the incomplete entries that were begun in the selected segments, oldest first.
    pub(super) fn begun_in(&self, selects: impl Fn(&SegmentName) -> bool) -> Vec<BegunEntry> {
        let selected = self.begun.values().filter(|(_, place)| selects(&place.line.segment));
        let mut begun: Vec<_> =
            selected.map(|(entry, place)| (entry.clone(), place.line.segment.owner)).collect();
        begun.sort_by_key(|(entry, _)| entry.at);
        begun
    }

    /// Records that a begun change has happened, to all files or to the given ones. A repetition has no
    /// effect.
    pub(super) fn record_applied(&mut self, id: &str, files: Option<&[usize]>) {
        let Some((mut entry, place)) = self.begun.remove(id) else { return };
        if let Some(files) = files {
            Arc::make_mut(&mut entry).files.retain(|file| files.contains(&file.detail));
        }
        self.fresh.push((entry, place));
    }

    /// Returns `true` if an entry after `id`, which is only begun, found this content at a path. Every change
    /// reads a file before it begins, so content that an entry found was really there.
    pub(super) fn was_found_after(&self, id: &str, path: &Path, content: Option<ContentHash>) -> bool {
        let Some((_, own)) = self.begun.get(id) else { return false };
        let found = |entry: &PastEntry| {
            !entry.rescued && entry.files.iter().any(|it| it.path == path && it.hash_before == content)
        };
        let mut others = self.entries_about(path).chain(self.begun.values());
        others.any(|(entry, place)| place > own && found(entry))
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
        self.by_id.get(id).map(|at| self.entries[*at].1.line.clone())
    }

    fn recorded(&self, at: usize) -> RecordedEntry {
        let entry = self.entries[at].0.clone();
        let undone_by = self.undone.by(&entry.id).cloned();
        RecordedEntry { entry, undone_by }
    }

    fn add(&mut self, entry: Arc<PastEntry>, place: Place) {
        let at = self.entries.len();
        if let Some(undoes) = &entry.undoes {
            self.undone.record(&entry.id, undoes);
        }
        let paths = entry.files.iter().flat_map(|file| [file.path.as_path(), file.place()]);
        for path in paths.collect::<HashSet<_>>() {
            self.by_path.entry(path.to_owned()).or_default().push(at);
        }
        self.by_id.insert(entry.id.clone(), at);
        self.entries.push((entry, place));
    }

    fn drop_old(&mut self, segments: &[SegmentName], oldest: Option<SystemTime>) {
        let stays = |entry: &PastEntry, place: &Place| {
            segments.binary_search(&place.line.segment).is_ok()
                && oldest.is_none_or(|oldest| entry.at >= oldest)
        };
        self.begun.retain(|_, (entry, place)| stays(entry, place));
        let entries = std::mem::take(&mut self.entries);
        self.clear();
        for (entry, place) in entries.into_iter().filter(|(entry, place)| stays(entry, place)) {
            self.add(entry, place);
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
