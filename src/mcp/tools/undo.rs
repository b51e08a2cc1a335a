use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::ChangeOutput;
use crate::mcp::schema;
use crate::protocol::{Discard, Method, ProposeResult, Undo};

use super::{AnswerOptions, Effect, Request, Tool, edit};

/// First character of the ids of proposals.
const PROPOSAL: char = 'p';

pub(super) const TOOL: Tool = Tool {
    name: "undo",
    title: "Undo a change",
    description: "Undo a change, by its transaction or else your newest in this session, in all its files or none. Later \
        changes of others stay; if they overlap, the undo is refused. Only changes made with these tools can \
        be undone. To undo an undo, name its transaction.",
    instead: &[],
    effect: Effect::Changes { idempotent: false },
    input: schema::input::<Input>,
    is_basic: false,
    request,
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// From the result of a change; or the `id` of a `pending` one, which is then withdrawn. Default: the
    /// newest that is neither undone nor an undo.
    transaction: Option<String>,
    /// Undo the newest change of this file instead, including its other files.
    path: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}

fn request(mut arguments: JsonObject) -> Request {
    let named = arguments.get("transaction").and_then(Value::as_str);
    let Some(id) = named.filter(|named| named.starts_with(PROPOSAL)).map(str::to_owned) else {
        if arguments.get("transaction").is_none_or(Value::is_null) {
            // Another process of the same client counts as another author.
            arguments.insert("ownSession".to_owned(), true.into());
        }
        return Request { method: Undo::NAME, params: arguments, waits: true, answer: undone };
    };
    // Withdrawing a proposal never waits.
    arguments.retain(|name, _| !["transaction", "waitMs", "wait_ms"].contains(&name.as_str()));
    arguments.insert("id".to_owned(), id.into());
    arguments.insert("reason".to_owned(), "withdrawn by its author".into());
    Request { method: Discard::NAME, params: arguments, waits: false, answer: discarded }
}

/// Converts the result of an undo. It always includes hashes, because the caller has not sent the restored
/// text.
fn undone(result: Value, options: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    edit::answer(result, AnswerOptions { hashes: true, ..options })
}

fn discarded(result: Value, _: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    ChangeOutput::of_discarded(serde_json::from_value::<ProposeResult>(result)?)?.answer()
}
