//! Links, folders and permissions in a proposal. Each is a hunk, after the hunks of the files.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use crate::history::{PathChange, PathState};
use crate::proposal::{Action, PlannedFile, Proposal};

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

/// Returns the changes of paths that a person decides about. Folders that only come or go with the created and deleted
/// files of the same change are not among them.
pub fn to_decide<'a>(
    paths: impl IntoIterator<Item = &'a PathChange>,
    (created, deleted): (Vec<&Path>, Vec<&Path>),
) -> Vec<PathChange> {
    let (created, deleted) = (folders_of(created), folders_of(deleted));
    let is_of_files = |change: &&PathChange| match (&change.before, &change.after) {
        (PathState::Missing, PathState::Folder(_)) => created.contains(change.path.as_path()),
        (PathState::Folder(_), PathState::Missing) => deleted.contains(change.path.as_path()),
        _ => false,
    };
    paths.into_iter().filter(|change| !is_of_files(change)).cloned().collect()
}

/// Returns the paths of the created and of the deleted files.
pub fn created_and_deleted(files: &[PlannedFile]) -> (Vec<&Path>, Vec<&Path>) {
    let of = |is_it: fn(&Action) -> bool| {
        files.iter().filter(|file| is_it(&file.action)).map(|file| file.path.as_path()).collect()
    };
    (of(Action::creates), of(|action| *action == Action::Delete))
}

/// Returns all folders around these files.
fn folders_of(files: Vec<&Path>) -> HashSet<&Path> {
    let mut folders = HashSet::new();
    for file in files {
        // The folders above a known one are known.
        for folder in file.ancestors().skip(1) {
            if !folders.insert(folder) {
                break;
            }
        }
    }
    folders
}
