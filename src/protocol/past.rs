//! `editd/undo`, `editd/history` and `editd/blame`.

use lsp_types::Uri;
use serde::{Deserialize, Serialize};

/// Parameters of `editd/undo`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoParams {
    /// The transaction; if absent, the newest change that is neither undone nor an undo.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// Only a change of this file: absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Only a change that this session made.
    #[serde(default, alias = "own_session", skip_serializing_if = "std::ops::Not::not")]
    pub own_session: bool,
    /// Whether a person must decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<bool>,
    /// How long to wait for a person's decision, in milliseconds.
    #[serde(default, alias = "wait_ms", skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// Whether to show what would be undone, and change nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub preview: bool,
    /// The `fingerprint` of a preview: anything else than what was shown is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// Parameters of `editd/history`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryParams {
    /// Only changes of this file, or of files in this folder: absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Only this transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// `true` adds the diff of each file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diff: bool,
    /// Only changes of the session with this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only changes at or after this time (RFC 3339, as `at`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// How many are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only what happened before this transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Parameters of `editd/blame`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlameParams {
    /// The file: absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// The answer to `editd/history`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryResult {
    /// Newest first.
    pub transactions: Vec<TransactionEntry>,
}

/// What was done in one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionEntry {
    /// Its id.
    pub transaction: String,
    /// When.
    pub at: String,
    /// By whom; `disk` for a text of another program that was kept.
    pub author: String,
    /// The name of the session that it was for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What for.
    pub label: Option<String>,
    /// To which files: of those outside the session's roots nothing is said.
    pub files: Vec<TransactionFile>,
    /// Whether it is undone.
    pub undone: bool,
    /// By which transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// The transaction that it undid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// It changed nothing, but keeps a text of another program that was displaced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rescued: bool,
}

/// What was done to one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionFile {
    /// The file's URI.
    pub uri: Uri,
    /// The file's canonical path.
    pub path: String,
    /// `edit`, `create`, `delete` or `rename`.
    pub action: String,
    /// Where a renamed file went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
    /// Hash of what was there; null for nothing.
    pub hash_before: Option<String>,
    /// Hash of what was there afterwards; null for nothing.
    pub hash_after: Option<String>,
    /// Lines added.
    pub added: usize,
    /// Lines removed.
    pub removed: usize,
    /// Classes that the file belongs to.
    pub tags: Vec<String>,
    /// The change as a unified diff, where it was asked for. Absent where it was too long to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The answer to `editd/blame`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlameResult {
    /// The file's URI.
    pub uri: Uri,
    /// The file's canonical path.
    pub path: String,
    /// Hash of the text that the lines are of.
    pub hash: String,
    /// All lines, in order.
    pub lines: Vec<BlameEntry>,
}

/// Lines that were written by the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlameEntry {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// By whom; `disk` where no kept transaction wrote them.
    pub author: String,
    /// In which transaction.
    pub transaction: Option<String>,
    /// When.
    pub at: Option<String>,
}
