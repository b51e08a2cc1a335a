//! `editd/decide`, and what a proposal is while and after a person decides.

use lsp_types::WorkspaceEdit;
use serde::{Deserialize, Serialize};

use super::results::AppliedFile;

/// Parameters of `editd/decide`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecideParams {
    /// The proposal.
    pub id: String,
    /// The revision that the person has seen; any other is refused.
    pub revision: u32,
    /// The hunks that are to happen; not those whose place has changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept: Option<PickParam>,
    /// The hunks that are to happen over what was changed there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub take: Option<Vec<String>>,
    /// The hunks that are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reject: Option<PickParam>,
    /// Whole texts in place of what was proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replace: Option<Vec<ReplaceParam>>,
    /// Something for the author to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<CommentParam>,
}

/// Parameters of `editd/reopen`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenParams {
    /// The proposal of which something was rejected; without, of those that the session decided or that are in its
    /// folders the one of which that was last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Which hunks are meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PickParam {
    /// `all`: those that are not decided and not named otherwise.
    Word(String),
    /// These.
    Hunks(Vec<String>),
}

/// A text that a person wrote in place of what was proposed for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplaceParam {
    /// A file of the proposal.
    pub path: String,
    /// Hash of what the person saw there; null for nothing.
    #[serde(default, alias = "base_hash")]
    pub base_hash: Option<String>,
    /// The whole text.
    pub content: String,
}

/// Something for the author to know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CommentParam {
    /// About all of it.
    Text(String),
    /// About files or hunks.
    List(Vec<CommentEntry>),
}

/// A remark of a person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentEntry {
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The hunk that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hunk: Option<String>,
    /// The words.
    pub text: String,
}

/// What a person changed in what was proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserEdit {
    /// The file's canonical path.
    pub path: String,
    /// Unified diff from what the author wanted to what was written.
    pub diff: String,
}

/// The answer to `editd/proposal` and `editd/decide`: a proposal as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposalResult {
    /// Names the proposal.
    pub id: String,
    /// Counts what people see of it.
    pub revision: u32,
    /// Where it stands.
    pub state: String,
    /// Who made it.
    pub author: String,
    /// What it is for.
    pub label: Option<String>,
    /// When it was made.
    pub at: String,
    /// Why it is closed, in its author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The proposal that took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// What is left to do, as an editor can do it.
    pub workspace_edit: WorkspaceEdit,
    /// What happens to each file, over what is there now; of a decided one what was done.
    pub files: Vec<AppliedFile>,
    /// Names what was done, for undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// What the person wrote instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// What the person said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// What is still to be decided and why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}
