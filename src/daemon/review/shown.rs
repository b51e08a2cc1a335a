//! A proposal as those see it who decide.

use crate::protocol::{
    AppliedFile, ApplyResult, CommentEntry, Hunk, ProposalResult, RpcError, workspace_edit,
};
use crate::text::PositionEncoding;
use crate::workspace::review::{Choice, Comment, Review};
use crate::workspace::{PlannedFile, Proposal, Refusal, Role};

use crate::daemon::{Core, SessionContext, answer};

use super::ReviewFile;

/// A proposal with nothing looked at: as it was made, or as it was decided.
pub(crate) fn as_kept(proposal: &Proposal, encoding: PositionEncoding) -> ProposalResult {
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
    /// A proposal that waits, over what is there now.
    pub(crate) fn as_it_lies(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        files: Vec<ReviewFile>,
    ) -> ProposalResult {
        let mut result = as_kept(proposal, session.encoding);
        let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
        let mut planned = Vec::with_capacity(files.len());
        let (mut entries, mut conflicted) = (Vec::with_capacity(files.len()), Vec::new());
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        for (index, ((file, looked), range)) in of_files.enumerate() {
            let choices = &review.choices[range.clone()];
            let hunks = hunks(file, &looked, choices, range.start, session.role == Role::Editor);
            conflicted.extend(hunks.iter().filter(|it| it.state == "conflicted").map(|it| it.id.clone()));
            let trouble = looked.place.as_ref().err().map(Refusal::message);
            let (file, to_do) = self.if_accepted(file, looked, &review, (index, choices));
            let mut entry = answer::entry(&file, hunks);
            entry.warnings.extend(trouble);
            entries.push(AppliedFile { entry, landed: None });
            planned.extend(to_do.then_some(file));
        }
        result.files = entries;
        result.workspace_edit = workspace_edit(&planned, session.encoding);
        result.notice = (!conflicted.is_empty()).then(|| {
            format!(
                "Changed since it was proposed, so not accepted; to be taken or rejected one by one: {}.",
                conflicted.join(", ")
            )
        });
        result
    }

    /// A file's change over what is there now, if everything that is open were accepted; and whether there is
    /// anything to do.
    fn if_accepted(
        &self,
        file: &PlannedFile,
        looked: ReviewFile,
        review: &Review,
        (index, choices): (usize, &[Choice]),
    ) -> (PlannedFile, bool) {
        let replacement = review.replaced.get(&index);
        let no = |choice: &Choice| matches!(choice, Choice::Rejected | Choice::Edited);
        if looked.is_fresh(file) && replacement.is_none() && !choices.iter().any(no) {
            return (file.clone(), true);
        }
        let all: Vec<Choice> =
            choices.iter().map(|choice| if no(choice) { *choice } else { Choice::Taken }).collect();
        let decided = super::outcome::Decided { file, choices: &all, replacement };
        match self.work_decided(&decided, looked) {
            Ok(Some(mut worked)) => {
                worked.settle();
                (worked.file, true)
            }
            Ok(None) | Err(_) => (file.clone(), false),
        }
    }
}

fn hunks(
    file: &PlannedFile,
    looked: &ReviewFile,
    choices: &[Choice],
    before: usize,
    with_texts: bool,
) -> Vec<Hunk> {
    let proposed = file.hunks();
    let now = looked.now().unwrap_or_default();
    let lines = looked.look.lines(&proposed, choices);
    let hunks = looked.look.hunks.iter().zip(lines).zip(choices).enumerate();
    let hunk = |(at, ((hunk, lines), choice)): (usize, ((&_, _), &Choice))| {
        let hunk: &crate::workspace::review::LookedHunk = hunk;
        let state = choice.name(hunk.conflicted);
        let mut shown = answer::hunk(before + at, hunk.kind, lines, state);
        if with_texts && let Some((old, new)) = looked.look.texts(hunk, now) {
            (shown.old_text, shown.new_text) = (Some(old), Some(new));
        }
        shown
    };
    hunks.map(hunk).collect()
}

/// What a person said, on the wire.
pub(super) fn comments(review: Option<&Review>) -> Vec<CommentEntry> {
    let entry = |comment: &Comment| CommentEntry {
        path: comment.path.as_ref().map(|path| path.display().to_string()),
        hunk: comment.hunk.map(|hunk| hunk.to_string()),
        text: comment.text.clone(),
    };
    review.into_iter().flat_map(|review| &review.comments).map(entry).collect()
}

/// What became of a proposal that was decided, as its author is told.
pub(crate) fn outcome_of(proposal: &Proposal) -> Option<ApplyResult> {
    let outcome = proposal.review.as_ref()?.outcome.as_ref()?;
    let read = serde_json::from_str(outcome)
        .map_err(|error| RpcError::new(crate::protocol::Code::Internal, error.to_string()));
    read.inspect_err(|error| tracing::error!(%error, "an outcome cannot be read")).ok()
}

/// The answer to those who wait for a decision, as long as there is none; also of what was closed without one.
pub(crate) fn undecided(proposal: &Proposal) -> ApplyResult {
    let plain = answer::proposal(proposal, PositionEncoding::Utf8);
    let landless = |entry| AppliedFile { entry, landed: None };
    ApplyResult {
        id: plain.id,
        revision: plain.revision,
        state: plain.state,
        transaction: proposal.transaction.as_ref().map(ToString::to_string),
        undoes: proposal.undoes.as_ref().map(ToString::to_string),
        fingerprint: None,
        files: plain.files.into_iter().map(landless).collect(),
        diagnostics: None,
        user_edits: Vec::new(),
        comments: comments(proposal.review.as_ref()),
        reason: proposal.reason.clone(),
    }
}
