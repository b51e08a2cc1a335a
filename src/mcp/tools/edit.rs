use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::ChangeOutput;
use crate::mcp::schema;
use crate::protocol::{ApplyResult, Edit, Method};

use super::{AnswerOptions, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "edit",
    title: "Edit a file",
    description: "Replace text in one file that you have read and that has not changed since. Each `oldText` must match \
        exactly once; small differences in spaces, quotes or indentation are tolerated and reported. All \
        `edits` are matched against the file as read, and applied together or not at all. A refusal shows the \
        closest text, or what has changed, and what to send next.",
    instead: &[
        ("apply_patch", "To change several files at once, to delete or rename, use `apply_patch`."),
        ("write", "For a new file use `write`."),
        ("notebook_edit", "For cells of a notebook use `notebook_edit`, which keeps its JSON valid."),
    ],
    effect: Effect::Changes { idempotent: false },
    input: schema::input::<Input>,
    is_basic: true,
    request: |params| Request { method: Edit::NAME, params, waits: true, answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// Absolute, or relative to the first root.
    path: String,
    /// One replacement per location; put all edits of a file into one call.
    edits: Option<Vec<Replacement>>,
    /// Instead of `edits`, if there is only one.
    old_text: Option<String>,
    /// Goes with `oldText`.
    new_text: Option<String>,
    /// Goes with `oldText`.
    replace_all: Option<bool>,
    /// Goes with `oldText`.
    expected_replacements: Option<u32>,
    /// Match each edit in the result of the previous ones. Default false.
    sequential: Option<bool>,
    /// Tolerate small differences (default), or none; `exact` also takes placeholders literally.
    matching: Option<Matching>,
    /// Hash from a result: the version to change. Default: the one you were last given.
    base_hash: Option<String>,
    /// If the file has changed: refuse (default) or merge with the changes of others.
    on_stale: Option<OnStale>,
    /// If merging fails: refuse (default) or write conflict markers.
    on_conflict: Option<OnConflict>,
    /// The encoding that `read` reported, to add non-ASCII characters.
    encoding: Option<String>,
    /// Show the result in this form. Default: only if it may differ from what you sent.
    display: Option<Display>,
    /// Purpose of the change in a few words, for reviewers.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000; then the state is `pending`.
    wait_ms: Option<u64>,
    /// The `id` of your own pending change to replace.
    replaces: Option<String>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    /// Literal text of the file, not a pattern, no line numbers; with enough surrounding lines to be unique.
    old_text: String,
    /// The complete new text: a line like "... rest unchanged" is refused. Empty deletes.
    new_text: String,
    /// Replace every exact occurrence. Default false.
    replace_all: Option<bool>,
    /// Replace all; there must be exactly this many.
    expected_replacements: Option<u32>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnStale {
    Reject,
    Rebase,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Matching {
    Fuzzy,
    Exact,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Display {
    Unified,
    Word,
    Summary,
    Numbered,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "lowercase")]
enum OnConflict {
    Refuse,
    Markers,
}

/// Converts the result of a change by any tool to an answer.
pub(super) fn answer(result: Value, options: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    ChangeOutput::of_apply(serde_json::from_value::<ApplyResult>(result)?, options)?.answer()
}
