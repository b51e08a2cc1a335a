//! Changes that a command made, instead of a request.

use std::fmt;
use std::path::PathBuf;

/// The run of a command that made a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PastRun {
    /// Id of the run.
    pub id: String,
    /// The exit status, if the change was found when the command had ended.
    pub status: Option<RunStatus>,
    /// `true` if the end of the run was never reported.
    pub interrupted: bool,
    /// The other runs at that time, with their authors and commands. Each of them may have made the change.
    pub others: Vec<String>,
    /// Changed files whose content before or after the change is not recorded, with the reasons.
    pub omitted: Vec<(PathBuf, String)>,
}

/// The end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// The command ended with this exit code.
    Exited(i32),
    /// This signal ended it.
    Killed(i32),
}

/// The change of a path, besides the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathChange {
    /// Absolute path.
    pub path: PathBuf,
    /// The state before.
    pub before: PathState,
    /// The state after.
    pub after: PathState,
}

/// The state of a path, besides the content of a file. Modes are permission bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathState {
    /// There is nothing, or a file whose content is recorded elsewhere.
    Missing,
    /// A symlink with this target.
    Link(PathBuf),
    /// A folder with this mode.
    Folder(u32),
    /// A file with this mode.
    File(u32),
}

impl fmt::Display for PathState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Link(target) => write!(f, "link to {}", target.display()),
            Self::Folder(mode) => write!(f, "folder {mode:o}"),
            Self::File(mode) => write!(f, "file {mode:o}"),
        }
    }
}

impl PathChange {
    /// Returns the change that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { path: self.path.clone(), before: self.after.clone(), after: self.before.clone() }
    }
}
