use schemars::JsonSchema;

use crate::mcp::schema;
use crate::protocol::{Edit, Method};

use super::edit::Display;
use super::{Effect, Request, Tool, edit, one_change};

pub(super) const TOOL: Tool = Tool {
    name: "write",
    title: "Write a file",
    description: "Create a file, or replace all of one that you have read whole and that has not changed since. \
        Missing folders are made; an existing file keeps its encoding and line ends.",
    instead: &[(
        "edit",
        "To change parts of a file use `edit`: it costs less, and who reviews sees what matters.",
    )],
    effect: Effect::Changes { idempotent: true },
    input: schema::input::<Input>,
    is_basic: true,
    request: |arguments| Request {
        method: Edit::NAME,
        params: one_change("write", arguments),
        waits: true,
        answer: edit::answer,
    },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// Absolute, or relative to the first root.
    path: String,
    /// The whole text, literally; nothing may be left out.
    content: String,
    /// Take a line that seems to leave text out literally. Default false.
    literal: Option<bool>,
    /// Encoding of the file, such as `utf-8`. Default: what it has.
    encoding: Option<String>,
    /// `100755` makes a new file executable.
    mode: Option<String>,
    /// A hash from a result: the text that is replaced. Default: what you were last given.
    base_hash: Option<String>,
    /// Show what was done, in this form. Default: only where it may not be what you sent.
    display: Option<Display>,
    /// What it is for, for people who review.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}
