//! Clients that show proposals to a person.

use serde::{Deserialize, Serialize};

/// Notification from an editor right before `shutdown`: it may come back at once, for instance because its window
/// reloads. Changes in its folders then wait for its review for a while.
pub const LEAVING: &str = "editd/leaving";

/// Parameters of `editd/dismissReviewers`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DismissReviewersParams {
    /// The folder in which no reviewer is expected any more, absolute or relative to the first root. By default, all
    /// folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Result of `editd/dismissReviewers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DismissReviewersResult {
    /// Reviewers that are not expected any more, with the dismissed folders.
    pub dismissed: Vec<ReviewerEntry>,
}

/// Result of `editd/reviewers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewersResult {
    /// Connected reviewers.
    pub connected: Vec<ReviewerEntry>,
    /// Reviewers that are expected back: changes in their folders wait.
    pub expected: Vec<ReviewerEntry>,
    /// Changes that were made without a review while no reviewer was connected to the roots of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreviewed: Option<UnreviewedChanges>,
}

/// A client that shows proposals to a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewerEntry {
    /// Name of the client.
    pub name: String,
    /// Roots of the client, and files that it has open outside of them.
    pub paths: Vec<String>,
    /// Time of its disconnection; missing if it is connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Time until which it is expected back; missing if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// Changes that were made without a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreviewedChanges {
    /// Time at which the last reviewer left.
    pub since: String,
    /// Number of transactions, at most 1,000.
    pub changes: usize,
    /// Number of files that they have changed.
    pub files: usize,
    /// The newest transactions, at most 20.
    pub transactions: Vec<UnreviewedTransaction>,
    /// One sentence for the person.
    pub message: String,
}

/// A transaction that was made without a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreviewedTransaction {
    /// Id of the transaction.
    pub transaction: String,
    /// Time of the change.
    pub at: String,
    /// Author of the change.
    pub author: String,
    /// Description of the change.
    pub label: Option<String>,
    /// Files that it has changed.
    pub paths: Vec<String>,
}
