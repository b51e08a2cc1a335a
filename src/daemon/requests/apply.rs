use std::path::Path;
use std::sync::Arc;

use crate::config::Review;
use crate::disk::{Change, Target};
use crate::protocol::{ApplyParams, ApplyResult, EditParams, RequestPath};
use crate::workspace::{Action, ApplyStep, FileKey, Proposal, ProposalState, Refusal, RefusalKind, Role};

use crate::daemon::commit::{Due, Landed, change};
use crate::daemon::event::{Event, FindFor};
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::observe::Observed;
use crate::daemon::work::{Rules, Worked, carry};
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

use super::call::Call;

impl Daemon {
    /// `editd/edit`.
    pub async fn edit(
        &self,
        session: &Arc<SessionContext>,
        params: EditParams,
    ) -> Result<ApplyResult, Failure> {
        self.core.check_review(session, &params.apply)?;
        let call = Call::read(params.propose, session, &self.core.config.limits)?;
        let work = |core: &Core, session: &SessionContext, call: Call<Target>, job: &Job| {
            core.answer_once(call.request.clone(), || core.edit(session, call, job))
        };
        self.core.on_files(session, |core, session| call.locate(core, session), work).await
    }

    /// `editd/apply`.
    pub async fn apply(
        &self,
        session: &Arc<SessionContext>,
        params: ApplyParams,
    ) -> Result<ApplyResult, Failure> {
        self.core.check_review(session, &params)?;
        let work = |core: &Core, session: &SessionContext, places: Places, job: &Job| {
            core.apply(session, places, job)
        };
        self.core.on_files(session, move |core, session| core.places_of(session, &params), work).await
    }
}

/// The files of a proposal, found again.
struct Places {
    proposal: Proposal,
    targets: Vec<(Target, Option<Target>)>,
}

impl Located for Places {
    fn keys(&self) -> Vec<FileKey> {
        let keys = |(target, to): &(Target, Option<Target>)| {
            [Some(target.key.clone()), to.as_ref().map(|to| to.key.clone())].into_iter().flatten()
        };
        self.targets.iter().flat_map(|targets| keys(targets).collect::<Vec<_>>()).collect()
    }
}

impl Core {
    /// Refuses what would need a person's decision, since nobody can be asked: no editor reviews yet.
    fn check_review(&self, session: &SessionContext, params: &ApplyParams) -> Result<(), Failure> {
        let required = self.config.review == Review::Always && session.role == Role::Agent;
        let what = match (required, params.review.unwrap_or_default()) {
            (true, _) => {
                "the user's configuration wants every change reviewed, and no reviewing editor is connected"
            }
            (false, true) => "a review was asked for, and no reviewing editor is connected",
            (false, false) => return Ok(()),
        };
        Err(Refusal::new(RefusalKind::NotPermitted { what: what.to_owned() }).into())
    }

    fn edit(&self, session: &SessionContext, call: Call<Target>, job: &Job) -> Result<ApplyResult, Failure> {
        let (header, mut due) = self.work_out(session, call)?;
        job.check()?;
        let changes: Vec<Change> = due.iter().map(change).collect();
        // Large contents are being hashed meanwhile, and the proposal needs the hashes.
        let staged = self.stage(&changes);
        let proposal = self.record_proposal(session, &header, &mut due, true)?;
        let landed = self.commit_staged(staged, due);
        drop(changes);
        self.close(session, &proposal, landed, false, job)
    }

    /// Writes what is due and puts it into the books. `carried`: it is not quite what was proposed.
    fn carry_out(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        due: Vec<Due>,
        carried: bool,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let landed = self.commit(due);
        self.close(session, proposal, landed, carried, job)
    }

    fn close(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        landed: Result<Vec<Landed>, Refusal>,
        carried: bool,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let landed = landed.inspect_err(|_| {
            self.not_applied(session, proposal, ProposalState::Failed);
        })?;
        let result = self.report(session, proposal, &landed, carried);
        job.let_go_later(landed);
        result
    }

    /// Puts what landed into the books and answers.
    fn report(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        landed: &[Landed],
        carried: bool,
    ) -> Result<ApplyResult, Failure> {
        let id = proposal.id.to_string();
        let transaction = self.ask(|reply| Event::Applied {
            session: session.id,
            author: proposal.author.clone(),
            id: id.clone(),
            files: carried.then(|| landed.iter().map(|landed| landed.file.clone()).collect()),
            moved: landed.iter().map(|landed| landed.moved(proposal.session == session.id)).collect(),
            reply,
        })?;
        Ok(ApplyResult {
            id,
            revision: proposal.revision,
            state: ProposalState::Applied.name().to_owned(),
            transaction: Some(transaction.to_string()),
            files: landed.iter().map(answer::applied_file).collect(),
        })
    }

    fn not_applied(&self, session: &SessionContext, proposal: &Proposal, state: ProposalState) {
        let (session, id) = (session.id, proposal.id.to_string());
        self.mailbox.send(Event::NotApplied { session, id, state });
    }

    fn places_of(&self, session: &SessionContext, params: &ApplyParams) -> Result<Places, Failure> {
        let (id, revision) = (params.id.clone(), params.revision);
        let find =
            |reply| Event::Find { session: session.id, id, purpose: FindFor::Applying(revision), reply };
        let proposal = self.ask(find)??;
        let locate = |path: &Path| self.locate(session, &RequestPath::of(path), Purpose::Write);
        let targets = proposal.files.iter().map(|file| {
            let to = match &file.action {
                Action::Rename { to, .. } => Some(locate(to)?),
                _ => None,
            };
            Ok::<_, Refusal>((locate(&file.path)?, to))
        });
        Ok(Places { targets: targets.collect::<Result<_, _>>()?, proposal })
    }

    fn apply(&self, session: &SessionContext, places: Places, job: &Job) -> Result<ApplyResult, Failure> {
        let Places { proposal, targets } = places;
        let (mut observed, mut new_places) = (Vec::new(), Vec::new());
        for (target, to) in targets {
            observed.push(self.observe(target)?);
            new_places.push(to);
        }
        job.check()?;
        let (id, seen) = (proposal.id.to_string(), observed.iter().map(Observed::seen).collect());
        let steps = self.ask(|reply| Event::BeginApply { session: session.id, id, seen, reply })??;
        let carried = steps.iter().any(|step| matches!(step, ApplyStep::Carry(_) | ApplyStep::Moved));
        let (due, done) = self.due(&proposal, steps, observed, new_places).map_err(|refusals| {
            let is_stale = refusals.iter().any(|refusal| refusal.name() == "stale");
            let state = if is_stale { ProposalState::Stale } else { ProposalState::Proposed };
            self.not_applied(session, &proposal, state);
            Failure::Refused(refusals)
        })?;
        if due.is_empty() {
            return self.report(session, &proposal, &done, false);
        }
        self.carry_out(session, &proposal, due, carried, job)
    }

    /// Works out what has to be written for each file as it is now. If all of them already are what the
    /// proposal wanted, for instance because an editor applied it, nothing is due and they come back as
    /// done.
    fn due(
        &self,
        proposal: &Proposal,
        steps: Vec<ApplyStep>,
        observed: Vec<Observed>,
        new_places: Vec<Option<Target>>,
    ) -> Result<(Vec<Due>, Vec<Landed>), Vec<Refusal>> {
        let rules = Rules {
            fuzzy: false,
            on_stale: proposal.on_stale,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        if steps.iter().all(|step| matches!(step, ApplyStep::Done)) {
            let done = proposal.files.iter().zip(observed).map(|(file, now)| Landed::found(file, now));
            return Ok((Vec::new(), done.collect()));
        }
        let (mut due, mut refusals) = (Vec::new(), Vec::new());
        let files = proposal.files.iter().zip(steps).zip(observed.into_iter().zip(new_places)).enumerate();
        for (index, ((file, step), (observed, to))) in files {
            let worked = match step {
                ApplyStep::Ready => Worked::again(file, observed, &rules),
                ApplyStep::Carry(plans) => carry(file, Some(&plans), observed, &rules),
                // Half of a set came true by other hands: for the rest that is a change like any other.
                ApplyStep::Done | ApplyStep::Moved => carry(file, None, observed, &rules),
            };
            match worked {
                Ok(worked) => due.push(Due { worked, to }),
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        if refusals.is_empty() { Ok((due, Vec::new())) } else { Err(refusals) }
    }
}
