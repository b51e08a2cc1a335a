use schemars::JsonSchema;

use crate::mcp::schema;
use crate::protocol::{Edit, Method};

use super::edit::Display;
use super::{Effect, Request, Tool, edit, one_change};

pub(super) const TOOL: Tool = Tool {
    name: "write",
    title: "Write a file",
    description: "Create a file, or replace one that you have read completely and that has not changed since. \
        Missing folders are created; an existing file keeps its encoding and line endings.",
    instead: &[("edit", "To change parts of a file use `edit`: it costs less and is easier to review.")],
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
    /// The complete text, literally; nothing may be omitted.
    content: String,
    /// Accept lines that look like a placeholder for omitted text. Default false.
    literal: Option<bool>,
    /// Encoding of the file, such as `utf-8`. Default: the current one.
    encoding: Option<String>,
    /// `100755` makes a new file executable.
    mode: Option<String>,
    /// Hash from a result: the version to replace. Default: the one you were last given.
    base_hash: Option<String>,
    /// Show the result in this form. Default: only if it may differ from what you sent.
    display: Option<Display>,
    /// Purpose of the change, for reviewers.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}
