use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use crate::limits::{REJECTED_BYTES, REJECTED_PROPOSALS};
use crate::proposal::{PlannedFile, Proposal, ProposalId, ProposalState};
use crate::refusal::{Refusal, RefusalKind};
use crate::session::SessionId;

/// All proposals, in order of creation.
///
/// Few of them are open, but the last thousand of every author are stored. The indices keep the lookups of
/// each edit from scanning all of them.
#[derive(Debug, Default)]
pub(super) struct ProposalStore {
    nonce: String,
    last: u64,
    by_number: BTreeMap<u64, Proposal>,
    numbers: HashMap<Arc<str>, u64>,
    by_author: HashMap<String, BTreeSet<u64>>,
    /// Numbers of the open proposals.
    open: BTreeSet<u64>,
}

impl ProposalStore {
    pub(super) fn new(nonce: &str) -> Self {
        Self { nonce: nonce.to_owned(), ..Self::default() }
    }

    /// Returns all proposals, oldest first.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = &Proposal> {
        self.by_number.values()
    }

    /// Returns the proposals that can still be applied, oldest first.
    pub(super) fn open(&self) -> impl DoubleEndedIterator<Item = &Proposal> {
        self.open.iter().filter_map(|number| self.by_number.get(number))
    }

    /// Returns an id for the next proposal to add.
    pub(super) fn next_id(&self) -> ProposalId {
        ProposalId(format!("p{}-{}", self.nonce, self.last + 1).into())
    }

    /// Adds a proposal. Its id is either the next one or was assigned by an earlier daemon.
    pub(super) fn add(&mut self, proposal: Proposal) {
        self.last += 1;
        let number = self.last;
        self.numbers.insert(proposal.id.0.clone(), number);
        self.by_author.entry(proposal.author.clone()).or_default().insert(number);
        if proposal.state.is_open() {
            self.open.insert(number);
        }
        self.by_number.insert(number, proposal);
    }

    /// Changes a proposal. All changes go through this function.
    pub(super) fn update(&mut self, id: &str, change: impl FnOnce(&mut Proposal)) {
        let Some(number) = self.numbers.get(id) else { return };
        let Some(proposal) = self.by_number.get_mut(number) else { return };
        change(proposal);
        if proposal.state.is_open() {
            self.open.insert(*number);
        } else {
            self.open.remove(number);
        }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Proposal> {
        self.by_number.get(self.numbers.get(id)?)
    }

    /// Makes room for another proposal of this author by dropping the oldest closed one.
    pub(super) fn make_room(&mut self, author: &str, limit: usize) -> Result<(), Refusal> {
        let Some(of_author) = self.by_author.get_mut(author).filter(|of_author| of_author.len() >= limit)
        else {
            return Ok(());
        };
        let Some(oldest) = of_author.iter().find(|number| !self.open.contains(number)).copied() else {
            let what = format!("this author has {limit} open proposals, which is the limit");
            return Err(Refusal::new(RefusalKind::Busy { what }));
        };
        of_author.remove(&oldest);
        if let Some(forgotten) = self.by_number.remove(&oldest) {
            self.numbers.remove(&forgotten.id.0);
        }
        Ok(())
    }

    /// Refuses files that would exceed the limit on text in open proposals.
    pub(super) fn check_size(&self, files: &[PlannedFile], limit: u64) -> Result<(), Refusal> {
        let waits =
            |proposal: &&Proposal| matches!(proposal.state, ProposalState::Proposed | ProposalState::Pending);
        let open = self.open().filter(waits);
        let held: u64 = open.flat_map(|proposal| proposal.files.iter()).map(PlannedFile::weight).sum();
        let wanted: u64 = files.iter().map(PlannedFile::weight).sum();
        if held > 0 && held + wanted > limit {
            let what = format!("open proposals hold {held} bytes of text, and {limit} is the limit");
            return Err(Refusal::new(RefusalKind::Busy { what }));
        }
        Ok(())
    }
}

/// Proposals with rejected hunks, including their texts, which a closed proposal no longer contains.
#[derive(Debug, Default)]
pub(super) struct RejectedProposals {
    /// Newest last.
    entries: VecDeque<RejectedProposal>,
}

#[derive(Debug)]
pub(super) struct RejectedProposal {
    pub(super) id: ProposalId,
    /// The session that made the last decision.
    pub(super) by: SessionId,
    pub(super) files: Arc<[PlannedFile]>,
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
        let bytes =
            |entries: &VecDeque<RejectedProposal>| entries.iter().map(|entry| entry.weight).sum::<u64>();
        while self.entries.len() > REJECTED_PROPOSALS || bytes(&self.entries) > REJECTED_BYTES {
            self.entries.pop_front();
        }
    }

    /// Returns the proposals, newest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &RejectedProposal> {
        self.entries.iter().rev()
    }

    /// Removes a proposal.
    pub(super) fn remove(&mut self, id: &str) {
        self.entries.retain(|entry| *entry.id.0 != *id);
    }
}
