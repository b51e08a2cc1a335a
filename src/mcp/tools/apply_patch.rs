use std::collections::BTreeMap;

use schemars::JsonSchema;

use crate::mcp::schema;
use crate::protocol::{Edit, Method};

use super::edit::{Display, Matching, OnStale};
use super::{Effect, Request, Tool, edit};

pub(super) const TOOL: Tool = Tool {
    name: "apply_patch",
    title: "Apply a patch",
    description: "Change, add, delete and rename several files in one step, all or nothing. Existing files must have \
        been read (completely, to delete or rename them) and be unchanged since. Hunks are located by their \
        text; line numbers may be wrong.",
    instead: &[("edit", "For changes in one file use `edit`: it is less error-prone.")],
    effect: Effect::Changes { idempotent: false },
    input: schema::input::<Input>,
    is_basic: false,
    request: |params| Request { method: Edit::NAME, params, waits: true, answer: edit::answer },
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// `*** Begin Patch` to `*** End Patch` with `*** Update File: PATH` (and `*** Move to: PATH`), `*** Add
    /// File:`,
    /// `*** Delete File:` sections; or a unified diff; or SEARCH/REPLACE blocks under their path.
    patch: String,
    /// Hashes from results, by path: the versions to change. Default: those you were last given.
    bases: Option<BTreeMap<String, String>>,
    /// If a file has changed: refuse (default) or merge.
    on_stale: Option<OnStale>,
    /// Match each hunk in the result of the previous ones. Default false.
    sequential: Option<bool>,
    /// Tolerate small differences (default), or none.
    matching: Option<Matching>,
    /// Show the result in this form. Default: only if it may differ from what you sent.
    display: Option<Display>,
    /// Purpose of the change, for reviewers.
    label: Option<String>,
    /// Milliseconds to wait for a review. Default 30000, at most 45000.
    wait_ms: Option<u64>,
    /// The `id` of your own pending change to replace.
    replaces: Option<String>,
}
