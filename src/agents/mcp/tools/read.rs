use std::fmt::Write as _;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::readable::{in_one_line, uri_if_needed};
use crate::mcp::refusal::refused_part;
use crate::mcp::size::ANSWER;
use crate::mcp::size::{LIST, keep_fitting};
use editd_protocol::{
    CellContent, OutlineMethod, OutlineParams, OutlineResult, Read, ReadContent, ReadEntry, ReadResult,
    ReadSeveral, ReadSeveralResult, SymbolEntry, TextContent, json_len,
};

use super::arguments::{ReadArguments, brief_read, schema};
use super::{AnswerOptions, Request, Tool};

/// Maximum size of the text in an answer, in bytes including escapes. The rest of the answer is reserved for
/// the head. Larger requests are capped, because the client would cut the text, but the daemon would count it
/// as read.
const BYTES: usize = ANSWER - 2_000;

/// Maximum number of characters of a line. Longer lines are usually generated and not informative.
const COLUMNS: usize = 2_000;

/// The `read` tool without and with line numbers.
pub(super) static READS: [Tool; 2] = [
    read_tool(
        "Read a text file, an image, or a notebook's cells, including unsaved editor text. Changes are checked \
            against what was read. At most 2,000 lines and 30,000 bytes per call; a notice then says which \
            `offset` continues.",
        |params| request(params, |params| params),
        brief_read,
    ),
    read_tool(
        "Read a text file with line numbers, an image, or a notebook's cells, including unsaved editor text. \
            Changes are checked against what was read; the first line names the version as `path#tag`. At most \
            2,000 lines and 30,000 bytes; a notice then says which `offset` continues.",
        |params| request(params, anchored),
        numbered_schema,
    ),
];

const fn read_tool(
    description: &'static str,
    request: fn(JsonObject) -> Request,
    schema: fn() -> JsonObject,
) -> Tool {
    Tool {
        name: "read",
        title: "Read a file",
        description,
        instead: &[
            ("list", "For a folder use `list`."),
            ("search", "To find text use `search`: it costs less than reading whole files."),
        ],
        changes: false,
        schema,
        accepted: super::arguments::schema::<ReadArguments>,
        request,
    }
}

/// Returns the schema of reads that number lines by default.
fn numbered_schema() -> JsonObject {
    let mut schema = brief_read();
    schema["properties"]["numbered"]["description"] = "`false` leaves out line numbers.".into();
    schema
}

/// Asks for line numbers and the name of the version, unless the model wants no numbers.
fn anchored(mut params: JsonObject) -> JsonObject {
    if params.get("numbered").is_none_or(|numbered| *numbered != false) {
        params.insert("anchored".to_owned(), true.into());
    }
    params
}

/// The `outline` tool.
pub(super) static OUTLINE: Tool = Tool {
    name: "outline",
    title: "Outline a file",
    description: "List the symbols of a file with their kinds and lines: functions, classes, sections, keys. An \
        outline is not a read.",
    instead: &[("read", "Then `read` one with `symbol`.")],
    changes: false,
    schema: schema::<OutlineParams>,
    accepted: schema::<OutlineParams>,
    request: |params| Request::new::<OutlineMethod>(params, outline),
};

fn outline(mut result: OutlineResult, _: AnswerOptions<'_>) -> Answer {
    let size = |symbol: &SymbolEntry| json_len(&symbol.signature) + json_len(&symbol.symbol) + 20;
    let left_out = result.more + keep_fitting(&mut result.symbols, LIST, size);
    let path = in_one_line(&result.path);
    let mut text = format!("{path}, {}, {} lines\n\n", result.language, result.total_lines);
    result.symbols.iter().for_each(|symbol| write_symbol(&mut text, symbol, symbol.depth));
    if result.symbols.is_empty() {
        text.push_str("No symbols.\n");
    }
    if left_out > 0 {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "There are {left_out} more symbols.");
    }
    Answer { text, about: vec![result.path], ..Answer::default() }
}

/// Writes a line about a symbol: its lines, kind and path.
pub(super) fn write_symbol(text: &mut String, symbol: &SymbolEntry, depth: usize) {
    let SymbolEntry { symbol: name, kind, start_line, end_line, .. } = symbol;
    let (indent, name) = ("  ".repeat(depth), in_one_line(name));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{indent}{start_line}-{end_line} {kind} {name}");
}

/// Returns the request for one part or several. `adapt` changes the parameters of each.
fn request(params: JsonObject, adapt: fn(JsonObject) -> JsonObject) -> Request {
    match params.get("reads") {
        None | Some(Value::Null) => Request::new::<Read>(with_limits(with_columns(adapt(params))), answer),
        Some(_) => {
            let mut params = params;
            for part in params.get_mut("reads").and_then(Value::as_array_mut).into_iter().flatten() {
                if let Value::Object(part) = part {
                    *part = with_columns(adapt(std::mem::take(part)));
                }
            }
            Request::new::<ReadSeveral>(with_limits(params), answers)
        }
    }
}

fn with_columns(mut params: JsonObject) -> JsonObject {
    params.shift_remove("max_columns");
    params.insert("maxColumns".to_owned(), COLUMNS.into());
    params
}

/// Limits the size of the answer.
fn with_limits(mut params: JsonObject) -> JsonObject {
    let name = if params.contains_key("max_bytes") { "max_bytes" } else { "maxBytes" };
    let requested = params.entry(name).or_insert_with(|| BYTES.into());
    // The daemon refuses a value that is not a number.
    if let Some(max) = requested.as_u64() {
        *requested = max.min(BYTES as u64).into();
    }
    params
}

fn answers(result: ReadSeveralResult, options: AnswerOptions<'_>) -> Answer {
    let mut all = Answer::default();
    for (index, entry) in result.reads.into_iter().enumerate() {
        if index > 0 {
            all.text.push('\n');
        }
        match entry {
            ReadEntry::Read(read) => {
                let Answer { text, images, about, .. } = answer(*read, options);
                all.text.push_str(&text);
                all.images.extend(images);
                all.about.extend(about);
            }
            ReadEntry::Refused { error } => all.text.push_str(&refused_part(&error, options.served)),
        }
        if !all.text.ends_with('\n') {
            all.text.push('\n');
        }
    }
    if result.more > 0 {
        let s = if result.more == 1 { "" } else { "s" };
        // Writing to a string cannot fail.
        let _ = writeln!(all.text, "\nThe last {} part{s} had no room: read them next.", result.more);
    }
    all
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
    Answer { text, images: image.into_iter().collect(), about: vec![read.path], ..Answer::default() }
}

/// Returns the head of an answer: a line about the file, the notice, and an empty line before the content.
fn head(read: &ReadResult, kind: &str, extras: &[Option<String>]) -> String {
    let anchor =
        if let ReadContent::Text(content) = &read.content { content.anchor.as_deref() } else { None };
    let mut head = match anchor {
        Some(anchor) if anchor.starts_with('#') => format!("{}{anchor}, {kind}", in_one_line(&read.path)),
        Some(anchor) => format!("{}, {kind}", in_one_line(anchor)),
        None => format!("{}, {kind}, hash {}", in_one_line(&read.path), read.hash),
    };
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
    // The head names the version already.
    let text =
        if content.anchor.is_some() { text.split_once('\n').map_or("", |(_, text)| text) } else { text };
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
