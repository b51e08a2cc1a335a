//! Paths that a command must not write, and the result of a restriction to them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_daemon::config::{Policy, PolicyFile};
use editd_daemon::transport::home;
use editd_workspace::rules::{Judge, Operation, Spelling, names_of};

/// The files that a command must not write, and those that it may write all the same.
pub(super) struct Borders<'a> {
    /// The project.
    pub(super) folder: &'a Path,
    /// The repository that contains it, or `/`.
    pub(super) top: &'a Path,
    /// Files and folders of editd, whether or not they exist, and metadata of git.
    pub(super) own: &'a [PathBuf],
    /// The path rules, for files that the ignore rules exclude.
    pub(super) rules: &'a PathRules,
    /// Files and folders that the user has named.
    pub(super) writable: &'a [PathBuf],
}

/// The path rules of agents, with the policy of the user.
#[derive(Debug)]
pub(super) struct PathRules {
    file: PathBuf,
    policy: Arc<Policy>,
    home: Vec<String>,
}

/// Rule for installed dependencies. Agents do not edit them, but the commands that install them must write them.
const DEPENDENCIES: &str = "dependencies";

impl PathRules {
    /// Reads the policy.
    pub(super) fn load(policy: &PolicyFile) -> Self {
        let home = names_of(&home().unwrap_or_default());
        Self { file: policy.path().to_owned(), policy: policy.current(), home }
    }

    /// Returns `true` if an agent may not change a file of a work tree, or all files in a folder, without a review.
    pub(super) fn protect(&self, path: &Path, top: &Path) -> bool {
        // Some patterns name the files in a folder.
        let inside = path.join("file");
        let spellings = [path, &inside].map(|path| Spelling { path, top });
        let spellings = if path.is_dir() { &spellings[..] } else { &spellings[..1] };
        let judge = Judge { rules: &self.policy.rules, policy: &self.file, home: &self.home, agent: true };
        match judge.judge(spellings, &[Operation::Create, Operation::Modify]) {
            Ok(judgement) => judgement.review.is_some(),
            Err(protection) => protection.rule != DEPENDENCIES,
        }
    }
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
