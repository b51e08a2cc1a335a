//! Names that a command gave to another kind: what is at them now is in the way of what was there before.

use std::path::Path;

use crate::engine::change::commit::PendingWrite;
use crate::engine::files::resolve::{Found, LocatedChange, Purpose, linked};
use crate::engine::undo::paths::{below, changed_path};
use crate::engine::{Engine, SessionContext, refusal_of};
use editd_disk::{Kind, Root};
use editd_workspace::history::{PastAction, PastEntry, PathChange, PathState};
use editd_workspace::{Action, Refusal, RequestedPath};

/// A name beside the one in question, which leads to the folder of both.
const BESIDE: &str = ".editd-0000000000000000";

impl Engine {
    /// Locates a deleted file of a transaction as if nothing were in its way, if a path that the undo restores is:
    /// a link or a folder with its name, or a link or a file in place of one of its folders. A link is not followed.
    pub(crate) fn locate_beyond(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        path: &Path,
    ) -> Result<Option<LocatedChange>, Refusal> {
        let Some(first) = self.first_in_the_way(entry, path)? else { return Ok(None) };
        let found = self.find_in_place_of(session, first, path, Purpose::Write)?;
        let clearance = self.judge(session, &found, Purpose::Write)?;
        Ok(Some(LocatedChange { target: found.target, to: None, clearance }))
    }

    /// Finds a path as if nothing were at `first`, which is the path or one around it. No link on it is followed.
    pub(super) fn find_in_place_of(
        &self,
        session: &SessionContext,
        first: &Path,
        path: &Path,
        purpose: Purpose,
    ) -> Result<Found, Refusal> {
        let beside = first.with_file_name(BESIDE);
        let Found { root, relative, target } = self.find(session, &RequestedPath::of(&beside), purpose)?;
        if target.path != beside {
            return Err(linked(&beside, &target));
        }
        let stat = self.disk.peek(&target.root, first.strip_prefix(target.root.path()).unwrap_or(first));
        let stat = stat.map_err(|error| Refusal::at(first, refusal_of(&error)))?;
        // A file that is in the way is removed as a file of the transaction.
        let in_the_way = stat.filter(|stat| matches!(stat.kind(), Kind::Folder | Kind::Symlink));
        let from_folder = path.strip_prefix(first.parent().unwrap_or(first)).unwrap_or(path);
        let relative = relative.with_file_name(from_folder);
        Ok(Found { root, relative, target: target.in_place_of(path, in_the_way) })
    }

    /// Returns the outermost path that has another kind now than the undo needs for the file at `path`.
    pub(super) fn first_in_the_way<'e>(
        &self,
        entry: &'e PastEntry,
        path: &Path,
    ) -> Result<Option<&'e Path>, Refusal> {
        let mut around: Vec<_> = entry.paths.iter().filter(|it| path.starts_with(&it.path)).collect();
        if around.is_empty() {
            return Ok(None);
        }
        around.sort_by_key(|change| change.path.as_os_str().len());
        let top = self.top()?;
        for PathChange { path: first, before, .. } in around {
            let now = self.path_state(&top, first)?;
            let is_in_the_way = match before {
                PathState::Folder(_) => matches!(now, PathState::Link(_) | PathState::File(_)),
                _ if first == path => matches!(now, PathState::Link(_) | PathState::Folder(_)),
                _ => false,
            };
            if is_in_the_way {
                return Ok(Some(first));
            }
        }
        Ok(None)
    }

    /// Refuses a folder that has to go if it holds anything but what the transaction has put into it.
    pub(super) fn require_only_own(
        &self,
        top: &Root,
        entry: &PastEntry,
        folder: &Path,
    ) -> Result<(), Refusal> {
        let listed = self.disk.list(top, below(folder));
        for listed in listed.map_err(|error| Refusal::at(folder, refusal_of(&error)))? {
            let path = folder.join(&listed.name);
            let left = entry.paths.iter().find(|change| change.path == path).map(|change| &change.after);
            let is_own = match listed.kind {
                Kind::File => creates(entry, &path),
                Kind::Folder => matches!(left, Some(PathState::Folder(_))),
                Kind::Symlink => matches!(left, Some(PathState::Link(_))),
                Kind::Other => false,
            };
            if !is_own {
                return Err(changed_path(&path));
            }
            if listed.kind == Kind::Folder {
                self.require_only_own(top, entry, &path)?;
            }
        }
        Ok(())
    }
}

/// Returns `true` if a transaction has created a file at a path.
pub(super) fn creates(entry: &PastEntry, path: &Path) -> bool {
    entry.files.iter().any(|file| file.path == path && file.action == PastAction::Create)
}

/// Returns `true` if a transaction has deleted a file at a path.
pub(super) fn deletes(entry: &PastEntry, path: &Path) -> bool {
    entry.files.iter().any(|file| file.path == path && file.action == PastAction::Delete)
}

/// Orders the undo of a transaction so that files that are in the way of others are removed first.
pub(super) fn order(entry: &PastEntry, writes: &mut [PendingWrite]) {
    let mut paths: Vec<_> = entry.files.iter().map(|file| file.path.as_path()).collect();
    paths.sort_unstable();
    // Ordered by components, a path comes directly before those below it.
    if paths.windows(2).any(|pair| pair[1] != pair[0] && pair[1].starts_with(pair[0])) {
        writes.sort_by_key(|write| write.computed.file.action != Action::Delete);
    }
}

/// Returns `true` if the commit of the files itself restores a path, because it moves aside what is there or creates
/// the folder in place of a file.
pub(super) fn is_cleared_by(
    writes: &[PendingWrite],
    PathChange { path, before, after }: &PathChange,
) -> bool {
    let moves_aside = |write: &PendingWrite| write.computed.observed.target.path_in_the_way();
    match (before, after) {
        (PathState::Link(_), PathState::Missing | PathState::Folder(_)) => {
            writes.iter().filter_map(moves_aside).any(|aside| aside == *path)
        }
        (PathState::Missing, PathState::Folder(_)) => writes.iter().any(|write| {
            let file = &write.computed.file;
            let is_removed = file.action == Action::Delete && path.starts_with(&file.path);
            is_removed || moves_aside(write).is_some_and(|aside| path.starts_with(aside))
        }),
        _ => false,
    }
}
