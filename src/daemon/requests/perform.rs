//! Carries out computed changes: of edits, undos and proposals.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::ReviewMode;
use crate::disk::Target;
use crate::protocol::ApplyResult;
use crate::workspace::{NextStep, PlannedFile, Proposal, ProposalState, Refusal, Repeatable, Role};

use crate::daemon::change::commit::{PendingWrite, changes};
use crate::daemon::change::history_recording::{CommitResult, Intent};
use crate::daemon::job::{Job, Located};
use crate::daemon::review::{paths_of, undecided};
use crate::daemon::{Core, Failure, SessionContext, answer};

use super::call::{Call, Header};
use super::patched::PatchInfo;
use super::propose::Origin;

/// The options of a request for a computed change.
#[derive(Default)]
pub(super) struct ChangeOptions {
    /// The `requestId`, if the request has one.
    pub(super) request: Option<Repeatable>,
    /// The transaction that the change undoes, if any.
    pub(super) undoes: Option<Arc<str>>,
    /// The `review` parameter: `true` if the user must decide.
    pub(super) review: Option<bool>,
}

impl Core {
    /// Returns `true` if the user must review a change of these files: because the configuration requires it,
    /// because an editor shows reviews for them, or because the request asks for it. A request can ask for
    /// more than is configured, but not for less. Changes from an editor are the user's own and need no
    /// review.
    pub(super) fn wants_review(
        &self,
        session: &SessionContext,
        asked: Option<bool>,
        files: &[&PlannedFile],
    ) -> bool {
        if asked == Some(true) {
            return true;
        }
        match (session.role, self.config.review) {
            (Role::Editor, _) | (Role::Agent, ReviewMode::Off) => false,
            (Role::Agent, ReviewMode::Always) => true,
            (Role::Agent, ReviewMode::Auto) => {
                self.has_reviewer(files.iter().flat_map(|file| paths_of(file)))
            }
        }
    }

    /// Returns the `review` option of a call, adjusted by the path rules.
    pub(super) fn review_for_call(
        &self,
        call: &Call<Target>,
        asked: Option<bool>,
    ) -> Result<Option<bool>, Failure> {
        let decided = self.review_by_rules(call.to_review(), &call.targets(), asked);
        decided.map_err(|failure| PatchInfo::add_lines(call.patch.as_ref(), failure))
    }

    /// Returns the `review` option of a request, adjusted by the path rules. If the rules require a review
    /// and a reviewer is available, the whole set goes under review. If no reviewer is available, the request
    /// is refused before it reveals anything else about its files.
    pub(super) fn review_by_rules(
        &self,
        to_review: Vec<Refusal>,
        targets: &[&Target],
        asked: Option<bool>,
    ) -> Result<Option<bool>, Failure> {
        if to_review.is_empty() {
            return Ok(asked);
        }
        // A proposal that waits anyway can be decided at any terminal, now or later.
        let waits = asked == Some(true) || self.config.review == ReviewMode::Always;
        if waits || self.has_reviewer(targets.iter().map(|target| target.path.clone())) {
            return Ok(Some(true));
        }
        Err(Failure::Refused(to_review))
    }

    fn has_reviewer(&self, paths: impl Iterator<Item = PathBuf>) -> bool {
        let paths: Vec<_> = paths.collect();
        let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
        self.workspace.update(|w| w.has_reviewer(&paths))
    }

    /// Writes a computed change as a proposal that is applied at once, or puts it under review.
    pub(super) fn perform(
        &self,
        session: &SessionContext,
        header: &Header,
        mut writes: Vec<PendingWrite>,
        ChangeOptions { request, undoes, review }: ChangeOptions,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let files: Vec<_> = writes.iter().map(|write| &write.computed.file).collect();
        let is_reviewed = self.wants_review(session, review, &files);
        let origin = Origin { purpose: NextStep::Applying, request, undoes: undoes.clone() };
        if is_reviewed {
            let origin = Origin { purpose: NextStep::Reviewing, ..origin };
            return Ok(undecided(&self.record_proposal(session, header, &mut writes, origin)?));
        }
        self.route(&mut writes)?;
        let changes = changes(&writes);
        // Large contents are hashed while they are staged, and the proposal needs the hashes.
        let staged = self.stage(&changes);
        let proposal = self.record_proposal(session, header, &mut writes, origin)?;
        let commit_result = self.commit_staged(staged, writes, &Intent { undoes, ..Intent::of(&proposal) });
        drop(changes);
        self.finish(session, &proposal, commit_result, job)
    }

    fn finish(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        commit_result: Result<CommitResult, Refusal>,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let commit_result = commit_result.inspect_err(|_| {
            self.not_applied(session, proposal, ProposalState::Failed);
        })?;
        let result = self.report(session, proposal, &commit_result, false);
        job.drop_later(commit_result);
        Ok(result)
    }

    /// Records a committed change in the workspace and returns the answer.
    pub(super) fn report(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        CommitResult { files: committed, transaction, undoes }: &CommitResult,
        carried: bool,
    ) -> ApplyResult {
        let id = proposal.id.to_string();
        let is_own = proposal.session == session.id;
        let (moved, observations): (Vec<_>, Vec<_>) =
            committed.iter().map(|committed| committed.moved(is_own)).unzip();
        let files = carried.then(|| committed.iter().map(|committed| committed.file.clone()).collect());
        let transaction = self.workspace.update(|w| {
            let transaction = w.applied(session.id, &id, transaction.clone(), files);
            w.record_commit(session.id, &proposal.author, moved);
            w.cache_all(observations);
            transaction
        });
        ApplyResult {
            id,
            revision: proposal.revision,
            state: ProposalState::Applied.name().to_owned(),
            transaction: transaction.map(|transaction| transaction.to_string()),
            undoes: undoes.as_ref().map(ToString::to_string),
            fingerprint: None,
            files: answer::applied_files(committed),
            diagnostics: None,
            user_edits: Vec::new(),
            comments: Vec::new(),
            reason: None,
        }
    }

    pub(super) fn not_applied(&self, session: &SessionContext, proposal: &Proposal, state: ProposalState) {
        self.workspace.update(|w| w.not_applied(session.id, &proposal.id.to_string(), state));
    }
}

/// Collects all values, or all refusals, each with its index.
pub(super) fn collect_all<T>(results: impl Iterator<Item = Result<T, Refusal>>) -> Result<Vec<T>, Failure> {
    let (mut values, mut refusals) = (Vec::new(), Vec::new());
    for (index, result) in results.enumerate() {
        match result {
            Ok(value) => values.push(value),
            Err(refusal) => refusals.push(refusal.of_change(index)),
        }
    }
    if refusals.is_empty() { Ok(values) } else { Err(Failure::Refused(refusals)) }
}
