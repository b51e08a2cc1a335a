use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::in_one_line;
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting};
use crate::protocol::{List, Method};
use crate::workspace::limits::ENTRIES_MOST;

use super::{Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "list",
    title: "List a folder",
    description: "List what is in one folder, not below it: hidden entries too, ignored ones (.gitignore) not; folders \
        end in `/`. At most `limit` and 32,000 bytes, sorted; `truncated` says that there are more.",
    instead: &[("find", "To look deeper use `find`: one call instead of many.")],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    output: Some(schema::output::<Output>),
    is_basic: false,
    request: |mut params| {
        // What has no room is counted here, so all there are have to be known.
        params.entry("limit").or_insert_with(|| ENTRIES_MOST.into());
        Request { method: List::NAME, params, waits: false, answer }
    },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// The folder. Default: all roots.
    path: Option<String>,
    /// Most entries wanted. Default: all that one answer holds.
    limit: Option<usize>,
}

/// Paths, sorted.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(super) struct Output {
    entries: Vec<Entry>,
    /// There are more.
    truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Entry {
    path: String,
    /// `file`, `folder` or `symlink`.
    kind: String,
}

pub(super) fn answer(result: Value) -> serde_json::Result<Answer> {
    let mut output: Output = serde_json::from_value(result)?;
    let left_out = keep_fitting(&mut output.entries, LIST)?;
    if left_out > 0 {
        output.truncated = true;
        output.notice = Some(format!(
            "One answer has no room for {left_out} more; use `find` with `path` and a pattern such as `m*`, or ask for a folder below."
        ));
    }
    let mut lines: Vec<_> = output
        .entries
        .iter()
        .map(|Entry { path, kind }| match (in_one_line(path), kind.as_str()) {
            (path, "symlink") => format!("{path} (symlink)"),
            (path, _) => path,
        })
        .collect();
    if lines.is_empty() {
        lines.push("Nothing is there.".to_owned());
    }
    if output.truncated && output.notice.is_none() {
        lines.push("There are more.".to_owned());
    }
    lines.extend(output.notice.clone());
    Answer::new(lines.join("\n") + "\n", &output)
}
