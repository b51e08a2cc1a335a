//! Applies the path rules to opened files.
//!
//! Most rules are about names ([`editd_workspace::rules`]). But a path need not contain the protected name:
//! a mount can show a folder at a second path, a repository can have another name than `.git`, and a file can
//! have a second hard link. This module therefore also checks the location itself in the file system.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::config::Policy;
use crate::engine::files::resolve::{Found, Purpose};
use crate::engine::{Engine, SessionContext, SessionRoot, refusal_of};
use editd_disk::search::points_to;
use editd_disk::{Disk, Kind, Result as DiskResult, Root, Target};
use editd_workspace::rules::{
    GIT_FILES, Judge, Judgement, METADATA, Protection, Remedy, RootRefusal, Spelling, check_root, folded,
};
use editd_workspace::{FileKey, Refusal, RefusalKind, Role};

/// Maximum length of a `.git` file, in bytes: enough for any path.
const MAX_POINTER: u64 = 8192;

/// The judgement of the path rules on a file that a session may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clearance {
    /// `true` if programs execute or follow the file.
    pub(crate) runs_programs: bool,
    /// Set if a user must review the change: the refusal for the case that no reviewer is available.
    pub(crate) review: Option<Refusal>,
}

impl Clearance {
    /// Combines the judgements on two paths of one change.
    pub(crate) fn and(self, more: Self) -> Self {
        let runs_programs = self.runs_programs || more.runs_programs;
        Self { runs_programs, review: self.review.or(more.review) }
    }
}

/// The surroundings of a root, determined when the root is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// The nearest folder under version control, from the root up, in which ignore rules apply; `/` if there is
    /// none.
    pub(crate) top: PathBuf,
    /// The top of the workspace for the path rules. Names above it describe the location of the workspace, not the
    /// file. It must be a work tree of git: a repository that is cloned cannot contain a `.git`, but a `.svn`,
    /// `.hg` or `.jj` with any content. Without one, the top is `/`, and all names of the path count.
    pub(crate) names_from: PathBuf,
    /// `true` if the root is inside version-control metadata that has another name.
    pub(crate) metadata: bool,
}

impl SessionRoot {
    /// Creates a session root from an opened root, or from a single file in it.
    pub(crate) fn of(disk: &dyn Disk, root: Root, only: Option<OsString>) -> Self {
        let surroundings = Surroundings::of(disk, &root);
        Self { root, only, alias: None, surroundings }
    }
}

impl Surroundings {
    fn of(disk: &dyn Disk, root: &Root) -> Self {
        let mut metadata = disk.behind_mounts(root, None).is_ok_and(|path| {
            path.is_some_and(|path| check_root(&path, None, &[]) == Err(RootRefusal::VersionControl))
        });
        let (mut top, mut work_tree, mut perhaps) = (None, None, None);
        for folder in root.path().ancestors() {
            // A folder that cannot be opened cannot be checked, and neither can the folders above it.
            let Ok(folder) = disk.open_root(folder) else { break };
            metadata |= perhaps.is_none() && is_repository(disk, &folder, Path::new("")).unwrap_or_default();
            let is_there =
                |mark: &str| disk.peek(&folder, Path::new(mark)).is_ok_and(|found| found.is_some());
            if top.is_none() && METADATA.split_whitespace().any(is_there) {
                top = Some(folder.path().to_owned());
            }
            match WorkTree::at(disk, &folder) {
                Some(WorkTree::Separate) => {
                    work_tree = Some(folder.path().to_owned());
                    break;
                }
                // The outermost one: it can be the work tree around the others.
                Some(WorkTree::PerhapsSubmodule) => perhaps = Some(folder.path().to_owned()),
                None => {}
            }
        }
        let whole = || PathBuf::from("/");
        let names_from = work_tree.or(perhaps).unwrap_or_else(whole);
        Self { top: top.unwrap_or_else(whole), names_from, metadata }
    }
}

/// A folder that git treats as the top of a work tree.
enum WorkTree {
    /// A work tree that belongs to no other.
    Separate,
    /// A submodule, if it lies in another work tree. The author of that one chooses the path of the submodule, so the
    /// names above it count.
    PerhapsSubmodule,
}

impl WorkTree {
    fn at(disk: &dyn Disk, folder: &Root) -> Option<Self> {
        let mark = Path::new(".git");
        match disk.peek(folder, mark).ok()??.kind() {
            Kind::Folder => is_repository(disk, folder, mark).ok()?.then_some(Self::Separate),
            // Tools that keep many repositories together create such links. A clone contains none.
            Kind::Symlink => Some(Self::Separate),
            Kind::File => {
                let mut pointer = Vec::new();
                disk.open_file(folder, mark).ok()?.take(MAX_POINTER).read_to_end(&mut pointer).ok()?;
                let to = OsStr::from_bytes(pointer.strip_prefix(b"gitdir:")?.trim_ascii());
                let to = folder.path().join(to);
                let is_linked = disk.open_root(&to).is_ok_and(|metadata| is_of(disk, &metadata, folder));
                Some(if is_linked { Self::Separate } else { Self::PerhapsSubmodule })
            }
            Kind::Other => None,
        }
    }
}

/// Returns `true` if a folder is the metadata of a linked work tree. The author of a repository chooses the names of
/// its submodules, also `a/worktrees/b`, but git creates no `commondir` for one.
fn is_of(disk: &dyn Disk, metadata: &Root, work_tree: &Root) -> bool {
    let common = disk.peek(metadata, Path::new("commondir"));
    common.is_ok_and(|found| found.is_some_and(|found| found.kind() == Kind::File))
        && points_to(disk, metadata, work_tree.path())
}

/// Paths that belong to editd, both as configured and canonical.
#[derive(Debug)]
pub(crate) struct OwnPaths {
    paths: Vec<PathBuf>,
    /// The paths with folded case, because a file system may ignore case.
    folded: Vec<PathBuf>,
}

impl OwnPaths {
    fn holds(&self, policy: &Policy, path: &Path) -> bool {
        let path = comparable(path);
        let linked = policy.canonical.as_deref().map(comparable);
        self.folded.iter().chain(&linked).any(|own| path.starts_with(own))
    }

    /// Returns `true` if a file is one of these paths under another name.
    fn has_file(&self, policy: &Policy, is_it: impl Fn(u64, u64) -> bool) -> bool {
        let own = self.paths.iter().chain(&policy.canonical);
        own.filter_map(|path| std::fs::metadata(path).ok()).any(|found| is_it(found.dev(), found.ino()))
    }
}

fn comparable(path: &Path) -> PathBuf {
    folded(&path.to_string_lossy()).into()
}

/// Collects all spellings of the paths that belong to editd.
pub(crate) fn own_paths<'a>(paths: impl IntoIterator<Item = &'a Path>) -> OwnPaths {
    let spellings = |path: &Path| {
        let folder = path.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
        let by_folder = folder.and_then(|folder| Some(folder.join(path.file_name()?)));
        [Some(path.to_owned()), by_folder, std::fs::canonicalize(path).ok()]
    };
    let mut paths: Vec<_> = paths.into_iter().flat_map(spellings).flatten().collect();
    paths.sort();
    paths.dedup();
    let folded = paths.iter().map(|path| comparable(path)).collect();
    OwnPaths { paths, folded }
}

impl Engine {
    /// Checks whether the session may use the file for the given purpose. Returns the conditions, such as a
    /// review.
    pub(crate) fn judge(
        &self,
        session: &SessionContext,
        found: &Found,
        purpose: Purpose,
    ) -> Result<Clearance, Refusal> {
        let (target, policy) = (&found.target, self.policy.current());
        let refuse = |protection| Refusal::at(&target.path, RefusalKind::Protected(protection));
        if purpose.is_change() {
            self.check_settings(&policy).map_err(|kind| Refusal::at(&target.path, kind))?;
            if self.own.holds(&policy, &target.path) {
                return Err(refuse(Protection::editd()));
            }
        }
        let by_names = self.judge_names(session, found, purpose, &policy)?;
        let is_final = by_names.as_ref().is_err_and(|protection| protection.opening == Remedy::Never);
        if purpose.is_change() && !is_final {
            // No policy can allow these protections, so report them before those that a policy can allow.
            let by_location = self.location_protection(session, found, &policy);
            let by_location = by_location.map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
            by_location.map_or(Ok(()), |protection| Err(refuse(protection)))?;
        }
        let Judgement { runs_programs, review } = by_names.map_err(refuse)?;
        Ok(Clearance { runs_programs, review: review.map(refuse) })
    }

    /// Refuses all changes if the configuration or the policy cannot be used, because unreadable rules might
    /// forbid anything.
    fn check_settings(&self, policy: &Policy) -> Result<(), RefusalKind> {
        let (what, error) = match (&self.config.error, &policy.error) {
            (Some(error), _) => ("the configuration cannot be read", error),
            (None, Some(error)) => ("the user's policy cannot be used", error),
            (None, None) => return Ok(()),
        };
        Err(RefusalKind::NotPermitted { what: format!("nothing is written while {what}: {error}") })
    }

    /// Applies the rules to all known names of the file.
    fn judge_names(
        &self,
        session: &SessionContext,
        found: &Found,
        purpose: Purpose,
        policy: &Policy,
    ) -> Result<Result<Judgement, Protection>, Refusal> {
        let Found { root, relative, target } = found;
        let asked = root.root.path().join(relative);
        let behind = self.disk.behind_mounts(&root.root, Some(target));
        let behind = behind.map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
        let top = root.surroundings.names_from.as_path();
        let mut spellings = vec![Spelling { path: &target.path, top }];
        // Judge both the requested and the opened path: a symlink must neither hide a protected name nor lend
        // an allowed one.
        if asked != target.path {
            spellings.push(Spelling { path: &asked, top });
        }
        // Nor does a mount.
        let below = target.path.strip_prefix(root.root.path()).unwrap_or(relative);
        let alias = root.alias.as_ref().map(|alias| (alias.path.join(below), &alias.top));
        if let Some((path, top)) = &alias {
            spellings.push(Spelling { path, top });
        }
        if let Some(path) = &behind {
            spellings.push(Spelling { path, top: Path::new("/") });
        }
        let judge = Judge {
            rules: &policy.rules,
            policy: self.policy.path(),
            home: &self.home_names,
            agent: session.role == Role::Agent,
        };
        Ok(judge.judge(&spellings, purpose.operations(target.exists)))
    }

    /// Returns the protection of a file that its names do not reveal.
    fn location_protection(
        &self,
        session: &SessionContext,
        found: &Found,
        policy: &Policy,
    ) -> DiskResult<Option<Protection>> {
        let Found { root, target, .. } = found;
        if root.surroundings.metadata || self.in_repository(target)? {
            return Ok(Some(Protection::version_control()));
        }
        let FileKey::Inode { device, inode } = target.key else { return Ok(None) };
        if session.role == Role::Agent && !self.config.hard_links {
            return Ok(Some(Protection::hard_link()));
        }
        let is_it = |dev, ino| (dev, ino) == (device, inode);
        if self.is_git_file(target, is_it)? {
            return Ok(Some(Protection::version_control()));
        }
        Ok(self.own.has_file(policy, is_it).then(Protection::editd))
    }

    /// Returns `true` if the file is inside a folder that git treats as a repository, whatever its name. A
    /// work tree may be inside its own repository; its files are not metadata.
    fn in_repository(&self, target: &Target) -> DiskResult<bool> {
        for (depth, folder) in folders(target).enumerate() {
            if !is_repository(&*self.disk, &target.root, folder)? {
                continue;
            }
            for inner in folders(target).take(depth) {
                if self.disk.peek(&target.root, &inner.join(".git"))?.is_some() {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns `true` if the file is a hard link to a file of git, in any of the folders above it.
    fn is_git_file(&self, target: &Target, is_it: impl Fn(u64, u64) -> bool) -> DiskResult<bool> {
        for folder in folders(target) {
            let git = folder.join(".git");
            if self.disk.peek(&target.root, &git)?.is_none() {
                continue;
            }
            for name in GIT_FILES.split_whitespace() {
                if self
                    .disk
                    .peek(&target.root, &git.join(name))?
                    .is_some_and(|stat| is_it(stat.dev, stat.ino))
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// Returns the folders from a file up to its root, as paths relative to the root.
fn folders(target: &Target) -> impl Iterator<Item = &Path> {
    let levels = target.missing_dirs.len() + 1;
    let below = target.path.strip_prefix(target.root.path()).unwrap_or(Path::new(""));
    below.ancestors().skip(levels)
}

/// Returns `true` if git would treat the folder as a repository, or as the metadata of a linked work tree.
fn is_repository(disk: &dyn Disk, root: &Root, folder: &Path) -> DiskResult<bool> {
    let is_there = |name: &str| Ok(disk.peek(root, &folder.join(name))?.is_some());
    Ok(is_there("HEAD")? && (is_there("commondir")? || (is_there("objects")? && is_there("refs")?)))
}
