use lsp_types::Uri;
use serde::{Deserialize, Serialize};

/// Parameters of `editd/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchParams {
    /// A regular expression that is to match within one line; with `literal`, the text itself.
    pub pattern: String,
    /// A file or folder, absolute or relative to the first root; without it all roots are searched.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Only files whose path fits this glob, as in `editd/find`; with `!` before it, only those that do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Whether upper and lower case are the same.
    #[serde(default, alias = "ignore_case")]
    pub ignore_case: bool,
    /// Whether the pattern is a text and no regular expression.
    #[serde(default, alias = "fixedString", alias = "fixed_string")]
    pub literal: bool,
    /// Lines wanted before and after each match; at most 20 come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Matching lines wanted: 100 unless told, at most 1,000 come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The answer to `editd/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// The matching lines, by path and line: the first ones in that order, where there are more.
    pub matches: Vec<FoundLine>,
    /// Whether there may be matches that are not told.
    pub truncated: bool,
    /// What was left out and why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A line that matches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    /// The file's canonical path.
    pub path: String,
    /// Its `file:` URI, where `path` does not name it because its name is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// The line's number, from 1.
    pub line: u64,
    /// The line without its line end; of a long one 2,000 characters around the match.
    pub text: String,
    /// Lines right before it, where `context` asks for them; they may be matches themselves.
    #[serde(default)]
    pub before: Vec<String>,
    /// Lines right after it, likewise.
    #[serde(default)]
    pub after: Vec<String>,
}

/// Parameters of `editd/find`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindParams {
    /// A glob: of a name at any depth, or, with `/` in it, of a path from the folder that is searched.
    pub pattern: String,
    /// A folder, absolute or relative to the first root; without it all roots are searched.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Paths wanted: 1,000 unless told, at most 10,000 come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Parameters of `editd/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListParams {
    /// A folder, absolute or relative to the first root; without it all roots are listed.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Entries wanted: 500 unless told, at most 10,000 come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// The answer to `editd/find` and `editd/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entries {
    /// What was found, by path: the first ones in that order, where there are more.
    pub entries: Vec<FoundEntry>,
    /// Whether there may be more that is not told.
    pub truncated: bool,
    /// What was left out and why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundEntry {
    /// Its canonical path; that of a folder ends in `/`.
    pub path: String,
    /// Its `file:` URI, where `path` does not name it because its name is not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// What it is.
    pub kind: EntryKind,
}

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A file, on the disk or so far only in an editor.
    File,
    /// A folder.
    Folder,
    /// A symlink, wherever it leads; it is not followed.
    Symlink,
}
