//! Checks of the places that variables name, before a daemon is used or started with them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::config::{PlaceInProject, check_named_places, named_places};

use super::target::repository;

/// Checks that no variable names a place of editd in one of these folders, nor in the repository that contains one. A
/// place that only editd uses must be in no repository at all.
pub fn check_places(roots: &[PathBuf]) -> Result<(), PlaceInProject> {
    for named in named_places().into_iter().filter(|named| named.is_own) {
        if let Some(project) = named.path.parent().and_then(repository) {
            return Err(PlaceInProject { named, project });
        }
    }
    let folders: Vec<_> = roots.iter().filter_map(|root| fs::canonicalize(root).ok()).collect();
    let repositories: Vec<_> = folders.iter().filter_map(|root| repository(root)).collect();
    let projects: Vec<_> = folders.iter().chain(&repositories).map(PathBuf::as_path).collect();
    check_named_places(&projects)
}

/// Like [`check_places`], for the project of the working folder.
pub(super) fn check_places_here() -> Result<(), PlaceInProject> {
    let here = std::env::current_dir().ok().filter(|here| here != Path::new("/"));
    check_places(&here.and_then(|here| repository(&here)).into_iter().collect::<Vec<_>>())
}
