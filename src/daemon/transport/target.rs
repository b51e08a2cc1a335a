//! Files as users and agent programs name them, and the roots to open sessions with.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use editd_protocol::uri_of;
use editd_workspace::rules::check_root;

/// Files and folders of which each version control system other than git creates at least one. A clone by git can
/// contain them.
const MARKS: [&str; 6] =
    [".jj/working_copy", ".hg/requires", ".hg/store", ".hg/00changelog.i", ".svn/wc.db", ".svn/entries"];

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

/// Returns the repository that contains a folder: the nearest one of git, else of another system. A folder that cannot
/// be a root never counts as a repository, even if it is under version control: the home folder, for instance, contains
/// too much.
pub fn repository(folder: &Path) -> Option<PathBuf> {
    let home = home();
    let possible: Vec<_> =
        folder.ancestors().filter(|ancestor| check_root(ancestor, home.as_deref(), &[]).is_ok()).collect();
    let nearest = |is_top: &dyn Fn(&Path) -> bool| possible.iter().find(|folder| is_top(folder));
    let of_other = |folder: &Path| MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok());
    nearest(&is_git).or_else(|| nearest(&of_other)).map(|folder| (*folder).to_owned())
}

/// Returns the repository that contains a file in a folder that cannot be a root: one in a system folder. System folders
/// themselves, and the home folder, do not count, even if they are under version control.
pub fn repository_without_root(file: &Path) -> Option<PathBuf> {
    let home = home();
    let is_top = |folder: &&Path| {
        let is_deep = folder.parent().is_some_and(|parent| parent.parent().is_some());
        is_deep && !home.as_ref().is_some_and(|home| home.starts_with(folder)) && is_repository(folder)
    };
    let top = file.ancestors().find(is_top)?;
    check_root(top, home.as_deref(), &[]).is_err().then(|| top.to_owned())
}

fn is_repository(folder: &Path) -> bool {
    is_git(folder) || MARKS.iter().any(|mark| folder.join(mark).symlink_metadata().is_ok())
}

/// Returns `true` for the top of a repository of git. An empty folder, which an interrupted program may have left, does
/// not make it one.
fn is_git(folder: &Path) -> bool {
    let mark = folder.join(".git");
    match std::fs::read_dir(&mark) {
        Ok(mut entries) => entries.next().is_some(),
        // The `.git` of a work tree is a file.
        Err(_) => mark.exists(),
    }
}

/// Returns the canonical path of the user's home folder.
pub fn home() -> Option<PathBuf> {
    std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok())
}
