use std::path::Path;
use std::sync::Arc;

use crate::config::Review;
use crate::disk::Target;
use crate::protocol::{ApplyParams, ApplyResult, EditParams, RequestPath};
use crate::workspace::{
    Action, ApplyStep, MadeFor, PlannedFile, Proposal, ProposalState, Refusal, RefusalKind, Role,
};

use crate::daemon::commit::{Due, Landed, changes};
use crate::daemon::diagnoses::Watch;
use crate::daemon::event::{Event, FindFor, ReviewEvent};
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::Purpose;
use crate::daemon::observe::Observed;
use crate::daemon::past::{Intent, Landing};
use crate::daemon::rebase::{Through, carry};
use crate::daemon::review::{paths_of, undecided};
use crate::daemon::work::{Manner, Rules, Worked};
use crate::daemon::{Core, Daemon, Failure, SessionContext, answer};

use super::call::{Call, Header};
use super::propose::Made;

impl Daemon {
    /// `editd/edit`.
    pub async fn edit(
        &self,
        session: &Arc<SessionContext>,
        params: EditParams,
    ) -> Result<ApplyResult, Failure> {
        let ApplyParams { review, wait_ms, .. } = params.apply;
        let call = Call::read(params.propose, session, &self.core.config.limits)?;
        let watch = Watch::of(params.apply.diagnostics_wait_ms);
        let begin = watch.clone();
        let work = move |core: &Core, session: &SessionContext, call: Call<Target>, job: &Job| {
            begin.begin(core, call.targets());
            core.answer_once(call.request.clone(), || core.edit(session, call, review, job))
        };
        let done = self.core.on_files(session, |core, session| call.locate(core, session), work).await?;
        let mut result = self.when_settled(session, done, wait_ms).await?;
        watch.end(&self.core, session, &mut result).await;
        Ok(result)
    }

    /// `editd/apply`.
    pub async fn apply(
        &self,
        session: &Arc<SessionContext>,
        params: ApplyParams,
    ) -> Result<ApplyResult, Failure> {
        let find = |reply| {
            let (id, purpose) = (params.id.clone(), FindFor::Applying(params.revision));
            Event::Find { session: session.id, id, purpose, reply }
        };
        if self.core.ask(find)??.is_reviewed() {
            return self.outcome(session, &params.id, params.wait_ms).await;
        }
        let (review, wait_ms) = (params.review, params.wait_ms);
        let watch = Watch::of(params.diagnostics_wait_ms);
        let begin = watch.clone();
        let work = move |core: &Core, session: &SessionContext, places: Places, job: &Job| {
            begin.begin(core, places.targets());
            core.apply_or_review(session, places, review, job)
        };
        let places = move |core: &Core, session: &SessionContext| core.places_of(session, &params);
        let done = self.core.on_files(session, places, work).await?;
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
                if refusals.iter().all(|it| matches!(it.kind, RefusalKind::UnknownProposal { .. })) =>
            {
                Ok(done)
            }
            outcome => outcome,
        }
    }
}

/// What else a request says of a change that was worked out.
#[derive(Default)]
pub(super) struct Order {
    /// The request's own name, if it may be sent again.
    pub(super) request: Option<String>,
    /// The transaction that the change takes back, if it does.
    pub(super) undoes: Option<Arc<str>>,
    /// Whether a person must decide.
    pub(super) review: Option<bool>,
}

/// The files of a proposal, found again.
struct Places {
    proposal: Proposal,
    targets: Vec<(Target, Option<Target>)>,
}

impl Located for Places {
    fn targets(&self) -> Vec<&Target> {
        self.targets.iter().flat_map(|(target, to)| [Some(target), to.as_ref()]).flatten().collect()
    }
}

impl Core {
    /// Whether a person has to decide about a change of these files: because the user's configuration wants it,
    /// because somebody watches at an editor, or because the request asks for it. A request can ask for more
    /// than is configured, never for less. What a person does at an editor is decided already.
    pub(super) fn wants_review(
        &self,
        session: &SessionContext,
        asked: Option<bool>,
        files: &[&PlannedFile],
    ) -> Result<bool, Failure> {
        if asked == Some(true) {
            return Ok(true);
        }
        match (session.role, self.config.review) {
            (Role::Editor, _) | (Role::Agent, Review::Off) => Ok(false),
            (Role::Agent, Review::Always) => Ok(true),
            (Role::Agent, Review::Auto) => {
                let paths = files.iter().flat_map(|file| paths_of(file)).collect();
                self.ask(|reply| ReviewEvent::Watched { paths, reply })
            }
        }
    }

    fn edit(
        &self,
        session: &SessionContext,
        call: Call<Target>,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let request = call.request.clone().map(|(_, id)| id);
        let (header, due) = self.work_out(session, call)?;
        job.check()?;
        let order = Order { request, undoes: None, review };
        self.perform(session, &header, due, order, job)
    }

    /// Writes what was worked out, as a proposal that is applied at once; or has a person decide about it.
    pub(super) fn perform(
        &self,
        session: &SessionContext,
        header: &Header,
        mut due: Vec<Due>,
        Order { request, undoes, review }: Order,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let files: Vec<_> = due.iter().map(|due| &due.worked.file).collect();
        let is_reviewed = self.wants_review(session, review, &files)?;
        let made = Made { purpose: MadeFor::Applying, request, undoes: undoes.clone() };
        if is_reviewed {
            let made = Made { purpose: MadeFor::Reviewing, ..made };
            return Ok(undecided(&self.record_proposal(session, header, &mut due, made)?));
        }
        self.route(&mut due)?;
        let changes = changes(&due);
        // Large contents are being hashed meanwhile, and the proposal needs the hashes.
        let staged = self.stage(&changes);
        let proposal = self.record_proposal(session, header, &mut due, made)?;
        let landing = self.commit_staged(staged, due, &Intent { undoes, ..Intent::of(&proposal) });
        drop(changes);
        self.close(session, &proposal, landing, job)
    }

    fn close(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        landing: Result<Landing, Refusal>,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
        let landing = landing.inspect_err(|_| {
            self.not_applied(session, proposal, ProposalState::Failed);
        })?;
        let result = self.report(session, proposal, &landing, false);
        job.let_go_later(landing);
        result
    }

    /// Puts what landed into the books and answers.
    fn report(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        Landing { files: landed, transaction, undoes }: &Landing,
        carried: bool,
    ) -> Result<ApplyResult, Failure> {
        let id = proposal.id.to_string();
        let transaction = self.ask(|reply| Event::Applied {
            session: session.id,
            author: proposal.author.clone(),
            id: id.clone(),
            transaction: transaction.clone(),
            files: carried.then(|| landed.iter().map(|landed| landed.file.clone()).collect()),
            moved: landed.iter().map(|landed| landed.moved(proposal.session == session.id)).collect(),
            reply,
        })?;
        Ok(ApplyResult {
            id,
            revision: proposal.revision,
            state: ProposalState::Applied.name().to_owned(),
            transaction: transaction.map(|transaction| transaction.to_string()),
            undoes: undoes.as_ref().map(ToString::to_string),
            fingerprint: None,
            files: answer::applied_files(landed),
            diagnostics: None,
            user_edits: Vec::new(),
            comments: Vec::new(),
            reason: None,
        })
    }

    fn not_applied(&self, session: &SessionContext, proposal: &Proposal, state: ProposalState) {
        let (session, id) = (session.id, proposal.id.to_string());
        self.books.send(Event::NotApplied { session, id, state });
    }

    fn places_of(&self, session: &SessionContext, params: &ApplyParams) -> Result<Places, Failure> {
        let (id, revision) = (params.id.clone(), params.revision);
        let find =
            |reply| Event::Find { session: session.id, id, purpose: FindFor::Applying(revision), reply };
        let proposal = self.ask(find)??;
        let locate = |path: &Path, purpose| self.locate(session, &RequestPath::of(path), purpose);
        let place = |file: &PlannedFile| {
            let (to, purpose) = match &file.action {
                Action::Rename { to, .. } => {
                    let edited = !file.plan.is_empty();
                    (Some(locate(to, Purpose::RenameTo)?), Purpose::RenameFrom { edited })
                }
                Action::Delete => (None, Purpose::Delete),
                Action::Create => (None, Purpose::Write),
                Action::Edit => (None, Purpose::Edit),
            };
            Ok((locate(&file.path, purpose)?, to))
        };
        let targets = all(proposal.files.iter().map(place))?;
        Ok(Places { proposal, targets })
    }

    fn apply_or_review(
        &self,
        session: &SessionContext,
        places: Places,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ApplyResult, Failure> {
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
        let Places { proposal, targets } = places;
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

/// All results, or all refusals, each said of its place in the list.
pub(super) fn all<T>(results: impl Iterator<Item = Result<T, Refusal>>) -> Result<Vec<T>, Failure> {
    let (mut values, mut refusals) = (Vec::new(), Vec::new());
    for (index, result) in results.enumerate() {
        match result {
            Ok(value) => values.push(value),
            Err(refusal) => refusals.push(refusal.of_change(index)),
        }
    }
    if refusals.is_empty() { Ok(values) } else { Err(Failure::Refused(refusals)) }
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
