use schemars::JsonSchema;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::ChangeOutput;
use crate::mcp::schema;
use crate::protocol::{ApplyResult, Edit, Method};

use super::{Asked, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "edit",
    title: "Edit a file",
    description: "Replace text in one file that you have read and that has not changed since. Each `oldText` must fit \
        exactly one place; slips in blanks, quotes or indentation are tolerated and reported. All `edits` \
        are matched against the file as read, and happen together or not at all. A refusal shows the closest \
        text, or what has changed, and what to send next.",
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
    /// One replacement for each place; put all of a file into one call.
    edits: Option<Vec<Replacement>>,
    /// In place of `edits`, where there is only one.
    old_text: Option<String>,
    /// Goes with `oldText`.
    new_text: Option<String>,
    /// Goes with `oldText`.
    replace_all: Option<bool>,
    /// Goes with `oldText`.
    expected_replacements: Option<u32>,
    /// Look for each edit in the result of those before it. Default false.
    sequential: Option<bool>,
    /// Tolerate slips (default), or none; `exact` also takes placeholders literally.
    matching: Option<Matching>,
    /// A hash from a result: the text you mean. Default: what you were last given of the file.
    base_hash: Option<String>,
    /// If the file has changed: refuse (default) or merge with what others did.
    on_stale: Option<OnStale>,
    /// If merging fails: refuse (default) or write conflict markers.
    on_conflict: Option<OnConflict>,
    /// The encoding that `read` named, to add characters of it that are not ASCII.
    encoding: Option<String>,
    /// Show what was done, in this form. Default: only where it may not be what you sent.
    display: Option<Display>,
    /// What it is for, in a few words, for people who review.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000; then the state is `pending`.
    wait_ms: Option<u64>,
    /// The `id` of your own change that waits: this one takes its place.
    replaces: Option<String>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    /// Literal text of the file, no pattern and no line numbers; with enough lines around it to be unique.
    old_text: String,
    /// Written out in full: a line like "... rest unchanged" is refused. Empty deletes.
    new_text: String,
    /// Replace every exact occurrence. Default false.
    replace_all: Option<bool>,
    /// Replace all, of which there must be exactly so many.
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

/// What became of a change, by whatever tool.
pub(super) fn answer(result: Value, asked: Asked<'_>) -> serde_json::Result<Answer> {
    ChangeOutput::of_apply(serde_json::from_value::<ApplyResult>(result)?, asked)?.answer()
}
