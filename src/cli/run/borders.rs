//! Paths that a command must not write, and the result of a restriction to them.

use std::path::{Path, PathBuf};

/// The files that a command must not write, and those that it may write all the same.
pub(super) struct Borders<'a> {
    /// The project.
    pub(super) folder: &'a Path,
    /// The repository that contains it, or `/`.
    pub(super) top: &'a Path,
    /// Files and folders of editd, whether or not they exist, and metadata of git.
    pub(super) own: &'a [PathBuf],
    /// Files and folders that the user has named.
    pub(super) writable: &'a [PathBuf],
}

/// The result of a restriction.
#[derive(Debug, Default)]
pub(super) struct Restricted {
    /// `false` if the system forbids nothing.
    pub(super) is_effective: bool,
    /// Files of the project that have other names, under which they can be written.
    pub(super) linked: Vec<PathBuf>,
    /// The reason why no ignored file is writable, if that is so.
    pub(super) ignored: Option<String>,
}
