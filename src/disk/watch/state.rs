//! State of the watcher: watched files, and pending news.

use super::{MAX_NAMED, WatchHint};
use notify::Event;
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Default)]
pub(super) struct State {
    /// Number of watches of each file.
    pub(super) files: HashMap<PathBuf, usize>,
    /// Number of watched files in each folder.
    pub(super) folders: HashMap<PathBuf, usize>,
    /// Folders that should be watched but are not: missing, or above the system's limit.
    pub(super) lost: BTreeSet<PathBuf>,
    pub(super) changed: HashSet<PathBuf>,
    pub(super) rescan: bool,
    pub(super) problem: Option<String>,
    pub(super) problem_reported: bool,
    pub(super) ended: bool,
    /// Number of threads that wait for the system's thread.
    pub(super) requesting: usize,
    /// End of the last rest of the system's thread.
    pub(super) rested: Option<Instant>,
}

impl State {
    /// Counts a file; returns `true` if its folder is new.
    pub(super) fn add(&mut self, path: &Path, folder: &Path) -> bool {
        let times = self.files.entry(path.to_owned()).or_default();
        *times += 1;
        if *times > 1 {
            return false;
        }
        let files = self.folders.entry(folder.to_owned()).or_default();
        *files += 1;
        *files == 1
    }

    /// Uncounts a file; returns `true` if its folder is no longer needed.
    pub(super) fn remove(&mut self, path: &Path, folder: &Path) -> bool {
        if !count_down(&mut self.files, path) || !count_down(&mut self.folders, folder) {
            return false;
        }
        !self.lost.remove(folder)
    }

    /// Records, once, that watching is incomplete.
    pub(super) fn record_problem(&mut self, error: &notify::Error) {
        if !self.problem_reported {
            self.problem_reported = true;
            self.problem = Some(error.to_string());
        }
    }

    /// Marks all files of a folder as changed.
    pub(super) fn mark_folder(&mut self, folder: &Path) {
        let within = self.files.keys().filter(|path| path.parent() == Some(folder));
        self.changed.extend(within.cloned());
    }

    pub(super) fn mark(&mut self, path: &Path) {
        if self.files.contains_key(path) {
            self.changed.insert(path.to_owned());
        }
    }

    pub(super) fn has_news(&self) -> bool {
        self.rescan || !self.changed.is_empty() || self.problem.is_some()
    }

    /// Takes the pending hints, in order.
    pub(super) fn take_hints(&mut self) -> Vec<WatchHint> {
        let changed = std::mem::take(&mut self.changed);
        let rescan = std::mem::take(&mut self.rescan) || changed.len() > MAX_NAMED;
        let problem = self.problem.take().map(WatchHint::Degraded);
        let news = match (rescan, changed.is_empty()) {
            (true, _) => Some(WatchHint::Rescan),
            (false, true) => None,
            (false, false) => Some(WatchHint::Changed(changed.into_iter().collect())),
        };
        problem.into_iter().chain(news).collect()
    }
}

/// Decrements a count; returns `true` if it reached zero.
fn count_down(counts: &mut HashMap<PathBuf, usize>, path: &Path) -> bool {
    let Some(count) = counts.get_mut(path) else { return false };
    *count -= 1;
    if *count > 0 {
        return false;
    }
    counts.remove(path);
    true
}

/// Marks the files that an event affects.
pub(super) fn record(state: &mut State, event: &Event) {
    if event.need_rescan() {
        state.rescan = true;
    }
    if !may_change(event.kind) {
        return;
    }
    for path in &event.paths {
        let gone = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)));
        if gone && state.folders.contains_key(path) {
            state.lost.insert(path.clone());
            state.mark_folder(path);
        }
        state.mark(path);
    }
}

/// Returns `true` for every event except reading a file. Closing a file after writing counts, because it ends
/// a long write.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}
