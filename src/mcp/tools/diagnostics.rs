use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::DiagnosticOutput;
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting};
use crate::protocol::{Diagnostics, DiagnosticsResult, Method, json_len};

use super::{Asked, Effect, Request, Tool};

/// How many a model is shown: who sees so many has to begin somewhere.
const MOST: usize = 200;

pub(super) const TOOL: Tool = Tool {
    name: "diagnostics",
    title: "See what editors find wrong",
    description: "List errors and warnings that attached editors show, in one file or in all: at most 200 and \
        32,000 bytes; the last line says if there are more. It starts no compiler: without an \
        editor that has the file open nothing is known of it, and right after a change the editor may still be \
        looking. To be sure, run the project's own checks.",
    instead: &[],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: false,
    request: |params| Request { method: Diagnostics::NAME, params, waits: false, answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// A file. Default: all files.
    path: Option<String>,
}

fn answer(result: Value, _: Asked<'_>) -> serde_json::Result<Answer> {
    let DiagnosticsResult { items, truncated } = serde_json::from_value(result)?;
    let truncated = truncated || items.len() > MOST;
    let mut items: Vec<_> = items.into_iter().take(MOST).map(DiagnosticOutput::from).collect();
    let truncated = keep_fitting(&mut items, LIST, |it| Ok(json_len(&it.line_of_text())))? > 0 || truncated;
    let mut text: String = items.iter().map(DiagnosticOutput::line_of_text).collect();
    if items.is_empty() {
        text.push_str("Editors show nothing wrong.\n");
    }
    if truncated {
        text.push_str("There are more; ask for one file by `path`.\n");
    }
    Ok(Answer::text(text))
}
