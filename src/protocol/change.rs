use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::cells::CellParams;
use super::decode::{Invalid, decode, list_or_json};
use super::params::TextEditParams;

/// Fields that all kinds of changes have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileChange<T> {
    /// Absolute, or relative to the first root.
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    pub uri: Option<String>,
    /// Hash that editd returned for the content that the author intends to change.
    pub base_hash: Option<String>,
    /// Fields specific to the kind.
    pub body: T,
}

/// A complete new content for a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WriteParams {
    /// The text.
    pub content: String,
    /// Writes the line endings exactly as they are in `content`.
    pub literal: bool,
    /// Encoding to write: a WHATWG label, `utf-16le` or `utf-16be`.
    pub encoding: Option<String>,
    /// `100755` creates an executable file; `100644` is the default.
    pub mode: Option<String>,
}

/// An entry of `changes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum ChangeParams {
    /// Replacements within a file, and the encoding of the file if the author names it.
    Edit(FileChange<(Vec<TextEditParams>, Option<String>)>),
    /// Writes the complete content of a file.
    Write(FileChange<WriteParams>),
    /// Deletes the file.
    Delete(FileChange<()>),
    /// Renames the file to the path or URI in the body.
    Rename(FileChange<(Option<String>, Option<String>)>),
    /// Changes cells of a notebook.
    Notebook(FileChange<Vec<CellParams>>),
}

impl<'de> Deserialize<'de> for ChangeParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        change(value).map_err(Invalid::nested)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditFields {
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    uri: Option<String>,
    #[serde(alias = "base_hash")]
    base_hash: Option<String>,
    #[serde(deserialize_with = "list_or_json")]
    edits: Vec<TextEditParams>,
    encoding: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WriteFields {
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    uri: Option<String>,
    #[serde(alias = "base_hash")]
    base_hash: Option<String>,
    content: String,
    #[serde(default)]
    literal: bool,
    encoding: Option<String>,
    mode: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DeleteFields {
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    uri: Option<String>,
    #[serde(alias = "base_hash")]
    base_hash: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RenameFields {
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    uri: Option<String>,
    #[serde(alias = "base_hash")]
    base_hash: Option<String>,
    #[serde(alias = "new_path")]
    new_path: Option<String>,
    #[serde(alias = "new_uri")]
    new_uri: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NotebookFields {
    #[serde(alias = "file_path", alias = "filePath")]
    path: Option<String>,
    uri: Option<String>,
    #[serde(alias = "base_hash")]
    base_hash: Option<String>,
    #[serde(deserialize_with = "list_or_json")]
    cells: Vec<CellParams>,
}

fn change(value: Value) -> Result<ChangeParams, Invalid> {
    const KINDS: &str = "expected one of `edit`, `write`, `delete`, `rename`, `notebook`";
    let Value::Object(mut fields) = value else { return Err(Invalid::new("", "expected an object")) };
    let Some(kind) = fields.shift_remove("kind") else {
        return Err(Invalid::new("kind", format!("it is missing, {KINDS}")));
    };
    let rest = Value::Object(fields);
    Ok(match kind.as_str() {
        Some("edit") => {
            let EditFields { path, uri, base_hash, edits, encoding } = decode(rest)?;
            ChangeParams::Edit(FileChange { path, uri, base_hash, body: (edits, encoding) })
        }
        Some("write") => {
            let WriteFields { path, uri, base_hash, content, literal, encoding, mode } = decode(rest)?;
            let body = WriteParams { content, literal, encoding, mode };
            ChangeParams::Write(FileChange { path, uri, base_hash, body })
        }
        Some("delete") => {
            let DeleteFields { path, uri, base_hash } = decode(rest)?;
            ChangeParams::Delete(FileChange { path, uri, base_hash, body: () })
        }
        Some("rename") => {
            let RenameFields { path, uri, base_hash, new_path, new_uri } = decode(rest)?;
            ChangeParams::Rename(FileChange { path, uri, base_hash, body: (new_path, new_uri) })
        }
        Some("notebook") => {
            let NotebookFields { path, uri, base_hash, cells } = decode(rest)?;
            ChangeParams::Notebook(FileChange { path, uri, base_hash, body: cells })
        }
        _ => return Err(Invalid::new("kind", format!("unknown kind {kind}, {KINDS}"))),
    })
}
