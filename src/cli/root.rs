use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::protocol::uri_of;
use crate::workspace::rules::check_root;

use super::paint;

/// Entries that mark the top folder of a repository.
const MARKS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// A file and the root to open a session with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Absolute path, below the root.
    pub(crate) path: PathBuf,
    /// The repository of the file, else its folder.
    pub(crate) root: PathBuf,
}

impl Target {
    /// Returns the URI, which is sent instead of the path because `path` is text on the wire, and this path may
    /// not be UTF-8.
    pub(crate) fn uri(&self) -> String {
        uri_of(&self.path).to_string()
    }
}

/// Resolves the path of a file, which need not exist.
pub(crate) fn of_file(asked: &Path) -> std::io::Result<Target> {
    let asked = std::path::absolute(asked).map_err(|_| no_working_folder())?;
    if asked.is_dir() {
        // Refusals then name the folder itself and not its parent.
        let path = std::fs::canonicalize(&asked).map_err(with_path(&asked))?;
        return Ok(Target { root: repository(&path).unwrap_or_else(|| path.clone()), path });
    }
    // Missing folders will be created in the nearest existing one.
    let existing = asked.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(&asked);
    let folder = std::fs::canonicalize(existing).map_err(with_path(existing))?;
    let mut path = asked.strip_prefix(existing).map_or_else(|_| asked.clone(), |rest| folder.join(rest));
    if asked.as_os_str().as_bytes().ends_with(b"/") {
        // The trailing slash asks for a folder. Keep it, so that the daemon refuses the path as a folder.
        path.push("");
    }
    if path.parent() == home().as_deref() {
        // The home folder cannot be a root, so the file is its own root.
        return Ok(Target { root: path.clone(), path });
    }
    let root = repository(&folder).unwrap_or(folder);
    Ok(Target { path, root })
}

/// Resolves the path of a file that may be created. If the file would be in a new folder directly below home,
/// creates this folder, because home cannot be the root. Returns the folder, so that the caller can remove it
/// if it stays empty.
pub(crate) fn of_new_file(asked: &Path) -> std::io::Result<(Target, Option<PathBuf>)> {
    let target = of_file(asked)?;
    let home = home().filter(|home| *home == target.root);
    let missing = home.and_then(|home| {
        let below = target.path.strip_prefix(&home).ok()?;
        Some(home.join(below.components().next()?))
    });
    match missing {
        Some(folder) if !target.path.is_dir() => {
            std::fs::create_dir(&folder).map_err(with_path(&folder))?;
            Ok((Target { root: folder.clone(), ..target }, Some(folder)))
        }
        _ => Ok((target, None)),
    }
}

/// Returns the root for commands without a file: the repository of the working folder, else the working
/// folder. Returns `None` if it cannot be a root.
pub(crate) fn of_here() -> std::io::Result<Option<PathBuf>> {
    let here = here()?;
    Ok(allowed(repository(&here).unwrap_or(here)))
}

/// Resolves the path of a file, if given. Returns it with the root to open a session with, which is the root
/// for commands without a file if there is no path.
pub(crate) fn of_file_or_here(asked: Option<&Path>) -> std::io::Result<(Option<Target>, Option<PathBuf>)> {
    let target = asked.map(of_file).transpose()?;
    let root = match &target {
        Some(target) => Some(target.root.clone()),
        None => of_here()?,
    };
    Ok((target, root))
}

/// Returns a path relative to the root, if it is below it, safe to show on a terminal.
pub(super) fn relative(path: &str, root: Option<&Path>) -> String {
    let inside = root.and_then(|root| Path::new(path).strip_prefix(root).ok()?.to_str());
    paint::visible(inside.filter(|inside| !inside.is_empty()).unwrap_or(path))
}

/// Returns the working folder.
pub(crate) fn here() -> std::io::Result<PathBuf> {
    std::env::current_dir().map_err(|_| no_working_folder())
}

pub(super) fn no_working_folder() -> std::io::Error {
    std::io::Error::other("the working folder no longer exists; change to another folder")
}

/// Returns a function that adds a path to an error.
pub(super) fn with_path(path: &Path) -> impl FnOnce(std::io::Error) -> std::io::Error {
    move |error| {
        std::io::Error::new(error.kind(), format!("`{}`: {}", paint::path(path), paint::io_message(&error)))
    }
}

/// Returns the folder if it can be a root.
pub(crate) fn allowed(folder: PathBuf) -> Option<PathBuf> {
    check_root(&folder, home().as_deref(), &[]).is_ok().then_some(folder)
}

/// Returns the repository that contains a folder. The home folder never counts as a repository, even if it is
/// under version control, because it contains too much.
fn repository(folder: &Path) -> Option<PathBuf> {
    let home = home();
    let inside = folder.ancestors().take_while(|ancestor| home.as_deref() != Some(*ancestor));
    inside
        .filter(|ancestor| ancestor.parent().is_some())
        .find(|ancestor| MARKS.iter().any(|mark| ancestor.join(mark).exists()))
        .map(Path::to_owned)
}

/// Returns the canonical path of the user's home folder.
pub(super) fn home() -> Option<PathBuf> {
    std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok())
}
