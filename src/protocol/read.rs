//! Parameters and results of `editd/read` and `editd/search`.

use std::collections::BTreeMap;

use lsp_types::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit_entry::number_or_text;
use super::symbols::is_zero;
use super::{Invalid, RpcError, json_len};
use editd_edit::{LineRange, parse_range};

/// Maximum number of parts that one call of `editd/readSeveral` reads.
pub const MAX_READS: usize = 100;

/// Parameters of `editd/read`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReadParams {
    /// Absolute, or relative to the root.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// First line, from 1 (default); for a notebook, the first cell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Instead of `offset` and `limit`: lines such as `12-15`.
    #[serde(deserialize_with = "number_or_text", skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// Or a symbol, such as `Class.method`, `name@line` or `name/2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Number of lines or cells. Default: as many as fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Maximum length of the text in the response, in bytes of JSON including escapes, capped at 256 KiB.
    /// Intended for clients that truncate longer responses.
    #[serde(alias = "max_bytes", skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<usize>,
    /// First character of each line, from 1 (default); 2,000 per line are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Maximum number of characters of each line. Longer lines are cut and marked.
    #[serde(alias = "max_columns", skip_serializing_if = "Option::is_none")]
    pub max_columns: Option<usize>,
    /// Prefix each line with its number and a tab, which are not part of the file. Default false.
    pub numbered: bool,
    /// Like `numbered`, with a first line `path#tag` that names the version, for edits by lines. Default false.
    pub anchored: bool,
    /// Return a notebook as text, for text edits.
    pub raw: bool,
}

impl ReadParams {
    /// Returns the lines that `lines` names.
    pub fn named_lines(&self) -> Result<Option<LineRange>, Invalid> {
        let Some(lines) = &self.lines else { return Ok(None) };
        let others = [("offset", self.offset.is_some()), ("limit", self.limit.is_some())];
        if let Some((other, _)) = others.into_iter().find(|(_, is_there)| *is_there) {
            return Err(Invalid::new("lines", format!("it cannot be combined with `{other}`")));
        }
        parse_range(lines).map(Some).map_err(|problem| Invalid::new("lines", problem.to_string()))
    }
}

/// Parameters of `editd/readSeveral`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadSeveralParams {
    /// The files, or parts of files, at most [`MAX_READS`].
    pub reads: Vec<ReadParams>,
    /// Maximum length of all texts in the response, in bytes of JSON including escapes, capped at 256 KiB.
    #[serde(default, alias = "max_bytes")]
    pub max_bytes: Option<usize>,
}

/// Result of `editd/readSeveral`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadSeveralResult {
    /// The parts in the order of the request, without those at its end that had no room.
    pub reads: Vec<ReadEntry>,
    /// Number of parts that had no room.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

/// A part that was read, or the reason for which it was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ReadEntry {
    /// A part that was read.
    Read(Box<ReadResult>),
    /// A part that was not read.
    Refused {
        /// The refusal.
        error: RpcError,
    },
}

impl ReadEntry {
    /// Returns the approximate size of the entry on the wire, in bytes.
    pub fn size(&self) -> usize {
        /// Size of an entry without its content.
        const HEAD: usize = 200;
        let content = match self {
            Self::Refused { error } => serde_json::to_string(error).map_or(0, |text| text.len()),
            Self::Read(read) => match &read.content {
                ReadContent::Text(content) => json_len(&content.text),
                ReadContent::Notebook(content) => serde_json::to_string(content).map_or(0, |text| text.len()),
                // Clients count images separately.
                ReadContent::Image(_) => 0,
            },
        };
        HEAD + content
    }
}

/// Parameters of `editd/forget`, `editd/blame` and `editd/diagnostics`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileParams {
    /// Absolute, or relative to the root.
    #[serde(alias = "file_path", alias = "filePath")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    pub uri: Option<String>,
}

/// Result of `editd/forget`, without fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForgetResult {}

/// Result of `editd/read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResult {
    /// URI of the file.
    pub uri: Uri,
    /// Canonical path of the file.
    pub path: String,
    /// Hash of the whole file, which serves as a base.
    pub hash: String,
    /// Size of the whole file, in bytes.
    pub size: u64,
    /// Modification time of the file.
    pub mtime: String,
    /// `disk`, or `editor` if the text contains unsaved changes.
    pub source: String,
    /// Version of the document in the editor that has it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Content of the file.
    #[serde(flatten)]
    pub content: ReadContent,
    /// Note for the reader.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Content of a file by type.
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

/// Text of a file, or some of its lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextContent {
    /// Requested lines, with the line endings of the file and without a BOM. An anchored text begins with the
    /// line `path#tag`.
    pub text: String,
    /// Name of the encoding.
    pub encoding: String,
    /// `true` if the file begins with a byte order mark.
    pub bom: bool,
    /// `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub eol: String,
    /// Indentation of the file.
    pub indent: Indent,
    /// First line in `text`, from 1; the requested line if `text` is empty.
    pub start_line: usize,
    /// Last line in `text`; one less than `startLine` if `text` is empty.
    pub end_line: usize,
    /// Number of lines of the whole file.
    pub total_lines: usize,
    /// `true` if the file continues after `endLine`, or a line was cut.
    pub truncated: bool,
    /// The first line of an anchored text: the path, relative to the first root if it is inside, and the tag of
    /// the version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
}

impl TextContent {
    /// Puts the name of the version before the text.
    pub fn name_version(&mut self, anchor: String) {
        let ending = if self.eol == "crlf" { "\r\n" } else { "\n" };
        self.text.insert_str(0, &format!("{anchor}{ending}"));
        self.anchor = Some(anchor);
    }
}

/// Indentation style of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indent {
    /// `tabs`, `spaces`, `mixed` or `none`.
    pub style: String,
    /// Columns of one level, if the file is indented with spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<u8>,
}

/// Cells of a notebook, or some of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotebookContent {
    /// Requested cells.
    pub cells: Vec<CellContent>,
    /// Number of cells of the whole notebook.
    pub total_cells: usize,
    /// `true` if more cells follow, or a part of these was cut.
    pub truncated: bool,
}

/// A cell of a notebook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CellContent {
    /// Position in the notebook, from 0.
    pub index: usize,
    /// Id of the cell, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `code`, `markdown` or `raw`, if the file states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<String>,
    /// Source of the cell.
    pub source: String,
    /// Number of the last execution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_count: Option<u64>,
    /// Outputs of the cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputContent>,
}

/// An output of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputContent {
    /// `stream`, `execute_result`, `display_data` or `error`.
    pub output_type: String,
    /// Plain text of the output; only the beginning if it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Types of the omitted content, such as `image/png`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mime_types: Vec<String>,
}

/// An image in a form that a model accepts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageContent {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub mime_type: String,
    /// Image file, in base64.
    pub data: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// Width of the original image, in pixels.
    pub original_width: u32,
    /// Height of the original image, in pixels.
    pub original_height: u32,
}

impl ReadResult {
    /// Returns the text, if the file is a text file.
    pub fn text(&self) -> Option<&TextContent> {
        match &self.content {
            ReadContent::Text(text) => Some(text),
            ReadContent::Notebook(_) | ReadContent::Image(_) => None,
        }
    }
}

/// Parameters of `editd/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchParams {
    /// A regular expression (Rust syntax), matched within one line.
    pub pattern: String,
    /// File or folder to search. Default: all roots.
    #[serde(alias = "file_path", alias = "filePath", skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A `file:` URI instead of `path`.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Only files whose path matches, such as `*.rs` or `src/**/*.ts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// Default false.
    #[serde(default, alias = "ignore_case")]
    pub ignore_case: bool,
    /// `pattern` is plain text.
    #[serde(default, alias = "fixedString", alias = "fixed_string")]
    pub literal: bool,
    /// Lines around each match, at most 20. Default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<usize>,
    /// Maximum number of matches. Default 100, at most 1000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// Only count the matches per file.
    #[serde(default)]
    pub count: bool,
}

/// Result of `editd/search`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// Matching lines, sorted by path and line. If there are more than the limit, the first ones in that
    /// order.
    pub matches: Vec<FoundLine>,
    /// With `count`, the files with matches, sorted by path, instead of lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counts: Vec<FileCount>,
    /// `true` if there may be matches beyond those returned.
    pub truncated: bool,
    /// Explanation of what was omitted and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// The number of matches in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileCount {
    /// Canonical path of the file.
    pub path: String,
    /// `file:` URI, if `path` cannot represent the name because it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<Uri>,
    /// Number of matches. A line of more than some hundred KiB counts as one.
    pub count: u64,
}

/// Lines of a file by number, each with a flag that is `true` for a match.
pub type LinesByNumber<'a> = BTreeMap<u64, (bool, &'a str)>;

impl SearchResult {
    /// Groups the lines by file, in order, each with the first match of the file. A line that belongs to several matches
    /// appears once.
    pub fn by_file(&self) -> Vec<(&FoundLine, LinesByNumber<'_>)> {
        let mut files: Vec<(&FoundLine, LinesByNumber<'_>)> = Vec::new();
        for found in &self.matches {
            // Different paths that are not UTF-8 may have the same text.
            let is_same =
                |(first, _): &(&FoundLine, _)| (&first.path, &first.uri) == (&found.path, &found.uri);
            if !files.last().is_some_and(is_same) {
                files.push((found, BTreeMap::new()));
            }
            let Some((_, lines)) = files.last_mut() else { continue };
            for (number, text) in found.lines() {
                lines.entry(number).or_insert((false, text));
            }
            lines.insert(found.line, (true, &found.text));
        }
        files
    }

    /// Returns `true` if there are lines around the matches that are not matches themselves.
    pub fn has_context(&self) -> bool {
        self.by_file().iter().any(|(_, lines)| lines.values().any(|(is_match, _)| !is_match))
    }
}

/// A matching line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    /// Canonical path of the file.
    pub path: String,
    /// `file:` URI, if `path` cannot represent the name because it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// Tag of the version, at the first match of a file whose found lines count as shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
}

/// Size of the number of a line in an answer, in bytes.
const NUMBER: usize = 10;

/// Size of a tag in an answer, in bytes.
const TAG: usize = 7;

impl FoundLine {
    /// Returns the line and those around it with their numbers, in order.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &str)> {
        let first = self.line.saturating_sub(self.before.len() as u64);
        let all = self.before.iter().chain([&self.text]).chain(&self.after);
        (first..).zip(all.map(String::as_str))
    }

    /// Returns the size of the match in an answer that shows this path, in bytes, including the path as for the first
    /// match of a file.
    pub fn size(&self, path: &str) -> usize {
        self.lines().map(|(_, line)| json_len(line) + NUMBER).sum::<usize>() + json_len(path) + TAG
    }
}

/// Returns the number of items that fit into a space, in bytes; at least the first one.
pub fn fitting<T>(items: &[T], space: usize, size: impl Fn(&T) -> usize) -> usize {
    let mut taken = 0;
    let is_over = |item: &T| {
        taken += size(item) + 1;
        taken > space
    };
    let over = items.iter().position(is_over);
    over.map_or(items.len(), |over| over.max(1))
}
