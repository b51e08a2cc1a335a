use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::mcp::schema;
use crate::protocol::{Edit, Method};

use super::edit::{Display, Matching, OnStale};
use super::{Effect, Request, Tool, edit};

pub(super) const TOOL: Tool = Tool {
    name: "apply_patch",
    title: "Apply a patch",
    description: "Change, add, delete and rename several files in one step: all of it happens or nothing. Files that \
        exist must have been read (whole, to delete or rename them) and be unchanged since. Places are found \
        by their text; line numbers may be wrong.",
    instead: &[("edit", "For places in one file use `edit`: its texts go wrong less easily.")],
    effect: Effect::Changes { idempotent: false },
    input: schema::input::<Input>,
    is_basic: false,
    request: |params| Request { method: Edit::NAME, params, waits: true, answer: edit::answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// `*** Begin Patch` to `*** End Patch` with `*** Update File: PATH` (and `*** Move to: PATH`), `*** Add File:`,
    /// `*** Delete File:` sections; or a unified diff; or SEARCH/REPLACE blocks below their path.
    patch: String,
    /// Hashes from results by path: the texts you mean. Default: what you were last given.
    bases: Option<BTreeMap<String, String>>,
    /// If a file has changed: refuse (default) or merge.
    on_stale: Option<OnStale>,
    /// Look for each hunk in the result of those before it. Default false.
    sequential: Option<bool>,
    /// Tolerate slips (default), or none.
    matching: Option<Matching>,
    /// Show what was done, in this form. Default: only where it may not be what you sent.
    display: Option<Display>,
    /// What it is for, for people who review.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
    /// The `id` of your own change that waits: this one takes its place.
    replaces: Option<String>,
}
