//! Applying proposals.

use std::path::Path;

use crate::disk::Target;
use crate::engine::change::commit::{CommittedFile, PendingWrite};
use crate::engine::change::compute::ComputedChange;
use crate::engine::change::history_recording::{CommitResult, Intent};
use crate::engine::change::perform::ChangeOutcome;
use crate::engine::change::rebase::{Intervening, rebase_planned};
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::{Placed, Purpose};
use crate::engine::jobs::{Job, Located};
use crate::engine::{Engine, Failure, SessionContext, collect_all};
use crate::workspace::{
    Action, ApplyStep, PlannedFile, Proposal, ProposalState, Refusal, RefusalKind, RequestedPath,
};

/// A proposal, with its files located again.
pub(crate) struct LocatedProposal {
    proposal: Proposal,
    targets: Vec<(Target, Option<Target>)>,
    /// Refusals for the files that need a review, in case no reviewer is available.
    to_review: Vec<Refusal>,
}

impl Located for LocatedProposal {
    fn targets(&self) -> Vec<&Target> {
        self.targets.iter().flat_map(|(target, to)| [Some(target), to.as_ref()]).flatten().collect()
    }
}

impl Engine {
    /// Returns the outcome of a proposal that is already applied, whatever the current content of its files.
    /// A client that repeats the request because the answer was lost must not make the change again.
    pub(crate) fn applied_before(&self, session: &SessionContext, id: &str) -> Option<Proposal> {
        let proposal = self.known_proposal(session.id, id).ok()?;
        (proposal.state == ProposalState::Applied).then_some(proposal)
    }

    /// Returns a proposal that the session may apply now.
    pub(crate) fn proposal_to_apply(
        &self,
        session: &SessionContext,
        id: &str,
        revision: Option<u32>,
    ) -> Result<Proposal, Refusal> {
        self.workspace.update(|w| w.proposal_to_apply(session.id, id, revision).cloned())
    }

    /// Locates the files of a proposal.
    pub(crate) fn locate_proposal(
        &self,
        session: &SessionContext,
        id: &str,
        revision: Option<u32>,
    ) -> Result<LocatedProposal, Failure> {
        let proposal = self.proposal_to_apply(session, id, revision)?;
        let place_of = |path: &Path, purpose| self.place(session, &RequestedPath::of(path), purpose);
        let place = |file: &PlannedFile| {
            let (to, purpose) = match &file.action {
                Action::Rename { to, .. } => {
                    let edited = !file.plan.is_empty();
                    (Some(place_of(to, Purpose::RenameTo)?), Purpose::RenameFrom { edited })
                }
                Action::Delete => (None, Purpose::Delete),
                Action::Create { .. } => (None, Purpose::Write),
                Action::Edit => (None, Purpose::Edit),
            };
            let (to, more) = to.map(|to| (to.target, to.clearance)).unzip();
            let Placed { target, clearance } = place_of(&file.path, purpose)?;
            Ok(((target, to), clearance.and(more.unwrap_or_default()).review))
        };
        let (targets, reviews): (Vec<_>, Vec<_>) =
            collect_all(proposal.files.iter().map(place))?.into_iter().unzip();
        let of = |(index, refusal): (usize, Option<Refusal>)| Some(refusal?.of_change(index));
        let to_review = reviews.into_iter().enumerate().filter_map(of).collect();
        Ok(LocatedProposal { proposal, targets, to_review })
    }

    /// Applies a proposal, or puts it under review.
    pub(crate) fn apply_or_review(
        &self,
        session: &SessionContext,
        mut located: LocatedProposal,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ChangeOutcome, Failure> {
        let to_review = std::mem::take(&mut located.to_review);
        let review = self.review_by_rules(to_review, &located.targets(), review)?;
        let proposal = &located.proposal;
        let files: Vec<_> = proposal.files.iter().collect();
        let is_open = proposal.state == ProposalState::Proposed;
        if is_open && self.wants_review(session, review, &files) {
            let (id, revision) = (proposal.id.to_string(), Some(proposal.revision));
            let reviewed = self.workspace.update(|w| w.put_under_review(session.id, &id, revision))?;
            return Ok(ChangeOutcome::Undecided(Box::new(reviewed)));
        }
        self.apply(session, located, job)
    }

    fn apply(
        &self,
        session: &SessionContext,
        located: LocatedProposal,
        job: &Job,
    ) -> Result<ChangeOutcome, Failure> {
        let LocatedProposal { proposal, targets, .. } = located;
        let observe = |(target, to)| Ok((self.observe_to_change(target)?, to));
        let observed = collect_all(targets.into_iter().map(observe))?;
        job.check()?;
        let id = proposal.id.to_string();
        let seen: Vec<_> = observed.iter().map(|(observed, _)| observed.version()).collect();
        let steps = self.workspace.update(|w| w.begin_apply(session.id, &id, &seen))?;
        // From here on, the proposal must not stay in the state "being applied", even after a panic.
        let attempt = Attempt { engine: self, session, proposal: &proposal, settled: false };
        let carried = steps.iter().any(|step| !matches!(step, ApplyStep::Ready | ApplyStep::Done));
        let result = self.carry_out(&proposal, steps, observed);
        attempt.settle(result, carried)
    }

    /// Writes the files that do not have the proposed content yet. Files that already have it, for instance
    /// because an editor applied the proposal, are only reported.
    fn carry_out(
        &self,
        proposal: &Proposal,
        steps: Vec<ApplyStep>,
        observed: Vec<(Observed, Option<Target>)>,
    ) -> Result<CommitResult, Vec<Refusal>> {
        // Each file keeps the display with which it was proposed.
        let rules = self.compute_options(proposal.on_stale, None);
        let (mut writes, mut indices, mut committed, mut refusals) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let files = proposal.files.iter().zip(steps).zip(observed).enumerate();
        for (index, ((file, step), (observed, to))) in files {
            let computed = match step {
                ApplyStep::Done => {
                    committed.push((index, CommittedFile::found(file, observed)));
                    continue;
                }
                ApplyStep::Ready => ComputedChange::of_planned(file, observed, &rules),
                ApplyStep::Carry(plans) => rebase_planned(file, Intervening::Own(&plans), observed, &rules),
                ApplyStep::CarryTyped => rebase_planned(file, Intervening::Typing, observed, &rules),
                ApplyStep::Moved => rebase_planned(file, Intervening::Others, observed, &rules),
            };
            match computed {
                Ok(computed) => {
                    writes.push(PendingWrite::new(index, computed, to));
                    indices.push(index);
                }
                Err(refusal) => refusals.push(refusal.of_change(index).of_proposal()),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let mut transaction = None;
        if !writes.is_empty() {
            let written = self.commit(writes, &Intent::of(proposal));
            let written = written.map_err(|refusal| vec![refusal.of_proposal()])?;
            transaction = written.transaction;
            committed.extend(indices.into_iter().zip(written.files));
        }
        committed.sort_by_key(|(index, _)| *index);
        let files = committed.into_iter().map(|(_, committed)| committed).collect();
        Ok(CommitResult { files, transaction, undoes: None })
    }
}

/// The application of a proposal. If it is dropped before it is settled, for example by a panic, the proposal
/// can be applied again.
struct Attempt<'a> {
    engine: &'a Engine,
    session: &'a SessionContext,
    proposal: &'a Proposal,
    settled: bool,
}

impl Attempt<'_> {
    /// Records the outcome in the workspace state. A stale proposal is closed; after any other refusal it can
    /// be applied again.
    fn settle(
        mut self,
        result: Result<CommitResult, Vec<Refusal>>,
        carried: bool,
    ) -> Result<ChangeOutcome, Failure> {
        self.settled = true;
        match result {
            Ok(commit) => Ok(self.engine.report(self.session, self.proposal.clone(), commit, carried)),
            Err(refusals) => {
                let is_stale =
                    refusals.iter().any(|refusal| matches!(refusal.kind, RefusalKind::Stale { .. }));
                let state = if is_stale { ProposalState::Stale } else { ProposalState::Proposed };
                self.engine.not_applied(self.session, self.proposal, state);
                Err(Failure::Refused(refusals))
            }
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.engine.not_applied(self.session, self.proposal, ProposalState::Proposed);
        }
    }
}
