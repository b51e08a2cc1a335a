use schemars::JsonSchema;

use crate::mcp::schema;
use crate::protocol::{Edit, Method};

use super::edit::Display;
use super::{Effect, Request, Tool, edit, one_change};

pub(super) const TOOL: Tool = Tool {
    name: "notebook_edit",
    title: "Edit a notebook",
    description: "Replace, insert and delete cells of a Jupyter notebook (.ipynb, format 4) that you have read and \
        that has not changed since. All `cells` refer to the notebook as read, and are applied together or \
        not at all. Outputs stay unless cleared; the file's JSON stays valid.",
    instead: &[],
    effect: Effect::Changes { idempotent: false },
    input: schema::input::<Input>,
    is_basic: false,
    request: |arguments| Request {
        method: Edit::NAME,
        params: one_change("notebook", arguments),
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
    /// Operations, each on a different cell.
    cells: Vec<Operation>,
    /// Hash from a result: the version to change. Default: the one you were last given.
    base_hash: Option<String>,
    /// Show the result in this form. Default: only if it may differ from what you sent.
    display: Option<Display>,
    /// Purpose of the change, for reviewers.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Operation {
    op: Op,
    /// The cell; for `insert`, the cell before the new one.
    id: Option<String>,
    /// Instead of `id`, from 0; for `insert`, the index of the new cell.
    index: Option<usize>,
    /// Required for `insert`.
    cell_type: Option<Kind>,
    /// The complete new source.
    source: Option<String>,
    /// For `replace`: clear the outputs. Default false.
    clear_outputs: Option<bool>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Op {
    Replace,
    Insert,
    Delete,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Code,
    Markdown,
    Raw,
}
