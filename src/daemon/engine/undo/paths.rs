//! Restoring links, folders and permissions that a command has changed.

use std::path::Path;

use crate::engine::change::commit::PendingWrite;
use crate::engine::undo::in_the_way::{creates, deletes, is_cleared_by};
use crate::engine::{Engine, refusal_of};
use editd_disk::{DiskError, DiskErrorKind, Kind, Root, entry_below};
use editd_workspace::history::{PastEntry, PathChange, PathState};
use editd_workspace::{Refusal, RefusalKind, Since};

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;
/// The permission of the owner to write.
const OWNER_WRITE: u32 = 0o200;
/// All permissions of the owner.
const OWNER: u32 = 0o700;

/// Paths that are restored before the files. They are reverted if the files cannot be restored.
pub(crate) struct Restoring<'a> {
    engine: &'a Engine,
    done: Vec<&'a PathChange>,
}

impl Restoring<'_> {
    /// The files are restored, so the paths stay.
    pub(crate) fn succeeded(mut self) {
        self.done.clear();
    }
}

impl Drop for Restoring<'_> {
    fn drop(&mut self) {
        if self.done.is_empty() {
            return;
        }
        let Ok(root) = self.engine.top() else { return };
        for change in self.done.iter().rev() {
            if let Err(error) = self.engine.revert_before(&root, change) {
                tracing::error!(%error, path = %change.path.display(), "a path cannot be reverted");
            }
        }
    }
}

impl Engine {
    /// Returns the changes that undo the path changes of a transaction, as far as they are wanted and not in effect
    /// already. Refuses if another program has changed one of these paths since.
    pub(crate) fn paths_to_restore(
        &self,
        entry: &PastEntry,
        is_wanted: impl Fn(&PathChange) -> bool,
    ) -> Result<Vec<PathChange>, Refusal> {
        if entry.paths.is_empty() {
            return Ok(Vec::new());
        }
        let root = self.top()?;
        let mut open = Vec::new();
        for change in entry.paths.iter().map(PathChange::inverse).filter(is_wanted) {
            let now = self.path_state(&root, &change.path)?;
            if now == change.after {
                continue;
            }
            let is_as_left = match (&change.before, &now, &change.after) {
                (PathState::Missing, PathState::File(_), _) => creates(entry, &change.path),
                // An undo was interrupted after it had removed one and before it made the other.
                (PathState::Link(_), PathState::Missing, PathState::Folder(_))
                | (PathState::Folder(_), PathState::Missing, PathState::Link(_)) => true,
                (before, now, _) => before == now,
            };
            if !is_as_left {
                return Err(changed_path(&change.path));
            }
            let has_to_go = matches!(change.after, PathState::Link(_)) || deletes(entry, &change.path);
            if has_to_go && matches!(now, PathState::Folder(_)) {
                self.require_only_own(&root, entry, &change.path)?;
            }
            open.push(change);
        }
        open.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(open)
    }

    /// Makes way for files: removes links, creates folders, and gives files and folders the permission to write that
    /// they had. If the result is dropped before it succeeded, all this is reverted. Leaves to the commit of the files
    /// what it does itself.
    pub(crate) fn restore_before_files<'a>(
        &'a self,
        changes: &'a [PathChange],
        writes: &[PendingWrite],
    ) -> Result<Restoring<'a>, Refusal> {
        let mut restoring = Restoring { engine: self, done: Vec::new() };
        if changes.is_empty() {
            return Ok(restoring);
        }
        let root = self.top()?;
        for change in changes.iter().filter(|change| !is_cleared_by(writes, change)) {
            if self
                .restore_before(&root, change)
                .map_err(|error| Refusal::at(&change.path, refusal_of(&error)))?
            {
                restoring.done.push(change);
            }
        }
        Ok(restoring)
    }

    /// Returns `true` if something was changed.
    fn restore_before(
        &self,
        root: &Root,
        PathChange { path, before, after }: &PathChange,
    ) -> Result<bool, DiskError> {
        // Other paths need not be reachable yet.
        let entry = || entry_below(&*self.disk, root, below(path));
        match (before, after) {
            (PathState::Link(_), PathState::Missing) => self.disk.remove(&entry()?)?,
            (PathState::Missing | PathState::Link(_), PathState::Folder(mode)) => {
                let entry = entry()?;
                if matches!(before, PathState::Link(_)) {
                    self.disk.remove(&entry).or_else(unless_missing)?;
                }
                self.disk.make_dir(&entry)?;
                self.disk.set_mode(&entry, *mode | OWNER)?;
            }
            (PathState::File(now), PathState::File(mode))
            | (PathState::Folder(now), PathState::Folder(mode))
                if !now & mode & OWNER_WRITE != 0 =>
            {
                self.disk.set_mode(&entry()?, *mode)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reverts what [`restore_before`](Self::restore_before) has done.
    fn revert_before(
        &self,
        root: &Root,
        PathChange { path, before, after }: &PathChange,
    ) -> Result<(), DiskError> {
        let entry = entry_below(&*self.disk, root, below(path))?;
        if let PathState::Folder(_) = after
            && !matches!(before, PathState::Folder(_))
        {
            self.disk.remove_dir(&entry)?;
        }
        match before {
            PathState::Link(target) => self.disk.make_link(&entry, target),
            PathState::File(mode) | PathState::Folder(mode) => self.disk.set_mode(&entry, *mode),
            PathState::Missing => Ok(()),
        }
    }

    /// Restores what files were in the way of: links, permissions, and folders that did not exist. Returns what
    /// could not be restored.
    pub(crate) fn restore_after_files(&self, changes: &[PathChange]) -> Vec<Refusal> {
        if changes.is_empty() {
            return Vec::new();
        }
        let root = match self.top() {
            Ok(root) => root,
            Err(refusal) => return vec![refusal],
        };
        let make = |change: &PathChange| {
            let made = self.make_folder(&root, change);
            made.err().map(|error| Refusal::at(&change.path, refusal_of(&error)))
        };
        let not_made: Vec<_> = changes.iter().filter_map(make).collect();
        if !not_made.is_empty() {
            return not_made;
        }
        // The contents of a folder are removed before the folder.
        let restore = |change: &PathChange| {
            let restored = self.restore_after(&root, change);
            restored.err().map(|error| Refusal::at(&change.path, refusal_of(&error)))
        };
        changes.iter().rev().filter_map(restore).collect()
    }

    /// Creates a folder that was there before, unless the files have needed it already.
    fn make_folder(
        &self,
        root: &Root,
        PathChange { path, before, after }: &PathChange,
    ) -> Result<(), DiskError> {
        if matches!(before, PathState::Folder(_)) || !matches!(after, PathState::Folder(_)) {
            return Ok(());
        }
        let entry = entry_below(&*self.disk, root, below(path))?;
        match self.disk.stat_entry(&entry)?.map(|stat| stat.kind()) {
            Some(Kind::Folder) => Ok(()),
            _ => self.disk.make_dir(&entry),
        }
    }

    fn restore_after(&self, root: &Root, change: &PathChange) -> Result<(), DiskError> {
        let PathChange { path, before, after } = change;
        let entry = match entry_below(&*self.disk, root, below(path)) {
            // It was in a folder that is gone with all its content.
            Err(error) if *after == PathState::Missing && is_missing(&error) => return Ok(()),
            entry => entry?,
        };
        match (before, after) {
            (PathState::Folder(_), PathState::Missing) => match self.disk.remove_dir(&entry) {
                // It has already given its name to a file.
                Err(error) if is_missing(&error) => Ok(()),
                // Others have put files into the folder, so it stays.
                Err(DiskError { kind: DiskErrorKind::Exists, .. }) => Ok(()),
                removed => removed,
            },
            (PathState::Folder(_), PathState::Link(target)) => {
                self.disk.remove_dir(&entry).or_else(unless_missing)?;
                self.disk.make_link(&entry, target)
            }
            (PathState::Missing, PathState::Link(target)) => self.disk.make_link(&entry, target),
            (PathState::Link(_), PathState::Link(target)) => {
                self.disk.remove(&entry)?;
                self.disk.make_link(&entry, target)
            }
            (PathState::File(_), PathState::File(mode)) | (_, PathState::Folder(mode)) => {
                self.disk.set_mode(&entry, *mode)
            }
            _ => Ok(()),
        }
    }

    /// Returns the state of a path now. No link on it is followed.
    pub(super) fn path_state(&self, root: &Root, path: &Path) -> Result<PathState, Refusal> {
        let state = || -> Result<PathState, DiskError> {
            let stat = self.disk.stat_entry(&entry_below(&*self.disk, root, below(path))?)?;
            let Some(stat) = stat else { return Ok(PathState::Missing) };
            let mode = stat.mode & PERMISSIONS;
            Ok(match stat.kind() {
                Kind::Folder => PathState::Folder(mode),
                Kind::Symlink => PathState::Link(self.disk.read_link(root, below(path))?),
                Kind::File | Kind::Other => PathState::File(mode),
            })
        };
        match state() {
            Err(error) if is_missing(&error) => Ok(PathState::Missing),
            state => state.map_err(|error| Refusal::at(path, refusal_of(&error))),
        }
    }

    /// Returns the root of all paths. Recorded paths are canonical, so each is found from there without symlinks.
    pub(super) fn top(&self) -> Result<Root, Refusal> {
        let top = Path::new("/");
        self.disk.open_root(top).map_err(|error| Refusal::at(top, refusal_of(&error)))
    }
}

/// Returns the refusal for a path that another program has changed since.
pub(super) fn changed_path(path: &Path) -> Refusal {
    let since = Since::Written { later: None };
    Refusal::at(path, RefusalKind::Stale { current: None, diff: None, base_known: false, since })
}

/// Returns `true` if nothing is at a path, or no folder is there, or its folder is something else.
fn is_missing(error: &DiskError) -> bool {
    matches!(error.kind, DiskErrorKind::NotFound | DiskErrorKind::NotAFile { .. } | DiskErrorKind::Loop)
}

fn unless_missing(error: DiskError) -> Result<(), DiskError> {
    if error.kind == DiskErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Returns a path from the root of all paths.
pub(super) fn below(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}
