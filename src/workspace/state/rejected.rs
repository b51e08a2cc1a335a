use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use crate::workspace::limits::{KEPT_REJECTED, KEPT_REJECTED_BYTES};
use crate::workspace::review::{Choice, Review};
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
    files: Arc<[PlannedFile]>,
    /// Bytes of text.
    weight: u64,
}

impl Rejected {
    /// Keeps what was rejected last, and lets go of the oldest where that is too much.
    pub(super) fn keep(&mut self, id: ProposalId, files: Arc<[PlannedFile]>) {
        let old =
            |file: &PlannedFile| file.before.as_ref().map_or(0, |before| before.text.len_bytes() as u64);
        let weight = files.iter().map(|file| file.weight() + old(file)).sum();
        if weight > KEPT_REJECTED_BYTES {
            return;
        }
        self.kept.push_back(Kept { id, files, weight });
        while self.kept.len() > KEPT_REJECTED || self.weight() > KEPT_REJECTED_BYTES {
            self.kept.pop_front();
        }
    }

    fn weight(&self) -> u64 {
        self.kept.iter().map(|kept| kept.weight).sum()
    }

    fn forget(&mut self, id: &str) {
        self.kept.retain(|kept| *kept.id.0 != *id);
    }
}

impl Workspace {
    /// A proposal of which a person rejected something, with its texts; without an id the one in the session's
    /// folders of which that was last.
    pub fn rejected(&self, session: SessionId, id: Option<&str>) -> Result<Proposal, Refusal> {
        self.require_person(session)?;
        if let Some(proposal) = id.map(|id| self.proposal(session, id)).transpose()?
            && proposal.replaced_by.is_some()
        {
            return Err(superseded(proposal));
        }
        let is_meant = |kept: &&Kept| match id {
            Some(id) => *kept.id.0 == *id,
            None => {
                self.session(session).is_some_and(|by| kept.files.iter().any(|file| by.covers(&file.path)))
            }
        };
        let kept = self.rejected.kept.iter().rev().find(is_meant);
        let found = kept.and_then(|kept| Some((self.proposals.get(&kept.id.0)?, &kept.files)));
        let (proposal, files) = found.ok_or_else(|| {
            Refusal::new(RefusalKind::Review(ReviewRefusal::NothingRejected { id: id.map(str::to_owned) }))
        })?;
        Ok(Proposal { files: files.clone(), ..proposal.clone() })
    }

    /// What was rejected of a proposal waits again, as a proposal of the same author. `files` is that, worked out
    /// for what is there now.
    pub fn reopen(
        &mut self,
        session: SessionId,
        id: &str,
        files: Vec<PlannedFile>,
        at: SystemTime,
    ) -> Result<Proposal, Refusal> {
        let old = self.rejected(session, Some(id))?;
        self.proposals.make_room(&old.author, self.limits.proposals)?;
        self.proposals.check_size(&files, self.limits.proposal_bytes)?;
        let was_all =
            old.review.is_some_and(|it| it.choices.iter().all(|choice| *choice == Choice::Rejected));
        let mut proposal = Proposal {
            id: self.proposals.next_id(),
            request: None,
            revision: 1,
            state: ProposalState::Pending,
            at,
            transaction: None,
            undoes: old.undoes.filter(|_| was_all),
            files: files.into(),
            review: None,
            ..old
        };
        proposal.review = Some(Review::open(proposal.hunk_count()));
        self.proposals.add(proposal.clone());
        if let Some(old) = self.proposals.get_mut(id) {
            old.replaced_by = Some(proposal.id.clone());
        }
        self.rejected.forget(id);
        self.announce(&proposal, Some(session));
        Ok(proposal)
    }
}
