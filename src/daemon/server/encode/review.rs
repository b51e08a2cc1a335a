//! Conversion of proposals under review, and of their outcomes.

use super::paths::{add_paths, path_entry};
use super::{changed_state, entry, hunk, landed, proposed, system_time};
use crate::engine::review::view::{HunkView, ProposalView, RebasedView};
use editd_protocol::{
    AppliedFile, ApplyResult, CommentEntry, Hunk, LandedDecision, ProposalResult, UserEdit, workspace_edit,
};
use editd_text::PositionEncoding;
use editd_workspace::Proposal;
use editd_workspace::review::{Choice, Comment, DecidedFile, HunkKind, Review};

/// Begins the notice about hunks that are in conflict.
const NOT_ACCEPTED: &str =
    "These hunks conflict with changes since the proposal and are not accepted; take or reject each of them";

/// Begins the notice about hunks of a landed change that are in conflict.
const KEPT: &str = "These hunks conflict with later changes and are not reverted; accept each of them to keep the current lines, or take it to restore the earlier ones";

/// Returns a proposal as it was made or decided, without reading its files.
pub(crate) fn stored_view(proposal: &Proposal, encoding: PositionEncoding) -> ProposalResult {
    let plain = proposed(proposal, encoding);
    let files = plain.files.into_iter().map(|entry| AppliedFile { entry, landed: None }).collect();
    let mut result = ProposalResult {
        id: plain.id,
        revision: plain.revision,
        state: plain.state,
        landed: landed(proposal),
        author: proposal.author.clone(),
        label: plain.label,
        at: system_time(proposal.at),
        reason: proposal.reason.clone(),
        replaced_by: proposal.replaced_by.as_ref().map(ToString::to_string),
        workspace_edit: plain.workspace_edit,
        files,
        paths: proposal.as_seen().paths.iter().map(path_entry).collect(),
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
    let (mut numbers, mut conflicted) = (0.., Vec::new());
    let mut shown = |view: &RebasedView| {
        let hunks: Vec<_> = view.hunks.iter().zip(numbers.by_ref()).map(hunk_view).collect();
        let of_view = view.hunks.iter().zip(&hunks);
        let is_conflicted = |view: &HunkView| view.conflicted && view.choice == Choice::Open;
        conflicted.extend(of_view.filter(|(it, _)| is_conflicted(it)).map(|(_, hunk)| hunk.id.clone()));
        let mut entry = entry(&view.file, hunks);
        entry.warnings.extend(view.problem.clone());
        AppliedFile { entry, landed: None }
    };
    result.files = files.iter().map(&mut shown).collect();
    add_decided_paths(&mut result.files, &proposal.as_seen());
    let planned = files.iter().filter(|view| view.is_change).map(|view| &view.file);
    result.workspace_edit = workspace_edit(planned, encoding);
    if !conflicted.is_empty() {
        let advice = if proposal.landed.is_some() { KEPT } else { NOT_ACCEPTED };
        result.notice = Some(format!("{advice}: {}.", conflicted.join(", ")));
    }
    result
}

/// Adds the links, folders and permissions of a proposal, as it is seen, with the decisions about them.
fn add_decided_paths(files: &mut Vec<AppliedFile>, proposal: &Proposal) {
    let choice = |at: usize| proposal.review.as_ref().and_then(|review| review.choices.get(at).copied());
    let state = |at| choice(at).unwrap_or_default().name(false);
    add_paths(files, proposal, state);
}

fn hunk_view((view, at): (&HunkView, usize)) -> Hunk {
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
    let proposal = &*proposal.as_seen();
    let review = proposal.review.as_ref()?;
    let outcome = review.outcome.as_ref()?;
    let mut choices = review.choices.iter().enumerate();
    let of_file = |decided: &DecidedFile| {
        let hunk = |((kind, lines), (at, choice)): (&(HunkKind, editd_edit::Hunk), (usize, &Choice))| {
            hunk(at, *kind, *lines, choice.name(false))
        };
        let hunks = decided.hunks.iter().zip(choices.by_ref()).map(hunk).collect();
        let landed = decided.written.clone().map(changed_state);
        AppliedFile { entry: entry(&decided.file, hunks), landed }
    };
    let mut files = outcome.files.iter().map(of_file).collect();
    add_decided_paths(&mut files, proposal);
    let user_edit = |decided: &DecidedFile| {
        Some(UserEdit { path: decided.file.path.display().to_string(), diff: decided.user_edit.clone()? })
    };
    Some(ApplyResult {
        undoes: outcome.undoes.as_ref().map(ToString::to_string),
        user_edits: outcome.files.iter().filter_map(user_edit).collect(),
        ..result(proposal, files)
    })
}

/// Returns the answer for a proposal without a decision: one that is still pending, or was closed without
/// one.
pub(crate) fn undecided(proposal: &Proposal) -> ApplyResult {
    let entries = proposed(proposal, PositionEncoding::Utf8).files;
    result(proposal, entries.into_iter().map(|entry| AppliedFile { entry, landed: None }).collect())
}

fn result(proposal: &Proposal, files: Vec<AppliedFile>) -> ApplyResult {
    ApplyResult {
        id: proposal.id.to_string(),
        revision: proposal.revision,
        state: proposal.reported_state().to_string(),
        transaction: proposal.transaction.as_ref().map(ToString::to_string),
        undoes: proposal.undoes.as_ref().map(ToString::to_string),
        files,
        comments: comments(proposal.review.as_ref()),
        reason: proposal.reason.clone(),
        ..ApplyResult::default()
    }
}

/// Returns the decision about a landed change, as the author of the change receives it.
pub(crate) fn landed_decision(proposal: &Proposal) -> LandedDecision {
    let outcome = outcome_of(proposal).unwrap_or_default();
    let is_changed = |file: &&AppliedFile| file.entry.hunks.iter().any(|hunk| hunk.state != "accepted");
    LandedDecision {
        id: proposal.id.to_string(),
        landed: landed(proposal).unwrap_or_default(),
        label: proposal.label.clone(),
        state: outcome.state,
        transaction: outcome.transaction,
        paths: outcome.files.iter().filter(is_changed).map(|file| file.entry.path.clone()).collect(),
        user_edits: outcome.user_edits,
        comments: outcome.comments,
    }
}
