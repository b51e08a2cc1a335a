use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::workspace::rules::check_root;

use super::paint;

/// What marks the top of a repository.
const MARKS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// A file, and where to edit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Absolute, below its root.
    pub(crate) path: PathBuf,
    /// Its repository, else its folder.
    pub(crate) root: PathBuf,
}

/// Where a file is, or would be.
pub(crate) fn of_file(asked: &Path) -> std::io::Result<Place> {
    let asked = std::path::absolute(asked).map_err(|_| no_folder())?;
    if asked.is_dir() {
        // What is wrong is then said of the folder itself, not of the one that it is in.
        let path = std::fs::canonicalize(&asked).map_err(at(&asked))?;
        return Ok(Place { root: repository(&path).unwrap_or_else(|| path.clone()), path });
    }
    // A folder that does not exist yet is created inside the nearest one that does.
    let existing = asked.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(&asked);
    let folder = std::fs::canonicalize(existing).map_err(at(existing))?;
    let mut path = asked.strip_prefix(existing).map_or_else(|_| asked.clone(), |rest| folder.join(rest));
    if asked.as_os_str().as_bytes().ends_with(b"/") {
        // It asks for a folder, and is refused as one.
        path.push("");
    }
    if path.parent() == home().as_deref() {
        // The home folder is too much for a root, so the file stands for itself.
        return Ok(Place { root: path.clone(), path });
    }
    let root = repository(&folder).unwrap_or(folder);
    Ok(Place { path, root })
}

/// The same for a file that may be created. The folder that it would be the first file in directly below home
/// is made at once, because home cannot be the root; it is returned, to be taken away if it stays empty.
pub(crate) fn of_new_file(asked: &Path) -> std::io::Result<(Place, Option<PathBuf>)> {
    let place = of_file(asked)?;
    let home = home().filter(|home| *home == place.root);
    let missing = home.and_then(|home| {
        let below = place.path.strip_prefix(&home).ok()?;
        Some(home.join(below.components().next()?))
    });
    match missing {
        Some(folder) if !place.path.is_dir() => {
            std::fs::create_dir(&folder).map_err(at(&folder))?;
            Ok((Place { root: folder.clone(), ..place }, Some(folder)))
        }
        _ => Ok((place, None)),
    }
}

/// The root for commands without a file: the repository, else the folder, that one is in; none where that
/// is no root.
pub(crate) fn of_here() -> std::io::Result<Option<PathBuf>> {
    let here = here()?;
    Ok(allowed(repository(&here).unwrap_or(here)))
}

/// The working folder.
pub(crate) fn here() -> std::io::Result<PathBuf> {
    std::env::current_dir().map_err(|_| no_folder())
}

pub(super) fn no_folder() -> std::io::Error {
    std::io::Error::other("the folder that this runs in is not there any more; go to another one")
}

/// Says of an error which path it is about.
pub(super) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> std::io::Error {
    move |error| {
        std::io::Error::new(error.kind(), format!("`{}`: {}", paint::path(path), paint::words(&error)))
    }
}

/// A folder, if it can be a root.
pub(crate) fn allowed(folder: PathBuf) -> Option<PathBuf> {
    check_root(&folder, home().as_deref(), &[]).is_ok().then_some(folder)
}

/// The repository around a folder. The home folder is none, even if its owner versions it: too much lies in it.
fn repository(folder: &Path) -> Option<PathBuf> {
    let home = home();
    let inside = folder.ancestors().take_while(|ancestor| home.as_deref() != Some(*ancestor));
    inside
        .filter(|ancestor| ancestor.parent().is_some())
        .find(|ancestor| is_top(ancestor))
        .map(Path::to_owned)
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok())
}

fn is_top(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists())
}
