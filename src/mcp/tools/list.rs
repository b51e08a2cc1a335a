use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::mcp::advice::advice;
use crate::mcp::answer::Answer;
use crate::mcp::output::in_one_line;
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting};
use crate::protocol::{List, Method, json_len};
use crate::workspace::limits::ENTRIES_MOST;

use super::{Asked, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "list",
    title: "List a folder",
    description: "List what is in one folder, not below it: hidden entries too, ignored ones (.gitignore) not; folders \
        end in `/`. At most `limit` and 32,000 bytes, sorted; the last line says if there are more.",
    instead: &[("find", "To look deeper use `find`: one call instead of many.")],
    effect: Effect::Reads,
    input: schema::input::<Input>,
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
#[derive(Deserialize)]
struct Found {
    entries: Vec<Entry>,
    /// There are more.
    truncated: bool,
    #[serde(default)]
    notice: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    path: String,
    /// `file`, `folder` or `symlink`.
    kind: String,
}

impl Entry {
    fn line(&self) -> String {
        let path = in_one_line(&self.path);
        if self.kind == "symlink" { path + " (symlink)\n" } else { path + "\n" }
    }
}

pub(super) fn answer(result: Value, asked: Asked<'_>) -> serde_json::Result<Answer> {
    let Found { mut entries, truncated, notice } = serde_json::from_value(result)?;
    let left_out = keep_fitting(&mut entries, LIST, |entry| Ok(json_len(&entry.line())))?;
    let no_room = (left_out > 0).then(|| {
        let all = format!(
            "One answer has no room for {left_out} more; use `find` with `path` and a pattern such as `m*`, or ask for a folder below."
        );
        advice(&all, &asked.served)
    });
    let more = truncated.then(|| "There are more.".to_owned());
    let mut text: String = entries.iter().map(Entry::line).collect();
    if entries.is_empty() {
        text.push_str("Nothing is there.\n");
    }
    if let Some(said) = no_room.or(notice).or(more) {
        text.extend([said.as_str(), "\n"]);
    }
    Ok(Answer::text(text))
}
