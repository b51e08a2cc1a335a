use std::fmt::Write as _;

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::mcp::answer::Answer;
use crate::mcp::output::{ChangeOutput, in_one_line};
use crate::mcp::schema;
use crate::mcp::size::{LIST, keep_fitting, size};
use crate::protocol::{Method, ProposalMethod, Proposals, ProposalsResult};

use super::{AnswerOptions, Effect, Request, Tool};

pub(super) const TOOL: Tool = Tool {
    name: "proposal_status",
    title: "Check a person's decision",
    description: "Return a person's decision about your change, waiting up to `waitMs`; without `id`, list your \
        waiting changes. The result contains what was accepted, what the person wrote instead, comments, and \
        new hashes. If it is still `pending`, do other work or end your turn instead of polling.",
    instead: &[],
    effect: Effect::Reads,
    input: schema::input::<Input>,
    is_basic: false,
    request,
};

#[expect(dead_code, reason = "only its schema is used: arguments go to the daemon as they are")]
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Input {
    /// The `id` from the result of a change.
    id: Option<String>,
    /// Milliseconds to wait for the decision. Default 30000, at most 45000; 0 does not wait.
    wait_ms: Option<u64>,
}

/// Changes that wait for a person.
#[derive(Serialize)]
struct Listed {
    proposals: Vec<WaitingProposal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

/// A proposal that waits for a person.
#[derive(Serialize)]
struct WaitingProposal {
    id: String,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    paths: Vec<String>,
    /// Number of added lines.
    added: usize,
    /// Number of removed lines.
    removed: usize,
}

/// Maximum number of listed files per proposal.
const NAMED: usize = 20;

impl WaitingProposal {
    fn shorten_paths(&mut self) {
        let left_out = self.paths.len().saturating_sub(NAMED);
        if left_out > 0 {
            self.paths.truncate(NAMED);
            self.paths.push(format!("and {left_out} more"));
        }
    }
}

fn request(mut arguments: JsonObject) -> Request {
    if arguments.contains_key("id") {
        return Request { method: ProposalMethod::NAME, params: arguments, waits: true, answer: one };
    }
    // A list never waits.
    arguments.retain(|name, _| name != "waitMs" && name != "wait_ms");
    Request { method: Proposals::NAME, params: arguments, waits: false, answer: list }
}

fn one(result: Value, options: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    ChangeOutput::of_proposal(serde_json::from_value(result)?, options)?.answer()
}

fn list(result: Value, _: AnswerOptions<'_>) -> serde_json::Result<Answer> {
    let ProposalsResult { proposals } = serde_json::from_value(result)?;
    let waiting = proposals.into_iter().filter(|it| matches!(it.state.as_str(), "pending" | "proposed"));
    let mut waiting: Vec<_> = waiting
        .map(|it| WaitingProposal {
            id: it.id,
            state: it.state,
            label: it.label.as_deref().map(in_one_line),
            paths: it.paths,
            added: it.added,
            removed: it.removed,
        })
        .collect();
    waiting.iter_mut().for_each(WaitingProposal::shorten_paths);
    let left_out = keep_fitting(&mut waiting, LIST, size)?;
    let notice = (left_out > 0).then(|| format!("One answer has no room for {left_out} more."));
    let mut text = String::new();
    for WaitingProposal { id, state, label, paths, added, removed } in &waiting {
        let label = label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{id} {state}{label} (+{added} -{removed}): {}", in_one_line(&paths.join(", ")));
    }
    if waiting.is_empty() {
        text.push_str("None of your changes is waiting for a decision.\n");
    }
    if let Some(notice) = &notice {
        let _ = writeln!(text, "{notice}");
    }
    Answer::new(text, &Listed { proposals: waiting, notice })
}
