//! Applying proposals.

use scopeguard::{ScopeGuard, guard};

use crate::engine::change::commit::{CommittedFile, PendingWrite};
use crate::engine::change::compute::ComputedChange;
use crate::engine::change::history_recording::{CommitResult, Intent};
use crate::engine::change::perform::ChangeOutcome;
use crate::engine::change::rebase::{Intervening, rebase_planned};
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::LocatedChange;
use crate::engine::jobs::{Job, Located};
use crate::engine::{Engine, Failure, Result, SessionContext, collect_all};
use editd_disk::Target;
use editd_workspace::{ApplyStep, Proposal, ProposalState, Refusal, RefusalKind};

/// A proposal, with its files located again.
pub(crate) struct LocatedProposal {
    proposal: Proposal,
    files: Vec<LocatedChange>,
}

impl Located for LocatedProposal {
    fn targets(&self) -> Vec<&Target> {
        self.files.iter().flat_map(LocatedChange::targets).collect()
    }
}

impl Engine {
    /// Locates the files of a proposal.
    pub(crate) fn locate_proposal(
        &self,
        session: &SessionContext,
        id: &str,
        revision: Option<u32>,
    ) -> Result<LocatedProposal> {
        let proposal = self.workspace.update(|w| w.proposal_to_apply(session.id, id, revision).cloned())?;
        let files = proposal.files.iter().map(|file| self.locate_planned(session, file, false));
        let files = collect_all(files)?;
        Ok(LocatedProposal { proposal, files })
    }

    /// Applies a proposal, or puts it under review.
    pub(crate) fn apply_or_review(
        &self,
        session: &SessionContext,
        located: LocatedProposal,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ChangeOutcome> {
        let clearances = located.files.iter().map(|file| &file.clearance).enumerate();
        let targets = located.targets();
        let review = self.review_by_rules(clearances, targets.iter().map(|target| &target.path), review)?;
        let proposal = &located.proposal;
        let files: Vec<_> = proposal.files.iter().collect();
        let is_open = proposal.state == ProposalState::Proposed;
        if is_open && self.wants_review(session, review, (&files, &[])) {
            let (id, revision) = (proposal.id.to_string(), Some(proposal.revision));
            let reviewed = self.workspace.update(|w| w.put_under_review(session.id, &id, revision))?;
            return Ok(ChangeOutcome::Undecided(Box::new(reviewed)));
        }
        self.apply(session, located, job)
    }

    fn apply(&self, session: &SessionContext, located: LocatedProposal, job: &Job) -> Result<ChangeOutcome> {
        let LocatedProposal { proposal, files } = located;
        let observe = |file: LocatedChange| Ok((self.observe_to_change(file.target)?, file.to));
        let observed = collect_all(files.into_iter().map(observe))?;
        job.check()?;
        let id = proposal.id.to_string();
        let seen: Vec<_> = observed.iter().map(|(observed, _)| observed.version()).collect();
        let steps = self.workspace.update(|w| w.begin_apply(session.id, &id, &seen))?;
        // From here on, the proposal must not stay in the state "being applied", even after a panic.
        let attempt = guard((), |()| self.not_applied(session, &proposal, ProposalState::Proposed));
        let carried = steps.iter().any(|step| !matches!(step, ApplyStep::Ready | ApplyStep::Done));
        let result = self.carry_out(&proposal, steps, observed);
        ScopeGuard::into_inner(attempt);
        // A stale proposal is closed; after any other refusal it can be applied again.
        let is_stale = |refusal: &Refusal| matches!(refusal.kind, RefusalKind::Stale { .. });
        match result {
            Ok(commit) => Ok(self.report(session, proposal, commit, carried)),
            Err(refusals) => {
                let is_stale = refusals.iter().any(is_stale);
                let state = if is_stale { ProposalState::Stale } else { ProposalState::Proposed };
                self.not_applied(session, &proposal, state);
                Err(Failure::Refused(refusals))
            }
        }
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
