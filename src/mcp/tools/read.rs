use std::fmt::Write as _;

use lsp_types::Uri;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::answer::{Answer, Image};
use crate::mcp::output::uri_if_needed;
use crate::mcp::readable::readable;
use crate::mcp::schema;
use crate::protocol::{Method, Read};

use super::{Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "read",
    title: "Read a file",
    description: "Read a text file, an image, or a notebook's cells, as it is now, unsaved editor text included. \
        Changes are checked against what was read. At most 2,000 lines and 256 KiB a call; a notice then \
        says which `offset` continues.",
    instead: &[
        ("list", "For a folder use `list`."),
        ("search", "To find a place use `search`: it costs less than reading whole files."),
    ],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    output: schema::output::<Output>,
    request: |params| Request { method: Read::NAME, params, waits: false, answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// Absolute, or relative to the first root.
    path: String,
    /// First line, from 1 (default).
    offset: Option<usize>,
    /// Number of lines. Default: as many as fit.
    limit: Option<usize>,
    /// Begin each line with its number and a tab. They are not part of the file. Default false.
    numbered: Option<bool>,
}

/// The forms in which the daemon answers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Image(ImageResult),
    Notebook(NotebookResult),
    Text(TextResult),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextResult {
    #[serde(flatten)]
    file: File,
    text: String,
    encoding: String,
    eol: String,
    start_line: usize,
    end_line: usize,
    total_lines: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageResult {
    #[serde(flatten)]
    file: File,
    mime_type: String,
    data: String,
    width: u32,
    height: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NotebookResult {
    #[serde(flatten)]
    file: File,
    cells: Vec<Cell>,
    total_cells: usize,
}

/// A cell of a notebook.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Cell {
    /// From 0.
    index: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    cell_type: String,
    source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    execution_count: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<JsonObject>,
}

/// What is said of any file.
#[derive(Deserialize)]
struct File {
    path: String,
    uri: Uri,
    hash: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    notice: Option<String>,
}

/// A file, or a part of it.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    path: String,
    /// Names it where the path is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// Of the whole file, for `baseHash`.
    hash: String,
    /// True where an editor holds text that is not saved.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unsaved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<usize>,
    /// If it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    /// If lines do not end in LF: `crlf`, `cr`, `mixed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    eol: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Of a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    cells: Option<Vec<Cell>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_cells: Option<usize>,
    /// Of an image, which is shown beside this.
    #[serde(skip_serializing_if = "Option::is_none")]
    mime_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u32>,
}

impl From<File> for Output {
    fn from(file: File) -> Self {
        Self {
            uri: uri_if_needed(&file.path, &file.uri),
            path: file.path,
            hash: file.hash,
            unsaved: file.source == "editor",
            notice: file.notice,
            ..Self::default()
        }
    }
}

impl Output {
    /// A line about the file, and what else there is to know. An empty line parts it from the content.
    fn head(&self, what: &str) -> String {
        let mut head = format!("{}, {what}, hash {}", self.path, self.hash);
        let extras = [
            self.unsaved.then(|| "unsaved text of an editor".to_owned()),
            self.encoding.clone(),
            self.eol.as_ref().map(|eol| format!("line ends {eol}")),
            self.uri.clone(),
        ];
        for extra in extras.into_iter().flatten() {
            // A string takes all.
            let _ = write!(head, ", {extra}");
        }
        head.push('\n');
        if let Some(notice) = &self.notice {
            let _ = writeln!(head, "{notice}");
        }
        head.push('\n');
        head
    }
}

fn answer(result: Value) -> serde_json::Result<Answer> {
    match serde_json::from_value(result)? {
        Content::Text(read) => text(read),
        Content::Image(read) => image(read),
        Content::Notebook(read) => notebook(read),
    }
}

fn text(read: TextResult) -> serde_json::Result<Answer> {
    let TextResult { file, text, encoding, eol, start_line, end_line, total_lines } = read;
    let output = Output {
        start_line: Some(start_line),
        end_line: Some(end_line),
        total_lines: Some(total_lines),
        encoding: (!encoding.eq_ignore_ascii_case("utf-8")).then_some(encoding),
        eol: (!matches!(eol.as_str(), "lf" | "none")).then_some(eol),
        ..Output::from(file)
    };
    let head = output.head(&format!("lines {start_line}-{end_line} of {total_lines}"));
    let form = head + &text;
    Answer::new(form, &Output { text: Some(text), ..output })
}

fn image(read: ImageResult) -> serde_json::Result<Answer> {
    let ImageResult { file, mime_type, data, width, height } = read;
    let output = Output {
        mime_type: Some(mime_type.clone()),
        width: Some(width),
        height: Some(height),
        ..Output::from(file)
    };
    let head = output.head(&format!("{mime_type}, {width} x {height} pixels"));
    Ok(Answer { image: Some(Image { mime_type, data }), ..Answer::new(head, &output)? })
}

fn notebook(read: NotebookResult) -> serde_json::Result<Answer> {
    let NotebookResult { file, cells, total_cells } = read;
    let output = Output { total_cells: Some(total_cells), ..Output::from(file) };
    let mut form = output.head(&format!("{total_cells} cells"));
    for cell in &cells {
        let id = cell.id.as_ref().map(|id| format!(", id {id}")).unwrap_or_default();
        let _ = writeln!(form, "[cell {}, {}{id}]\n{}", cell.index, cell.cell_type, cell.source);
        for output in &cell.outputs {
            form.push_str("[output]\n");
            form.push_str(&readable(output));
        }
    }
    Answer::new(form, &Output { cells: Some(cells), ..output })
}
