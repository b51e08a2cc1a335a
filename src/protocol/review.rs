//! Parameters and results of `editd/decide`, `editd/reopen` and `editd/proposal`.

use lsp_types::WorkspaceEdit;
use serde::{Deserialize, Serialize};

use super::results::AppliedFile;

/// Parameters of `editd/decide`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecideParams {
    /// The proposal.
    pub id: String,
    /// The revision that the user has seen; any other is refused.
    pub revision: u32,
    /// Hunks to accept, except those whose lines have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<PickParam>,
    /// Hunks to accept even if their lines have changed; those changes are overwritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take: Option<Vec<String>>,
    /// Hunks to reject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reject: Option<PickParam>,
    /// Complete texts to write instead of the proposed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<Vec<ReplaceParam>>,
    /// Comment for the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<CommentParam>,
}

/// Parameters of `editd/reopen`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenParams {
    /// Proposal with rejected hunks. By default, the proposal with the latest rejection among those that the
    /// session decided or that are in its folders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A selection of hunks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PickParam {
    /// `all`: the undecided hunks that the request does not name elsewhere.
    Word(String),
    /// Ids of the hunks.
    Hunks(Vec<String>),
}

/// A text that the user wrote in place of the one proposed for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplaceParam {
    /// A file of the proposal.
    pub path: String,
    /// Hash of the content that the user saw; null if the file did not exist.
    #[serde(default, alias = "base_hash")]
    pub base_hash: Option<String>,
    /// The complete text.
    pub content: String,
}

/// Comment for the author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CommentParam {
    /// A comment on the whole proposal.
    Text(String),
    /// Comments on files or hunks.
    List(Vec<CommentEntry>),
}

/// A comment of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentEntry {
    /// File that the comment refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Hunk that the comment refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<String>,
    /// Text of the comment.
    pub text: String,
}

/// A change that the user made to the proposed text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserEdit {
    /// Canonical path of the file.
    pub path: String,
    /// Unified diff from the proposed text to the written text.
    pub diff: String,
}

/// Result of `editd/proposal`, `editd/decide` and `editd/reopen`: the current state of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposalResult {
    /// Id of the proposal.
    pub id: String,
    /// Revision of the proposal. It grows with each change that is visible to the user.
    pub revision: u32,
    /// State of the proposal.
    pub state: String,
    /// Author of the proposal.
    pub author: String,
    /// Purpose of the change.
    pub label: Option<String>,
    /// Creation time.
    pub at: String,
    /// Reason for closing the proposal, as given by its author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Proposal that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// Remaining changes as an LSP edit.
    pub workspace_edit: WorkspaceEdit,
    /// Change of each file relative to its current content; for a decided proposal, the applied changes.
    pub files: Vec<AppliedFile>,
    /// Id of the transaction, for undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Edits that the user made to the proposed text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// Comments of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// Explanation of the hunks that are still undecided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}
