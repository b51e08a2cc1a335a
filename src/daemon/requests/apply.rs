use std::path::Path;
use std::sync::Arc;

use crate::disk::Target;
use crate::protocol::{ApplyParams, ApplyResult, RequestPath};
use crate::workspace::{
    Action, ApplyStep, PlannedFile, Proposal, ProposalRefusal, ProposalState, Refusal, RefusalKind,
};

use crate::daemon::commit::{Due, Landed};
use crate::daemon::diagnoses::Watch;
use crate::daemon::event::{Event, FindFor, ReviewEvent};
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::{Placed, Purpose};
use crate::daemon::observe::Observed;
use crate::daemon::past::{Intent, Landing};
use crate::daemon::rebase::{Through, carry};
use crate::daemon::review::undecided;
use crate::daemon::work::{Manner, Rules, Worked};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::perform::all;

impl Daemon {
    /// `editd/apply`.
    pub async fn apply(
        &self,
        session: &Arc<SessionContext>,
        params: ApplyParams,
    ) -> Result<ApplyResult, Failure> {
        let (id, purpose) = (params.id.clone(), FindFor::Applying(params.revision));
        if self.core.proposal(session, id, purpose)?.is_reviewed() {
            return self.outcome(session, &params.id, params.wait_ms).await;
        }
        let (id, review, wait_ms) = (params.id.clone(), params.review, params.wait_ms);
        let watch = Watch::of(params.diagnostics_wait_ms);
        let begin = watch.clone();
        let work = move |core: &Core, session: &SessionContext, places: Places, job: &Job| {
            begin.begin(core, places.targets());
            core.apply_or_review(session, places, review, job)
        };
        let places = move |core: &Core, session: &SessionContext| core.places_of(session, &params);
        let done = match self.core.on_files(session, places, work).await {
            Err(refused @ Failure::Refused(_)) => self.core.applied_before(session, id).ok_or(refused)?,
            done => done?,
        };
        let mut result = self.when_settled(session, done, wait_ms).await?;
        watch.end(&self.core, session, &mut result).await;
        Ok(result)
    }

    /// The answer to a request whose change is done or waits for a person: what became of it, if that is known
    /// in time.
    pub(super) async fn when_settled(
        &self,
        session: &Arc<SessionContext>,
        done: ApplyResult,
        wait_ms: Option<u64>,
    ) -> Result<ApplyResult, Failure> {
        if done.state != ProposalState::Pending.name() {
            return Ok(done);
        }
        match self.outcome(session, &done.id, wait_ms).await {
            // It may have been asked for so often that nobody remembers it any more.
            Err(Failure::Refused(refusals))
                if refusals
                    .iter()
                    .all(|it| matches!(it.kind, RefusalKind::Proposal(ProposalRefusal::Unknown { .. }))) =>
            {
                Ok(done)
            }
            outcome => outcome,
        }
    }
}

/// The files of a proposal, found again.
struct Places {
    proposal: Proposal,
    targets: Vec<(Target, Option<Target>)>,
    /// Refusals for the files about which a person has to decide, for the case that nobody can be asked.
    to_review: Vec<Refusal>,
}

impl Located for Places {
    fn targets(&self) -> Vec<&Target> {
        self.targets.iter().flat_map(|(target, to)| [Some(target), to.as_ref()]).flatten().collect()
    }
}

impl Core {
    fn proposal(&self, session: &SessionContext, id: String, purpose: FindFor) -> Result<Proposal, Failure> {
        Ok(self.ask(|reply| Event::Find { session: session.id, id, purpose, reply })??)
    }

    /// What became of a proposal that was applied. Its files may be anything by now: who asks again because the
    /// answer got lost must not take that for a reason to make the change once more.
    fn applied_before(&self, session: &SessionContext, id: String) -> Option<ApplyResult> {
        let proposal = self.proposal(session, id, FindFor::Looking).ok()?;
        (proposal.state == ProposalState::Applied).then(|| undecided(&proposal))
    }

    fn places_of(&self, session: &SessionContext, params: &ApplyParams) -> Result<Places, Failure> {
        let proposal = self.proposal(session, params.id.clone(), FindFor::Applying(params.revision))?;
        let place_of = |path: &Path, purpose| self.place(session, &RequestPath::of(path), purpose);
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
        let (targets, reviews): (Vec<_>, Vec<_>) = all(proposal.files.iter().map(place))?.into_iter().unzip();
        let of = |(index, refusal): (usize, Option<Refusal>)| Some(refusal?.of_change(index));
        let to_review = reviews.into_iter().enumerate().filter_map(of).collect();
        Ok(Places { proposal, targets, to_review })
    }

    fn apply_or_review(
        &self,
        session: &SessionContext,
        mut places: Places,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let to_review = std::mem::take(&mut places.to_review);
        let review = self.review_by_rules(to_review, &places.targets(), review)?;
        let proposal = &places.proposal;
        let files: Vec<_> = proposal.files.iter().collect();
        let is_open = proposal.state == ProposalState::Proposed;
        if is_open && self.wants_review(session, review, &files)? {
            let (id, revision) = (proposal.id.to_string(), Some(proposal.revision));
            let event = |reply| ReviewEvent::Review { session: session.id, id, revision, reply };
            return Ok(undecided(&self.ask(event)??));
        }
        self.apply(session, places, job)
    }

    fn apply(&self, session: &SessionContext, places: Places, job: &Job) -> Result<ApplyResult, Failure> {
        let Places { proposal, targets, .. } = places;
        let observe = |(target, to)| Ok((self.observe_to_change(target)?, to));
        let observed = all(targets.into_iter().map(observe))?;
        job.check()?;
        let id = proposal.id.to_string();
        let seen = observed.iter().map(|(observed, _)| observed.seen()).collect();
        let steps = self.ask(|reply| Event::BeginApply { session: session.id, id, seen, reply })??;
        // Whatever happens from here on, the proposal must not stay as one that is being applied.
        let attempt = Attempt { core: self, session, proposal: &proposal, settled: false };
        let carried = steps.iter().any(|step| !matches!(step, ApplyStep::Ready | ApplyStep::Done));
        let result = self.carry_out(&proposal, steps, observed);
        attempt.settle(result, carried)
    }

    /// Writes what is not yet as the proposal wants it. Files that already are so, for instance because an
    /// editor applied it, are only reported.
    fn carry_out(
        &self,
        proposal: &Proposal,
        steps: Vec<ApplyStep>,
        observed: Vec<(Observed, Option<Target>)>,
    ) -> Result<Landing, Vec<Refusal>> {
        let rules = Rules {
            indexes: &self.indexes,
            manner: Manner::default(),
            on_stale: proposal.on_stale,
            // Each file keeps the one that it was proposed with.
            display: None,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        let (mut due, mut places, mut landed, mut refusals) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let files = proposal.files.iter().zip(steps).zip(observed).enumerate();
        for (index, ((file, step), (observed, to))) in files {
            let worked = match step {
                ApplyStep::Done => {
                    landed.push((index, Landed::found(file, observed)));
                    continue;
                }
                ApplyStep::Ready => Worked::again(file, observed, &rules),
                ApplyStep::Carry(plans) => carry(file, Through::Own(&plans), observed, &rules),
                ApplyStep::CarryTyped => carry(file, Through::Typing, observed, &rules),
                ApplyStep::Moved => carry(file, Through::Others, observed, &rules),
            };
            match worked {
                Ok(worked) => {
                    due.push(Due::new(index, worked, to));
                    places.push(index);
                }
                Err(refusal) => refusals.push(refusal.of_change(index).of_proposal()),
            }
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let mut transaction = None;
        if !due.is_empty() {
            let written = self.commit(due, &Intent::of(proposal));
            let written = written.map_err(|refusal| vec![refusal.of_proposal()])?;
            transaction = written.transaction;
            landed.extend(places.into_iter().zip(written.files));
        }
        landed.sort_by_key(|(index, _)| *index);
        let files = landed.into_iter().map(|(_, landed)| landed).collect();
        Ok(Landing { files, transaction, undoes: None })
    }
}

/// A proposal that is being applied. However that ends, in a panic too, it is free again afterwards.
struct Attempt<'a> {
    core: &'a Core,
    session: &'a SessionContext,
    proposal: &'a Proposal,
    settled: bool,
}

impl Attempt<'_> {
    /// Puts the outcome into the books. What is stale is closed; after anything else that went wrong the
    /// same can be tried again.
    fn settle(
        mut self,
        result: Result<Landing, Vec<Refusal>>,
        carried: bool,
    ) -> Result<ApplyResult, Failure> {
        self.settled = true;
        match result {
            Ok(landing) => self.core.report(self.session, self.proposal, &landing, carried),
            Err(refusals) => {
                let is_stale = refusals.iter().any(|refusal| refusal.name() == "stale");
                let state = if is_stale { ProposalState::Stale } else { ProposalState::Proposed };
                self.core.not_applied(self.session, self.proposal, state);
                Err(Failure::Refused(refusals))
            }
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.core.not_applied(self.session, self.proposal, ProposalState::Proposed);
        }
    }
}
