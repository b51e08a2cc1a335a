use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::DiagnosticOutput;
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting};
use crate::protocol::{Diagnostics, DiagnosticsResult, Method, json_len};

use super::{AnswerOptions, Effect, Request, Tool};

/// Maximum number of diagnostics to show. More would not help a model, which has to start with some of them.
const MAX_ITEMS: usize = 200;

pub(super) const TOOL: Tool = Tool {
    name: "diagnostics",
    title: "List diagnostics of editors",
    description: "List errors and warnings that attached editors show, in one file or in all: at most 200 and \
        32,000 bytes; the last line says if there are more. No compiler is run: a file that is not open in \
        an editor has no diagnostics, and right after a change the editor may still be checking. To be \
        sure, run the project's own checks.",
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

fn answer(result: Value, _: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    let DiagnosticsResult { items, truncated } = serde_json::from_value(result)?;
    let truncated = truncated || items.len() > MAX_ITEMS;
    let mut items: Vec<_> = items.into_iter().take(MAX_ITEMS).map(DiagnosticOutput::from).collect();
    let truncated = keep_fitting(&mut items, LIST, |it| Ok(json_len(&it.line_of_text())))? > 0 || truncated;
    let mut text: String = items.iter().map(DiagnosticOutput::line_of_text).collect();
    if items.is_empty() {
        text.push_str("Editors show no diagnostics.\n");
    }
    if truncated {
        text.push_str("There are more; ask for one file by `path`.\n");
    }
    Ok(Answer::text(text))
}
