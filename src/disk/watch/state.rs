//! What is watched, and what there is to tell.

use super::{MAX_NAMED, WatchHint};
use notify::Event;
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Default)]
pub(super) struct State {
    /// How often each file is watched.
    pub(super) files: HashMap<PathBuf, usize>,
    /// How many files are watched in each folder.
    pub(super) folders: HashMap<PathBuf, usize>,
    /// Folders that ought to be watched and are not: gone, or above the system's limit.
    pub(super) lost: BTreeSet<PathBuf>,
    pub(super) changed: HashSet<PathBuf>,
    pub(super) rescan: bool,
    pub(super) complaint: Option<String>,
    pub(super) complained: bool,
    pub(super) ended: bool,
    /// How many wait for the system's thread.
    pub(super) asking: usize,
    /// When that thread ended its last rest.
    pub(super) rested: Option<Instant>,
}

impl State {
    /// Counts a file; `true` if its folder is new.
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

    /// Uncounts a file; `true` if its folder is not needed any more.
    pub(super) fn remove(&mut self, path: &Path, folder: &Path) -> bool {
        if !count_down(&mut self.files, path) || !count_down(&mut self.folders, folder) {
            return false;
        }
        !self.lost.remove(folder)
    }

    /// Says once that watching is not complete.
    pub(super) fn complain(&mut self, error: &notify::Error) {
        if !self.complained {
            self.complained = true;
            self.complaint = Some(error.to_string());
        }
    }

    /// Marks all files of a folder.
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
        self.rescan || !self.changed.is_empty() || self.complaint.is_some()
    }

    /// What is to be told, in order.
    pub(super) fn take_hints(&mut self) -> Vec<WatchHint> {
        let changed = std::mem::take(&mut self.changed);
        let rescan = std::mem::take(&mut self.rescan) || changed.len() > MAX_NAMED;
        let complaint = self.complaint.take().map(WatchHint::Degraded);
        let news = match (rescan, changed.is_empty()) {
            (true, _) => Some(WatchHint::Rescan),
            (false, true) => None,
            (false, false) => Some(WatchHint::Changed(changed.into_iter().collect())),
        };
        complaint.into_iter().chain(news).collect()
    }
}

/// Counts down; `true` if the last is gone.
fn count_down(counts: &mut HashMap<PathBuf, usize>, path: &Path) -> bool {
    let Some(count) = counts.get_mut(path) else { return false };
    *count -= 1;
    if *count > 0 {
        return false;
    }
    counts.remove(path);
    true
}

/// Marks what an event is about.
pub(super) fn take_note(state: &mut State, event: &Event) {
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

/// Everything but looking at a file. Closing one after writing counts: a long write ends with it.
fn may_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}
