use lsp_types::{Uri, WorkspaceEdit};
use serde::{Deserialize, Serialize};

use super::diagnostics::DiagnosticEntry;
use super::review::{CommentEntry, UserEdit};

/// A run of changed lines. Line numbers follow the unified diff format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Id of the hunk within its proposal.
    pub id: String,
    /// Kind of the change, unless it replaces lines: `create`, `delete`, `rename` or `encoding`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// Text of the new lines, only for reviewers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
}

/// A report of how an edit was matched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchEntry {
    /// Index of the edit, from 0.
    pub edit: usize,
    /// Tier that found the match.
    pub strategy: String,
    /// Similarity of the requested and the matched text, from 0 to 1.
    pub similarity: f64,
    /// First line of the match, from 1.
    pub start_line: usize,
    /// Last line of the match.
    pub end_line: usize,
    /// Number of replaced occurrences.
    pub replacements: usize,
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// Classes that the file belongs to, for instance `executable_config`.
    pub tags: Vec<String>,
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

/// State of a changed file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Identifies the effect of a preview.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// Applied change of each file.
    pub files: Vec<AppliedFile>,
    /// New diagnostics of editors in these files, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<DiagnosticEntry>>,
    /// Edits that the user made to the proposed text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// Comments of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// Reason why the proposal is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// A file that was changed by others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// URI of the file.
    pub uri: Uri,
    /// Canonical path of the file.
    pub path: String,
    /// Author of the last change, or `disk` for another program.
    pub by: String,
    /// Hash of the content that the session last received.
    pub hash_before: Option<String>,
    /// Current hash, which is the session's new base; null if the file does not exist.
    pub hash: Option<String>,
    /// Diff from `hashBefore` to `hash`. Absent only if a text is no longer available or too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// Result of `editd/changes`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangesResult {
    /// Cursor to send as `since` if this response gets lost.
    pub cursor: u64,
    /// Changed files.
    pub files: Vec<ChangedFile>,
}

/// Result of `editd/status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// Version of the program.
    pub version: String,
    /// Version of the wire contract.
    pub protocol: u32,
    /// Process ID.
    pub pid: u32,
    /// Time since the start, in seconds.
    pub uptime: u64,
    /// Number of connections that have sent `initialize`, including this one.
    pub sessions: usize,
    /// Number of files that any session has read.
    pub documents: usize,
    /// Number of known proposals.
    pub proposals: usize,
    /// Number of proposals that can still be applied.
    pub open_proposals: usize,
    /// Number of diagnostics received from editors.
    #[serde(default)]
    pub diagnostics: usize,
    /// Memory usage.
    pub memory: MemoryUse,
    /// `off`, `auto` or `always`.
    pub review: String,
    /// `process` or `full`.
    pub durability: String,
    /// State folder.
    pub state_dir: String,
    /// Folder of the sockets.
    pub runtime_dir: String,
    /// Error in the configuration, because of which writes are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration_error: Option<String>,
    /// Number of files of interrupted transactions that are neither completed nor rolled back yet.
    #[serde(default)]
    pub recovering: usize,
    /// The user's path rules, if a policy file exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyStatus>,
    /// Limits in force.
    pub limits: serde_json::Map<String, serde_json::Value>,
}

/// Status of the policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyStatus {
    /// Path of the policy file.
    pub file: String,
    /// Number of its rules in force.
    pub rules: usize,
    /// Error in the policy file, because of which writes are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Memory usage, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryUse {
    /// Cached text.
    pub text: u64,
    /// Resident memory of the process, if the system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resident: Option<u64>,
}

/// Result of `editd/shutdown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownResult {
    /// Process ID of the daemon that is shutting down, so that the client can wait for it.
    pub pid: u32,
}
