//! Proposals and their reviews: results, and the parameters of a review.

use lsp_types::{Uri, WorkspaceEdit};
use serde::{Deserialize, Serialize};

use super::SyntaxEntry;
use super::editor::DiagnosticEntry;

/// A run of changed lines. Line numbers follow the unified diff format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Id of the hunk within its proposal.
    pub id: String,
    /// Kind of the change, unless it replaces lines: `create`, `delete`, `rename`, `encoding`,
    /// `binary`, `whole`, `link`, `folder` or `permissions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// First old line, from 1; the line before the hunk if it has no old lines.
    pub old_start: usize,
    /// Number of old lines.
    pub old_lines: usize,
    /// First new line, from 1; the line before the hunk if it has no new lines.
    pub new_start: usize,
    /// Number of new lines.
    pub new_lines: usize,
    /// `pending`, `accepted`, `rejected`, `edited` or `conflicted`.
    pub state: String,
    /// Current text of the old lines, only for reviewers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// Text of the new lines, only for reviewers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
    /// The state of a path before, as in [`PathEntry`], if the hunk is about a link, a folder or permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The state of the path after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A report of how an edit was matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchEntry {
    /// Index of the edit, from 0.
    pub edit: usize,
    /// Tier that found the match.
    pub strategy: String,
    /// `language server` if that of an attached editor has renamed the symbol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Similarity of the requested and the matched text, from 0 to 1.
    pub similarity: f64,
    /// First line of the match, from 1.
    pub start_line: usize,
    /// Last line of the match.
    pub end_line: usize,
    /// Number of replaced occurrences.
    pub replacements: usize,
    /// Lines of the first 200 replaced occurrences, such as `3, 7-8`, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
}

/// The change of one file in a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// URI of the file.
    pub uri: Uri,
    /// Canonical path of the file.
    pub path: String,
    /// `edit`, `create`, `delete` or `rename`.
    pub action: String,
    /// `100755` for a new executable file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// New path of a renamed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// Hash of the content before the change; null if the file does not exist then.
    pub hash_before: Option<String>,
    /// Hash of the content after the change; null if the file does not exist then.
    pub hash_after: Option<String>,
    /// Unified diff with three lines of context.
    pub diff: String,
    /// The change in the requested additional representation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// First changed line of the new text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_changed_line: Option<usize>,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// Runs of changed lines.
    pub hunks: Vec<Hunk>,
    /// Match of each edit.
    pub matches: Vec<MatchEntry>,
    /// Warnings for the author.
    pub warnings: Vec<String>,
    /// Syntax errors that the change adds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub syntax: Vec<SyntaxEntry>,
    /// Classes that the file belongs to, for instance `executable_config`.
    pub tags: Vec<String>,
}

impl AsMut<Self> for FileEntry {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// Result of `editd/propose` and `editd/discard`: the current state of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposeResult {
    /// Id of the proposal.
    pub id: String,
    /// Revision of the proposal. It grows with each change that is visible to the user.
    pub revision: u32,
    /// State of the proposal.
    pub state: String,
    /// Purpose of the change.
    pub label: Option<String>,
    /// Remaining changes as an LSP edit.
    pub workspace_edit: WorkspaceEdit,
    /// Change of each file.
    pub files: Vec<FileEntry>,
}

/// The applied change of one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedFile {
    /// The change as it was finally applied.
    #[serde(flatten)]
    pub entry: FileEntry,
    /// Current state of the file; `None` if the file was not changed.
    #[serde(flatten)]
    pub landed: Option<ChangedState>,
}

impl AsMut<FileEntry> for AppliedFile {
    fn as_mut(&mut self) -> &mut FileEntry {
        &mut self.entry
    }
}

impl From<FileEntry> for AppliedFile {
    fn from(entry: FileEntry) -> Self {
        Self { entry, landed: None }
    }
}

/// State of a changed file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedState {
    /// Current hash of the file, which is the author's new base; null if the file no longer exists.
    pub hash: Option<String>,
    /// Modification time of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtime: Option<String>,
    /// `disk`, or `editor` if an editor applied the change.
    pub source: String,
    /// `true` if the content is on disk.
    pub saved: bool,
    /// Changed lines with line numbers and some context.
    pub snippet: String,
    /// `true` if the change was merged with changes that others made since the base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
    /// Unified diff of these changes of others; none if it is longer than 16 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// Lines that have moved, in the order of the file: the first 200; none if an editor has changed the text further.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shifts: Vec<Shift>,
}

/// Lines that have moved: those from a line on, up to the next shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shift {
    /// Number of the first of them before the change.
    pub line: usize,
    /// Number of lines by which they have moved down.
    pub by: isize,
}

/// Result of `editd/apply`, `editd/edit` and `editd/undo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplyResult {
    /// Id of the proposal.
    pub id: String,
    /// Revision of the proposal.
    pub revision: u32,
    /// State of the proposal.
    pub state: String,
    /// Id of the transaction, for undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Transaction that was undone, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Identifies the effect of a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Applied change of each file.
    pub files: Vec<AppliedFile>,
    /// New diagnostics of editors in these files, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<DiagnosticEntry>>,
    /// Edits that the user made to the proposed text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// Comments of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// Reason why the proposal is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// An entry of `editd/proposals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposalSummary {
    /// Id of the proposal.
    pub id: String,
    /// Revision of the proposal.
    pub revision: u32,
    /// State of the proposal.
    pub state: String,
    /// The transaction that recorded the changes, if a command has made them already. Accepting a hunk then keeps
    /// it, and rejecting reverts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<String>,
    /// Author of the proposal.
    pub author: String,
    /// Purpose of the change.
    pub label: Option<String>,
    /// Creation time.
    pub at: String,
    /// Files of the proposal.
    pub paths: Vec<String>,
    /// Number of added lines over all files.
    pub added: usize,
    /// Number of removed lines over all files.
    pub removed: usize,
}

/// Result of `editd/proposals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalsResult {
    /// Proposals, oldest first.
    pub proposals: Vec<ProposalSummary>,
}

/// Parameters of `editd/decide`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecideParams {
    /// The proposal.
    pub id: String,
    /// The revision that the user has seen; any other is refused.
    pub revision: u32,
    /// Hunks to accept, except those whose lines have changed.
    pub accept: Option<PickParam>,
    /// Hunks to accept even if their lines have changed; those changes are overwritten.
    pub take: Option<Vec<String>>,
    /// Hunks to reject.
    pub reject: Option<PickParam>,
    /// Confirms that hunks which were decided earlier stay decided, although all others are rejected.
    #[serde(alias = "keep_earlier")]
    pub keep_earlier: Option<bool>,
    /// Complete texts to write instead of the proposed ones.
    pub replace: Option<Vec<ReplaceParam>>,
    /// Comment for the author.
    pub comment: Option<CommentParam>,
}

/// Parameters of `editd/reopen`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReopenParams {
    /// Proposal with rejected hunks. By default, the proposal with the latest rejection among those that the
    /// session decided or that are in its folders.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Hunk that the comment refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// A change of a path besides the content of a file: of a link, a folder, or permissions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathEntry {
    /// Absolute path.
    pub path: String,
    /// The state before: `missing`, `link to TARGET`, `folder MODE` or `file MODE`, with an octal mode.
    pub before: String,
    /// The state after.
    pub after: String,
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
    /// The transaction that recorded the changes, if a command has made them already. Accepting a hunk then keeps
    /// it, and rejecting reverts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<String>,
    /// Author of the proposal.
    pub author: String,
    /// Purpose of the change.
    pub label: Option<String>,
    /// Creation time.
    pub at: String,
    /// Reason for closing the proposal, as given by its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Proposal that replaced it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// Remaining changes as an LSP edit.
    pub workspace_edit: WorkspaceEdit,
    /// Change of each file relative to its current content; for a decided proposal, the applied changes. Links,
    /// folders and permissions are hunks in the entries of their paths.
    pub files: Vec<AppliedFile>,
    /// The links, folders and permissions among the changes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathEntry>,
    /// Id of the transaction, for undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Edits that the user made to the proposed text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// Comments of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// Explanation of the hunks that are still undecided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}
