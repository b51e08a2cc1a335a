use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use editd_edit::notebook::{CellOp, CellRef, CellType};
use editd_edit::patch::PatchFormat;

use super::decode::{Invalid, decode, list_or_json, nested, object_of_json};
use super::edit_entry::EditEntry;
use super::propose::names_only;

/// An entry of `changes`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum ChangeParams {
    /// Replacements within a file.
    Edit(EditChange),
    /// Writes the complete content of a file.
    Write(WriteChange),
    /// Deletes the file.
    Delete(DeleteChange),
    /// Renames the file.
    Rename(RenameChange),
    /// Changes cells of a notebook.
    Notebook(NotebookChange),
}

impl<'de> Deserialize<'de> for ChangeParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        change(value).map_err(nested)
    }
}

/// Defines the fields of a kind of change, after those that all kinds have in common. With `flatten`, errors
/// would not list the known fields.
macro_rules! kinds_of_changes {
    ($($(#[$doc:meta])* $kind:ident { $($fields:tt)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $kind {
            /// Absolute, or relative to the root.
            #[serde(alias = "file_path", alias = "filePath")]
            pub path: Option<String>,
            /// A `file:` URI instead of `path`.
            pub uri: Option<String>,
            /// Hash that editd returned for the content that the author intends to change.
            #[serde(alias = "base_hash")]
            pub base_hash: Option<String>,
            $($fields)*
        }
    )*};
}

kinds_of_changes! {
    /// Replacements within a file.
    EditChange {
        /// The replacements.
        #[serde(deserialize_with = "list_or_json")]
        pub edits: Vec<EditEntry>,
        /// Encoding of the file, if the author names it.
        pub encoding: Option<String>,
    }
    /// A complete new content for a file.
    WriteChange {
        /// The text.
        pub content: String,
        /// Writes the line endings exactly as they are in `content`.
        #[serde(default)]
        pub literal: bool,
        /// Encoding to write: a WHATWG label, `utf-16le` or `utf-16be`.
        pub encoding: Option<String>,
        /// `100755` creates an executable file; `100644` is the default.
        pub mode: Option<String>,
    }
    /// The deletion of a file.
    DeleteChange {}
    /// A new name for a file.
    RenameChange {
        /// The new path.
        #[serde(alias = "new_path")]
        pub new_path: Option<String>,
        /// The new URI instead of `newPath`.
        #[serde(alias = "new_uri")]
        pub new_uri: Option<String>,
    }
    /// Operations on the cells of a notebook.
    NotebookChange {
        /// The operations.
        #[serde(deserialize_with = "list_or_json")]
        pub cells: Vec<CellParams>,
    }
}

fn change(value: Value) -> Result<ChangeParams, Invalid> {
    const KINDS: &str = "expected one of `edit`, `write`, `delete`, `rename`, `notebook`";
    let Value::Object(mut fields) = value else { return Err(Invalid::new("", "expected an object")) };
    let Some(kind) = fields.shift_remove("kind") else {
        return Err(Invalid::new("kind", format!("it is missing, {KINDS}")));
    };
    let rest = Value::Object(fields);
    match kind.as_str() {
        Some("edit") => decode(rest).map(ChangeParams::Edit),
        Some("write") => decode(rest).map(ChangeParams::Write),
        Some("delete") => decode(rest).map(ChangeParams::Delete),
        Some("rename") => decode(rest).map(ChangeParams::Rename),
        Some("notebook") => decode(rest).map(ChangeParams::Notebook),
        _ => Err(Invalid::new("kind", format!("unknown kind {kind}, {KINDS}"))),
    }
}

/// An entry of `cells` in a notebook change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(description = "")]
pub struct CellParams {
    /// Operation to perform.
    #[schemars(description = "")]
    pub op: CellOpParam,
    /// The cell; for `insert`, the cell before the new one.
    #[serde(alias = "cellId", alias = "cell_id")]
    pub id: Option<String>,
    /// Instead of `id`, from 0; for `insert`, the index of the new cell.
    pub index: Option<usize>,
    /// Required for `insert`.
    #[serde(alias = "cell_type")]
    pub cell_type: Option<CellTypeParam>,
    /// The complete new source.
    pub source: Option<String>,
    /// For `replace`: clear the outputs.
    #[serde(default, alias = "clear_outputs")]
    pub clear_outputs: bool,
}

/// An operation on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum CellOpParam {
    /// Changes the type or source, or removes the outputs.
    Replace,
    /// Adds a cell.
    Insert,
    /// Removes the cell.
    Delete,
}

/// Type of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(transform = names_only)]
pub enum CellTypeParam {
    /// Code.
    Code,
    /// Markdown.
    Markdown,
    /// Neither code nor Markdown.
    Raw,
}

impl From<CellTypeParam> for CellType {
    fn from(param: CellTypeParam) -> Self {
        match param {
            CellTypeParam::Code => Self::Code,
            CellTypeParam::Markdown => Self::Markdown,
            CellTypeParam::Raw => Self::Raw,
        }
    }
}

/// Converts the parameters to cell operations.
pub fn cell_ops(cells: Vec<CellParams>) -> Result<Vec<CellOp>, Invalid> {
    if cells.is_empty() {
        return Err(Invalid::new("cells", "it is empty"));
    }
    let read = |(index, cell): (usize, CellParams)| {
        cell.read().map_err(|invalid| invalid.within(&format!("cells[{index}]")))
    };
    cells.into_iter().enumerate().map(read).collect()
}

impl CellParams {
    fn read(self) -> Result<CellOp, Invalid> {
        let place = match (self.id, self.index) {
            (Some(_), Some(_)) => return Err(Invalid::new("index", "it cannot be combined with `id`")),
            (Some(id), None) => Some(CellRef::Id(id)),
            (None, index) => index.map(CellRef::Index),
        };
        let named = || Invalid::new("id", "it is missing, and so is `index`");
        let only_for = |name: &str, ops| Err(Invalid::new(name, format!("it is allowed only with {ops}")));
        let cell_type = self.cell_type.map(CellType::from);
        match self.op {
            CellOpParam::Insert if self.clear_outputs => only_for("clearOutputs", "`replace`"),
            CellOpParam::Insert => Ok(CellOp::Insert {
                at: place,
                cell_type: cell_type
                    .ok_or_else(|| Invalid::new("cellType", "it is missing, and a new cell needs it"))?,
                source: self.source.unwrap_or_default(),
            }),
            CellOpParam::Delete if self.source.is_some() => only_for("source", "`replace` and `insert`"),
            CellOpParam::Delete if cell_type.is_some() => only_for("cellType", "`replace` and `insert`"),
            CellOpParam::Delete if self.clear_outputs => only_for("clearOutputs", "`replace`"),
            CellOpParam::Delete => Ok(CellOp::Delete { cell: place.ok_or_else(named)? }),
            CellOpParam::Replace if cell_type.is_none() && self.source.is_none() && !self.clear_outputs => {
                Err(Invalid::new("source", "it is missing, and so are `cellType` and `clearOutputs`"))
            }
            CellOpParam::Replace => Ok(CellOp::Replace {
                cell: place.ok_or_else(named)?,
                cell_type,
                source: self.source,
                clear_outputs: self.clear_outputs,
            }),
        }
    }
}

/// A patch in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchParams {
    /// Format of the patch; `None` to detect it from the text.
    pub format: Option<PatchFormat>,
    /// Text of the patch, which may be surrounded by other text.
    pub text: String,
}

/// A patch, and the base hashes of its files by path.
pub type PatchAndBases = (PatchParams, BTreeMap<String, String>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchFields {
    #[serde(default)]
    format: FormatParam,
    text: String,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormatParam {
    #[default]
    Auto,
    SearchReplace,
    ApplyPatch,
    UnifiedDiff,
    Anchored,
}

impl Serialize for PatchParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.format.map(PatchFormat::name), &self.text).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PatchParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = match Value::deserialize(deserializer)? {
            // A patch never begins with a brace, so this is the object as a string of JSON.
            Value::String(text) if text.trim_start().starts_with('{') => {
                object_of_json(&text).map_err(serde::de::Error::custom)?
            }
            Value::String(text) => return Ok(Self { format: None, text }),
            value => value,
        };
        let PatchFields { format, text } = decode(value).map_err(nested)?;
        let format = match format {
            FormatParam::Auto => None,
            FormatParam::SearchReplace => Some(PatchFormat::SearchReplace),
            FormatParam::ApplyPatch => Some(PatchFormat::ApplyPatch),
            FormatParam::UnifiedDiff => Some(PatchFormat::UnifiedDiff),
            FormatParam::Anchored => Some(PatchFormat::Anchored),
        };
        Ok(Self { format, text })
    }
}
