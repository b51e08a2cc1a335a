use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::workspace::{PlannedFile, Proposal, ProposalId, ProposalState, Refusal, RefusalKind};

/// All proposals, in order of creation.
///
/// Few of them are open, but the last thousand of every author are stored. The indices keep the lookups of
/// each edit from scanning all of them.
#[derive(Debug)]
pub(crate) struct ProposalStore {
    nonce: String,
    last: u64,
    by_number: BTreeMap<u64, Proposal>,
    by_author: HashMap<String, BTreeSet<u64>>,
    /// Numbers of the open proposals.
    open: BTreeSet<u64>,
    /// Proposals of earlier daemons, which keep their original ids.
    restored: HashMap<ProposalId, u64>,
}

impl ProposalStore {
    pub(crate) fn new(nonce: &str) -> Self {
        Self {
            nonce: nonce.to_owned(),
            last: 0,
            by_number: BTreeMap::new(),
            by_author: HashMap::new(),
            open: BTreeSet::new(),
            restored: HashMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_number.len()
    }

    /// Returns all proposals, oldest first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Proposal> {
        self.by_number.values()
    }

    /// Returns the proposals that can still be applied, oldest first.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Proposal> {
        self.open.iter().filter_map(|number| self.by_number.get(number))
    }

    /// Returns a new id.
    pub(super) fn next_id(&mut self) -> ProposalId {
        self.last += 1;
        ProposalId(format!("p{}-{}", self.nonce, self.last).into())
    }

    /// Adds the proposal that has the last id.
    pub(super) fn add(&mut self, proposal: Proposal) {
        let number = self.last;
        self.by_author.entry(proposal.author.clone()).or_default().insert(number);
        if proposal.state.is_open() {
            self.open.insert(number);
        }
        self.by_number.insert(number, proposal);
    }

    /// Adds a proposal that received its id from an earlier daemon.
    pub(super) fn restore(&mut self, proposal: Proposal) {
        self.last += 1;
        self.restored.insert(proposal.id.clone(), self.last);
        self.add(proposal);
    }

    /// Changes the state of a proposal. All state changes go through this function.
    pub(super) fn set_state(&mut self, id: &str, state: ProposalState) {
        let Some(number) = self.number(id) else { return };
        let Some(proposal) = self.by_number.get_mut(&number) else { return };
        proposal.state = state;
        if state.is_open() {
            self.open.insert(number);
        } else {
            self.open.remove(&number);
        }
    }

    fn number(&self, id: &str) -> Option<u64> {
        let (nonce, number) = id.strip_prefix('p')?.split_once('-')?;
        if nonce != self.nonce {
            return self.restored.get(&ProposalId(id.into())).copied();
        }
        number.parse().ok().filter(|number| !self.is_restored(*number))
    }

    /// Returns `true` if the number belongs to a proposal with an id of an earlier daemon.
    fn is_restored(&self, number: u64) -> bool {
        self.by_number.get(&number).is_some_and(|proposal| self.restored.contains_key(&proposal.id))
    }

    pub(super) fn get(&self, id: &str) -> Option<&Proposal> {
        self.by_number.get(&self.number(id)?)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Proposal> {
        self.by_number.get_mut(&self.number(id)?)
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
            self.restored.remove(&forgotten.id);
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
