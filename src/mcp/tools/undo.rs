use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::ChangeOutput;
use crate::mcp::schema;
use crate::protocol::{Discard, Method, ProposeResult, Undo};

use super::{Asked, Effect, Request, Tool, edit};

/// What ids of changes begin with that are not made yet.
const PROPOSAL: char = 'p';

pub(super) const TOOL: Tool = Tool {
    name: "undo",
    title: "Undo a change",
    description: "Take back a change, by its transaction or else your newest in this session, in all its files or none. What others \
        changed since stays; where it overlaps, the undo is refused. Only changes made with these tools can \
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
    /// From the result of a change; or the `id` of one that is `pending`, which then never happens. Default: the
    /// newest that is neither undone nor an undo.
    transaction: Option<String>,
    /// The newest change of this file instead; its other files are undone too.
    path: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}

fn request(mut arguments: JsonObject) -> Request {
    let named = arguments.get("transaction").and_then(Value::as_str);
    let Some(id) = named.filter(|named| named.starts_with(PROPOSAL)).map(str::to_owned) else {
        if arguments.get("transaction").is_none_or(Value::is_null) {
            // Another process of the same client is somebody else.
            arguments.insert("ownSession".to_owned(), true.into());
        }
        return Request { method: Undo::NAME, params: arguments, waits: true, answer: undone };
    };
    // There is nothing to wait for.
    arguments.retain(|name, _| !["transaction", "waitMs", "wait_ms"].contains(&name.as_str()));
    arguments.insert("id".to_owned(), id.into());
    arguments.insert("reason".to_owned(), "taken back by its author".into());
    Request { method: Discard::NAME, params: arguments, waits: false, answer: taken_back }
}

/// The text that comes back was not sent by anybody, so its hash is news.
fn undone(result: Value, asked: Asked<'_>) -> serde_json::Result<Answer> {
    edit::answer(result, Asked { hashes: true, ..asked })
}

fn taken_back(result: Value, _: Asked<'_>) -> serde_json::Result<Answer> {
    ChangeOutput::of_discarded(serde_json::from_value::<ProposeResult>(result)?)?.answer()
}
