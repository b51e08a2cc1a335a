use std::path::Path;
use std::sync::Arc;

use crate::workspace::review::Review;
use crate::workspace::{
    FileKey, PlannedFile, Proposal, ProposalState, Refusal, RefusalKind, ReviewRefusal, Role, SessionId,
};

use super::proposals::{at_revision, closed, superseded};
use super::{Notice, Workspace};

/// A change of a pending proposal to be stored.
#[derive(Clone, Debug)]
pub enum Record {
    /// The proposal is pending, with this content.
    Waits(Box<Proposal>),
    /// The proposal is no longer pending.
    Over(super::super::ProposalId),
}

impl Workspace {
    /// Returns `true` if a connected editor would show a person the proposals for one of these files.
    pub fn has_reviewer(&self, paths: &[&Path]) -> bool {
        let has_open = |session: &super::Session, path: &Path| {
            let open = self.buffers.of(path, &FileKey::path(path));
            open.iter().any(|buffer| buffer.id.session == session.id)
        };
        let watches = |session: &super::Session| {
            paths.iter().any(|path| session.covers(path) || has_open(session, path))
        };
        self.sessions.values().any(|s| s.role == Role::Editor && s.abilities.review && watches(s))
    }

    /// Puts a proposal under review that was created without one.
    pub fn put_under_review(
        &mut self,
        session: SessionId,
        id: &str,
        revision: Option<u32>,
    ) -> Result<Proposal, Refusal> {
        self.open_proposal(session, id, revision)?;
        if let Some(proposal) = self.proposals.get_mut(id)
            && proposal.review.is_none()
        {
            proposal.review = Some(Review::open(proposal.hunk_count()));
            self.proposals.set_state(id, ProposalState::Pending);
            self.announce_by_id(id, Some(session));
        }
        self.proposal(session, id).cloned()
    }

    /// Returns the proposal if the session may decide about it and it still has that revision.
    pub fn proposal_to_decide(
        &self,
        session: SessionId,
        id: &str,
        revision: u32,
    ) -> Result<&Proposal, Refusal> {
        self.require_person(session)?;
        let proposal = self.proposal(session, id)?;
        match proposal.state {
            // A concurrent decision came first, which is not an error of this session.
            state if !state.is_open() && proposal.is_reviewed() => Err(superseded(proposal)),
            _ => self.open_proposal(session, id, Some(revision)),
        }
    }

    pub(super) fn require_person(&self, session: SessionId) -> Result<(), Refusal> {
        if self.session(session).is_some_and(|session| session.role == Role::Editor) {
            return Ok(());
        }
        let what = "only a person can decide, in an editor or a terminal".to_owned();
        Err(Refusal::new(RefusalKind::NotPermitted { what }))
    }

    /// Records the decision about some of the hunks; others remain open.
    pub fn decide(
        &mut self,
        session: SessionId,
        id: &str,
        revision: u32,
        review: Review,
    ) -> Result<Proposal, Refusal> {
        self.proposal_to_decide(session, id, revision)?;
        if let Some(proposal) = self.proposals.get_mut(id) {
            proposal.revision += 1;
            proposal.review = Some(review);
        }
        self.proposals.set_state(id, ProposalState::Pending);
        self.announce_by_id(id, Some(session));
        self.proposal(session, id).cloned()
    }

    /// Starts to apply a fully decided proposal. No other session can act on it until
    /// [`decided`](Self::decided) or [`decision_failed`](Self::decision_failed) is called.
    pub fn begin_decision(&mut self, session: SessionId, id: &str, revision: u32) -> Result<(), Refusal> {
        self.proposal_to_decide(session, id, revision)?;
        self.proposals.set_state(id, ProposalState::Deciding);
        Ok(())
    }

    /// Records that the decision was applied, in `transaction` if anything was written.
    pub fn decided(&mut self, session: SessionId, id: &str, review: Review, transaction: Option<Arc<str>>) {
        let state = review.verdict();
        if let Some(proposal) = self.proposals.get_mut(id) {
            if matches!(state, ProposalState::Rejected | ProposalState::Partial) {
                self.rejected.insert(proposal.id.clone(), session, proposal.files.clone());
            }
            proposal.revision += 1;
            proposal.review = Some(review);
            proposal.transaction = transaction;
        }
        self.close_proposal(id, state, Some(session));
    }

    /// Records that the decision could not be applied, as if it had not been made.
    pub fn decision_failed(&mut self, id: &str) {
        let Some(proposal) = self.proposals.get(id) else { return };
        let state = if proposal.is_reviewed() { ProposalState::Pending } else { ProposalState::Proposed };
        self.proposals.set_state(id, state);
    }

    /// Returns the author's pending proposals that would change the file, newest first.
    pub fn pending_on(&self, author: &str, key: &FileKey) -> Vec<Proposal> {
        let is_on = |file: &PlannedFile| file.key == *key;
        let open = self.proposals.open().filter(|proposal| {
            proposal.state.is_pending()
                && proposal.author == author
                && proposal.role == Role::Agent
                && proposal.files.iter().any(is_on)
        });
        let mut pending: Vec<_> = open.cloned().collect();
        pending.reverse();
        pending
    }

    /// Restores proposals that were pending when an earlier daemon ended.
    pub fn restore(&mut self, mut proposals: Vec<Proposal>) {
        proposals.sort_by_key(|proposal| proposal.at);
        for mut proposal in proposals {
            // The session that made it no longer exists.
            proposal.session = SessionId(0);
            proposal.state = ProposalState::Pending;
            let hunks = proposal.hunk_count();
            let review = proposal.review.get_or_insert_with(|| Review::open(hunks));
            if review.choices.len() == hunks {
                self.proposals.restore(proposal);
            }
        }
    }

    fn announce_by_id(&mut self, id: &str, actor: Option<SessionId>) {
        if let Some(proposal) = self.proposals.get(id).cloned() {
            self.announce(&proposal, actor);
        }
    }

    /// Notifies the author's sessions of a proposal's state, and for a reviewed proposal also every
    /// reviewing editor, except for the session that receives the answer.
    pub(super) fn announce(&mut self, proposal: &Proposal, actor: Option<SessionId>) {
        let (id, revision, state) = (proposal.id.clone(), proposal.revision, proposal.state);
        let reviewed = proposal.is_reviewed();
        let is_recipient = |session: &super::Session| {
            session.author == proposal.author || (reviewed && session.abilities.review)
        };
        let sessions =
            self.sessions.values().filter(|session| is_recipient(session) && Some(session.id) != actor);
        let notice = Notice::ProposalChanged { id: id.clone(), revision, state };
        self.outcome.notices.extend(sessions.map(|session| (session.id, notice.clone())));
        if reviewed {
            let record =
                if state.is_pending() { Record::Waits(Box::new(proposal.clone())) } else { Record::Over(id) };
            self.outcome.records.push(record);
        }
    }

    /// Returns the answer to a request to apply a proposal under review: its state, or a rejection.
    pub(super) fn outcome_of(proposal: &Proposal, revision: Option<u32>) -> Result<&Proposal, Refusal> {
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
}
