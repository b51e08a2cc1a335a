use schemars::JsonSchema;

use crate::mcp::output::ChangeOutput;
use crate::mcp::schema;
use crate::protocol::{Method, Undo};

use super::{Effect, Request, Tool, edit};

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
    request: |params| Request { method: Undo::NAME, params, waits: true, answer: edit::answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// From the result of a change. Default: the newest that is neither undone nor an undo.
    transaction: Option<String>,
    /// The newest change of this file instead; its other files are undone too.
    path: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}
