use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use crate::workspace::limits::{REJECTED_BYTES, REJECTED_PROPOSALS};
use crate::workspace::review::Review;
use crate::workspace::{
    PlannedFile, Proposal, ProposalId, ProposalState, Refusal, RefusalKind, ReviewRefusal, SessionId,
};

use super::Workspace;
use super::proposals::superseded;

/// Proposals with rejected hunks, including their texts, which a closed proposal no longer contains.
#[derive(Debug, Default)]
pub(super) struct RejectedProposals {
    /// Newest last.
    entries: VecDeque<RejectedProposal>,
}

#[derive(Debug)]
struct RejectedProposal {
    id: ProposalId,
    /// The session that made the last decision.
    by: SessionId,
    files: Arc<[PlannedFile]>,
    /// Bytes of text.
    weight: u64,
}

impl RejectedProposals {
    /// Retains the rejected changes of a proposal, and drops the oldest ones beyond the limits.
    pub(super) fn insert(&mut self, id: ProposalId, by: SessionId, files: Arc<[PlannedFile]>) {
        let old =
            |file: &PlannedFile| file.before.as_ref().map_or(0, |before| before.text.len_bytes() as u64);
        let weight = files.iter().map(|file| file.weight() + old(file)).sum();
        if weight > REJECTED_BYTES {
            return;
        }
        self.entries.push_back(RejectedProposal { id, by, files, weight });
        while self.entries.len() > REJECTED_PROPOSALS || self.weight() > REJECTED_BYTES {
            self.entries.pop_front();
        }
    }

    fn weight(&self) -> u64 {
        self.entries.iter().map(|entry| entry.weight).sum()
    }
}

impl Workspace {
    /// Returns the proposals with retained rejected hunks that were decided in this session or concern files
    /// in its roots, latest decision first.
    pub fn rejected_here(&self, session: SessionId) -> Vec<ProposalId> {
        let Some(here) = self.session(session) else { return Vec::new() };
        let is_here = |entry: &&RejectedProposal| {
            entry.by == session || entry.files.iter().any(|file| here.covers(&file.path))
        };
        let is_known = |id: &ProposalId| self.proposals.get(&id.0).is_some();
        let here = self.rejected.entries.iter().rev().filter(is_here);
        here.map(|entry| entry.id.clone()).filter(is_known).collect()
    }

    /// Returns a proposal with rejected hunks, including its texts.
    pub fn rejected(&self, session: SessionId, id: &str) -> Result<Proposal, Refusal> {
        self.require_person(session)?;
        let proposal = self.proposal(session, id)?;
        if proposal.replaced_by.is_some() {
            return Err(superseded(proposal));
        }
        let entry = self.rejected.entries.iter().find(|entry| entry.id == proposal.id);
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
            files: files.into(),
            review: None,
            ..old
        };
        proposal.review = Some(Review::open(proposal.hunk_count()));
        self.proposals.add(proposal.clone());
        if let Some(old) = self.proposals.get_mut(id) {
            old.replaced_by = Some(proposal.id.clone());
        }
        self.rejected.entries.retain(|entry| *entry.id.0 != *id);
        self.announce(&proposal, Some(session));
        Ok(proposal)
    }
}
