//! Reviews of changes that have landed.

use std::path::Path;
use std::time::SystemTime;

use crate::workspace::history::{PastEntry, PathChange};
use crate::workspace::limits::{LANDED_BYTES, LANDED_REVIEWS};
use crate::workspace::proposal::{OnStale, PlannedFile, Proposal, ProposalId, ProposalState};
use crate::workspace::refusal::Refusal;
use crate::workspace::review::{Landed, Review};
use crate::workspace::session::{Role, SessionId};

use super::Workspace;

/// Reason for the state of a review that was closed to make room for newer ones.
const TOO_MANY: &str = "the change was kept, because too many newer ones wait for review";

/// Reason for the state of a review whose change was undone in another way.
const UNDONE: &str = "the change was undone";

impl Workspace {
    /// Opens a review of a landed change at the time `at`. `files` and `paths` would revert it. The oldest reviews beyond the limits are closed,
    /// and their changes are kept.
    ///
    /// Refuses changes with too much text, and those of an author with too many open proposals.
    pub fn review_landed(
        &mut self,
        entry: &PastEntry,
        root: &Path,
        files: Vec<PlannedFile>,
        paths: Vec<PathChange>,
        at: SystemTime,
    ) -> Result<ProposalId, Refusal> {
        self.close_oldest_landed(files.iter().map(PlannedFile::landed_weight).sum());
        self.proposals.make_room(&entry.author, self.limits.proposals)?;
        let mut proposal = Proposal {
            id: self.proposals.next_id(),
            session: SessionId(0),
            role: Role::Agent,
            roots: vec![root.to_owned()],
            author: entry.author.clone(),
            session_name: entry.session.clone().unwrap_or_default(),
            origin: entry.origin.clone(),
            request: None,
            label: entry.label.clone(),
            revision: 1,
            state: ProposalState::Landed,
            reason: None,
            replaced_by: None,
            on_stale: OnStale::Rebase,
            at,
            transaction: None,
            undoes: None,
            landed: Some(Landed { transaction: entry.id.clone(), is_reported: false }),
            files: files.into(),
            paths: paths.into(),
            review: None,
        };
        proposal.review = Some(Review::open(proposal.hunk_count()));
        let id = proposal.id.clone();
        self.proposals.add(proposal);
        self.announce(&id.0, None);
        Ok(id)
    }

    fn close_oldest_landed(&mut self, wanted: u64) {
        let open = self.proposals.open().filter(|proposal| proposal.state == ProposalState::Landed);
        let weight = |proposal: &Proposal| proposal.files.iter().map(PlannedFile::landed_weight).sum::<u64>();
        let open: Vec<_> = open.map(|proposal| (proposal.id.clone(), weight(proposal))).collect();
        let (mut count, mut bytes) =
            (open.len() + 1, open.iter().map(|(_, weight)| weight).sum::<u64>() + wanted);
        for (id, weight) in open {
            if count <= LANDED_REVIEWS && bytes <= LANDED_BYTES {
                return;
            }
            (count, bytes) = (count - 1, bytes - weight);
            self.close_landed(&id, ProposalState::Applied, TOO_MANY);
        }
    }

    /// Closes the reviews of a landed change that was undone in another way.
    pub fn landed_undone(&mut self, transaction: &str) {
        let is_of = |proposal: &&Proposal| {
            let landed = proposal.landed.as_ref().filter(|_| proposal.state == ProposalState::Landed);
            landed.is_some_and(|landed| *landed.transaction == *transaction)
        };
        let undone: Vec<_> =
            self.proposals.open().filter(is_of).map(|proposal| proposal.id.clone()).collect();
        for id in undone {
            self.close_landed(&id, ProposalState::Rejected, UNDONE);
        }
    }

    fn close_landed(&mut self, id: &ProposalId, state: ProposalState, reason: &str) {
        self.proposals.update(&id.0, |proposal| {
            proposal.reason = Some(reason.to_owned());
            proposal.revision += 1;
        });
        self.close_proposal(&id.0, state, None);
    }

    /// Returns the decided reviews of landed changes that the author has not received yet, oldest first. Each is
    /// returned once, and only if a person has reverted or commented on a part of the change. Without the name of a
    /// session, returns those of runs that no tool of a program has made.
    pub fn take_landed_outcomes(&mut self, author: &str, session_name: Option<&str>) -> Vec<Proposal> {
        let is_of_author = |proposal: &Proposal| match session_name {
            Some(name) => *proposal.session_name == *name,
            None => proposal.origin.tool_call.is_none(),
        };
        let is_new = |proposal: &&Proposal| {
            proposal.author == author
                && is_of_author(proposal)
                && !proposal.state.is_open()
                && proposal.landed.as_ref().is_some_and(|landed| !landed.is_reported)
        };
        let ids: Vec<_> = self.proposals.all().filter(is_new).map(|proposal| proposal.id.clone()).collect();
        let mut outcomes = Vec::new();
        for id in ids {
            self.proposals.update(&id.0, |proposal| {
                if let Some(landed) = &mut proposal.landed {
                    landed.is_reported = true;
                }
                if proposal.review.as_ref().is_some_and(Review::says_something) {
                    outcomes.push(proposal.clone());
                }
            });
        }
        outcomes
    }
}

impl Review {
    /// Returns `true` if a person has decided, and has reverted a part of the landed change or commented on it.
    fn says_something(&self) -> bool {
        let reverts = self.choices.iter().any(|choice| choice.has_effect());
        self.outcome.is_some() && (reverts || !self.comments.is_empty())
    }
}

impl PlannedFile {
    /// Returns the bytes of text in the change and in the content that it applies to.
    fn landed_weight(&self) -> u64 {
        self.weight() + self.before.as_ref().map_or(0, |before| before.text.len_bytes() as u64)
    }
}
