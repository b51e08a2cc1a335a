use lsp_types::{Uri, WorkspaceEdit};
use serde::{Deserialize, Serialize};

use super::diagnostics::DiagnosticEntry;
use super::review::{CommentEntry, UserEdit};

/// A run of changed lines; numbers as in unified diffs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// Names it within its proposal.
    pub id: String,
    /// What it does, where that is not to replace lines: `create`, `delete`, `rename` or `encoding`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// First old line, from 1; the line before where none is old.
    pub old_start: usize,
    /// Old lines.
    pub old_lines: usize,
    /// First new line, from 1; the line before where none is new.
    pub new_start: usize,
    /// New lines.
    pub new_lines: usize,
    /// `pending`, `accepted`, `rejected`, `edited` or `conflicted`.
    pub state: String,
    /// The old lines as they are now, for those who decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// The new lines, for those who decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_text: Option<String>,
}

/// How an edit found its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchEntry {
    /// Index of the edit, from 0.
    pub edit: usize,
    /// The tier that found it.
    pub strategy: String,
    /// Likeness of what was asked for and what is there, 0 to 1.
    pub similarity: f64,
    /// First line of the place, from 1.
    pub start_line: usize,
    /// Last line of the place.
    pub end_line: usize,
    /// Number of places replaced.
    pub replacements: usize,
}

/// What a proposal does to one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileEntry {
    /// The file's URI.
    pub uri: Uri,
    /// The file's canonical path.
    pub path: String,
    /// `edit`, `create`, `delete` or `rename`.
    pub action: String,
    /// `100755` for a new executable file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Where a renamed file goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// Hash of what is there before; null for nothing.
    pub hash_before: Option<String>,
    /// Hash of what is there after; null for nothing.
    pub hash_after: Option<String>,
    /// Unified diff with three lines of context.
    pub diff: String,
    /// The change in the form that was asked for, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// First changed line of the new text, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_changed_line: Option<usize>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Runs of changed lines.
    pub hunks: Vec<Hunk>,
    /// How each edit found its place.
    pub matches: Vec<MatchEntry>,
    /// What the author should know, in words.
    pub warnings: Vec<String>,
    /// Classes that the file belongs to, for instance `executable_config`.
    pub tags: Vec<String>,
}

/// The answer to `editd/propose`, and a proposal as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposeResult {
    /// Names the proposal.
    pub id: String,
    /// Counts what people see of it.
    pub revision: u32,
    /// Where it stands.
    pub state: String,
    /// What it is for.
    pub label: Option<String>,
    /// What is left to do, as an editor can do it.
    pub workspace_edit: WorkspaceEdit,
    /// What happens to each file.
    pub files: Vec<FileEntry>,
}

/// What was done to one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppliedFile {
    /// What was proposed, as it was done in the end.
    #[serde(flatten)]
    pub entry: FileEntry,
    /// What is there now; none where nothing was done.
    #[serde(flatten)]
    pub landed: Option<LandedFile>,
}

/// A file that something was done to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LandedFile {
    /// Hash of the file now; null if it is gone. The author's new base.
    pub hash: Option<String>,
    /// Time of its last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtime: Option<String>,
    /// `disk`, or `editor` if an editor did it.
    pub source: String,
    /// Whether it is on disk.
    pub saved: bool,
    /// The changed lines with their numbers and some around them.
    pub snippet: String,
    /// Whether the change was merged with what others had done since the base.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rebased: bool,
}

/// The answer to `editd/apply` and `editd/edit`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplyResult {
    /// The proposal.
    pub id: String,
    /// Its revision.
    pub revision: u32,
    /// Where it stands.
    pub state: String,
    /// Names what was done, for undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// The transaction that was undone, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// Of a preview: names what it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// What was done to each file.
    pub files: Vec<AppliedFile>,
    /// What editors say is wrong in these files and was not before; if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Vec<DiagnosticEntry>>,
    /// What a person wrote instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_edits: Vec<UserEdit>,
    /// What a person said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<CommentEntry>,
    /// Why it is closed, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A line of `editd/proposals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProposalSummary {
    /// Names the proposal.
    pub id: String,
    /// Its revision.
    pub revision: u32,
    /// Where it stands.
    pub state: String,
    /// Who made it.
    pub author: String,
    /// What it is for.
    pub label: Option<String>,
    /// When it was made.
    pub at: String,
    /// Its files.
    pub paths: Vec<String>,
    /// Lines added over all files.
    pub added: usize,
    /// Lines removed over all files.
    pub removed: usize,
}

/// The answer to `editd/proposals`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalsResult {
    /// Oldest first.
    pub proposals: Vec<ProposalSummary>,
}

/// A file that others changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The file's URI.
    pub uri: Uri,
    /// The file's canonical path.
    pub path: String,
    /// Who changed it last: an author, or `disk` for another program.
    pub by: String,
    /// What the session had.
    pub hash_before: Option<String>,
    /// What is there now, null for nothing: the session's new base.
    pub hash: Option<String>,
    /// From the one to the other; absent only if a text is gone or too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The answer to `editd/changes`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangesResult {
    /// To be sent as `since`, should this answer get lost.
    pub cursor: u64,
    /// What changed.
    pub files: Vec<ChangedFile>,
}

/// The answer to `editd/status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// Version of the program.
    pub version: String,
    /// Version of the wire contract.
    pub protocol: u32,
    /// Process number.
    pub pid: u32,
    /// Seconds since the start.
    pub uptime: u64,
    /// Connections that have said `initialize`, this one included.
    pub sessions: usize,
    /// Files that some session has read.
    pub documents: usize,
    /// Proposals known.
    pub proposals: usize,
    /// Proposals that can still be applied.
    pub open_proposals: usize,
    /// Diagnostics that editors have told of.
    #[serde(default)]
    pub diagnostics: usize,
    /// What it holds.
    pub memory: MemoryUse,
    /// `off`, `auto` or `always`.
    pub review: String,
    /// `process` or `full`.
    pub durability: String,
    /// The state folder.
    pub state_dir: String,
    /// The folder of the sockets.
    pub runtime_dir: String,
    /// Why writes are refused, if the configuration could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration_error: Option<String>,
    /// Files of interrupted transactions that could be neither finished nor taken back yet.
    #[serde(default)]
    pub recovering: usize,
    /// The user's path rules, where there is a policy file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyStatus>,
    /// The limits in force.
    pub limits: serde_json::Map<String, serde_json::Value>,
}

/// The policy file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyStatus {
    /// Where it is.
    pub file: String,
    /// How many rules of it are in force.
    pub rules: usize,
    /// Why writes are refused, if it cannot be obeyed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryUse {
    /// Text that is kept.
    pub text: u64,
    /// Resident memory of the process, where the system tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resident: Option<u64>,
}

/// The answer to `editd/shutdown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShutdownResult {
    /// Process number of the daemon that is ending, to wait for.
    pub pid: u32,
}
