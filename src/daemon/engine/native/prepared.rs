use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::engine::change::request::Header;
use crate::engine::native::{MadeFile, NativeCall, ToolLosses};
use crate::engine::{Engine, SessionContext};
use editd_disk::{FileBytes, Stat};
use editd_text::ContentHash;
use editd_workspace::fair::to_evict;
use editd_workspace::history::Origin;
use editd_workspace::limits::{NATIVE_CHANGES, NATIVE_CHANGES_OF_ALL};
use editd_workspace::{Action, PlannedFile, ProposalId};

/// A change that a client is going to write.
#[derive(Debug)]
pub(crate) struct PreparedChange {
    pub(crate) label: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) files: Vec<PreparedFile>,
}

/// A file of a change that a client is going to write.
#[derive(Clone, Debug)]
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

/// Time for which a change of a client blocks the others of the same files. The end of a tool may never be reported.
const BLOCKING: Duration = Duration::from_secs(600);

/// The changes by tools of clients that are prepared and not yet recorded, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PreparedChanges {
    entries: Mutex<VecDeque<Entry>>,
    /// Wakes calls that wait for others.
    removed: Notify,
}

#[derive(Debug)]
struct Entry {
    author: String,
    process: Option<i32>,
    session: Arc<str>,
    call: NativeCall,
    state: State,
    /// Time of the last change of the state.
    since: Instant,
}

#[derive(Debug)]
enum State {
    /// A person reviews the change.
    UnderReview(Reviewed),
    /// The client writes the change, after the review of the proposal if there was one.
    Ready(Option<ProposalId>, Arc<PreparedChange>),
    /// editd has made the change of the proposal, and the tool of the client may write the file as well.
    Made(ProposalId, MadeFile),
}

/// A change under review.
#[derive(Debug)]
struct Reviewed {
    proposal: ProposalId,
    /// Number of requests that wait for the outcome. If there is none, editd writes the accepted change itself.
    waiting: usize,
    label: Option<String>,
    origin: Origin,
    /// Files as the tool writes them if the client does not wait for the review.
    files: Vec<PreparedFile>,
}

/// Counts as a request that waits for a review until it is dropped.
pub(crate) struct Waiting {
    engine: Engine,
    proposal: String,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.engine.prepared.count(&self.proposal, |waiting| waiting.saturating_sub(1));
    }
}

impl Engine {
    /// Counts a request that waits for the review of a proposal.
    pub(crate) fn wait_for_review(&self, proposal: &str) -> Waiting {
        self.prepared.count(proposal, |waiting| waiting + 1);
        Waiting { engine: self.clone(), proposal: proposal.to_owned() }
    }
}

impl PreparedChanges {
    /// Adds a change that a person reviews.
    pub(super) fn review(
        &self,
        session: &SessionContext,
        call: &NativeCall,
        header: Header,
        (proposal, files): (&ProposalId, Vec<PreparedFile>),
    ) {
        let Header { label, origin, .. } = header;
        let reviewed = Reviewed { proposal: proposal.clone(), waiting: 0, label, origin, files };
        self.add(session, call, State::UnderReview(reviewed));
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
        let change = Arc::new(PreparedChange { label, origin, files });
        self.add(session, call, State::Ready(None, change.clone()));
        change
    }

    fn add(&self, session: &SessionContext, call: &NativeCall, state: State) {
        let mut entries = self.entries.lock();
        let own: Vec<_> =
            entries.iter().enumerate().filter(|it| it.1.is_of(session)).map(|it| it.0).collect();
        let surplus = if own.len() >= NATIVE_CHANGES {
            own.first().copied()
        } else if entries.len() >= NATIVE_CHANGES_OF_ALL {
            to_evict(entries.iter().map(|entry| (&entry.author, &entry.session, entry.process)))
        } else {
            None
        };
        surplus.and_then(|at| entries.remove(at));
        // Programs without ids of calls name a call after its file, so the names come again.
        entries.retain(|entry| !(entry.is(session, &call.tool_call) && entry.state.ready().is_some()));
        let (author, process) = (session.author.clone(), session.process);
        let (session, call, since) = (session.name.clone(), call.clone(), Instant::now());
        entries.push_back(Entry { author, process, session, call, state, since });
    }

    /// Returns the proposal of an earlier call with the same change that is still under review. The call takes
    /// the place of the earlier one. The same call also gets the proposal that has been accepted in the meantime.
    pub(crate) fn reviewed_before(&self, session: &SessionContext, call: &NativeCall) -> Option<ProposalId> {
        let mut entries = self.entries.lock();
        let mut same =
            entries.iter_mut().filter(|entry| entry.is_of(session) && entry.call.digest == call.digest);
        same.find_map(|Entry { call: known, state, since, .. }| match state {
            State::UnderReview(reviewed) => {
                known.tool_call.clone_from(&call.tool_call);
                reviewed.origin.tool_call = Some(call.tool_call.clone());
                Some(reviewed.proposal.clone())
            }
            State::Made(proposal, _) => (known.tool_call == call.tool_call).then(|| proposal.clone()),
            // A request that had arrived before the decision, and whose turn came after it. A later one is another
            // call of a program that names its calls after files.
            State::Ready(Some(proposal), _) => {
                let is_same = call.rewrites || call.arrived < *since;
                (known.tool_call == call.tool_call && is_same).then(|| proposal.clone())
            }
            State::Ready(None, _) => None,
        })
    }

    fn count(&self, id: &str, step: impl Fn(usize) -> usize) {
        let mut entries = self.entries.lock();
        if let Some(reviewed) = entries.iter_mut().find_map(|entry| entry.state.under_review(id)) {
            reviewed.waiting = step(reviewed.waiting);
        }
    }

    /// Hands the accepted change of a proposal over to a client that waits for it. `files` returns the files, or
    /// `None` if the tool of the client cannot write them. Returns `false` if no client waits or can write. A
    /// client whose wait ends in the meantime finds the change.
    pub(crate) fn hand_over(
        &self,
        id: &str,
        files: impl FnOnce(ToolLosses) -> Option<Vec<PreparedFile>>,
    ) -> bool {
        let mut entries = self.entries.lock();
        for entry in entries.iter_mut() {
            let Some(reviewed) = entry.state.under_review(id).filter(|reviewed| reviewed.waiting > 0) else {
                continue;
            };
            let Some(files) = files(entry.call.losses) else { return false };
            let (label, origin) = (reviewed.label.take(), std::mem::take(&mut reviewed.origin));
            let change = Arc::new(PreparedChange { label, origin, files });
            entry.state = State::Ready(Some(reviewed.proposal.clone()), change);
            entry.since = Instant::now();
            return true;
        }
        false
    }

    /// Returns the change that was handed over after the review of a proposal.
    pub(crate) fn handed_over(&self, id: &str) -> Option<Arc<PreparedChange>> {
        self.entries.lock().iter().find_map(|entry| match &entry.state {
            State::Ready(Some(proposal), change) if *proposal.0 == *id => Some(change.clone()),
            _ => None,
        })
    }

    /// Forgets a proposal under review, because its author has received the outcome.
    pub(crate) fn forget_review(&self, id: &str) {
        self.entries.lock().retain(|entry| !entry.state.is_under_review(id));
    }

    /// Forgets a proposal that its author has discarded. A tool that may write without a review is expected to do so.
    pub(crate) fn withdrawn(&self, id: &str) {
        let mut entries = self.entries.lock();
        let Some(entry) = entries.iter_mut().find(|entry| entry.state.is_under_review(id)) else {
            return;
        };
        if !entry.call.rewrites {
            drop(entries);
            return self.forget_review(id);
        }
        if let Some(Reviewed { label, origin, files, .. }) = entry.state.under_review(id) {
            let (label, origin, files) = (label.take(), std::mem::take(origin), std::mem::take(files));
            entry.state = State::Ready(None, Arc::new(PreparedChange { label, origin, files }));
            entry.since = Instant::now();
        }
    }

    /// Returns the changes with which the tools of clients are to give a file this content.
    pub(crate) fn leading_to(&self, path: &Path, hash: Option<ContentHash>) -> Vec<Arc<PreparedChange>> {
        let entries = self.entries.lock();
        let ready = entries.iter().filter_map(|entry| entry.state.ready());
        ready.filter(|change| change.files.iter().any(|file| file.gives(path, hash))).collect()
    }

    /// Returns the change that a call was to write.
    pub(crate) fn of_call(&self, session: &SessionContext, tool_call: &str) -> Option<Arc<PreparedChange>> {
        self.entries.lock().iter().find(|entry| entry.is(session, tool_call))?.state.ready()
    }

    /// Returns the changes that other calls of the session are to write, oldest first.
    pub(super) fn others(&self, session: &SessionContext, tool_call: &str) -> Vec<Arc<PreparedChange>> {
        let entries = self.entries.lock();
        let others = entries.iter().filter(|entry| entry.is_of(session) && entry.call.tool_call != tool_call);
        others.filter_map(|entry| entry.state.ready()).collect()
    }

    /// Replaces a change that a call is to write, if it is still there.
    pub(crate) fn replace(&self, change: &Arc<PreparedChange>, new: PreparedChange) {
        let mut entries = self.entries.lock();
        let states = entries.iter_mut().map(|entry| &mut entry.state);
        let mut ready = states.filter_map(|state| match state {
            State::Ready(_, change) => Some(change),
            State::UnderReview(_) | State::Made(..) => None,
        });
        if let Some(known) = ready.find(|known| Arc::ptr_eq(known, change)) {
            *known = Arc::new(new);
        }
    }

    /// Returns the proposal that a person has reviewed before a call was to write its change.
    pub(crate) fn reviewed_as(&self, session: &SessionContext, tool_call: &str) -> Option<ProposalId> {
        match &self.entries.lock().iter().find(|entry| entry.is(session, tool_call))?.state {
            State::Ready(proposal, _) => proposal.clone(),
            State::UnderReview(_) | State::Made(..) => None,
        }
    }

    /// Returns `true` if the tool of the author may write the file of a proposal that editd makes.
    pub(crate) fn is_rewritten(&self, id: &str) -> bool {
        let entries = self.entries.lock();
        entries.iter().any(|entry| entry.call.rewrites && entry.state.is_under_review(id))
    }

    /// Remembers a file that editd has changed, because the tool of the author of the proposal may write it as well.
    pub(crate) fn made(&self, id: &str, file: MadeFile) {
        let mut entries = self.entries.lock();
        if let Some(entry) = entries.iter_mut().find(|entry| entry.state.is_under_review(id)) {
            entry.state = State::Made(ProposalId(id.into()), file);
        }
    }

    /// Returns the file that editd has changed in place of a call.
    pub(crate) fn made_for(&self, session: &SessionContext, tool_call: &str) -> Option<MadeFile> {
        match &self.entries.lock().iter().find(|entry| entry.is(session, tool_call))?.state {
            State::Made(_, file) => Some(file.clone()),
            State::UnderReview(_) | State::Ready(..) => None,
        }
    }

    /// Removes the change of a call, unless it is under review.
    pub(crate) fn remove(&self, session: &SessionContext, tool_call: &str) {
        let is_over = |state: &State| !matches!(state, State::UnderReview(_));
        self.entries.lock().retain(|entry| !(entry.is(session, tool_call) && is_over(&entry.state)));
        self.removed.notify_waiters();
    }

    /// Removes changes of other sessions of the author that give the same files the same contents. A program that
    /// reports an edit and also asks an editor for its review prepares it twice, and one record suffices.
    pub(super) fn remove_same(&self, session: &SessionContext, change: &PreparedChange) {
        let is_same = |entry: &Entry| {
            let is_other = entry.author == session.author && entry.session != session.name;
            is_other && entry.state.ready().is_some_and(|other| other.contents().eq(change.contents()))
        };
        self.entries.lock().retain(|entry| !is_same(entry));
    }

    /// Returns `true` if the client is to write an earlier change of one of these files, by another call of the
    /// session in the same turn. A client that was stopped does not write it later, but begins another turn.
    pub(super) fn is_blocked(&self, session: &SessionContext, call: &NativeCall, paths: &[PathBuf]) -> bool {
        let entries = self.entries.lock();
        let earlier = entries.iter().take_while(|entry| !entry.is(session, &call.tool_call));
        let of_turn = earlier.filter(|entry| entry.is_of(session) && entry.call.turn == call.turn);
        let blocking = of_turn.filter(|entry| entry.since.elapsed() < BLOCKING);
        blocking.filter_map(|entry| entry.state.ready()).any(|change| change.changes_one_of(paths))
    }

    /// Waits until the client has written all earlier changes of these files, by other calls of the turn.
    pub(crate) async fn unblocked(&self, session: &SessionContext, call: &NativeCall, paths: &[PathBuf]) {
        loop {
            let removed = self.removed.notified();
            if !self.is_blocked(session, call, paths) {
                return;
            }
            // A change also stops to block without being removed.
            tokio::time::timeout(Duration::from_secs(1), removed).await.ok();
        }
    }
}

impl PreparedChange {
    /// Returns the paths of its files, before and after the change.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().flat_map(|PreparedFile { file, .. }| {
            let to = match &file.action {
                Action::Rename { to, .. } => Some(to),
                _ => None,
            };
            std::iter::once(&file.path).chain(to)
        })
    }

    /// Returns each file with the hashes of its contents before and after the change.
    fn contents(&self) -> impl Iterator<Item = (&PathBuf, Option<ContentHash>, Option<ContentHash>)> {
        self.files.iter().map(|PreparedFile { file, .. }| (&file.path, file.hash_before, file.hash_after))
    }

    fn changes_one_of(&self, paths: &[PathBuf]) -> bool {
        self.paths().any(|path| paths.contains(path))
    }
}

impl PreparedFile {
    /// Returns `true` if a path has this content after the change.
    pub(crate) fn gives(&self, path: &Path, hash: Option<ContentHash>) -> bool {
        let file = &self.file;
        match &file.action {
            Action::Rename { to, .. } if file.path == path => to != path && hash.is_none(),
            Action::Rename { to, .. } => to == path && file.hash_after == hash,
            _ => file.path == path && file.hash_after == hash,
        }
    }
}

impl Entry {
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
            Self::UnderReview(_) | Self::Made(..) => None,
        }
    }

    fn is_under_review(&self, id: &str) -> bool {
        matches!(self, Self::UnderReview(reviewed) if *reviewed.proposal.0 == *id)
    }

    /// Returns the change if it is under review as this proposal.
    fn under_review(&mut self, id: &str) -> Option<&mut Reviewed> {
        match self {
            Self::UnderReview(reviewed) if *reviewed.proposal.0 == *id => Some(reviewed),
            _ => None,
        }
    }
}
