use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use crate::files::FileKey;
use crate::proposal::{PlannedFile, Proposal, ProposalId, ProposalState};
use crate::refusal::{Refusal, RefusalKind, ReviewRefusal};
use crate::review::Review;
use crate::session::{Role, Session, SessionId};

use super::Workspace;
use super::proposal_store::RejectedProposal;
use super::proposals::superseded;

impl Workspace {
    /// Returns `true` if an editor would show a person the proposals for one of these files: one that is connected, or
    /// one that is expected back.
    pub fn has_reviewer(&self, paths: &[&Path], now: SystemTime) -> bool {
        let has_open = |session: &Session, path: &Path| {
            let open = self.buffers.of(path, &FileKey::path(path));
            open.iter().any(|buffer| buffer.id.session == session.id)
        };
        let watches =
            |session: &Session| paths.iter().any(|path| session.covers(path) || has_open(session, path));
        self.sessions.values().any(|session| session.is_reviewer() && watches(session))
            || self.reviewers.expected_for(paths, now).is_some()
    }

    /// Returns `true` if any reviewer is connected or expected back.
    pub fn has_any_reviewer(&self, now: SystemTime) -> bool {
        self.reviewers.connected().next().is_some() || self.reviewers.expected(now).next().is_some()
    }

    /// Returns the transactions that a person has decided about.
    pub fn reviewed_transactions(&self) -> HashSet<Arc<str>> {
        let reviewed = self.proposals.all().filter(|proposal| proposal.is_reviewed());
        reviewed.filter_map(|proposal| proposal.transaction.clone()).collect()
    }

    /// Puts a proposal under review, unless it is already.
    pub fn put_under_review(
        &mut self,
        session: SessionId,
        id: &str,
        revision: Option<u32>,
    ) -> Result<Proposal, Refusal> {
        if !self.open_proposal(session, id, revision)?.is_reviewed() {
            self.proposals.update(id, |proposal| {
                proposal.review = Some(Review::open(proposal.hunk_count()));
                proposal.state = ProposalState::Pending;
            });
            self.announce(id, Some(session));
        }
        self.proposal(session, id).cloned()
    }

    /// Returns the proposal if the session may review it and `revision` is still current.
    pub fn proposal_to_decide(
        &self,
        session: SessionId,
        id: &str,
        revision: u32,
    ) -> Result<&Proposal, Refusal> {
        self.require_person(session)?;
        let proposal = self.proposal(session, id)?;
        match proposal.state {
            // Another decision came first. This session made no mistake, so report that and not a wrong
            // revision.
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

    /// Stores a review in which some hunks are still open.
    pub fn decide(
        &mut self,
        session: SessionId,
        id: &str,
        revision: u32,
        review: Review,
    ) -> Result<Proposal, Refusal> {
        self.proposal_to_decide(session, id, revision)?;
        self.proposals.update(id, |proposal| {
            proposal.revision += 1;
            proposal.review = Some(review);
            proposal.state = proposal.waiting_state();
        });
        self.announce(id, Some(session));
        self.proposal(session, id).cloned()
    }

    /// Starts to apply a fully decided proposal. No other session can act on it until
    /// [`decided`](Self::decided) or [`decision_failed`](Self::decision_failed) is called.
    pub fn begin_decision(&mut self, session: SessionId, id: &str, revision: u32) -> Result<(), Refusal> {
        self.proposal_to_decide(session, id, revision)?;
        self.proposals.update(id, |proposal| proposal.state = ProposalState::Deciding);
        Ok(())
    }

    /// Records that the decision was applied, in `transaction` if anything was written.
    pub fn decided(&mut self, session: SessionId, id: &str, review: Review, transaction: Option<Arc<str>>) {
        let Some(state) = self.proposals.get(id).map(|proposal| proposal.verdict(&review)) else { return };
        self.proposals.update(id, |proposal| {
            let has_rejected = matches!(state, ProposalState::Rejected | ProposalState::Partial);
            // A landed change that was reverted can be restored from the history.
            if has_rejected && proposal.landed.is_none() {
                self.rejected.insert(proposal.id.clone(), session, proposal.files.clone());
            }
            proposal.revision += 1;
            proposal.review = Some(review);
            proposal.reason = None;
            proposal.transaction = transaction;
        });
        self.close_proposal(id, state, Some(session));
    }

    /// Records that the decision could not be applied, as if it had not been made.
    pub fn decision_failed(&mut self, id: &str) {
        self.proposals.update(id, |proposal| {
            let was_pending = proposal.is_reviewed();
            proposal.state = if was_pending { proposal.waiting_state() } else { ProposalState::Proposed };
        });
    }

    /// Returns the author's pending proposals that would change the file, newest first.
    pub fn pending_on(&self, author: &str, key: &FileKey) -> Vec<Proposal> {
        let is_on_file = |proposal: &&Proposal| {
            proposal.state.is_pending()
                && proposal.landed.is_none()
                && proposal.author == author
                && proposal.role == Role::Agent
                && proposal.files.iter().any(|file| file.key == *key)
        };
        self.proposals.open().rev().filter(is_on_file).cloned().collect()
    }

    /// Restores proposals that were pending when an earlier daemon ended.
    pub fn restore(&mut self, mut proposals: Vec<Proposal>) {
        proposals.sort_by_key(|proposal| proposal.at);
        for mut proposal in proposals {
            // The session that made it no longer exists.
            proposal.session = SessionId(0);
            proposal.state = proposal.waiting_state();
            let hunks = proposal.hunk_count();
            let review = proposal.review.get_or_insert_with(|| Review::open(hunks));
            if review.choices.len() == hunks {
                self.proposals.add(proposal);
            }
        }
    }

    /// Returns the proposals whose rejected hunks can still be reopened, if this session decided them or they
    /// have files in its roots; the latest decision first.
    pub fn rejected_here(&self, session: SessionId) -> Vec<ProposalId> {
        let Some(here) = self.session(session) else { return Vec::new() };
        let is_here = |entry: &&RejectedProposal| {
            entry.by == session || entry.files.iter().any(|file| here.covers(&file.path))
        };
        let is_known = |id: &ProposalId| self.proposals.get(&id.0).is_some();
        let here = self.rejected.all().filter(is_here);
        here.map(|entry| entry.id.clone()).filter(is_known).collect()
    }

    /// Returns a proposal whose rejected hunks can be reopened, with the texts that the closed proposal no
    /// longer has.
    pub fn rejected(&self, session: SessionId, id: &str) -> Result<Proposal, Refusal> {
        self.require_person(session)?;
        let proposal = self.proposal(session, id)?;
        if proposal.replaced_by.is_some() {
            return Err(superseded(proposal));
        }
        let entry = self.rejected.all().find(|entry| entry.id == proposal.id);
        let files = entry.map(|entry| entry.files.clone()).ok_or_else(|| {
            let (id, waits) = (proposal.id.clone(), proposal.state.is_open());
            Refusal::new(RefusalKind::Review(ReviewRefusal::NothingRejected { id: Some(id), waits }))
        })?;
        Ok(Proposal { files, ..proposal.clone() })
    }

    /// Reopens the rejected part of a proposal as a new pending proposal of the same author. `files` is that
    /// part.
    pub fn reopen(
        &mut self,
        session: SessionId,
        id: &str,
        files: Vec<PlannedFile>,
        at: SystemTime,
    ) -> Result<Proposal, Refusal> {
        let old = self.rejected(session, id)?;
        self.proposals.check_size(&files, self.limits.proposal_bytes)?;
        self.proposals.make_room(&old.author, self.limits.proposals)?;
        let mut proposal = Proposal {
            id: self.proposals.next_id(),
            request: None,
            revision: 1,
            state: ProposalState::Pending,
            at,
            transaction: None,
            undoes: old.undoes.filter(|_| old.state == ProposalState::Rejected),
            // Only an undo restores paths, and a part of an undo is none.
            paths: if old.state == ProposalState::Rejected { old.paths } else { Arc::default() },
            files: files.into(),
            review: None,
            ..old
        };
        proposal.review = Some(Review::open(proposal.hunk_count()));
        self.proposals.add(proposal.clone());
        self.proposals.update(id, |old| old.replaced_by = Some(proposal.id.clone()));
        self.rejected.remove(id);
        self.announce(&proposal.id.0, Some(session));
        Ok(proposal)
    }
}
