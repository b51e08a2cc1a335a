use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use crate::workspace::limits::{KEPT_REJECTED, KEPT_REJECTED_BYTES};
use crate::workspace::review::Review;
use crate::workspace::{
    PlannedFile, Proposal, ProposalId, ProposalState, Refusal, RefusalKind, ReviewRefusal, SessionId,
};

use super::Workspace;
use super::proposals::superseded;

/// Changes of which a person rejected something, with their texts: a closed proposal has none.
#[derive(Debug, Default)]
pub(super) struct Rejected {
    /// Newest last.
    kept: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    id: ProposalId,
    /// The session that decided last about it.
    by: SessionId,
    files: Arc<[PlannedFile]>,
    /// Bytes of text.
    weight: u64,
}

impl Rejected {
    /// Keeps what was rejected last, and lets go of the oldest where that is too much.
    pub(super) fn keep(&mut self, id: ProposalId, by: SessionId, files: Arc<[PlannedFile]>) {
        let old =
            |file: &PlannedFile| file.before.as_ref().map_or(0, |before| before.text.len_bytes() as u64);
        let weight = files.iter().map(|file| file.weight() + old(file)).sum();
        if weight > KEPT_REJECTED_BYTES {
            return;
        }
        self.kept.push_back(Kept { id, by, files, weight });
        while self.kept.len() > KEPT_REJECTED || self.weight() > KEPT_REJECTED_BYTES {
            self.kept.pop_front();
        }
    }

    fn weight(&self) -> u64 {
        self.kept.iter().map(|kept| kept.weight).sum()
    }
}

impl Workspace {
    /// The proposals that were decided in this session, or are in its folders, and of which something was rejected
    /// that is kept; the one of which that was last comes first.
    pub fn rejected_here(&self, session: SessionId) -> Vec<ProposalId> {
        let Some(here) = self.session(session) else { return Vec::new() };
        let is_here =
            |kept: &&Kept| kept.by == session || kept.files.iter().any(|file| here.covers(&file.path));
        let is_known = |id: &ProposalId| self.proposals.get(&id.0).is_some();
        let here = self.rejected.kept.iter().rev().filter(is_here);
        here.map(|kept| kept.id.clone()).filter(is_known).collect()
    }

    /// A proposal of which a person rejected something, with its texts.
    pub fn rejected(&self, session: SessionId, id: &str) -> Result<Proposal, Refusal> {
        self.require_person(session)?;
        let proposal = self.proposal(session, id)?;
        if proposal.replaced_by.is_some() {
            return Err(superseded(proposal));
        }
        let kept = self.rejected.kept.iter().find(|kept| kept.id == proposal.id);
        let files = kept.map(|kept| kept.files.clone()).ok_or_else(|| {
            let (id, waits) = (proposal.id.clone(), proposal.state.is_open());
            Refusal::new(RefusalKind::Review(ReviewRefusal::NothingRejected { id: Some(id), waits }))
        })?;
        Ok(Proposal { files, ..proposal.clone() })
    }

    /// What was rejected of a proposal waits again, as a proposal of the same author. `files` is what was rejected.
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
        self.rejected.kept.retain(|kept| *kept.id.0 != *id);
        self.announce(&proposal, Some(session));
        Ok(proposal)
    }
}
