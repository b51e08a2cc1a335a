use lsp_types::Uri;
use serde::{Deserialize, Serialize};

/// Parameters of `editd/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchParams {
    /// Regular expression that matches within one line, or a literal text if `literal` is set.
    pub pattern: String,
    /// File or folder, absolute or relative to the first root; by default, all roots are searched.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Restricts the search to paths that match this glob, as in `editd/find`, or with a leading `!`, to
    /// those that do not match it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Ignores case.
    #[serde(default, alias = "ignore_case")]
    pub ignore_case: bool,
    /// Treats the pattern as literal text.
    #[serde(default, alias = "fixedString", alias = "fixed_string")]
    pub literal: bool,
    /// Number of lines to return before and after each match, at most 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Maximum number of matching lines: 100 by default, capped at 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Result of `editd/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// Matching lines, sorted by path and line. If there are more than the limit, the first ones in that
    /// order.
    pub matches: Vec<FoundLine>,
    /// `true` if there may be matches beyond those returned.
    pub truncated: bool,
    /// Explanation of what was omitted and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A matching line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    /// Canonical path of the file.
    pub path: String,
    /// `file:` URI, if `path` cannot represent the name because it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// Line number, from 1.
    pub line: u64,
    /// The line without its line ending; for a long line, 2,000 characters around the match.
    pub text: String,
    /// Lines directly before it, as requested by `context`. They may be matches themselves.
    #[serde(default)]
    pub before: Vec<String>,
    /// Lines directly after it, as requested by `context`.
    #[serde(default)]
    pub after: Vec<String>,
}

/// Parameters of `editd/find`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindParams {
    /// Glob that matches names at any depth or, if it contains `/`, paths relative to the searched folder.
    pub pattern: String,
    /// Folder, absolute or relative to the first root; by default, all roots are searched.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Maximum number of paths: 1,000 by default, capped at 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Parameters of `editd/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    /// Folder, absolute or relative to the first root; by default, all roots are listed.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Maximum number of entries: 500 by default, capped at 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Result of `editd/find` and `editd/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entries {
    /// Entries, sorted by path. If there are more than the limit, the first ones in that order.
    pub entries: Vec<FoundEntry>,
    /// `true` if there may be entries beyond those returned.
    pub truncated: bool,
    /// Explanation of what was omitted and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundEntry {
    /// Canonical path; that of a folder ends in `/`.
    pub path: String,
    /// `file:` URI, if `path` cannot represent the name because it is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// Type of the entry.
    pub kind: EntryKind,
}

/// Type of a directory entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A file, on disk or so far only in an editor.
    File,
    /// A folder.
    Folder,
    /// A symlink to any target; it is not followed.
    Symlink,
}
