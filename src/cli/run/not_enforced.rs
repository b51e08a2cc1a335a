//! Commands that cannot write to the project, on a system that cannot forbid it.

use std::path::{Path, PathBuf};

use super::borders::{Borders, Restricted};

/// A reason why a command cannot be restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRestricted {
    #[error("this system cannot forbid writes: only Linux can")]
    Unsupported,
}

/// Returns nothing, because nothing is protected.
pub(super) fn metadata(_top: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// Forbids nothing; fails unless that is good enough.
pub(super) fn restrict(_borders: &Borders<'_>, best_effort: bool) -> Result<Restricted, NotRestricted> {
    if best_effort { Ok(Restricted::default()) } else { Err(NotRestricted::Unsupported) }
}

/// Returns in words how this system forbids writes, and `true` if `--enforce` works.
pub(in crate::cli) fn supported() -> (String, bool) {
    ("this system has no Landlock".to_owned(), false)
}
