//! Places of editd that variables of the environment name.
//!
//! Agent programs take variables from settings in a project. A variable that leads into a project is therefore not
//! the choice of the user: the author of the project could replace the configuration, the path rules and the history.

use std::path::{Path, PathBuf};

use editd_disk::real_path;

/// Variables, the place below each that editd uses, and `true` for those that are for editd alone.
const VARIABLES: [(&str, &str, bool); 6] = [
    ("EDITD_CONFIG", "", true),
    ("EDITD_STATE_DIR", "", true),
    ("EDITD_RUNTIME_DIR", "", true),
    ("XDG_CONFIG_HOME", "editd", false),
    ("XDG_STATE_HOME", "editd", false),
    ("XDG_RUNTIME_DIR", "editd", false),
];

/// The places that editd uses without variables, below the home folder.
const DEFAULTS: [&str; 2] = [".config/editd", ".local/state/editd"];

/// A place of editd that a variable names, other than the one that editd uses without the variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPlace {
    /// Name of the variable.
    pub variable: &'static str,
    /// Canonical path of the place, which need not exist.
    pub path: PathBuf,
    /// `true` if the variable is for editd alone.
    pub is_own: bool,
}

/// A place of editd inside a project.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the variable {} names {}, which lies in the project {}; unset it, or name a place outside of projects",
    .named.variable, .named.path.display(), .project.display()
)]
pub struct PlaceInProject {
    /// The place.
    pub named: NamedPlace,
    /// Canonical path of the project.
    pub project: PathBuf,
}

/// Returns the places that variables name.
pub fn named_places() -> Vec<NamedPlace> {
    let defaults: Vec<_> = default_places().into_iter().map(|place| real_path(&place)).collect();
    let named = |(variable, below, is_own): (&'static str, &str, bool)| {
        let value = std::env::var_os(variable).filter(|value| !value.is_empty())?;
        let path = real_path(&std::path::absolute(Path::new(&value).join(below)).ok()?);
        let is_default = defaults.iter().any(|default| path.starts_with(default));
        (!is_default).then_some(NamedPlace { variable, path, is_own })
    };
    VARIABLES.into_iter().filter_map(named).collect()
}

/// Checks that no variable names a place in one of these folders, given by their canonical paths.
pub fn check_named_places(projects: &[&Path]) -> Result<(), PlaceInProject> {
    let inside = named_places().into_iter().find_map(|named| {
        let project = projects.iter().find(|project| named.path.starts_with(project))?;
        Some(PlaceInProject { named, project: (*project).to_owned() })
    });
    inside.map_or(Ok(()), Err)
}

/// Returns the places that editd uses without variables, whether or not they exist.
pub fn default_places() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    DEFAULTS.iter().filter_map(|below| Some(home.as_ref()?.join(below))).collect()
}
