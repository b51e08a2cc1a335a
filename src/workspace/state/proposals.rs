use std::sync::Arc;

use crate::files::{FileKey, ObservedVersion};
use crate::proposal::{ApplyStep, NewProposal, PlannedFile, Proposal, ProposalState};
use crate::refusal::{ProposalRefusal, Refusal, RefusalKind, ReviewRefusal};
use crate::review::{Choice, Review};
use crate::session::{Role, Session, SessionId};
use editd_text::ContentHash;

use super::{Notice, Record, Workspace};

impl Workspace {
    /// Adds a proposal, and closes the one it replaces.
    pub fn add_proposal(&mut self, new: NewProposal) -> Result<Proposal, Refusal> {
        if let Some(replaced) = &new.replaces {
            self.open_proposal(new.session, replaced, None)?;
        }
        self.proposals.make_room(&new.author, self.limits.proposals)?;
        self.proposals.check_size(&new.files, self.limits.proposal_bytes)?;
        let id = self.proposals.next_id();
        let session = self.sessions.get(&new.session);
        let mut proposal = Proposal {
            id,
            session: new.session,
            role: session.map_or(Role::Agent, |session| session.role),
            roots: session.map(|session| session.roots.clone()).unwrap_or_default(),
            author: new.author,
            session_name: session.map(|session| session.name.clone()).unwrap_or_default(),
            origin: new.origin,
            request: new.request,
            label: new.label,
            revision: 1,
            state: new.state,
            reason: None,
            replaced_by: None,
            on_stale: new.on_stale,
            at: new.at,
            transaction: None,
            undoes: new.undoes,
            landed: None,
            files: new.files.into(),
            paths: new.paths.into(),
            review: None,
        };
        if new.state == ProposalState::Pending {
            self.begin_review(&mut proposal, new.replaces.as_deref());
        }
        self.proposals.add(proposal.clone());
        if new.state == ProposalState::Pending {
            self.announce(&proposal.id.0, Some(new.session));
        }
        if let Some(replaced) = &new.replaces {
            self.proposals.update(replaced, |old| old.replaced_by = Some(proposal.id.clone()));
            self.close_proposal(replaced, ProposalState::Superseded, Some(new.session));
        }
        Ok(proposal)
    }

    /// Begins the review of a new proposal. What a person has decided about the one that it replaces stays, as far
    /// as the hunks are the same.
    fn begin_review(&self, proposal: &mut Proposal, replaces: Option<&str>) {
        let earlier = replaces.and_then(|id| self.proposals.get(id));
        let Some(earlier) = earlier.filter(|earlier| earlier.is_reviewed()) else {
            proposal.review = Some(Review::open(proposal.hunk_count()));
            return;
        };
        let (review, kept) = Review::carried(earlier, &proposal.files);
        proposal.review = Some(review);
        let had_decided = |review: &Review| review.choices.iter().any(|choice| *choice != Choice::Open);
        if !earlier.review.as_ref().is_some_and(had_decided) {
            return;
        }
        let names = kept.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let of = proposal.hunk_count();
        proposal.reason = Some(match kept.len() {
            0 => format!("It replaces `{}`; no decision of a person about that applies to it.", earlier.id),
            count => format!(
                "It replaces `{}`; {count} of {of} hunks are the same and stay as a person has decided them: {names}.",
                earlier.id
            ),
        });
    }

    /// Returns a proposal that the session may see.
    pub fn proposal(&self, session: SessionId, id: &str) -> Result<&Proposal, Refusal> {
        let visible = self.proposals.get(id).filter(|proposal| self.may_see(session, proposal));
        visible.ok_or_else(|| unknown(id))
    }

    /// Returns the proposals that the session may see, oldest first.
    pub fn proposals(&self, session: SessionId, state: Option<ProposalState>) -> Vec<&Proposal> {
        let matches = |proposal: &&Proposal| state.is_none_or(|state| proposal.reported_state() == state);
        self.proposals.all().filter(|it| self.may_see(session, it)).filter(matches).collect()
    }

    /// Discards an open proposal.
    pub fn discard(
        &mut self,
        session: SessionId,
        id: &str,
        reason: Option<String>,
    ) -> Result<Proposal, Refusal> {
        self.open_proposal(session, id, None)?;
        self.proposals.update(id, |proposal| proposal.reason = reason);
        self.close_proposal(id, ProposalState::Discarded, Some(session));
        self.proposal(session, id).cloned()
    }

    /// Starts to apply a proposal to the observed files, given in the order of the proposal. No other
    /// session can act on it until [`applied`](Self::applied) or [`not_applied`](Self::not_applied) is
    /// called.
    pub fn begin_apply(
        &mut self,
        session: SessionId,
        id: &str,
        observed: &[ObservedVersion],
    ) -> Result<Vec<ApplyStep>, Refusal> {
        self.proposal_to_apply(session, id, None)?;
        for file in observed {
            self.observe(file);
        }
        let Some(proposal) = self.proposals.get(id) else { return Ok(Vec::new()) };
        let steps: Vec<_> =
            proposal.files.iter().zip(observed).map(|(file, now)| self.step(session, file, now)).collect();
        let done = steps.iter().all(|step| matches!(step, ApplyStep::Done));
        match proposal.state {
            ProposalState::Applied if !done => return Err(closed(proposal)),
            ProposalState::Applied => {}
            _ => self.proposals.update(id, |proposal| proposal.state = ProposalState::Applying),
        }
        Ok(steps)
    }

    fn step(&self, session: SessionId, file: &PlannedFile, observed: &ObservedVersion) -> ApplyStep {
        let now = observed.content.hash();
        if now == file.hash_before {
            return ApplyStep::Ready;
        }
        if now == file.hash_after && file.action.keeps_path() {
            return ApplyStep::Done;
        }
        let (Some(from), Some(to)) = (file.hash_before, now) else { return ApplyStep::Moved };
        self.log.apply_step(&file.key, session, from, to)
    }

    /// Records that the proposal was applied, in `transaction` if anything had to be written. `files` are
    /// the changes actually made, if they had to be rebased. Returns the transaction in which the proposal
    /// was applied.
    pub fn applied(
        &mut self,
        session: SessionId,
        id: &str,
        transaction: Option<Arc<str>>,
        files: Option<Vec<PlannedFile>>,
    ) -> Option<Arc<str>> {
        let known = self.proposals.get(id).and_then(|proposal| proposal.transaction.clone());
        let transaction = transaction.or(known);
        self.proposals.update(id, |proposal| {
            proposal.transaction.clone_from(&transaction);
            if let Some(files) = files {
                proposal.files = files.into();
            }
        });
        self.close_proposal(id, ProposalState::Applied, Some(session));
        transaction
    }

    /// Ends a failed attempt to apply a proposal. It can be retried if `state` is `Proposed`.
    pub fn not_applied(&mut self, session: SessionId, id: &str, state: ProposalState) {
        if state == ProposalState::Proposed {
            self.proposals.update(id, |proposal| proposal.state = state);
        } else {
            self.close_proposal(id, state, Some(session));
        }
    }

    /// Returns an open proposal that the session may act on, at the given revision if there is one.
    pub fn open_proposal(
        &self,
        session: SessionId,
        id: &str,
        revision: Option<u32>,
    ) -> Result<&Proposal, Refusal> {
        let proposal = self.proposal(session, id)?;
        if !self.may_act(session, proposal) {
            return Err(unknown(id));
        }
        match proposal.state {
            ProposalState::Landed => {
                self.require_person(session)?;
                at_revision(proposal, revision)
            }
            ProposalState::Superseded => Err(superseded(proposal)),
            ProposalState::Applying | ProposalState::Deciding => {
                let what = format!("proposal `{id}` is being applied already");
                Err(Refusal::new(RefusalKind::Busy { what }))
            }
            state if !state.is_open() => Err(closed(proposal)),
            _ => at_revision(proposal, revision),
        }
    }

    /// Returns a proposal that the session may apply. An applied proposal can be applied again, for instance
    /// after a concurrent request: if its files already have the proposed content, that is the answer.
    pub fn proposal_to_apply(
        &self,
        session: SessionId,
        id: &str,
        revision: Option<u32>,
    ) -> Result<&Proposal, Refusal> {
        let proposal = self.proposal(session, id)?;
        match proposal.state {
            _ if !self.may_act(session, proposal) => Err(unknown(id)),
            ProposalState::Superseded => Err(superseded(proposal)),
            _ if proposal.is_reviewed() => outcome_of(proposal, revision),
            ProposalState::Applied => Ok(proposal),
            _ => self.open_proposal(session, id, revision),
        }
    }

    /// Closes proposals whose files reached the proposed content without editd, for instance because an
    /// editor applied their `workspaceEdit`.
    pub(super) fn mark_externally_applied(&mut self, key: &FileKey, hash: Option<ContentHash>) {
        let documents = &self.documents;
        let is_applied = |file: &PlannedFile| {
            // The content of a file without readers is not known.
            let known = documents.get(&file.key).map(|document| document.current);
            let now = if file.key == *key { Some(hash) } else { known };
            file.action.keeps_path() && now == Some(file.hash_after)
        };
        let applied: Vec<_> = (self.proposals.open())
            .filter(|p| p.state == ProposalState::Proposed && p.files.iter().any(|file| file.key == *key))
            .filter(|proposal| proposal.files.iter().all(is_applied))
            .map(|proposal| proposal.id.clone())
            .collect();
        for id in applied {
            self.close_proposal(&id.0, ProposalState::Applied, None);
        }
    }

    /// Closes a proposal, drops its texts and notifies the author's sessions, except for the one that
    /// receives the answer.
    pub(super) fn close_proposal(&mut self, id: &str, state: ProposalState, actor: Option<SessionId>) {
        if self.proposals.get(id).is_none_or(|proposal| proposal.state == state) {
            return;
        }
        self.proposals.update(id, |proposal| {
            let reviewed = proposal.is_reviewed();
            proposal.files = proposal.files.iter().map(|file| file.without_texts(reviewed)).collect();
            if let Some(review) = &mut proposal.review {
                review.replaced.clear();
            }
            proposal.state = state;
        });
        self.announce(id, actor);
    }

    fn may_see(&self, session: SessionId, proposal: &Proposal) -> bool {
        let Some(viewer) = self.sessions.get(&session) else { return false };
        viewer.role == Role::Editor
            || (self.may_act(session, proposal)
                && (viewer.id == proposal.session || proposal.all_paths().all(|path| viewer.covers(path))))
    }

    /// Notifies the author's sessions of a proposal's state, and for a reviewed proposal also every
    /// reviewing editor, except for the session that receives the answer.
    pub(super) fn announce(&mut self, id: &str, actor: Option<SessionId>) {
        let Some(proposal) = self.proposals.get(id) else { return };
        let (id, revision, state) = (proposal.id.clone(), proposal.revision, proposal.reported_state());
        let reviewed = proposal.is_reviewed();
        let is_recipient = |session: &&Session| {
            let concerned = session.author == proposal.author || (reviewed && session.abilities.review);
            concerned && Some(session.id) != actor
        };
        let notice = Notice::ProposalChanged { id: id.clone(), revision, state };
        let sessions = self.sessions.values().filter(is_recipient);
        self.outcome.notices.extend(sessions.map(|session| (session.id, notice.clone())));
        if reviewed {
            let record =
                if state.is_pending() { Record::Waits(Box::new(proposal.clone())) } else { Record::Over(id) };
            self.outcome.records.push(record);
        }
    }
}

fn unknown(id: &str) -> Refusal {
    Refusal::new(RefusalKind::Proposal(ProposalRefusal::Unknown { id: id.to_owned() }))
}

fn closed(proposal: &Proposal) -> Refusal {
    let (state, current_revision) = (proposal.state, proposal.revision);
    let transaction = proposal.transaction.as_ref().map(ToString::to_string);
    Refusal::new(RefusalKind::Proposal(ProposalRefusal::Closed { state, current_revision, transaction }))
}

/// Returns the proposal if it has the given revision.
fn at_revision(proposal: &Proposal, named: Option<u32>) -> Result<&Proposal, Refusal> {
    let current_revision = proposal.revision;
    let Some(named) = named.filter(|named| *named != current_revision) else { return Ok(proposal) };
    Err(Refusal::new(RefusalKind::Proposal(ProposalRefusal::OtherRevision { named, current_revision })))
}

pub(super) fn superseded(proposal: &Proposal) -> Refusal {
    let (current_revision, by) = (proposal.revision, proposal.replaced_by.clone());
    Refusal::new(RefusalKind::Proposal(ProposalRefusal::Superseded { current_revision, by }))
}

/// Returns the answer to a request to apply a proposal under review: its state, or a rejection.
fn outcome_of(proposal: &Proposal, revision: Option<u32>) -> Result<&Proposal, Refusal> {
    match (proposal.state, &proposal.review) {
        (ProposalState::Rejected, _) if proposal.replaced_by.is_some() => Err(superseded(proposal)),
        (ProposalState::Rejected, Some(review)) => {
            let comments = review.comments.iter().map(|comment| comment.text.clone()).collect();
            Err(Refusal::new(RefusalKind::Review(ReviewRefusal::Rejected { comments })))
        }
        (state, _) if state.is_pending() => at_revision(proposal, revision),
        (ProposalState::Applied | ProposalState::Partial, _) => Ok(proposal),
        _ => Err(closed(proposal)),
    }
}
