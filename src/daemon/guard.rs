//! Judging what was opened by the path rules.
//!
//! Most rules are about names ([`crate::workspace::rules`]). Names can be hidden, though: by a mount that
//! shows a folder at a second path, by version control that keeps its state in a folder of another name, by
//! a second name of a file. What is found here is what the file system says of the place itself.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::config::Policy;
use crate::disk::{Disk, Result as DiskResult, Root, Target};
use crate::workspace::rules::{
    GIT_FILES, Judge, Judgement, METADATA, Opening, Protection, RootRefusal, Spelling, Tag, check_root,
    folded,
};
use crate::workspace::{FileKey, Refusal, RefusalKind, Role};

use super::failure::refusal_of;
use super::locate::{Found, Purpose};
use super::{Core, SessionContext, SessionRoot};

/// The path rules' judgement on a place that a session may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clearance {
    /// Facts that answers tell of the file.
    pub(crate) tags: Vec<Tag>,
    /// Where a person has to decide, the refusal for the case that nobody can be asked.
    pub(crate) review: Option<Refusal>,
}

impl Clearance {
    /// Unites what is said of two places that one change is about.
    pub(crate) fn and(mut self, more: Self) -> Self {
        for tag in more.tags {
            if !self.tags.contains(&tag) {
                self.tags.push(tag);
            }
        }
        Self { tags: self.tags, review: self.review.or(more.review) }
    }
}

/// What lies around a root, looked at when it is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// The top of its workspace: the nearest folder, from the root upward, that is under version control.
    /// The names above it say where the workspace lies. Without one, all names of the path count.
    pub(crate) top: PathBuf,
    /// Whether it lies in version-control metadata under another name.
    pub(crate) metadata: bool,
}

impl SessionRoot {
    /// A root, or a single file in it, that was just opened.
    pub(crate) fn of(disk: &dyn Disk, root: Root, only: Option<OsString>) -> Self {
        let surroundings = Surroundings::of(disk, &root);
        Self { root, only, surroundings }
    }
}

impl Surroundings {
    fn of(disk: &dyn Disk, root: &Root) -> Self {
        let mut metadata = disk.behind_mounts(root, None).is_ok_and(|path| {
            path.is_some_and(|path| check_root(&path, None, &[]) == Err(RootRefusal::VersionControl))
        });
        for folder in root.path().ancestors() {
            // What cannot be opened cannot be looked at; nothing above it is known then.
            let Ok(folder) = disk.open_root(folder) else { break };
            metadata |= is_repository(disk, &folder, Path::new("")).unwrap_or_default();
            let is_there =
                |mark: &str| disk.peek(&folder, Path::new(mark)).is_ok_and(|found| found.is_some());
            if METADATA.into_iter().any(is_there) {
                return Self { top: folder.path().to_owned(), metadata };
            }
        }
        Self { top: PathBuf::from("/"), metadata }
    }
}

/// Places that belong to editd, as they were named and as they are.
#[derive(Debug)]
pub(super) struct Own {
    paths: Vec<PathBuf>,
    /// The same, comparable: a file system may take another case for the same name.
    folded: Vec<PathBuf>,
}

impl Own {
    fn holds(&self, policy: &Policy, path: &Path) -> bool {
        let path = comparable(path);
        let linked = policy.canonical.as_deref().map(comparable);
        self.folded.iter().chain(&linked).any(|own| path.starts_with(own))
    }

    /// Whether a file is one of them under another name.
    fn names(&self, policy: &Policy, is_it: impl Fn(u64, u64) -> bool) -> bool {
        let own = self.paths.iter().chain(&policy.canonical);
        own.filter_map(|path| std::fs::metadata(path).ok()).any(|found| is_it(found.dev(), found.ino()))
    }
}

fn comparable(path: &Path) -> PathBuf {
    folded(&path.to_string_lossy()).into()
}

/// Finds out what editd's own places are called.
pub(super) fn own_places<'a>(places: impl IntoIterator<Item = &'a Path>) -> Own {
    let spellings = |place: &Path| {
        let folder = place.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
        let by_folder = folder.and_then(|folder| Some(folder.join(place.file_name()?)));
        [Some(place.to_owned()), by_folder, std::fs::canonicalize(place).ok()]
    };
    let mut paths: Vec<_> = places.into_iter().flat_map(spellings).flatten().collect();
    paths.sort();
    paths.dedup();
    let folded = paths.iter().map(|path| comparable(path)).collect();
    Own { paths, folded }
}

impl Core {
    /// Says whether the session may do with a place what it wants, and on which terms.
    pub(super) fn judge(
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
        let is_final = by_names.as_ref().is_err_and(|protection| protection.opening == Opening::Never);
        if purpose.is_change() && !is_final {
            // What is found here no policy allows, so it is told before what one could.
            let hidden = self.hidden(session, found, &policy);
            let hidden = hidden.map_err(|error| Refusal::at(&target.path, refusal_of(&error)))?;
            hidden.map_or(Ok(()), |protection| Err(refuse(protection)))?;
        }
        let Judgement { tags, review } = by_names.map_err(refuse)?;
        Ok(Clearance { tags, review: review.map(refuse) })
    }

    /// Rules that cannot be read might forbid anything.
    fn check_settings(&self, policy: &Policy) -> Result<(), RefusalKind> {
        let (what, error) = match (&self.config.error, &policy.error) {
            (Some(error), _) => ("the configuration cannot be read", error),
            (None, Some(error)) => ("the user's policy cannot be obeyed", error),
            (None, None) => return Ok(()),
        };
        Err(RefusalKind::NotPermitted { what: format!("nothing is written while {what}: {error}") })
    }

    /// Judges every name under which the place is known.
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
        let top = root.surroundings.top.as_path();
        let mut spellings = vec![Spelling { path: &target.path, top }];
        // Both what was asked for and what was opened: a link must neither hide nor lend the name.
        if asked != target.path {
            spellings.push(Spelling { path: &asked, top });
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

    /// What the names do not tell.
    fn hidden(
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
        if self.names_git_file(target, is_it)? {
            return Ok(Some(Protection::version_control()));
        }
        Ok(self.own.names(policy, is_it).then(Protection::editd))
    }

    /// Whether a place lies in what git takes for a repository, whatever it is called. A work tree may lie
    /// within the repository that it belongs to, and is none of its metadata.
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

    /// Whether a file of git's is the one, in any of the folders around a place.
    fn names_git_file(&self, target: &Target, is_it: impl Fn(u64, u64) -> bool) -> DiskResult<bool> {
        for folder in folders(target) {
            let git = folder.join(".git");
            if self.disk.peek(&target.root, &git)?.is_none() {
                continue;
            }
            for name in GIT_FILES {
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

/// The folders from a place upward to its root, as paths from the root.
fn folders(target: &Target) -> impl Iterator<Item = &Path> {
    let levels = target.missing_dirs.len() + 1;
    let below = target.path.strip_prefix(target.root.path()).unwrap_or(Path::new(""));
    below.ancestors().skip(levels)
}

/// Whether git would take a folder for a repository, or for what belongs to one work tree of several.
fn is_repository(disk: &dyn Disk, root: &Root, folder: &Path) -> DiskResult<bool> {
    let is_there = |name: &str| Ok(disk.peek(root, &folder.join(name))?.is_some());
    Ok(is_there("HEAD")? && (is_there("commondir")? || (is_there("objects")? && is_there("refs")?)))
}
