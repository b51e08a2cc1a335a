//! Commands that cannot write to the project: Linux forbids it (Landlock).

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus,
};

use editd_disk::search::{IgnoredFiles, Tracked, git_metadata, ignored};
use editd_disk::{Disk, OsDisk, Root, other_paths, real_path};

use super::borders::{Borders, Restricted};

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
    Disk(#[from] editd_disk::DiskError),
}

/// Forbids this thread, and all programs that it starts from now on, to write below a folder and to the files of
/// editd, except in what the ignore rules exclude, git does not track and the path rules do not protect, and in what the
/// user has named. With `best_effort`, forbids as much as this system can.
///
/// Elsewhere, writes are allowed in everything that exists now, but not directly in the folders above what is
/// forbidden: a right to write in them would include that.
pub(super) fn restrict(borders: &Borders<'_>, best_effort: bool) -> Result<Restricted, NotRestricted> {
    let level = if best_effort { CompatLevel::BestEffort } else { CompatLevel::HardRequirement };
    let writes = AccessFs::from_write(NEEDED);
    let mut rules = Ruleset::default().set_compatibility(level).handle_access(writes)?.create()?;
    let disk = OsDisk::default();
    let root = disk.open_root(borders.folder)?;
    // A mount can show the project, or a folder of editd, under another path.
    let own: Vec<_> = borders.own.iter().map(|path| real_path(path)).collect();
    let mut closed = Closed::default();
    for path in own.iter().map(PathBuf::as_path).chain([root.path()]) {
        let unreadable = |error| NotRestricted::Unreadable { path: "/proc/self/mountinfo".into(), error };
        for other in other_paths(path).map_err(unreadable)? {
            closed.add(&other);
        }
    }
    // Also under the names that lead there: a link in place of one of these must stay.
    for path in own.iter().chain(borders.own) {
        closed.add(path);
    }
    let (ignored, mut restricted) = ignored_files(&disk, &root, borders.top);
    let is_open = |path: &PathBuf| !borders.rules.protect(path, borders.top);
    let inside =
        ignored.into_iter().filter(is_open).chain(borders.writable.iter().map(|path| real_path(path)));
    let mut allowed = Vec::new();
    inside.for_each(|path| closed.open(&path, &mut allowed));
    closed.add(root.path());
    closed.open(Path::new("/"), &mut allowed);
    for path in allowed {
        rules = allow(rules, &path)?;
    }
    restricted.is_effective = rules.restrict_self()?.ruleset != RulesetStatus::NotEnforced;
    Ok(restricted)
}

/// Returns the folders outside of a work tree in which git keeps its metadata.
pub(super) fn metadata(top: &Path) -> Vec<PathBuf> {
    let folders = git_metadata(top).into_iter().flat_map(|(own, common)| [own, common]);
    folders.map(|folder| real_path(&folder)).filter(|folder| !folder.starts_with(top)).collect()
}

/// Returns the files and folders of a project that the ignore rules exclude and git does not track, as absolute paths.
/// Without git, there are none, because ignore rules then say nothing about what is kept.
fn ignored_files(disk: &dyn Disk, root: &Root, top: &Path) -> (Vec<PathBuf>, Restricted) {
    let IgnoredFiles { ignored, linked } = ignored(disk, root, top);
    let absolute = |path: PathBuf| root.path().join(path);
    let restricted =
        Restricted { linked: linked.into_iter().map(absolute).collect(), ..Restricted::default() };
    match Tracked::read(top) {
        Ok(Some(tracked)) => {
            let mut found = Vec::new();
            for path in ignored {
                untracked(&tracked, top, &root.path().join(path), &mut found);
            }
            (found, restricted)
        }
        Ok(None) => (Vec::new(), restricted),
        Err(error) => (Vec::new(), Restricted { ignored: Some(error.to_string()), ..restricted }),
    }
}

/// Collects what is not tracked in an ignored file or folder.
fn untracked(tracked: &Tracked, top: &Path, path: &Path, found: &mut Vec<PathBuf>) {
    let below = path.strip_prefix(top).unwrap_or(path);
    if tracked.holds(below) {
        return;
    }
    if !tracked.is_in(below) {
        return found.push(path.to_owned());
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.for_each(|entry| untracked(tracked, top, &entry.path(), found));
}

/// Files and folders that must not be written.
#[derive(Debug, Default)]
struct Closed {
    paths: BTreeSet<PathBuf>,
    files: HashSet<FileId>,
    /// The folders above them. A rule applies to a folder, not to its path, so none of them may be allowed under
    /// another path either.
    above: HashSet<FileId>,
}

/// Device and inode.
type FileId = (u64, u64);

impl Closed {
    fn add(&mut self, path: &Path) {
        let id = |path: &Path| fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()));
        self.files.extend(id(path));
        self.above.extend(path.ancestors().skip(1).filter_map(id));
        self.paths.insert(path.to_owned());
    }

    /// Collects what can be written in a file or folder: all of it, or everything beside what is closed. What cannot be
    /// listed is not written either.
    fn open(&self, path: &Path, found: &mut Vec<PathBuf>) {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        let id = (metadata.dev(), metadata.ino());
        if self.files.contains(&id) || path.ancestors().any(|above| self.paths.contains(above)) {
            return;
        }
        let first_after = self.paths.range(path.to_owned()..).next();
        let is_around = self.above.contains(&id) || first_after.is_some_and(|first| first.starts_with(path));
        if !is_around {
            return found.push(path.to_owned());
        }
        let entries = fs::read_dir(path).into_iter().filter(|_| metadata.is_dir()).flatten().flatten();
        entries.for_each(|entry| self.open(&entry.path(), found));
    }
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
