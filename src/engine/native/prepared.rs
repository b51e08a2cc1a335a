use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::disk::{FileBytes, Stat};
use crate::engine::SessionContext;
use crate::engine::change::request::Header;
use crate::engine::native::NativeCall;
use crate::workspace::history::Origin;
use crate::workspace::limits::NATIVE_CHANGES;
use crate::workspace::{PlannedFile, ProposalId};

/// A change that a client is going to write.
#[derive(Debug)]
pub(crate) struct PreparedChange {
    pub(crate) label: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) files: Vec<PreparedFile>,
}

/// A file of a change that a client is going to write.
#[derive(Debug)]
pub(crate) struct PreparedFile {
    /// Text before the change; `None` if the file does not exist.
    pub(crate) before: Option<Arc<String>>,
    /// Text after the change; `None` if the file is deleted.
    pub(crate) after: Option<String>,
    pub(crate) file: PlannedFile,
    /// The file before the change, as the disk describes it.
    pub(super) stat: Option<Stat>,
    /// Bytes of the file before the change.
    pub(super) bytes: FileBytes,
}

/// The changes by tools of clients that are prepared and not yet recorded, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PreparedChanges(Mutex<VecDeque<Entry>>);

#[derive(Debug)]
struct Entry {
    author: String,
    session: Arc<str>,
    call: NativeCall,
    label: Option<String>,
    origin: Origin,
    state: State,
}

#[derive(Debug)]
enum State {
    /// A person reviews the proposal. `waiting` is the number of requests that wait for the outcome. If there
    /// is none, editd writes the accepted change itself.
    UnderReview {
        proposal: ProposalId,
        waiting: usize,
        claimed: bool,
    },
    Ready(Option<ProposalId>, Arc<PreparedChange>),
}

/// Counts as a request that waits for a review until it is dropped.
pub(crate) struct Waiting<'a> {
    changes: &'a PreparedChanges,
    proposal: &'a str,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.changes.count(self.proposal, |waiting| waiting.saturating_sub(1));
    }
}

impl PreparedChanges {
    /// Adds a change that a person has to decide about.
    pub(super) fn review(
        &self,
        session: &SessionContext,
        call: &NativeCall,
        header: &Header,
        proposal: &ProposalId,
    ) {
        let state = State::UnderReview { proposal: proposal.clone(), waiting: 0, claimed: false };
        self.add(session, call, (header.label.clone(), header.origin.clone()), state);
    }

    /// Adds a change that the client writes now.
    pub(super) fn ready(
        &self,
        session: &SessionContext,
        call: &NativeCall,
        header: Header,
        files: Vec<PreparedFile>,
    ) -> Arc<PreparedChange> {
        let Header { label, origin, .. } = header;
        let change = Arc::new(PreparedChange { label: label.clone(), origin: origin.clone(), files });
        self.add(session, call, (label, origin), State::Ready(None, change.clone()));
        change
    }

    fn add(
        &self,
        session: &SessionContext,
        call: &NativeCall,
        (label, origin): (Option<String>, Origin),
        state: State,
    ) {
        let mut entries = self.0.lock();
        if entries.len() >= NATIVE_CHANGES {
            entries.pop_front();
        }
        let (author, session) = (session.author.clone(), session.name.clone());
        entries.push_back(Entry { author, session, call: call.clone(), label, origin, state });
    }

    /// Returns the proposal of an earlier call with the same change that still waits for its author. The call
    /// takes the place of the earlier one.
    pub(crate) fn reviewed_before(&self, session: &SessionContext, call: &NativeCall) -> Option<ProposalId> {
        let mut entries = self.0.lock();
        let entry = entries
            .iter_mut()
            .find(|entry| entry.is_of(session) && entry.call.digest == call.digest && entry.is_reviewed())?;
        let State::UnderReview { proposal, .. } = &entry.state else { return None };
        entry.call.tool_call.clone_from(&call.tool_call);
        entry.origin.tool_call = Some(call.tool_call.clone());
        Some(proposal.clone())
    }

    /// Counts a request that waits for the review of a proposal.
    pub(crate) fn wait<'a>(&'a self, proposal: &'a str) -> Waiting<'a> {
        self.count(proposal, |waiting| waiting + 1);
        Waiting { changes: self, proposal }
    }

    fn count(&self, id: &str, step: impl Fn(usize) -> usize) {
        for entry in self.0.lock().iter_mut() {
            if let State::UnderReview { proposal, waiting, .. } = &mut entry.state
                && *proposal.0 == *id
            {
                *waiting = step(*waiting);
            }
        }
    }

    /// Claims the accepted change of a proposal for a client that waits to write it. Returns `false` if no
    /// client waits. A client whose wait ends in the meantime finds the claim.
    pub(crate) fn claim(&self, id: &str) -> bool {
        for entry in self.0.lock().iter_mut() {
            if let State::UnderReview { proposal, waiting, claimed } = &mut entry.state
                && *proposal.0 == *id
                && *waiting > 0
            {
                *claimed = true;
                return true;
            }
        }
        false
    }

    /// Returns `true` if the accepted change of a proposal is claimed, or handed over already.
    pub(crate) fn is_claimed(&self, id: &str) -> bool {
        self.0.lock().iter().any(|entry| match &entry.state {
            State::UnderReview { proposal, claimed, .. } => *claimed && *proposal.0 == *id,
            State::Ready(proposal, _) => proposal.as_ref().is_some_and(|proposal| *proposal.0 == *id),
        })
    }

    /// Hands the accepted change of a proposal over to the client that waits for it.
    pub(crate) fn hand_over(&self, id: &str, files: Vec<PreparedFile>) {
        let mut entries = self.0.lock();
        let is_it = |entry: &&mut Entry| matches!(&entry.state, State::UnderReview { proposal, .. } if *proposal.0 == *id);
        if let Some(entry) = entries.iter_mut().find(is_it) {
            let State::UnderReview { proposal, .. } = &entry.state else { return };
            let (label, origin) = (entry.label.clone(), entry.origin.clone());
            let change = Arc::new(PreparedChange { label, origin, files });
            entry.state = State::Ready(Some(proposal.clone()), change);
        }
    }

    /// Returns the change that was handed over after the review of a proposal.
    pub(crate) fn handed_over(&self, id: &str) -> Option<Arc<PreparedChange>> {
        self.0.lock().iter().find_map(|entry| match &entry.state {
            State::Ready(Some(proposal), change) if *proposal.0 == *id => Some(change.clone()),
            _ => None,
        })
    }

    /// Forgets the proposal of a call, because its author has received the outcome.
    pub(crate) fn forget_review(&self, id: &str) {
        let is_it =
            |entry: &Entry| matches!(&entry.state, State::UnderReview { proposal, .. } if *proposal.0 == *id);
        self.0.lock().retain(|entry| !is_it(entry));
    }

    /// Returns the change that a call was to write.
    pub(crate) fn of_call(&self, session: &SessionContext, tool_call: &str) -> Option<Arc<PreparedChange>> {
        self.0.lock().iter().find(|entry| entry.is(session, tool_call))?.state.ready()
    }

    /// Removes the change of a call.
    pub(crate) fn remove(&self, session: &SessionContext, tool_call: &str) {
        self.0.lock().retain(|entry| !(entry.is(session, tool_call) && entry.state.ready().is_some()));
    }
}

impl Entry {
    fn is_reviewed(&self) -> bool {
        matches!(self.state, State::UnderReview { .. })
    }

    fn is_of(&self, session: &SessionContext) -> bool {
        self.author == session.author && self.session == session.name
    }

    fn is(&self, session: &SessionContext, tool_call: &str) -> bool {
        self.is_of(session) && self.call.tool_call == tool_call
    }
}

impl State {
    fn ready(&self) -> Option<Arc<PreparedChange>> {
        match self {
            Self::Ready(_, change) => Some(change.clone()),
            Self::UnderReview { .. } => None,
        }
    }
}
