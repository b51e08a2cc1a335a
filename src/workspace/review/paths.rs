//! Links, folders and permissions in a proposal. Each is a hunk, after the hunks of the files.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::workspace::history::{PathChange, PathState};
use crate::workspace::proposal::{Action, PlannedFile, Proposal};

use super::{Choice, HunkKind};

impl HunkKind {
    /// Returns the kind of the hunk of a path.
    pub fn of_path(change: &PathChange) -> Self {
        match (&change.before, &change.after) {
            (PathState::Link(_), _) | (_, PathState::Link(_)) => Self::Link,
            (PathState::File(_), PathState::File(_)) | (PathState::Folder(_), PathState::Folder(_)) => {
                Self::Permissions
            }
            _ => Self::Folder,
        }
    }
}

impl Proposal {
    /// Returns the range of indices of the hunks of links, folders and permissions.
    pub fn path_hunks(&self) -> Range<usize> {
        let first = self.files.iter().map(|file| file.hunks().len()).sum();
        first..first + self.paths.len()
    }

    /// Returns the paths of all files, the new paths of renamed ones, and those of links, folders and permissions.
    pub fn all_paths(&self) -> impl Iterator<Item = &Path> {
        let files = self.files.iter().flat_map(|file| {
            let to = match &file.action {
                Action::Rename { to, .. } => Some(to.as_path()),
                _ => None,
            };
            std::iter::once(file.path.as_path()).chain(to)
        });
        files.chain(self.paths.iter().map(|change| change.path.as_path()))
    }

    /// Returns the links, folders and permissions that these decisions change.
    pub fn chosen_paths<'a>(&'a self, choices: &'a [Choice]) -> impl Iterator<Item = &'a PathChange> {
        let of_paths = choices.get(self.path_hunks()).unwrap_or_default();
        self.paths.iter().zip(of_paths).filter(|(_, choice)| choice.has_effect()).map(|(change, _)| change)
    }
}

/// Returns the changes of paths that a person decides about. Folders that only come or go with the files of the same
/// change are not among them.
pub fn to_decide<'a>(
    paths: impl IntoIterator<Item = &'a PathChange>,
    files: &[PlannedFile],
) -> Vec<PathChange> {
    let (created, deleted) =
        (folders_of(files, Action::creates), folders_of(files, |action| *action == Action::Delete));
    let is_of_files = |change: &&PathChange| match (&change.before, &change.after) {
        (PathState::Missing, PathState::Folder(_)) => created.contains(&change.path),
        (PathState::Folder(_), PathState::Missing) => deleted.contains(&change.path),
        _ => false,
    };
    paths.into_iter().filter(|change| !is_of_files(change)).cloned().collect()
}

/// Returns all folders around the files with such an action.
fn folders_of(files: &[PlannedFile], is_it: impl Fn(&Action) -> bool) -> HashSet<PathBuf> {
    let mut folders = HashSet::new();
    for file in files.iter().filter(|file| is_it(&file.action)) {
        let above = file.path.ancestors().skip(1).map(Path::to_owned);
        // The folders above a known one are known.
        for folder in above {
            if !folders.insert(folder) {
                break;
            }
        }
    }
    folders
}
