//! Commands that cannot write to the project, on a system that cannot forbid it.

use std::path::{Path, PathBuf};

/// A reason why a command cannot be restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRestricted {
    #[error("this system cannot forbid writes: only Linux can")]
    Unsupported,
}

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

/// The result of a restriction: none.
#[derive(Debug, Default)]
pub(super) struct Restricted {
    /// `false`, because the system forbids nothing.
    pub(super) is_effective: bool,
    /// Files of the project that have other names.
    pub(super) linked: Vec<PathBuf>,
    /// The reason why no ignored file is writable.
    pub(super) ignored: Option<String>,
}

/// Returns nothing, because nothing is protected.
pub(super) fn metadata(_top: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// Forbids nothing; fails unless that is good enough.
pub(super) fn restrict(borders: &Borders<'_>, best_effort: bool) -> Result<Restricted, NotRestricted> {
    let Borders { folder: _, top: _, own: _, writable: _ } = borders;
    if best_effort { Ok(Restricted::default()) } else { Err(NotRestricted::Unsupported) }
}

/// Returns in words how this system forbids writes, and `true` if `--enforce` works.
pub(in crate::cli) fn supported() -> (String, bool) {
    ("this system has no Landlock".to_owned(), false)
}
