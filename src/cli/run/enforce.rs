//! Commands that cannot write to the project: Linux forbids it (Landlock).

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus,
};

use crate::disk::{Disk, OsDisk};
use crate::search::ignored;

/// The oldest version of Landlock that can forbid everything that changes contents and names: truncating a file is
/// a separate right since then.
const NEEDED: ABI = ABI::V3;

/// A reason why a command cannot be restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotRestricted {
    #[error("this system cannot forbid writes: {0}")]
    Unsupported(#[from] landlock::RulesetError),
    #[error("`{}`: {error}", .path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error(transparent)]
    Disk(#[from] crate::disk::DiskError),
}

/// Forbids this thread, and all programs that it starts from now on, to write below a folder, except in what the
/// ignore rules exclude and in `writable`. With `best_effort`, forbids as much as this system can.
///
/// Outside of the folder, writes are allowed in everything that exists now, but not directly in the folders above it:
/// a right to write in them would include the folder itself.
pub(super) fn restrict(
    folder: &Path,
    top: &Path,
    writable: &[PathBuf],
    best_effort: bool,
) -> Result<bool, NotRestricted> {
    let level = if best_effort { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let writes = AccessFs::from_write(NEEDED);
    let mut rules = Ruleset::default().set_compatibility(level).handle_access(writes)?.create()?;
    let disk = OsDisk::default();
    let root = disk.open_root(folder)?;
    let inside = ignored(&disk, &root, top).into_iter().map(|path| folder.join(path));
    for path in outside(folder)?.into_iter().chain(inside).chain(writable.iter().cloned()) {
        rules = allow(rules, &path)?;
    }
    Ok(rules.restrict_self()?.ruleset != RulesetStatus::NotEnforced)
}

/// Allows all writes below a path.
fn allow(rules: RulesetCreated, path: &Path) -> Result<RulesetCreated, NotRestricted> {
    // A symlink could lead into the folder, and its target has a separate rule.
    let Ok(metadata) = path.symlink_metadata() else { return Ok(rules) };
    let Some(opened) = PathFd::new(path).ok().filter(|_| !metadata.is_symlink()) else { return Ok(rules) };
    let writes = AccessFs::from_write(NEEDED);
    let rights = if metadata.is_dir() { writes } else { writes & AccessFs::from_file(NEEDED) };
    Ok(rules.add_rule(PathBeneath::new(opened, rights))?)
}

/// Returns what is beside a folder and beside the folders that contain it.
fn outside(folder: &Path) -> Result<Vec<PathBuf>, NotRestricted> {
    let mut found = Vec::new();
    for (above, inner) in folder.ancestors().skip(1).zip(folder.ancestors()) {
        let on_the_way = inner.file_name().unwrap_or(OsStr::new(""));
        let entries = match fs::read_dir(above) {
            // What cannot be listed is not written either.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => continue,
            entries => {
                entries.map_err(|error| NotRestricted::Unreadable { path: above.to_owned(), error })?
            }
        };
        let others = entries.flatten().filter(|entry| entry.file_name() != on_the_way);
        found.extend(others.map(|entry| entry.path()));
    }
    Ok(found)
}

/// Returns the version of Landlock of this system in words, and `true` if `--enforce` works.
pub(in crate::cli) fn supported() -> (String, bool) {
    // Only a thread that restricts itself learns the version.
    let status = std::thread::scope(|scope| {
        let restrict = || {
            let rules = Ruleset::default().handle_access(AccessFs::MakeSock).ok()?.create().ok()?;
            Some(rules.restrict_self().ok()?.landlock)
        };
        scope.spawn(restrict).join().ok().flatten()
    });
    match status {
        Some(LandlockStatus::Available { effective_abi, .. }) => {
            (format!("Landlock ABI {}", effective_abi as i32), effective_abi >= NEEDED)
        }
        Some(LandlockStatus::NotEnabled) => ("Landlock is not enabled".to_owned(), false),
        Some(LandlockStatus::NotImplemented) | None => ("this system has no Landlock".to_owned(), false),
    }
}
