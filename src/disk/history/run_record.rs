//! Serialized form of runs of commands.

use serde::{Deserialize, Serialize};

use editd_workspace::history::{PastRun, PathChange, PathState, RunStatus};

use super::record::PathRecord;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunRecord {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exited: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    killed: Option<i32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    interrupted: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    omitted: Vec<(PathRecord, String)>,
}

/// A path with its state before and after.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PathChangeRecord(PathRecord, StateRecord, StateRecord);

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StateRecord {
    Missing,
    Link(PathRecord),
    Folder(u32),
    File(u32),
}

impl RunRecord {
    pub(super) fn new(run: &PastRun) -> Self {
        let PastRun { id, status, interrupted, others, omitted } = run.clone();
        let (exited, killed) = match status {
            Some(RunStatus::Exited(code)) => (Some(code), None),
            Some(RunStatus::Killed(signal)) => (None, Some(signal)),
            None => (None, None),
        };
        let omitted = omitted.into_iter().map(|(path, reason)| (PathRecord::new(&path), reason)).collect();
        Self { id, exited, killed, interrupted, others, omitted }
    }

    pub(super) fn read(self) -> PastRun {
        let Self { id, exited, killed, interrupted, others, omitted } = self;
        let status = exited.map(RunStatus::Exited).or(killed.map(RunStatus::Killed));
        let omitted = omitted.into_iter().map(|(path, reason)| (path.read(), reason)).collect();
        PastRun { id, status, interrupted, others, omitted }
    }
}

impl PathChangeRecord {
    pub(super) fn new(change: &PathChange) -> Self {
        Self(PathRecord::new(&change.path), StateRecord::new(&change.before), StateRecord::new(&change.after))
    }

    pub(super) fn read(self) -> PathChange {
        let Self(path, before, after) = self;
        PathChange { path: path.read(), before: before.read(), after: after.read() }
    }
}

impl StateRecord {
    fn new(state: &PathState) -> Self {
        match state {
            PathState::Missing => Self::Missing,
            PathState::Link(target) => Self::Link(PathRecord::new(target)),
            PathState::Folder(mode) => Self::Folder(*mode),
            PathState::File(mode) => Self::File(*mode),
        }
    }

    fn read(self) -> PathState {
        match self {
            Self::Missing => PathState::Missing,
            Self::Link(target) => PathState::Link(target.read()),
            Self::Folder(mode) => PathState::Folder(mode),
            Self::File(mode) => PathState::File(mode),
        }
    }
}
