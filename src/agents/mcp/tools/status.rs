use std::fmt::Write as _;

use rmcp::model::JsonObject;
use serde_json::{Result, Value, json};

use crate::mcp::answer::Answer;
use crate::mcp::coerce::without_nulls;
use crate::mcp::output::{ChangeOutput, DiagnosticOutput};
use crate::mcp::readable::{in_one_line, uri_if_needed};
use crate::mcp::size::{LIST, fit_texts, keep_fitting, size};
use editd_protocol::{
    ApplyResult, ChangedFile, Changes, ChangesParams, ChangesResult, Diagnostics, DiagnosticsResult,
    ProposalMethod, ProposalResult, ProposalSummary, Proposals, ProposalsResult, json_len,
};

use super::arguments::{DiagnosticsArguments, ProposalArguments, schema};
use super::{AnswerOptions, Request, Tool};

/// Maximum number of diagnostics to show. More would not help a model, which has to start with some of them.
const MAX_DIAGNOSTICS: usize = 200;

/// Maximum number of listed files per proposal.
const MAX_PATHS: usize = 20;

pub(super) static TOOLS: [Tool; 3] = [
    Tool {
        name: "changes",
        title: "See what others changed",
        description: "Show as diffs what people and programs changed in the files you have read here, unsaved edits \
            included. A complete diff counts as read; a file whose diff is cut (an answer has 32,000 bytes) must \
            be read again. Files that you have not read are not reported.",
        instead: &[],
        changes: false,
        schema: schema::<ChangesParams>,
        accepted: schema::<ChangesParams>,
        request: |params| Request::new::<Changes>(params, changes),
    },
    Tool {
        name: "diagnostics",
        title: "List diagnostics of editors",
        description: "List errors and warnings that attached editors show, in one file or in all: at most 200 and \
            32,000 bytes. No compiler is run: a file that is not open in \
            an editor has no diagnostics, and right after a change the editor may still be checking.",
        instead: &[],
        changes: false,
        schema: schema::<DiagnosticsArguments>,
        accepted: schema::<DiagnosticsArguments>,
        request: |params| Request::new::<Diagnostics>(params, diagnostics),
    },
    Tool {
        name: "proposal_status",
        title: "Check a person's decision",
        description: "Return a person's decision about your change, waiting up to `waitMs`; without `id`, list your \
            waiting changes. The result contains what was accepted, what the person wrote instead, comments, and \
            new hashes. If it is still `pending`, do other work or end your turn instead of polling.",
        instead: &[],
        changes: false,
        schema: schema::<ProposalArguments>,
        accepted: schema::<ProposalArguments>,
        request: proposal_status,
    },
];

fn changes(result: ChangesResult, _: AnswerOptions<'_>) -> Answer {
    let ChangesResult { cursor, mut files } = result;
    let received: Vec<_> =
        files.iter().map(|file| (file.path.clone(), file.diff.as_ref().map(String::len))).collect();
    let left_out = keep_fitting(&mut files, LIST / 2, |file| json_len(&head(file)));
    let heads = files.iter().map(|file| json_len(&head(file))).sum();
    fit_texts(heads, files.iter_mut().filter_map(|file| file.diff.as_mut()).collect());
    // A file whose diff is cut must be read again before it counts as read.
    let shown = |path: &str| files.iter().find(|file| file.path == path)?.diff.as_ref().map(String::len);
    let is_truncated = |(path, length): &(String, Option<usize>)| length.is_none() || shown(path) != *length;
    let unseen = received.into_iter().filter(is_truncated).map(|(path, _)| path).collect();
    let mut text = String::new();
    for file in &files {
        text.push_str(&head(file));
        text.push_str(file.diff.as_deref().unwrap_or("(no diff: read the file to see its content)\n"));
    }
    if files.is_empty() {
        text.push_str("No file that you have read was changed by others.\n");
    }
    // Writing to a string cannot fail.
    if left_out > 0 {
        let _ = writeln!(
            text,
            "One answer has no room for {left_out} more files: read a file again before you change it."
        );
    }
    let _ = writeln!(text, "cursor {cursor}");
    let about = files.into_iter().map(|file| file.path).collect();
    Answer { text, about, unseen, ..Answer::default() }
}

/// Returns the heading of a diff.
fn head(file: &ChangedFile) -> String {
    let ChangedFile { path, uri, by, hash, .. } = file;
    let now = hash.as_ref().map_or_else(|| "gone".to_owned(), |hash| format!("hash {hash}"));
    let uri = uri_if_needed(path, uri).map(|uri| format!(", {uri}")).unwrap_or_default();
    format!("{}, changed by {}, now {now}{uri}\n", in_one_line(path), in_one_line(by))
}

fn diagnostics(result: DiagnosticsResult, _: AnswerOptions<'_>) -> Answer {
    let DiagnosticsResult { items, truncated } = result;
    let truncated = truncated || items.len() > MAX_DIAGNOSTICS;
    let items = items.into_iter().take(MAX_DIAGNOSTICS);
    let mut lines: Vec<_> = items.map(|entry| DiagnosticOutput::from(entry).line_of_text()).collect();
    let truncated = keep_fitting(&mut lines, LIST, |line| json_len(line)) > 0 || truncated;
    let mut text = lines.concat();
    if lines.is_empty() {
        text.push_str("Editors show no diagnostics.\n");
    }
    if truncated {
        text.push_str("There are more; ask for one file by `path`.\n");
    }
    Answer { text, ..Answer::default() }
}

fn proposal_status(mut arguments: JsonObject) -> Request {
    if arguments.contains_key("id") {
        return Request::fallible::<ProposalMethod>(arguments, decision).waiting();
    }
    // A list never waits.
    arguments.retain(|name, _| name != "waitMs" && name != "wait_ms");
    Request::new::<Proposals>(arguments, waiting_proposals)
}

fn decision(result: ProposalResult, options: AnswerOptions<'_>) -> Result<Answer> {
    let ProposalResult { id, state, transaction, files, user_edits, comments, .. } = result;
    let replaced = result.replaced_by.map(|by| format!("It was replaced by {by}."));
    let notes: Vec<_> = [result.notice, result.reason, replaced].into_iter().flatten().collect();
    let reason = (!notes.is_empty()).then(|| notes.join(" "));
    let rest = ApplyResult::default();
    let decided = ApplyResult { id, state, transaction, files, user_edits, comments, reason, ..rest };
    ChangeOutput::new(decided, AnswerOptions { hashes: true, ..options }).with_state().answer()
}

fn waiting_proposals(result: ProposalsResult, _: AnswerOptions<'_>) -> Answer {
    let is_waiting = |proposal: &ProposalSummary| matches!(proposal.state.as_str(), "pending" | "proposed");
    let mut waiting: Vec<_> = result.proposals.into_iter().filter(is_waiting).collect();
    waiting.iter_mut().for_each(shorten);
    let left_out = keep_fitting(&mut waiting, LIST, |proposal| size(&data_of(proposal)));
    let notice = (left_out > 0).then(|| format!("One answer has no room for {left_out} more."));
    let mut text = String::new();
    for ProposalSummary { id, state, label, paths, added, removed, .. } in &waiting {
        let label = label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ =
            writeln!(text, "{id} {state}{label} (+{added} -{removed}): {}", in_one_line(&paths.join(", ")));
    }
    if waiting.is_empty() {
        text.push_str("None of your changes is waiting for a decision.\n");
    }
    let mut data = json!({ "proposals": waiting.iter().map(data_of).collect::<Vec<_>>() });
    if let Some(notice) = notice {
        let _ = writeln!(text, "{notice}");
        data["notice"] = notice.into();
    }
    Answer { text, data, ..Answer::default() }
}

/// Removes control characters from the label, and the paths beyond the limit.
fn shorten(proposal: &mut ProposalSummary) {
    proposal.label = proposal.label.as_deref().map(in_one_line);
    let left_out = proposal.paths.len().saturating_sub(MAX_PATHS);
    if left_out > 0 {
        proposal.paths.truncate(MAX_PATHS);
        proposal.paths.push(format!("and {left_out} more"));
    }
}

/// Returns the part of a proposal that is useful for models.
fn data_of(proposal: &ProposalSummary) -> Value {
    let ProposalSummary { id, state, label, paths, added, removed, .. } = proposal;
    let mut data = json!({
        "id": id, "state": state, "label": label, "paths": paths, "added": added, "removed": removed,
    });
    without_nulls(&mut data);
    data
}
