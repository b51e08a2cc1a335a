use std::fmt::Write as _;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::{Answer, Image};
use crate::mcp::output::{in_one_line, uri_if_needed};
use crate::mcp::schema;
use crate::mcp::size::ANSWER;
use crate::protocol::{
    CellContent, ImageContent, Method, NotebookContent, Read, ReadContent, ReadResult, TextContent,
};

use super::{AnswerOptions, Effect, Request, Tool};

/// Maximum size of the text in an answer, in bytes including escapes. The rest of the answer is reserved for
/// the head. Larger requests are capped, because the client would cut the text, but the daemon would count it
/// as read.
const BYTES: usize = ANSWER - 2_000;

/// Maximum number of characters of a line. Longer lines are usually generated and not informative.
const COLUMNS: usize = 2_000;

pub(super) const TOOL: Tool = Tool {
    name: "read",
    title: "Read a file",
    description: "Read a text file, an image, or a notebook's cells, including unsaved editor text. Changes are \
        checked against what was read. At most 2,000 lines and 30,000 bytes per call; a notice then says \
        which `offset` continues.",
    instead: &[
        ("list", "For a folder use `list`."),
        ("search", "To find text use `search`: it costs less than reading whole files."),
    ],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: true,
    request,
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// Absolute, or relative to the first root.
    path: String,
    /// First line, from 1 (default); for a notebook, the first cell.
    offset: Option<usize>,
    /// Number of lines or cells. Default: as many as fit.
    limit: Option<usize>,
    /// First character of each line, from 1 (default); 2,000 per line are shown.
    column: Option<usize>,
    /// Prefix each line with its number and a tab, which are not part of the file. Default false.
    numbered: Option<bool>,
    /// Return a notebook as the text of its file, for text edits. Default false.
    raw: Option<bool>,
}

/// Returns the head of an answer: a line about the file, the notice, and an empty line before the content.
fn head(read: &ReadResult, what: &str, extras: &[Option<String>]) -> String {
    let mut head = format!("{}, {what}, hash {}", in_one_line(&read.path), read.hash);
    let unsaved = (read.source == "editor").then(|| "unsaved text of an editor".to_owned());
    let uri = uri_if_needed(&read.path, &read.uri);
    for extra in [&unsaved].into_iter().chain(extras).chain([&uri]).flatten() {
        // Writing to a string cannot fail.
        let _ = write!(head, ", {extra}");
    }
    head.push('\n');
    if let Some(notice) = &read.notice {
        let _ = writeln!(head, "{notice}");
    }
    head.push('\n');
    head
}

fn request(mut params: JsonObject) -> Request {
    params.shift_remove("max_columns");
    params.insert("maxColumns".to_owned(), COLUMNS.into());
    let name = if params.contains_key("max_bytes") { "max_bytes" } else { "maxBytes" };
    let requested = params.entry(name).or_insert_with(|| BYTES.into());
    // The daemon refuses a value that is not a number.
    if let Some(max) = requested.as_u64() {
        *requested = max.min(BYTES as u64).into();
    }
    Request { method: Read::NAME, params, waits: false, answer }
}

fn answer(result: Value, _: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    let read: ReadResult = serde_json::from_value(result)?;
    let about = vec![read.path.clone()];
    let answer = match &read.content {
        ReadContent::Text(content) => Answer::text(text(&read, content)),
        ReadContent::Notebook(content) => Answer::text(notebook(&read, content)),
        ReadContent::Image(content) => {
            let ImageContent { mime_type, data, width, height, .. } = content.clone();
            let head = head(&read, &format!("{mime_type}, {width} x {height} pixels"), &[]);
            Answer::text(head).with_image(Image { mime_type, data })
        }
    };
    Ok(answer.about(about))
}

fn text(read: &ReadResult, content: &TextContent) -> String {
    let TextContent { text, encoding, eol, start_line, end_line, total_lines, .. } = content;
    let encoding = (!encoding.eq_ignore_ascii_case("utf-8")).then(|| encoding.clone());
    let eol = (!matches!(eol.as_str(), "lf" | "none")).then(|| format!("line endings {eol}"));
    head(read, &format!("lines {start_line}-{end_line} of {total_lines}"), &[encoding, eol]) + text
}

fn notebook(read: &ReadResult, content: &NotebookContent) -> String {
    let NotebookContent { cells, total_cells, .. } = content;
    let mut form = head(read, &format!("{} of {total_cells} cells", cells.len()), &[]);
    for cell in cells {
        write_cell(&mut form, cell);
    }
    form
}

fn write_cell(form: &mut String, cell: &CellContent) {
    let kind = cell.cell_type.as_deref().unwrap_or("untyped");
    let id = cell.id.as_ref().map(|id| format!(", id {id}")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(form, "[cell {}, {kind}{id}]\n{}", cell.index, cell.source);
    for output in &cell.outputs {
        let others = output.mime_types.join(", ");
        let _ = writeln!(form, "[{} {others}]", output.output_type);
        let _ = writeln!(form, "{}", output.text.as_deref().unwrap_or_default());
    }
}
