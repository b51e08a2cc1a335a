//! The files that the paths of a tool lead to. Agent programs write through links, so a path is followed before the
//! daemon judges it.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use editd_daemon::config::{PolicyFile, config_file};
use editd_daemon::transport::{Target, allowed_root, home};
use editd_protocol::{RpcError, refusal_error};
use editd_workspace::rules::{Judge, Operation, Protection, Spelling, names_of};
use editd_workspace::{Audience, Refusal, RefusalKind};

/// Maximum number of links that are followed, as in the kernel.
const MAX_LINKS: usize = 40;
/// A path that the program and editd may understand differently.
const TWO_FILES: &str = "the `..` in its path follows a link, so the path has two meanings; name the file by its path without `..`";
/// A path whose links depend on the process.
const OF_A_PROCESS: &str = "its path leads through a link of `/proc`, which differs between processes; name the file by its own path";
const TOO_MANY_LINKS: &str = "its path leads through too many links; name the file by its own path";
const NO_UNICODE: &str = "its path leads to a folder whose name is not valid Unicode; rename the folder";

/// The location that a path of a tool leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// A file in a folder that can be a root.
    Inside {
        /// Path below the root as it was named, so that the daemon judges these names too.
        path: PathBuf,
        /// The root.
        root: PathBuf,
        /// Path without links.
        real: PathBuf,
    },
    /// A file that lies in no such folder: its path without links.
    Outside(PathBuf),
    /// Unknown, for this reason.
    Unclear(&'static str),
}

impl Location {
    /// Follows an absolute path. A path that begins with `~` begins in the home folder.
    pub(super) fn of(asked: &Path) -> Self {
        let asked = match (asked.strip_prefix("~"), home()) {
            (Ok(below), Some(home)) => home.join(below),
            _ => asked.to_owned(),
        };
        // Some programs resolve `..` by the text of the path, others leave it to the system.
        let (real, as_text) = match (follow(&asked), follow(&without_dots(&asked))) {
            (Ok(real), Ok(as_text)) => (real, as_text),
            (Err(reason), _) | (_, Err(reason)) => return Self::Unclear(reason),
        };
        if real != as_text {
            return Self::Unclear(TWO_FILES);
        }
        if real.to_str().is_none() {
            return Self::Unclear(NO_UNICODE);
        }
        let Ok(Target { path, root }) = Target::of_file(&real) else { return Self::Outside(real) };
        // A single file in the home folder is its own root.
        let root = if root == path && path.is_file() { Some(root) } else { allowed_root(root) };
        match root {
            Some(root) => {
                let path = below(&without_dots(&asked), &root).unwrap_or_else(|| real.clone());
                Self::Inside { path, root, real }
            }
            None => Self::Outside(real),
        }
    }

    /// Returns the path to send to the daemon.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Inside { path, .. } => Some(path),
            Self::Outside(real) => Some(real),
            Self::Unclear(_) => None,
        }
    }

    /// Returns the root to open a session with.
    pub(super) fn root(&self) -> Option<&Path> {
        match self {
            Self::Inside { root, .. } => Some(root),
            Self::Outside(_) | Self::Unclear(_) => None,
        }
    }
}

/// Returns the refusal of a change in a folder in which agents may have no roots, by the path rules: in a project in
/// `/var/lib`, or of a start-up file in a folder of the home folder that does not exist yet, for instance.
pub(super) fn protected_elsewhere(path: &Path) -> Option<RpcError> {
    let (Location::Inside { real, .. } | Location::Outside(real)) = Location::of(path) else { return None };
    let protection = protection_of(&real)?;
    Some(refusal_error(&[Refusal::at(&real, RefusalKind::Protected(protection))], Audience::Wire))
}

/// Returns the protection of a file by the names in its path.
fn protection_of(real: &Path) -> Option<Protection> {
    let policy = PolicyFile::beside(&config_file(), home());
    let (path, current) = (policy.path().to_owned(), policy.current());
    let home = names_of(&home().unwrap_or_default());
    let judge = Judge { rules: &current.rules, policy: &path, home: &home, agent: true };
    let spelling = Spelling { path: real, top: Path::new("/") };
    match judge.judge(&[spelling], &[Operation::Create, Operation::Modify]) {
        Ok(judgement) => judgement.review,
        Err(protection) => Some(protection),
    }
}

/// Returns the path below a root that keeps the names of the request, so that the daemon judges these too.
fn below(asked: &Path, root: &Path) -> Option<PathBuf> {
    let mut ancestors: Vec<_> = asked.ancestors().skip(1).collect();
    ancestors.reverse();
    ancestors.into_iter().find_map(|ancestor| {
        let folder = fs::canonicalize(ancestor).ok().filter(|folder| folder.starts_with(root))?;
        Some(folder.join(asked.strip_prefix(ancestor).ok()?))
    })
}

/// Removes `.` and `..` from an absolute path by its text.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    plain
}

/// A step on the way along a path.
enum Step {
    Up,
    Down(OsString),
}

fn steps(path: &Path) -> impl DoubleEndedIterator<Item = Step> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(Step::Down(name.to_owned())),
        Component::ParentDir => Some(Step::Up),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

/// Follows all links of an absolute path, also one in its last name. What does not exist is no link.
fn follow(path: &Path) -> Result<PathBuf, &'static str> {
    let mut waiting: VecDeque<_> = steps(path).collect();
    let (mut found, mut links) = (PathBuf::from("/"), 0);
    while let Some(step) = waiting.pop_front() {
        let Step::Down(name) = step else {
            found.pop();
            continue;
        };
        let next = found.join(name);
        if !fs::symlink_metadata(&next).is_ok_and(|found| found.is_symlink()) {
            found = next;
            continue;
        }
        if is_of_processes(&found) {
            return Err(OF_A_PROCESS);
        }
        links += 1;
        let target = fs::read_link(&next).ok().filter(|_| links <= MAX_LINKS).ok_or(TOO_MANY_LINKS)?;
        if target.is_absolute() {
            found = PathBuf::from("/");
        }
        steps(&target).rev().for_each(|step| waiting.push_front(step));
    }
    Ok(found)
}

/// Returns `true` for a folder of a file system like `/proc`, where a link can lead to another place for each process.
fn is_of_processes(folder: &Path) -> bool {
    let device = |path: &Path| fs::metadata(path).ok().map(|found| found.dev());
    let of_processes = device(Path::new("/proc")).filter(|_| Path::new("/proc/self").exists());
    of_processes.is_some() && device(folder) == of_processes
}
