use std::path::{Path, PathBuf};

pub(super) use editd_daemon::transport::{Target, allowed_root as allowed, home};
use editd_daemon::transport::{Unresolved, repository};

use super::paint;

/// Resolves the path of a file, which need not exist.
pub(crate) fn of_file(asked: &Path) -> std::io::Result<Target> {
    Target::of_file(asked).map_err(|unresolved| match unresolved {
        Unresolved::NoWorkingFolder => no_working_folder(),
        Unresolved::Unreadable { folder, error } => with_path(&folder)(error),
    })
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

/// Returns the given roots as absolute paths. Fails if one does not exist: programs show errors of a server at
/// startup, and hide errors of single calls.
pub(crate) fn given(roots: &[PathBuf]) -> std::io::Result<Vec<PathBuf>> {
    let absolute = |root: &PathBuf| {
        let absolute = std::path::absolute(root).map_err(|_| no_working_folder())?;
        std::fs::metadata(&absolute).map_err(with_path(root))?;
        Ok(absolute)
    };
    roots.iter().map(absolute).collect()
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
