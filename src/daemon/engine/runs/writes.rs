//! Writes of editd and of editors while a command runs.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::engine::Engine;
use crate::engine::change::commit::PendingWrite;
use crate::engine::runs::RunRoot;
use crate::engine::runs::mark::Owner;
use editd_disk::{Change, FileBytes};
use editd_workspace::Action;

/// The paths from the root that editd is writing, with the number of writes of each. A mark leaves them alone.
#[derive(Debug, Default)]
pub(super) struct InFlight(Mutex<Written>);

#[derive(Debug, Default)]
struct Written {
    now: HashMap<PathBuf, usize>,
    /// The paths that were written or entered since the walk in progress has begun.
    since: Option<HashSet<PathBuf>>,
}

impl InFlight {
    /// Begins to collect the paths that a walk must leave alone.
    pub(super) fn begin_walk(&self) {
        let mut written = self.0.lock();
        written.since = Some(written.now.keys().cloned().collect());
    }

    /// Returns the paths that were written or entered since the walk has begun.
    pub(super) fn end_walk(&self) -> HashSet<PathBuf> {
        self.0.lock().since.take().unwrap_or_default()
    }

    /// Makes the walk in progress leave a path alone.
    fn touch(&self, path: &Path) {
        if let Some(since) = &mut self.0.lock().since {
            since.insert(path.to_owned());
        }
    }

    fn add(&self, path: &Path) {
        self.touch(path);
        *self.0.lock().now.entry(path.to_owned()).or_default() += 1;
    }

    fn remove(&self, path: &Path) {
        let paths = &mut self.0.lock().now;
        if let Some(count) = paths.get_mut(path) {
            *count -= 1;
            if *count == 0 {
                paths.remove(path);
            }
        }
    }
}

/// The folders of files that editd is writing, with the number of writes. Each has temporary files beside the files.
#[derive(Debug, Default)]
pub(super) struct StagingFolders(Mutex<HashMap<PathBuf, usize>>);

/// Temporary files that editd may have beside its files until this is dropped.
#[must_use]
pub(crate) struct Staging<'a> {
    of: &'a StagingFolders,
    folders: Vec<PathBuf>,
}

impl StagingFolders {
    fn begin(&self, folders: Vec<PathBuf>) -> Staging<'_> {
        let mut known = self.0.lock();
        for folder in &folders {
            *known.entry(folder.clone()).or_default() += 1;
        }
        Staging { of: self, folders }
    }

    /// Returns `true` if a folder contains temporary files now, perhaps for files in folders that are created below.
    fn is_in(&self, folder: &Path) -> bool {
        self.0.lock().keys().any(|known| known.starts_with(folder))
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        let mut known = self.of.0.lock();
        for folder in &self.folders {
            if let Some(count) = known.get_mut(folder) {
                *count -= 1;
                if *count == 0 {
                    known.remove(folder);
                }
            }
        }
    }
}

/// A write of editd that is going on.
pub(crate) struct Writing<'a> {
    engine: &'a Engine,
    files: Vec<WrittenFile>,
}

struct WrittenFile {
    of: Arc<RunRoot>,
    /// Path from the root.
    path: PathBuf,
    /// The content after the write; `None` if the file is removed.
    content: Option<FileBytes>,
}

impl Engine {
    /// Announces the temporary files of changes, before they are staged: a walk leaves them out.
    pub(crate) fn staging(&self, changes: &[Change]) -> Staging<'_> {
        let folders = changes.iter().flat_map(Change::paths).filter_map(Path::parent).map(Path::to_owned);
        self.runs.staging.begin(folders.collect())
    }

    /// Returns `true` if a folder contains temporary files of editd now.
    pub(super) fn is_staging(&self, folder: &Path) -> bool {
        self.runs.staging.is_in(folder)
    }

    /// Announces a write. If a command has changed one of the files, its change is recorded first.
    pub(crate) fn writing(&self, writes: &[PendingWrite]) -> Option<Writing<'_>> {
        if self.runs.is_idle() {
            return None;
        }
        let mut files = Vec::new();
        for write in writes.iter().filter(|write| write.through.is_none()) {
            let (file, observed) = (&write.computed.file, &write.computed.observed);
            let before = observed.stat.map(|stat| (stat, observed.bytes.to_vec()));
            let bytes = write.computed.content.as_ref().map(|content| content.bytes.clone());
            let after = match file.action {
                Action::Delete => None,
                _ => Some(bytes.unwrap_or_else(|| observed.bytes.clone())),
            };
            let mut add = |path: &Path, before: Option<_>, content: Option<FileBytes>| {
                for of in self.runs.around(path) {
                    let Ok(path) = path.strip_prefix(of.root.path()).map(Path::to_owned) else { continue };
                    self.mark_file(&of, &path, before.as_ref());
                    of.in_flight.add(&path);
                    files.push(WrittenFile { of, path, content: content.clone() });
                }
            };
            if let Action::Rename { to, .. } = &file.action {
                add(&file.path, before, None);
                add(to, None, after);
            } else {
                add(&file.path, before, after);
            }
        }
        Some(Writing { engine: self, files })
    }

    /// Records what commands have changed in a file, before editd or an editor writes it.
    fn mark_file(&self, of: &Arc<RunRoot>, path: &Path, now: Option<&(editd_disk::Stat, Vec<u8>)>) {
        let mut state = of.state.lock();
        if state.open.is_empty() || !state.snapshot.is_known() || !state.snapshot.covers(&*self.disk, path) {
            return;
        }
        of.in_flight.touch(path);
        let before = state.snapshot.node(path).cloned();
        if let Err(error) = state.snapshot.set(&*self.disk, path, now.map(|(stat, bytes)| (stat, &bytes[..])))
        {
            tracing::warn!(%error, "a snapshot cannot be written");
            return;
        }
        if let Some(difference) = state.snapshot.difference(&*self.disk, path, before) {
            self.record_run(of, &mut state, vec![difference], Owner::Runs(None));
        }
    }

    /// Enters a file that an editor or a client has written into the snapshot.
    pub(crate) fn written_by_others(&self, path: &Path) {
        if self.runs.is_idle() {
            return;
        }
        for of in self.runs.around(path) {
            let Ok(below) = path.strip_prefix(of.root.path()) else { continue };
            let read = self.disk.read_below(&of.root, below, self.config.limits.snapshot_file_size);
            let bytes = read.ok().map(|image| FileBytes::from(image.bytes));
            self.enter(&of, below, bytes.as_ref());
        }
    }

    /// Sets the content of a file in the snapshot. The next walk reads the file again, so that a later change is
    /// found even if its stamp is the same.
    fn enter(&self, of: &RunRoot, path: &Path, content: Option<&FileBytes>) {
        let stat = self.disk.peek(&of.root, path).ok().flatten();
        let content = stat.map(|mut stat| {
            stat.racy = true;
            (stat, content.map(FileBytes::to_vec).unwrap_or_default())
        });
        let mut state = of.state.lock();
        if !state.snapshot.covers(&*self.disk, path) {
            return;
        }
        of.in_flight.touch(path);
        let content = content.as_ref().map(|(stat, bytes)| (stat, &bytes[..]));
        if let Err(error) = state.snapshot.set(&*self.disk, path, content) {
            tracing::warn!(%error, "a snapshot cannot be written");
        }
    }
}

impl Writing<'_> {
    /// Enters what was written into the snapshot.
    pub(crate) fn succeeded(self) {
        for WrittenFile { of, path, content } in &self.files {
            self.engine.enter(of, path, content.as_ref());
        }
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.files.iter().for_each(|file| file.of.in_flight.remove(&file.path));
    }
}
