use std::fmt::Write as _;

use rmcp::model::JsonObject;

use crate::mcp::answer::Answer;
use crate::mcp::readable::{in_one_line, uri_if_needed};
use crate::mcp::size::ANSWER;
use crate::protocol::{CellContent, Read, ReadContent, ReadParams, ReadResult, TextContent};

use super::arguments::schema;
use super::{AnswerOptions, Request, Tool};

/// Maximum size of the text in an answer, in bytes including escapes. The rest of the answer is reserved for
/// the head. Larger requests are capped, because the client would cut the text, but the daemon would count it
/// as read.
const BYTES: usize = ANSWER - 2_000;

/// Maximum number of characters of a line. Longer lines are usually generated and not informative.
const COLUMNS: usize = 2_000;

pub(super) static TOOLS: [Tool; 1] = [Tool {
    name: "read",
    title: "Read a file",
    description: "Read a text file, an image, or a notebook's cells, including unsaved editor text. Changes are \
        checked against what was read. At most 2,000 lines and 30,000 bytes per call; a notice then says \
        which `offset` continues.",
    instead: &[
        ("list", "For a folder use `list`."),
        ("search", "To find text use `search`: it costs less than reading whole files."),
    ],
    changes: false,
    schema: schema::<ReadParams>,
    request,
}];

fn request(mut params: JsonObject) -> Request {
    params.shift_remove("max_columns");
    params.insert("maxColumns".to_owned(), COLUMNS.into());
    let name = if params.contains_key("max_bytes") { "max_bytes" } else { "maxBytes" };
    let requested = params.entry(name).or_insert_with(|| BYTES.into());
    // The daemon refuses a value that is not a number.
    if let Some(max) = requested.as_u64() {
        *requested = max.min(BYTES as u64).into();
    }
    Request::new::<Read>(params, answer)
}

fn answer(read: ReadResult, _: AnswerOptions<'_>) -> Answer {
    let (text, image) = match &read.content {
        ReadContent::Text(content) => (text(&read, content), None),
        ReadContent::Notebook(content) => {
            let kind = format!("{} of {} cells", content.cells.len(), content.total_cells);
            let mut text = head(&read, &kind, &[]);
            content.cells.iter().for_each(|cell| write_cell(&mut text, cell));
            (text, None)
        }
        ReadContent::Image(image) => {
            let kind = format!("{}, {} x {} pixels", image.mime_type, image.width, image.height);
            (head(&read, &kind, &[]), Some(image.clone()))
        }
    };
    Answer { text, image, about: vec![read.path], ..Answer::default() }
}

/// Returns the head of an answer: a line about the file, the notice, and an empty line before the content.
fn head(read: &ReadResult, kind: &str, extras: &[Option<String>]) -> String {
    let mut head = format!("{}, {kind}, hash {}", in_one_line(&read.path), read.hash);
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

fn text(read: &ReadResult, content: &TextContent) -> String {
    let TextContent { text, encoding, eol, start_line, end_line, total_lines, .. } = content;
    let encoding = (!encoding.eq_ignore_ascii_case("utf-8")).then(|| encoding.clone());
    let eol = (!matches!(eol.as_str(), "lf" | "none")).then(|| format!("line endings {eol}"));
    head(read, &format!("lines {start_line}-{end_line} of {total_lines}"), &[encoding, eol]) + text
}

fn write_cell(text: &mut String, cell: &CellContent) {
    let kind = cell.cell_type.as_deref().unwrap_or("untyped");
    let id = cell.id.as_ref().map(|id| format!(", id {id}")).unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "[cell {}, {kind}{id}]\n{}", cell.index, cell.source);
    for output in &cell.outputs {
        let others = output.mime_types.join(", ");
        let _ = writeln!(text, "[{} {others}]", output.output_type);
        let _ = writeln!(text, "{}", output.text.as_deref().unwrap_or_default());
    }
}
