//! Views of a proposal: as stored, and as reviewers see it.

use crate::protocol::{
    AppliedFile, ApplyResult, CommentEntry, Hunk, ProposalResult, RpcError, workspace_edit,
};
use crate::text::PositionEncoding;
use crate::workspace::review::{Choice, Comment, Review};
use crate::workspace::{PlannedFile, Proposal, Role};

use crate::daemon::{Core, SessionContext, answer};

use super::ReviewFile;

/// Returns a proposal as it was made or decided, without reading its files.
pub(crate) fn stored_view(proposal: &Proposal, encoding: PositionEncoding) -> ProposalResult {
    let plain = answer::proposal(proposal, encoding);
    let files = plain.files.into_iter().map(|entry| AppliedFile { entry, landed: None }).collect();
    let mut result = ProposalResult {
        id: plain.id,
        revision: plain.revision,
        state: plain.state,
        author: proposal.author.clone(),
        label: plain.label,
        at: answer::system_time(proposal.at),
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

impl Core {
    /// Returns a pending proposal, rebased onto the current content of its files.
    pub(crate) fn rebased_view(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        files: Vec<ReviewFile>,
    ) -> ProposalResult {
        let mut result = stored_view(proposal, session.encoding);
        let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
        let mut planned = Vec::with_capacity(files.len());
        let (mut entries, mut conflicted) = (Vec::with_capacity(files.len()), Vec::new());
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        for (index, ((file, reviewed), range)) in of_files.enumerate() {
            let choices = &review.choices[range.clone()];
            let hunks = hunks(file, &reviewed, choices, range.start, session.role == Role::Editor);
            conflicted.extend(hunks.iter().filter(|it| it.state == "conflicted").map(|it| it.id.clone()));
            let problem =
                reviewed.located.as_ref().err().map(|refusal| refusal.message(session.abilities.audience));
            let (file, is_change) = self.if_accepted(file, reviewed, &review, (index, choices));
            let mut entry = answer::entry(&file, hunks);
            entry.warnings.extend(problem);
            entries.push(AppliedFile { entry, landed: None });
            planned.extend(is_change.then_some(file));
        }
        result.files = entries;
        result.workspace_edit = workspace_edit(&planned, session.encoding);
        result.notice = (!conflicted.is_empty()).then(|| {
            format!(
                "These hunks conflict with changes since the proposal and are not accepted; take or reject each of them: {}.",
                conflicted.join(", ")
            )
        });
        result
    }

    /// Returns the change of a file on the current content, as if all undecided hunks were accepted. The flag
    /// is `false` if nothing would change.
    fn if_accepted(
        &self,
        file: &PlannedFile,
        reviewed: ReviewFile,
        review: &Review,
        (index, choices): (usize, &[Choice]),
    ) -> (PlannedFile, bool) {
        let replacement = review.replaced.get(&index);
        let is_declined = |choice: &Choice| matches!(choice, Choice::Rejected | Choice::Edited);
        if reviewed.is_fresh(file) && replacement.is_none() && !choices.iter().any(is_declined) {
            return (file.clone(), true);
        }
        let all: Vec<Choice> =
            choices.iter().map(|choice| if is_declined(choice) { *choice } else { Choice::Taken }).collect();
        let decided = super::outcome::Decided { file, choices: &all, replacement };
        match self.compute_decided(&decided, reviewed) {
            Ok(Some(mut computed)) => {
                computed.settle();
                (computed.file, true)
            }
            Ok(None) | Err(_) => (file.clone(), false),
        }
    }
}

fn hunks(
    file: &PlannedFile,
    reviewed: &ReviewFile,
    choices: &[Choice],
    before: usize,
    with_texts: bool,
) -> Vec<Hunk> {
    let proposed = file.hunks();
    let now = reviewed.text().unwrap_or_default();
    let lines = reviewed.rebased.lines(&proposed, choices);
    let hunks = reviewed.rebased.hunks.iter().zip(lines).zip(choices).enumerate();
    let hunk = |(at, ((hunk, lines), choice)): (usize, ((&_, _), &Choice))| {
        let hunk: &crate::workspace::review::RebasedHunk = hunk;
        let state = choice.name(hunk.conflicted);
        let mut shown = answer::hunk(before + at, hunk.kind, lines, state);
        if with_texts && let Some((old, new)) = reviewed.rebased.texts(hunk, now) {
            (shown.old_text, shown.new_text) = (Some(old), Some(new));
        }
        shown
    };
    hunks.map(hunk).collect()
}

/// Returns the comments of a review as wire entries.
pub(super) fn comments(review: Option<&Review>) -> Vec<CommentEntry> {
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
    let plain = answer::proposal(proposal, PositionEncoding::Utf8);
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
