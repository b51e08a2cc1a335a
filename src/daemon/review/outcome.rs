//! Committing the accepted hunks of a decided proposal.

use std::ops::Range;
use std::sync::Arc;

use crate::edit::{Labels, Plan, diff_texts};
use crate::workspace::review::{Choice, DecidedFile, FileOutcome, Replacement, Review, ReviewOutcome};
use crate::workspace::{
    Action, Coverage, FileContent, OnStale, PlannedFile, Proposal, Refusal, RefusalKind, SessionId,
};

use crate::daemon::change::commit::{CommittedFile, PendingWrite};
use crate::daemon::change::compute::{ComputeOptions, ComputedChange, MatchOptions, finish};
use crate::daemon::change::draft::{Draft, stays_notebook};
use crate::daemon::change::history_recording::{CommitResult, Intent};
use crate::daemon::{Core, Failure, SessionContext, answer};

use super::ReviewFile;
use super::shown::outcome_of;

/// Maximum size of a stored outcome, in bytes. A longer one is stored without diffs and snippets.
const STORED_OUTCOME: usize = 256 << 10;

/// A file with the decisions about it.
pub(super) struct Decided<'a> {
    pub(super) file: &'a PlannedFile,
    pub(super) choices: &'a [Choice],
    pub(super) replacement: Option<&'a Replacement>,
}

/// An attempt to commit a decided proposal. Unless it succeeds, dropping it makes the proposal pending again,
/// also after a panic.
struct Attempt<'a> {
    core: &'a Core,
    id: &'a str,
    settled: bool,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.core.workspace.update(|w| w.decision_failed(self.id));
        }
    }
}

impl Core {
    /// Commits the accepted hunks, in all files or none, and closes the proposal. If the commit fails, the
    /// last decision does not count.
    pub(crate) fn carry_out_review(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        review: Review,
        (context, files): (&SessionContext, Vec<ReviewFile>),
    ) -> Result<(), Failure> {
        let id = proposal.id.to_string();
        let revision = proposal.revision;
        self.workspace.update(|w| w.begin_decision(session.id, &id, revision))?;
        let mut attempt = Attempt { core: self, id: &id, settled: false };
        let mut decided = self.decided_files(proposal, &review, &files);
        let all = review.choices.iter().all(|choice| *choice == Choice::Accepted);
        let fresh = proposal.files.iter().zip(&files).all(|(file, reviewed)| reviewed.is_fresh(file));
        let undoes = proposal.undoes.clone().filter(|_| all && fresh);
        let writes = match &undoes {
            Some(transaction) => self.compute_reviewed_undo(context, proposal, transaction)?,
            None => self.compute_decided_files(proposal, &review, files)?,
        };
        let indexes: Vec<usize> = writes.iter().map(|write| write.index).collect();
        let mut commit_result = CommitResult { files: Vec::new(), transaction: None, undoes: None };
        if !writes.is_empty() {
            let intent = Intent { undoes, ..Intent::of(proposal) };
            commit_result = self.commit(writes, &intent)?;
        }
        attempt.settled = true;
        let committed: Vec<_> = indexes.into_iter().zip(commit_result.files).collect();
        for (index, file) in &committed {
            decided[*index].file = file.file.as_shown();
            decided[*index].written = Some(answer::written(file));
        }
        let outcome = ReviewOutcome { undoes: commit_result.undoes, files: decided };
        let review = with_outcome(proposal, review, commit_result.transaction.clone(), outcome);
        let (moved, observations): (Vec<_>, Vec<_>) =
            committed.iter().map(|(_, file): &(usize, CommittedFile)| file.moved(false)).unzip();
        let is_connected = self.clients.is_connected(proposal.session);
        let by = if is_connected { proposal.session } else { SessionId(0) };
        self.workspace.update(|w| {
            w.decided(session.id, &id, review, commit_result.transaction);
            w.record_decided(by, &proposal.author, moved);
            w.cache_all(observations);
        });
        Ok(())
    }

    fn compute_decided_files(
        &self,
        proposal: &Proposal,
        review: &Review,
        files: Vec<ReviewFile>,
    ) -> Result<Vec<PendingWrite>, Failure> {
        let (mut writes, mut refusals) = (Vec::new(), Vec::new());
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        for (index, ((file, mut reviewed), range)) in of_files.enumerate() {
            let replacement = review.replaced.get(&index);
            let decided = Decided { file, choices: &review.choices[range], replacement };
            let to = reviewed.located.as_mut().ok().and_then(|(_, to)| to.take());
            match self.compute_decided(&decided, reviewed) {
                Ok(Some(computed)) => {
                    let to = to.filter(|_| matches!(computed.file.action, Action::Rename { .. }));
                    writes.push(PendingWrite::new(index, computed, to));
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal.of_change(index).of_proposal()),
            }
        }
        if refusals.is_empty() { Ok(writes) } else { Err(Failure::Refused(refusals)) }
    }

    /// Computes the rejected part of a closed proposal on the current content.
    pub(crate) fn compute_rejected(
        &self,
        proposal: &Proposal,
        files: Vec<ReviewFile>,
    ) -> Result<Vec<PlannedFile>, Failure> {
        let review = proposal.review.clone().unwrap_or_default();
        let (mut wanted, mut refusals) = (Vec::new(), Vec::new());
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        for (index, ((file, reviewed), range)) in of_files.enumerate() {
            // The result is reviewed before it is committed, so it may overwrite what was changed since.
            let invert = |choice: &Choice| {
                if *choice == Choice::Rejected { Choice::Taken } else { Choice::Rejected }
            };
            let choices: Vec<_> = review.choices[range].iter().map(invert).collect();
            let is_gone = matches!(reviewed.content(), FileContent::Missing);
            if is_gone && choices.contains(&Choice::Taken) && file.before.is_some() {
                refusals.push(Refusal::at(&file.path, RefusalKind::Missing).of_change(index).of_proposal());
                continue;
            }
            match self.compute_decided(&Decided { file, choices: &choices, replacement: None }, reviewed) {
                Ok(Some(mut computed)) => {
                    computed.settle();
                    wanted.push(computed.file);
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal.of_change(index).of_proposal()),
            }
        }
        match wanted.is_empty() {
            _ if !refusals.is_empty() => Err(Failure::Refused(refusals)),
            true => Err(Refusal::new(RefusalKind::NoChange).into()),
            false => Ok(wanted),
        }
    }

    /// Computes the change of a file after the decisions. Returns `None` if the file stays as it is.
    pub(super) fn compute_decided(
        &self,
        decided: &Decided<'_>,
        reviewed: ReviewFile,
    ) -> Result<Option<ComputedChange>, Refusal> {
        let Decided { file, choices, replacement } = *decided;
        let about = |kind| Refusal::at(&file.path, kind);
        let rules = &ComputeOptions {
            indexes: &self.indexes,
            matching: MatchOptions::default(),
            on_stale: OnStale::Reject,
            display: file.shown.as_ref().map(|shown| shown.display),
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        let verdict = reviewed.observed_version(file).verdict(choices, replacement, rules.deadline);
        if verdict == FileOutcome::Nothing {
            return Ok(None);
        }
        let is_fresh = reviewed.is_fresh(file);
        let (observed, _) = reviewed.located?;
        let as_proposed = is_fresh
            && match (&verdict, &file.action) {
                (FileOutcome::Text(plan), Action::Edit | Action::Create { .. })
                | (FileOutcome::Rename(plan), Action::Rename { .. }) => *plan == *file.plan,
                _ => false,
            };
        if (as_proposed && replacement.is_none()) || (verdict == FileOutcome::Delete && is_fresh) {
            return ComputedChange::of_planned(file, observed, rules).map(Some);
        }
        let (action, plan) = match verdict {
            FileOutcome::Delete => (Action::Delete, Plan::default()),
            FileOutcome::Rename(plan) => (file.action.clone(), plan),
            FileOutcome::Text(plan) if matches!(observed.content, FileContent::Missing) => {
                (if file.action.creates() { file.action.clone() } else { Action::CREATE }, plan)
            }
            FileOutcome::Text(plan) => (Action::Edit, plan),
            FileOutcome::Nothing => return Ok(None),
        };
        if action != Action::Delete && !plan.is_empty() && observed.exists() {
            observed.content().map_err(about)?;
        }
        let text = observed.text.as_ref().map_or("", |text| text);
        stays_notebook(&file.path, text, &plan).map_err(about)?;
        let current = observed.content.snapshot().map(|now| now.format);
        let proposed_for = file.before.as_ref().map(|before| before.format);
        // If the format of the file has changed since the proposal, the new format stays.
        let format = current.filter(|_| current != proposed_for).unwrap_or(file.format);
        let draft = Draft {
            plan,
            matches: file.matches.clone(),
            warnings: file.warnings.clone(),
            rebased: file.rebased || !is_fresh,
            original_plan: None,
        };
        // The author has not seen the other changes since the proposal.
        let coverage = if is_fresh { file.coverage } else { Coverage::Part };
        match finish(observed, action, format, draft, coverage, rules) {
            Ok(mut computed) => {
                computed.file.runs_programs = file.runs_programs;
                Ok(Some(computed))
            }
            Err(RefusalKind::NoChange) => Ok(None),
            Err(kind) => Err(about(kind)),
        }
    }

    /// Returns the files with the line numbers of their hunks and the edits of the user.
    fn decided_files(&self, proposal: &Proposal, review: &Review, files: &[ReviewFile]) -> Vec<DecidedFile> {
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges()).enumerate();
        let decided =
            |(index, ((file, reviewed), range)): (usize, ((&PlannedFile, &ReviewFile), Range<usize>))| {
                let mut hunks = file.hunks();
                let lines = reviewed.rebased.lines(&hunks, &review.choices[range]);
                for ((_, hunk), lines) in hunks.iter_mut().zip(lines) {
                    *hunk = lines;
                }
                let replacement = review.replaced.get(&index);
                let user_edit =
                    replacement.and_then(|replacement| self.user_edit(file, reviewed, replacement));
                DecidedFile { file: file.as_shown(), hunks, user_edit, written: None }
            };
        of_files.map(decided).collect()
    }

    /// Returns the diff from the proposed content to the written content of a file that the user edited.
    fn user_edit(
        &self,
        file: &PlannedFile,
        reviewed: &ReviewFile,
        replacement: &Replacement,
    ) -> Option<String> {
        let now = reviewed.text().unwrap_or_default();
        let result = replacement.plan(reviewed.content(), reviewed.text(), self.deadline())?.apply(now);
        let all = vec![Choice::Taken; reviewed.rebased.hunks.len()];
        let proposed = reviewed.observed_version(file).proposed(&all, None, self.deadline());
        let name = file.path.display().to_string();
        let labels = Labels::same(name.trim_start_matches('/'));
        Some(diff_texts(&proposed, &result, labels, self.deadline()).unified)
    }
}

/// Adds the outcome to a review, without diffs and snippets if its answer is too long.
fn with_outcome(
    proposal: &Proposal,
    mut review: Review,
    transaction: Option<Arc<str>>,
    outcome: ReviewOutcome,
) -> Review {
    let mut outcome = Arc::new(outcome);
    let (revision, state) = (proposal.revision + 1, review.verdict());
    review.outcome = Some(outcome.clone());
    let closed = Proposal { revision, state, transaction, review: Some(review.clone()), ..proposal.clone() };
    if serde_json::to_vec(&outcome_of(&closed)).is_ok_and(|json| json.len() > STORED_OUTCOME) {
        Arc::make_mut(&mut outcome).drop_texts();
        review.outcome = Some(outcome);
    }
    review
}
