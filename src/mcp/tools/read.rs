use std::fmt::Write as _;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::mcp::answer::{Answer, Image};
use crate::mcp::output::{in_one_line, uri_if_needed};
use crate::mcp::schema;
use crate::mcp::size::ANSWER;
use crate::protocol::{
    CellContent, ImageContent, Method, NotebookContent, Read, ReadContent, ReadResult, TextContent,
};

use super::{Effect, Request, Tool};

/// Bytes of text that one answer has, escapes included; the rest of what clients show whole is for what is said about
/// it. Nobody can ask for more: the client would cut it, and the daemon would take for read what the model never saw.
const BYTES: usize = ANSWER - 2_000;

pub(super) const TOOL: Tool = Tool {
    name: "read",
    title: "Read a file",
    description: "Read a text file, an image, or a notebook's cells, as it is now, unsaved editor text included. \
        Changes are checked against what was read. At most 2,000 lines and 30,000 bytes a call; a notice then \
        says which `offset` continues.",
    instead: &[
        ("list", "For a folder use `list`."),
        ("search", "To find a place use `search`: it costs less than reading whole files."),
    ],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    // A tool with a schema may give no result without data, and that is what images are.
    output: None,
    is_basic: true,
    request,
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// Absolute, or relative to the first root.
    path: String,
    /// First line, from 1 (default); of a notebook, the first cell.
    offset: Option<usize>,
    /// Number of lines or cells. Default: as many as fit.
    limit: Option<usize>,
    /// Begin each line with its number and a tab. They are not part of the file. Default false.
    numbered: Option<bool>,
    /// Give a notebook as the text of its file, to change it with a text edit. Default false.
    raw: Option<bool>,
}

/// A file, or a part of it.
#[derive(Default, Serialize)]
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
    cells: Option<Vec<CellContent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_cells: Option<usize>,
}

impl Output {
    /// A line about the file, and what else there is to know. An empty line parts it from the content.
    fn head(&self, what: &str) -> String {
        let mut head = format!("{}, {what}, hash {}", in_one_line(&self.path), self.hash);
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

fn request(mut params: JsonObject) -> Request {
    let name = if params.contains_key("max_bytes") { "max_bytes" } else { "maxBytes" };
    let asked = params.entry(name).or_insert_with(|| BYTES.into());
    // What is no number is for the daemon to refuse.
    if let Some(most) = asked.as_u64() {
        *asked = most.min(BYTES as u64).into();
    }
    Request { method: Read::NAME, params, waits: false, answer }
}

fn answer(result: Value) -> serde_json::Result<Answer> {
    let read: ReadResult = serde_json::from_value(result)?;
    let output = Output {
        uri: uri_if_needed(&read.path, &read.uri),
        path: read.path,
        hash: read.hash,
        unsaved: read.source == "editor",
        notice: read.notice,
        ..Output::default()
    };
    match read.content {
        ReadContent::Text(content) => text(content, output),
        ReadContent::Image(content) => image(content, &output),
        ReadContent::Notebook(content) => notebook(content, output),
    }
}

fn text(content: TextContent, output: Output) -> serde_json::Result<Answer> {
    let TextContent { text, encoding, eol, start_line, end_line, total_lines, .. } = content;
    let output = Output {
        start_line: Some(start_line),
        end_line: Some(end_line),
        total_lines: Some(total_lines),
        encoding: (!encoding.eq_ignore_ascii_case("utf-8")).then_some(encoding),
        eol: (!matches!(eol.as_str(), "lf" | "none")).then_some(eol),
        ..output
    };
    let head = output.head(&format!("lines {start_line}-{end_line} of {total_lines}"));
    let form = head + &text;
    Answer::new(form, &Output { text: Some(text), ..output })
}

fn image(content: ImageContent, output: &Output) -> serde_json::Result<Answer> {
    let ImageContent { mime_type, data, width, height, .. } = content;
    let head = output.head(&format!("{mime_type}, {width} x {height} pixels"));
    Ok(Answer::new(head, output)?.with_image(Image { mime_type, data }))
}

fn notebook(content: NotebookContent, output: Output) -> serde_json::Result<Answer> {
    let NotebookContent { cells, total_cells, .. } = content;
    let output = Output { total_cells: Some(total_cells), ..output };
    let mut form = output.head(&format!("{} of {total_cells} cells", cells.len()));
    for cell in &cells {
        write_cell(&mut form, cell);
    }
    Answer::new(form, &Output { cells: Some(cells), ..output })
}

fn write_cell(form: &mut String, cell: &CellContent) {
    let kind = cell.cell_type.as_deref().unwrap_or("untyped");
    let id = cell.id.as_ref().map(|id| format!(", id {id}")).unwrap_or_default();
    // A string takes all.
    let _ = writeln!(form, "[cell {}, {kind}{id}]\n{}", cell.index, cell.source);
    for output in &cell.outputs {
        let others = output.mime_types.join(", ");
        let _ = writeln!(form, "[{} {others}]", output.output_type);
        let _ = writeln!(form, "{}", output.text.as_deref().unwrap_or_default());
    }
}
