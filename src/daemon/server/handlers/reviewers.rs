//! `editd/reviewers` and `editd/dismissReviewers`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::engine::jobs::blocking;
use crate::engine::reviewers::Unreviewed;
use crate::engine::{Result, SessionContext};
use crate::server::Daemon;
use crate::server::encode::system_time;
use editd_disk::real_path;
use editd_protocol::{
    DismissReviewersParams, DismissReviewersResult, NoParams, ReviewerEntry, ReviewersResult,
    UnreviewedChanges, UnreviewedTransaction,
};
use editd_workspace::history::PastEntry;
use editd_workspace::reviewers::{ExpectedReviewer, Reviewer};

/// Maximum number of unreviewed transactions in an answer.
const MAX_TRANSACTIONS: usize = 20;

impl Daemon {
    /// `editd/reviewers`.
    pub async fn reviewers(&self, session: &Arc<SessionContext>, _: NoParams) -> Result<ReviewersResult> {
        let (connected, expected) = self.engine.reviewers();
        let unreviewed = self.unreviewed(session).await?;
        Ok(ReviewersResult {
            connected: connected.iter().map(reviewer_entry).collect(),
            expected: expected.iter().map(expected_entry).collect(),
            unreviewed,
        })
    }

    /// Returns the changes that were made without a review in the roots of a session.
    pub(crate) async fn unreviewed(
        &self,
        session: &Arc<SessionContext>,
    ) -> Result<Option<UnreviewedChanges>> {
        let (engine, session) = (self.engine.clone(), session.clone());
        let unreviewed = blocking(move || engine.unreviewed(&session)).await?;
        Ok(unreviewed.map(unreviewed_changes))
    }

    /// `editd/dismissReviewers`.
    #[expect(clippy::unused_async, reason = "all handlers of the table are asynchronous")]
    pub async fn dismiss_reviewers(
        &self,
        session: &Arc<SessionContext>,
        DismissReviewersParams { path }: DismissReviewersParams,
    ) -> Result<DismissReviewersResult> {
        let root = session.root_paths().into_iter().next().unwrap_or_default();
        let folder = path.map(|path| real_path(&root.join(path)));
        let dismissed = self.engine.dismiss_reviewers(folder.as_deref());
        Ok(DismissReviewersResult { dismissed: dismissed.iter().map(expected_entry).collect() })
    }

    /// Records that an editor may come back right after its goodbye.
    pub fn may_return(session: &SessionContext) {
        session.may_return.store(true, Ordering::Relaxed);
    }
}

fn reviewer_entry(Reviewer { name, places }: &Reviewer) -> ReviewerEntry {
    let paths = places.iter().map(|place| place.display().to_string()).collect();
    ReviewerEntry { name: name.clone(), paths, since: None, until: None }
}

fn expected_entry(ExpectedReviewer { reviewer, since, until }: &ExpectedReviewer) -> ReviewerEntry {
    ReviewerEntry {
        since: Some(system_time(*since)),
        until: until.map(system_time),
        ..reviewer_entry(reviewer)
    }
}

fn unreviewed_changes(Unreviewed { since, entries, files }: Unreviewed) -> UnreviewedChanges {
    let changes = entries.len();
    let message = format!(
        "{} in {} {} made without a review while no editor was connected here.",
        counted(changes, "change"),
        counted(files, "file"),
        if changes == 1 { "was" } else { "were" },
    );
    UnreviewedChanges {
        since: system_time(since),
        changes,
        files,
        transactions: entries.iter().take(MAX_TRANSACTIONS).map(|entry| transaction(entry)).collect(),
        message,
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn transaction(entry: &PastEntry) -> UnreviewedTransaction {
    UnreviewedTransaction {
        transaction: entry.id.to_string(),
        at: system_time(entry.at),
        author: entry.author.clone(),
        label: entry.label.clone(),
        paths: entry.files.iter().map(|file| file.place().display().to_string()).collect(),
    }
}
