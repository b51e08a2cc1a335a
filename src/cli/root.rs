use std::path::{Path, PathBuf};

/// What marks the top of a repository.
const MARKS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// A file's absolute path, and the root to edit it in: its repository, else its folder.
pub(crate) fn of_file(path: &Path) -> std::io::Result<(PathBuf, PathBuf)> {
    let path = std::path::absolute(path)?;
    // A folder that does not exist yet is created inside the nearest one that does.
    let existing = path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(&path);
    let folder = std::fs::canonicalize(existing)?;
    let path = path.strip_prefix(existing).map_or_else(|_| path.clone(), |rest| folder.join(rest));
    if path.parent() == home().as_deref() {
        // The home folder is too much for a root, so the file stands for itself.
        return Ok((path.clone(), path));
    }
    let root = repository(&folder).unwrap_or(folder);
    Ok((path, root))
}

/// The root for commands without a file: the repository, else the folder, that one is in.
pub(crate) fn of_here() -> std::io::Result<PathBuf> {
    let here = std::env::current_dir()?;
    Ok(repository(&here).unwrap_or(here))
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
