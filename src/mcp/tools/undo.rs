use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::ChangeOutput;
use crate::mcp::schema;
use crate::protocol::{Discard, Method, ProposeResult, Undo};

use super::{Effect, Request, Tool, edit};

/// What ids of changes begin with that are not made yet.
const PROPOSAL: char = 'p';

pub(super) const TOOL: Tool = Tool {
    name: "undo",
    title: "Undo a change",
    description: "Take back a change, by its transaction or else the newest under your client's name, in all its files or none. What others \
        changed since stays; where it overlaps, the undo is refused. Only changes made with these tools can \
        be undone. To undo an undo, name its transaction.",
    instead: &[],
    effect: Effect::Changes { idempotent: false },
    input: schema::input::<Input>,
    output: Some(schema::output::<ChangeOutput>),
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
        return Request { method: Undo::NAME, params: arguments, waits: true, answer: edit::answer };
    };
    // There is nothing to wait for.
    arguments.retain(|name, _| !["transaction", "waitMs", "wait_ms"].contains(&name.as_str()));
    arguments.insert("id".to_owned(), id.into());
    arguments.insert("reason".to_owned(), "taken back by its author".into());
    Request { method: Discard::NAME, params: arguments, waits: false, answer: taken_back }
}

fn taken_back(result: Value) -> serde_json::Result<Answer> {
    let output = ChangeOutput::of_discarded(serde_json::from_value::<ProposeResult>(result)?)?;
    Answer::new(output.text(), &output)
}
