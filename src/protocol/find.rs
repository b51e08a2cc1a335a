//! Parameters and results of `editd/find` and `editd/list`.

use lsp_types::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FoundSymbol;

/// Parameters of `editd/find`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindParams {
    /// A glob, not a regular expression: for names (`*.toml`) or, with `/`, for paths (`src/**/*_test.go`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Declarations of a symbol, such as `Class.method`, in the files that fit `pattern`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Folder to search. Default: all roots.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Maximum number of paths. Default 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Parameters of `editd/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    /// The folder. Default: all roots.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Maximum number of entries. Default: all that fit in an answer.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// Symbols that were found, instead of entries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<FoundSymbol>,
}

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundEntry {
    /// Canonical path; that of a folder ends in `/`.
    pub path: String,
    /// `file:` URI, if `path` cannot represent the name because it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
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
