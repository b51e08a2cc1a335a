//! Making a change happen that was worked out: for edits, undoing and proposals alike.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::ReviewMode;
use crate::disk::Target;
use crate::protocol::ApplyResult;
use crate::workspace::{MadeFor, PlannedFile, Proposal, ProposalState, Refusal, Repeatable, Role};

use crate::daemon::commit::{Due, changes};
use crate::daemon::event::{Event, ReviewEvent};
use crate::daemon::job::{Job, Located};
use crate::daemon::past::{Intent, Landing};
use crate::daemon::review::{paths_of, undecided};
use crate::daemon::{Core, Failure, SessionContext, answer};

use super::call::{Call, Header};
use super::patched::Patched;
use super::propose::Made;

/// What else a request says of a change that was worked out.
#[derive(Default)]
pub(super) struct Order {
    /// The request's own name, if it may be sent again.
    pub(super) request: Option<Repeatable>,
    /// The transaction that the change takes back, if it does.
    pub(super) undoes: Option<Arc<str>>,
    /// Whether a person must decide.
    pub(super) review: Option<bool>,
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
            (Role::Editor, _) | (Role::Agent, ReviewMode::Off) => Ok(false),
            (Role::Agent, ReviewMode::Always) => Ok(true),
            (Role::Agent, ReviewMode::Auto) => {
                self.is_watched(files.iter().flat_map(|file| paths_of(file)).collect())
            }
        }
    }

    /// Returns what a call says of a review, after the path rules.
    pub(super) fn review_of_call(
        &self,
        call: &Call<Target>,
        asked: Option<bool>,
    ) -> Result<Option<bool>, Failure> {
        let decided = self.review_by_rules(call.to_review(), &call.targets(), asked);
        decided.map_err(|failure| Patched::mark(call.patch.as_ref(), failure))
    }

    /// Returns what a request says of a review, after the path rules: where they want a person to decide and one
    /// can be asked, the whole set goes under review. Where nobody can be asked the request is refused, before
    /// anything else is said of its files.
    pub(super) fn review_by_rules(
        &self,
        to_review: Vec<Refusal>,
        targets: &[&Target],
        asked: Option<bool>,
    ) -> Result<Option<bool>, Failure> {
        if to_review.is_empty() {
            return Ok(asked);
        }
        // What waits by itself can be decided at any terminal, now or later.
        let waits = asked == Some(true) || self.config.review == ReviewMode::Always;
        if waits || self.is_watched(targets.iter().map(|target| target.path.clone()).collect())? {
            return Ok(Some(true));
        }
        Err(Failure::Refused(to_review))
    }

    fn is_watched(&self, paths: Vec<PathBuf>) -> Result<bool, Failure> {
        self.ask(|reply| ReviewEvent::Watched { paths, reply })
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
    pub(super) fn report(
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

    pub(super) fn not_applied(&self, session: &SessionContext, proposal: &Proposal, state: ProposalState) {
        let (session, id) = (session.id, proposal.id.to_string());
        self.books.send(Event::NotApplied { session, id, state });
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
