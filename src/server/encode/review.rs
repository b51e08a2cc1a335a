//! Conversion of proposals under review, and of their outcomes.

use std::sync::Arc;

use super::{committed_file, entry, hunk, proposed, system_time};
use crate::engine::review::decide;
use crate::engine::review::decide::ReviewOutcome;
use crate::engine::review::view::{HunkView, ProposalView, RebasedView};
use crate::protocol::{
    AppliedFile, ApplyResult, CommentEntry, Hunk, ProposalResult, RpcError, workspace_edit,
};
use crate::text::PositionEncoding;
use crate::workspace::review::{Comment, Review};
use crate::workspace::{Answered, Proposal, Repeatable, RequestKey};

/// Returns a proposal as it was made or decided, without reading its files.
pub(crate) fn stored_view(proposal: &Proposal, encoding: PositionEncoding) -> ProposalResult {
    let plain = proposed(proposal, encoding);
    let files = plain.files.into_iter().map(|entry| AppliedFile { entry, landed: None }).collect();
    let mut result = ProposalResult {
        id: plain.id,
        revision: plain.revision,
        state: plain.state,
        author: proposal.author.clone(),
        label: plain.label,
        at: system_time(proposal.at),
        reason: proposal.reason.clone(),
        replaced_by: proposal.replaced_by.as_ref().map(ToString::to_string),
        workspace_edit: plain.workspace_edit,
        files,
        transaction: proposal.transaction.as_ref().map(ToString::to_string),
        user_edits: Vec::new(),
        comments: comments(proposal.review.as_ref()),
        notice: None,
    };
    if let Some(outcome) = outcome_of(proposal) {
        (result.files, result.user_edits) = (outcome.files, outcome.user_edits);
    }
    result
}

/// Converts a proposal as its readers see it.
pub(crate) fn proposal_view(view: &ProposalView, encoding: PositionEncoding) -> ProposalResult {
    match view {
        ProposalView::Stored(proposal) => stored_view(proposal, encoding),
        ProposalView::Rebased(proposal, files) => rebased_view(proposal, files, encoding),
    }
}

fn rebased_view(proposal: &Proposal, files: &[RebasedView], encoding: PositionEncoding) -> ProposalResult {
    let mut result = stored_view(proposal, encoding);
    let (mut numbered, mut conflicted) = (0, Vec::new());
    let mut shown = |view: &RebasedView| {
        let hunks: Vec<_> = view.hunks.iter().zip(numbered..).map(|(it, at)| hunk_view(it, at)).collect();
        numbered += hunks.len();
        conflicted.extend(hunks.iter().filter(|it| it.state == "conflicted").map(|it| it.id.clone()));
        let mut entry = entry(&view.file, hunks);
        entry.warnings.extend(view.problem.clone());
        AppliedFile { entry, landed: None }
    };
    result.files = files.iter().map(&mut shown).collect();
    let planned = files.iter().filter(|view| view.is_change).map(|view| &view.file);
    result.workspace_edit = workspace_edit(planned, encoding);
    result.notice = (!conflicted.is_empty()).then(|| {
        format!(
            "These hunks conflict with changes since the proposal and are not accepted; take or reject each of them: {}.",
            conflicted.join(", ")
        )
    });
    result
}

fn hunk_view(view: &HunkView, at: usize) -> Hunk {
    let (old_text, new_text) = view.texts.clone().unzip();
    Hunk { old_text, new_text, ..hunk(at, view.kind, view.lines, view.choice.name(view.conflicted)) }
}

/// Returns the comments of a review as wire entries.
pub(crate) fn comments(review: Option<&Review>) -> Vec<CommentEntry> {
    let entry = |comment: &Comment| CommentEntry {
        path: comment.path.as_ref().map(|path| path.display().to_string()),
        hunk: comment.hunk.map(|hunk| hunk.to_string()),
        text: comment.text.clone(),
    };
    review.into_iter().flat_map(|review| &review.comments).map(entry).collect()
}

/// Returns the outcome of a decided proposal, as its author receives it.
pub(crate) fn outcome_of(proposal: &Proposal) -> Option<ApplyResult> {
    let outcome = proposal.review.as_ref()?.outcome.as_ref()?;
    let read = serde_json::from_str(outcome)
        .map_err(|error| RpcError::new(crate::protocol::Code::Internal, error.to_string()));
    read.inspect_err(|error| tracing::error!(%error, "an outcome cannot be read")).ok()
}

/// Returns the answer for a proposal without a decision: one that is still pending, or was closed without
/// one.
pub(crate) fn undecided(proposal: &Proposal) -> ApplyResult {
    let plain = proposed(proposal, PositionEncoding::Utf8);
    let without_result = |entry| AppliedFile { entry, landed: None };
    ApplyResult {
        id: plain.id,
        revision: plain.revision,
        state: plain.state,
        transaction: proposal.transaction.as_ref().map(ToString::to_string),
        undoes: proposal.undoes.as_ref().map(ToString::to_string),
        fingerprint: None,
        files: plain.files.into_iter().map(without_result).collect(),
        diagnostics: None,
        user_edits: Vec::new(),
        comments: comments(proposal.review.as_ref()),
        reason: proposal.reason.clone(),
    }
}

/// Maximum size of a stored outcome, in bytes. A longer one is stored without diffs and snippets.
const STORED_OUTCOME: usize = 256 << 10;

/// Returns the answer to the request that made a proposal, so that a repeated request does not make another
/// one.
pub(crate) fn stored_answer(proposal: &Proposal) -> Option<(RequestKey, Answered)> {
    let Repeatable { id, asks } = proposal.request.clone()?;
    let answer = serde_json::to_string(&undecided(proposal)).ok()?.into();
    Some(((proposal.author.clone(), id), Answered { asks, answer }))
}

/// Serializes the outcome of a review, as its author receives it.
pub(crate) fn review_outcome(outcome: &ReviewOutcome<'_>) -> Option<Arc<str>> {
    let mut result = undecided(outcome.proposal);
    result.revision = outcome.revision;
    outcome.review.verdict().name().clone_into(&mut result.state);
    result.transaction = outcome.transaction.as_ref().map(ToString::to_string);
    result.undoes = outcome.undoes.as_ref().map(ToString::to_string);
    let user_edit = |edit: &decide::UserEdit| crate::protocol::UserEdit {
        path: edit.path.clone(),
        diff: edit.diff.clone(),
    };
    result.user_edits = outcome.user_edits.iter().map(user_edit).collect();
    result.comments = comments(Some(outcome.review));
    for (file, lines) in result.files.iter_mut().zip(&outcome.lines) {
        for (hunk, (lines, state)) in file.entry.hunks.iter_mut().zip(lines) {
            (hunk.old_start, hunk.old_lines) = (lines.old_start, lines.old_lines);
            (hunk.new_start, hunk.new_lines) = (lines.new_start, lines.new_lines);
            (*state).clone_into(&mut hunk.state);
        }
    }
    for (index, file) in &outcome.committed {
        let hunks = std::mem::take(&mut result.files[*index].entry.hunks);
        let entry = entry(&file.file, hunks);
        result.files[*index] = AppliedFile { entry, landed: Some(committed_file(file)) };
    }
    stored_outcome(&mut result)
}

/// Serializes an outcome for storage, without diffs and snippets if it is too long.
fn stored_outcome(result: &mut ApplyResult) -> Option<Arc<str>> {
    let json = serde_json::to_string(result).ok()?;
    if json.len() <= STORED_OUTCOME {
        return Some(json.into());
    }
    for file in &mut result.files {
        file.entry.diff.clear();
        file.entry.display = None;
        file.entry.matches.clear();
        file.entry.warnings.push("The diff of this closed proposal was too long to be stored.".to_owned());
        if let Some(landed) = &mut file.landed {
            landed.snippet.clear();
        }
    }
    serde_json::to_string(result).ok().map(Into::into)
}
