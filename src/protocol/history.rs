//! Parameters and results of `editd/undo`, `editd/history`, `editd/blame` and `editd/changes`.

use lsp_types::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::propose::OriginParams;
use super::results::PathEntry;
use super::run::RunEntry;

/// Parameters of `editd/undo`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct UndoParams {
    /// Transaction to undo; by default the newest change that is neither undone nor an undo.
    pub transaction: Option<String>,
    /// Restricts the undo to a change of this file: absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    pub uri: Option<String>,
    /// Restricts the undo to changes made by this session.
    #[serde(alias = "own_session")]
    pub own_session: bool,
    /// Requires a decision by the user.
    pub review: Option<bool>,
    /// Maximum time to wait for the user's decision, in milliseconds.
    #[serde(alias = "wait_ms")]
    pub wait_ms: Option<u64>,
    /// Returns the effect of the undo without changing anything.
    pub preview: bool,
    /// `fingerprint` of a preview. The undo is refused if its effect differs from the preview.
    pub fingerprint: Option<String>,
}

/// Parameters of `editd/history`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HistoryParams {
    /// Restricts the result to this file or folder: absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    pub uri: Option<String>,
    /// Restricts the result to this transaction.
    pub transaction: Option<String>,
    /// Includes the diff of each file.
    pub diff: bool,
    /// Restricts the result to changes of this author.
    pub author: Option<String>,
    /// Restricts the result to the session with this name.
    pub session: Option<String>,
    /// Restricts the result to the turn with this id.
    pub turn: Option<String>,
    /// Restricts the result to the sub-agent with this id.
    pub agent: Option<String>,
    /// Restricts the result to changes at or after this time (RFC 3339, as `at`).
    pub since: Option<String>,
    /// Maximum number of transactions.
    pub limit: Option<usize>,
    /// Restricts the result to transactions before this one.
    pub before: Option<String>,
}

/// Result of `editd/history`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryResult {
    /// Transactions, newest first.
    pub transactions: Vec<TransactionEntry>,
}

/// A transaction in the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionEntry {
    /// Id of the transaction.
    pub transaction: String,
    /// Time of the transaction.
    pub at: String,
    /// Author; `disk` for a stored text that another program wrote.
    pub author: String,
    /// Name of the session that requested it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Place of the change in the work of its author, if its client reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginParams>,
    /// Purpose of the change.
    pub label: Option<String>,
    /// The run of a command that made it, instead of a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunEntry>,
    /// Changed files. Files outside the session's roots are omitted.
    pub files: Vec<TransactionFile>,
    /// Changes of links, folders and permissions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathEntry>,
    /// `true` if the transaction has been undone.
    pub undone: bool,
    /// Transaction that undid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// Transaction that it undid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// `true` if the transaction changed nothing, but stores a displaced text of another program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rescued: bool,
}

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionFile {
    /// URI of the file.
    pub uri: Uri,
    /// Canonical path of the file.
    pub path: String,
    /// `edit`, `create`, `delete` or `rename`.
    pub action: String,
    /// New path of a renamed file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// Hash of the content before the change; null if the file did not exist.
    pub hash_before: Option<String>,
    /// Hash of the content after the change; null if the file did not exist.
    pub hash_after: Option<String>,
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// Classes that the file belongs to.
    pub tags: Vec<String>,
    /// The change as a unified diff, if requested. Absent if the diff was too long to be
    /// stored and its texts are not known any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// `true` if the history has removed the old content to make room: the change cannot be undone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub content_gone: bool,
}

/// Result of `editd/blame`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlameResult {
    /// URI of the file.
    pub uri: Uri,
    /// Canonical path of the file.
    pub path: String,
    /// Hash of the text that the lines belong to.
    pub hash: String,
    /// All lines, in order.
    pub lines: Vec<BlameEntry>,
}

/// A range of lines written by the same transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlameEntry {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Author; `disk` if no stored transaction wrote the lines.
    pub author: String,
    /// Transaction that wrote the lines.
    pub transaction: Option<String>,
    /// Time of the transaction.
    pub at: Option<String>,
    /// Name of the session that requested it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Place of the change in the work of its author, if its client reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<OriginParams>,
}

/// Parameters of `editd/changes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangesParams {
    /// This file only. Default: all files you have read.
    #[serde(alias = "file_path", alias = "filePath")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[schemars(skip)]
    pub uri: Option<String>,
    /// `cursor` of an earlier result, to see all later changes again. Default: only changes not shown yet.
    pub since: Option<u64>,
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
