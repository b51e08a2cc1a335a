use lsp_types::Uri;
use serde::{Deserialize, Serialize};

/// Parameters of `editd/read`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadParams {
    /// Absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// First line wanted, from 1; of a notebook, the first cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Number of lines wanted, of which at most 2,000 come; of a notebook, of cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Bytes of text wanted at most, as they stand in the answer, where escapes count; never more than 256 KiB come.
    /// For clients that would cut a longer answer.
    #[serde(default, alias = "max_bytes", skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// First character wanted of each line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Characters of each line wanted at most; what is longer is cut, and says so.
    #[serde(default, alias = "max_columns", skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// Whether each line begins with its number and a tab.
    #[serde(default)]
    pub numbered: bool,
    /// Whether a notebook is given as the text of its file, and not as cells.
    #[serde(default)]
    pub raw: bool,
}

/// Parameters of `editd/forget`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ForgetParams {
    /// Absolute, or relative to the first root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

/// The answer to `editd/forget`: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetResult {}

/// The answer to `editd/read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// The file's URI.
    pub uri: Uri,
    /// The file's canonical path.
    pub path: String,
    /// Hash of the whole file: a base.
    pub hash: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// Time of its last change.
    pub mtime: String,
    /// `disk`, or `editor` where unsaved text is the truth.
    pub source: String,
    /// The editor's version of it, where one has it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// What the file holds.
    #[serde(flatten)]
    pub content: ReadContent,
    /// What a reader should know, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// What a file holds, in the form that suits it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReadContent {
    /// Text.
    Text(TextContent),
    /// A notebook.
    Notebook(NotebookContent),
    /// An image.
    Image(ImageContent),
}

/// A file's text, or some lines of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextContent {
    /// The lines asked for, with the file's own line ends, without a BOM.
    pub text: String,
    /// Its encoding's name.
    pub encoding: String,
    /// Whether it begins with a byte order mark.
    pub bom: bool,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub eol: String,
    /// How it indents.
    pub indent: Indent,
    /// First line in `text`, from 1; the one asked for where `text` is empty.
    pub start_line: usize,
    /// Last line in `text`; one less than the first where `text` is empty.
    pub end_line: usize,
    /// Lines of the whole file.
    pub total_lines: usize,
    /// Whether the file goes on after `endLine`, or a line was cut.
    pub truncated: bool,
}

/// How a file indents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indent {
    /// `tabs`, `spaces`, `mixed` or `none`.
    pub style: String,
    /// Columns of one step, where it indents by spaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<u8>,
}

/// A notebook's cells, or some of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotebookContent {
    /// The cells asked for.
    pub cells: Vec<CellContent>,
    /// Cells of the whole notebook.
    pub total_cells: usize,
    /// Whether there are cells after these, or something of these was cut.
    pub truncated: bool,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CellContent {
    /// Its place in the notebook, from 0.
    pub index: usize,
    /// Its id, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `code`, `markdown` or `raw`, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<String>,
    /// Its source.
    pub source: String,
    /// The number of its last run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_count: Option<u64>,
    /// What it printed and showed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputContent>,
}

/// One output of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputContent {
    /// `stream`, `execute_result`, `display_data` or `error`.
    pub output_type: String,
    /// What of it is plain text; its beginning, where it is long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The types of what else there is and is not given, such as `image/png`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mime_types: Vec<String>,
}

/// An image that a model can be shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageContent {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub mime_type: String,
    /// The image's file, in base64.
    pub data: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// The width of the file's own image in pixels.
    pub original_width: u32,
    /// The height of the file's own image in pixels.
    pub original_height: u32,
}

impl ReadResult {
    /// The text, if that is what the file holds.
    pub fn text(&self) -> Option<&TextContent> {
        match &self.content {
            ReadContent::Text(text) => Some(text),
            ReadContent::Notebook(_) | ReadContent::Image(_) => None,
        }
    }
}
