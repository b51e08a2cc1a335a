//! Reviewers that are connected or expected back, and changes that were made while there was none.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::engine::{Engine, SessionContext};
use editd_disk::history::RecordedEntry;
use editd_workspace::SessionId;
use editd_workspace::history::{DISK, PastEntry, PastFile, TERMINAL};
use editd_workspace::reviewers::{ExpectedReviewer, Reviewer};

/// Maximum number of unreviewed changes that are counted.
const MAX_COUNTED: usize = 1000;

/// Changes that were made without a review while no reviewer was connected.
pub(crate) struct Unreviewed {
    /// Time at which the last reviewer left.
    pub(crate) since: SystemTime,
    /// The changes, newest first, at most [`MAX_COUNTED`].
    pub(crate) entries: Vec<Arc<PastEntry>>,
    /// Number of changed files.
    pub(crate) files: usize,
}

impl Engine {
    /// Returns the connected reviewers and those that are expected back.
    pub(crate) fn reviewers(&self) -> (Vec<Reviewer>, Vec<ExpectedReviewer>) {
        let now = SystemTime::now();
        self.workspace.update(|w| {
            let reviewers = &w.reviewers;
            (reviewers.connected().cloned().collect(), reviewers.expected(now).cloned().collect())
        })
    }

    /// Stops expecting reviewers in a folder, or everywhere.
    pub(crate) fn dismiss_reviewers(&self, folder: Option<&Path>) -> Vec<ExpectedReviewer> {
        let now = SystemTime::now();
        let dismissed = self.workspace.update(|w| w.reviewers.dismiss(folder, now));
        for ExpectedReviewer { reviewer, .. } in &dismissed {
            tracing::info!(name = reviewer.name, places = ?reviewer.places, "a reviewer is not expected any more");
        }
        dismissed
    }

    /// Returns the changes that others made without a review in the roots of a session, before it connected if it is a
    /// reviewer, else until now. Returns `None` if there are none.
    pub(crate) fn unreviewed(&self, session: &SessionContext) -> Option<Unreviewed> {
        let (id, roots): (SessionId, _) = (session.id, session.root_paths());
        let now = SystemTime::now();
        let (since, reviewed) = self.workspace.update(|w| {
            w.reviewers.expire(now);
            Some((w.reviewers.unreviewed_since(id, &roots)?, w.reviewed_transactions()))
        })?;
        let is_here = |entry: &PastEntry| {
            let files = entry.files.iter().map(PastFile::place);
            files
                .chain(entry.paths.iter().map(|change| &*change.path))
                .any(|path| self.in_roots(session, path))
        };
        let is_meant = |RecordedEntry { entry, undone_by }: &RecordedEntry| {
            let is_by_person = [DISK, TERMINAL, &*session.author].contains(&&*entry.author);
            let is_done = !entry.rescued && undone_by.is_none();
            entry.at >= since && is_done && !is_by_person && !reviewed.contains(&entry.id) && is_here(entry)
        };
        let entries: Vec<_> = self
            .history
            .newest(None, MAX_COUNTED, is_meant)?
            .into_iter()
            .map(|recorded| recorded.entry)
            .collect();
        let paths: HashSet<&Path> =
            entries.iter().flat_map(|entry| entry.files.iter().map(PastFile::place)).collect();
        let files = paths.len();
        (!entries.is_empty()).then_some(Unreviewed { since, entries, files })
    }
}
