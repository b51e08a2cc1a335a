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

use super::{AnswerOptions, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "list",
    title: "List a folder",
    description: "List one folder, not recursively. Includes hidden entries, not ignored ones (.gitignore); folders end \
        in `/`. At most `limit` and 32,000 bytes, sorted; the last line says if there are more.",
    instead: &[("find", "For nested folders use `find`: one call instead of many.")],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: false,
    request: |mut params| {
        // The omitted entries are counted here, so all entries are needed.
        params.entry("limit").or_insert_with(|| ENTRIES_MOST.into());
        Request { method: List::NAME, params, waits: false, answer }
    },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
struct Input {
    /// The folder. Default: all roots.
    path: Option<String>,
    /// Maximum number of entries. Default: all that fit in an answer.
    limit: Option<usize>,
}

/// Sorted paths.
#[derive(Deserialize)]
struct Found {
    entries: Vec<Entry>,
    /// `true` if there are more.
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

pub(super) fn answer(result: Value, options: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    let Found { mut entries, truncated, notice } = serde_json::from_value(result)?;
    let left_out = keep_fitting(&mut entries, LIST, |entry| Ok(json_len(&entry.line())))?;
    let no_room = (left_out > 0).then(|| {
        let all = format!(
            "One answer has no room for {left_out} more; use `find` with `path` and a pattern such as `m*`, or list one of its subfolders."
        );
        advice(&all, &options.served)
    });
    let more = truncated.then(|| "There are more.".to_owned());
    let mut text: String = entries.iter().map(Entry::line).collect();
    if entries.is_empty() {
        text.push_str("No entries.\n");
    }
    if let Some(notice) = no_room.or(notice).or(more) {
        text.extend([notice.as_str(), "\n"]);
    }
    Ok(Answer::text(text))
}
