//! Files as users and agent programs name them, and the roots to open sessions with.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::protocol::uri_of;
use crate::workspace::rules::check_root;

/// Entries that mark the top folder of a repository.
const MARKS: [&str; 4] = [".git", ".jj", ".hg", ".svn"];

/// A file and the root to open a session with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Absolute path, below the root.
    pub path: PathBuf,
    /// The repository of the file, else its folder.
    pub root: PathBuf,
}

/// A path that cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum Unresolved {
    /// The path is relative, and the working folder no longer exists.
    #[error("the working folder no longer exists")]
    NoWorkingFolder,
    /// A folder of the path cannot be read.
    #[error("`{}`: {error}", .folder.display())]
    Unreadable {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl Target {
    /// Resolves the path of a file, which need not exist.
    pub fn of_file(asked: &Path) -> Result<Self, Unresolved> {
        let asked = std::path::absolute(asked).map_err(|_| Unresolved::NoWorkingFolder)?;
        if asked.is_dir() {
            // Refusals then name the folder itself and not its parent.
            let path = canonical(&asked)?;
            return Ok(Self { root: repository(&path).unwrap_or_else(|| path.clone()), path });
        }
        // Missing folders will be created in the nearest existing one.
        let existing = asked.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(&asked);
        let folder = canonical(existing)?;
        let mut path = asked.strip_prefix(existing).map_or_else(|_| asked.clone(), |rest| folder.join(rest));
        if asked.as_os_str().as_bytes().ends_with(b"/") {
            // The trailing slash asks for a folder. Keep it, so that the daemon refuses the path as a folder.
            path.push("");
        }
        if path.parent() == home().as_deref() {
            // The home folder cannot be a root, so the file is its own root.
            return Ok(Self { root: path.clone(), path });
        }
        let root = repository(&folder).unwrap_or(folder);
        Ok(Self { path, root })
    }

    /// Returns the URI, which is sent instead of the path because `path` is text on the wire, and this path may
    /// not be UTF-8.
    pub fn uri(&self) -> String {
        uri_of(&self.path).to_string()
    }
}

fn canonical(folder: &Path) -> Result<PathBuf, Unresolved> {
    std::fs::canonicalize(folder).map_err(|error| Unresolved::Unreadable { folder: folder.to_owned(), error })
}

/// Returns the folder if it can be a root.
pub fn allowed_root(folder: PathBuf) -> Option<PathBuf> {
    check_root(&folder, home().as_deref(), &[]).is_ok().then_some(folder)
}

/// Returns the repository that contains a folder. A folder that cannot be a root never counts as a repository, even
/// if it is under version control: the home folder, for instance, contains too much.
pub fn repository(folder: &Path) -> Option<PathBuf> {
    let home = home();
    let mut possible =
        folder.ancestors().filter(|ancestor| check_root(ancestor, home.as_deref(), &[]).is_ok());
    possible.find(|ancestor| MARKS.iter().any(|mark| is_mark(&ancestor.join(mark)))).map(Path::to_owned)
}

/// Returns `true` if a file or folder marks a repository. An empty folder, which an interrupted program may have left,
/// does not.
fn is_mark(mark: &Path) -> bool {
    match std::fs::read_dir(mark) {
        Ok(mut entries) => entries.next().is_some(),
        // The `.git` of a work tree is a file.
        Err(_) => mark.exists(),
    }
}

/// Returns the canonical path of the user's home folder.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok())
}
