//! Commands that cannot write to the project, on a system that cannot forbid it.

use std::path::{Path, PathBuf};

/// A reason why a command cannot be restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRestricted {
    #[error("this system cannot forbid writes: only Linux can")]
    Unsupported,
}

/// Returns `false`, because nothing is forbidden; fails unless that is good enough.
pub(super) fn restrict(
    _folder: &Path,
    _top: &Path,
    _writable: &[PathBuf],
    best_effort: bool,
) -> Result<bool, NotRestricted> {
    if best_effort { Ok(false) } else { Err(NotRestricted::Unsupported) }
}

/// Returns in words how this system forbids writes, and `true` if `--enforce` works.
pub(in crate::cli) fn supported() -> (String, bool) {
    ("this system has no Landlock".to_owned(), false)
}
