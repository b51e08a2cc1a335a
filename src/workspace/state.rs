use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use editd_text::ContentHash;

use super::buffers::Buffers;
use super::diagnostics::Reports;
use super::files::{FileContent, FileKey, ObservedVersion, Snapshot};
use super::ledger::{Base, Coverage, DepartedBase, DepartedBases, Document, LedgerEntry, Reading};
use super::limits::{DEPARTED_BASES, GIVEN_BASES, Limits};
use super::log::{Author, Transition, TransitionLog};
use super::proposal::{Proposal, ProposalId, ProposalState};
use super::reviewers::{Departure, Reviewer, Reviewers, StoredReviewers};
use super::session::{Role, Session, SessionId};
use super::shown::ShownLines;
use super::texts::TextStore;

/// Changes of files, and the bases of their authors.
pub(super) mod changes;
/// Open documents and their diagnostics.
pub(super) mod documents;
mod landed;
mod proposal_store;
/// Proposals from their creation until they are closed.
pub(super) mod proposals;
/// Sessions that outlive their connections.
mod resumed;
/// Proposals under review.
mod reviews;

use proposal_store::{ProposalStore, RejectedProposals};
use resumed::ResumableSessions;

/// A notification for a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A file that the session has read has changed.
    FileChanged {
        /// The path under which the session read it.
        path: PathBuf,
        /// The new hash; `None` if the file was deleted.
        hash: Option<ContentHash>,
        /// The author of the change.
        by: String,
    },
    /// A file that the session has open was renamed.
    FileRenamed {
        /// URI of the document, as the session has sent it.
        uri: String,
        /// The new path.
        to: PathBuf,
    },
    /// A proposal changed its revision or state.
    ProposalChanged {
        /// Id of the proposal.
        id: ProposalId,
        /// Current revision.
        revision: u32,
        /// Current state.
        state: ProposalState,
    },
}

/// Actions that the caller must perform after a step of the workspace.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Notifications to send, with their recipients.
    pub notices: Vec<(SessionId, Notice)>,
    /// Files to start watching.
    pub watch: Vec<(FileKey, PathBuf)>,
    /// Files to stop watching, because no session reads them any more.
    pub forget: Vec<(FileKey, PathBuf)>,
    /// Changes of proposals under review to store, in this order.
    pub records: Vec<Record>,
    /// Texts that were evicted from memory but may still be requested.
    pub evicted: Vec<Arc<Snapshot>>,
    /// The reviewers to store, if they have changed.
    pub reviewers: Option<StoredReviewers>,
}

/// A change of a pending proposal to be stored.
#[derive(Clone, Debug)]
pub enum Record {
    /// The proposal is pending, with this content.
    Waits(Box<Proposal>),
    /// The proposal is no longer pending.
    Over(ProposalId),
}

/// Counters for `editd/status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connected sessions.
    pub sessions: usize,
    /// Files that sessions have read.
    pub documents: usize,
    /// Bytes of text in memory.
    pub text_bytes: u64,
    /// Known proposals, including closed ones.
    pub proposals: usize,
    /// Proposals that can still be applied.
    pub open_proposals: usize,
    /// Diagnostics that editors have reported.
    pub diagnostics: usize,
}

/// All state that sessions share. See the [module](super) for how it changes.
#[derive(Debug, Default)]
pub struct Workspace {
    limits: Limits,
    sessions: HashMap<SessionId, Session>,
    resumable: ResumableSessions,
    documents: HashMap<FileKey, Document>,
    texts: TextStore,
    departed: DepartedBases,
    log: TransitionLog,
    proposals: ProposalStore,
    rejected: RejectedProposals,
    /// The documents that are open in editors.
    pub buffers: Buffers,
    /// Clients that show proposals to a person.
    pub reviewers: Reviewers,
    /// Revision of the reviewers that were stored last.
    stored_reviewers: u64,
    /// What editors have reported about files.
    pub diagnostics: Reports,
    outcome: Outcome,
}

impl Workspace {
    /// Creates an empty workspace. `nonce` makes its ids differ from those of earlier starts of the daemon.
    pub fn new(limits: Limits, nonce: &str) -> Self {
        Self {
            buffers: Buffers::new(limits.file_size),
            proposals: ProposalStore::new(nonce),
            limits,
            ..Self::default()
        }
    }

    /// Returns the actions requested since the last call.
    pub fn take_outcome(&mut self) -> Outcome {
        self.outcome.evicted.extend(self.texts.evict(self.limits.memory));
        if self.stored_reviewers != self.reviewers.revision() {
            self.stored_reviewers = self.reviewers.revision();
            self.outcome.reviewers = Some(self.reviewers.stored());
        }
        std::mem::take(&mut self.outcome)
    }

    /// Adds the session of a client that has sent `initialize`. A resumed session keeps its bases.
    pub fn connect(&mut self, session: Session, now: SystemTime) {
        self.reviewers.expire(now);
        self.count_connection(session.id);
        if session.is_reviewer() {
            let reviewer = Reviewer { name: session.author.clone(), places: session.roots.clone() };
            self.reviewers.connect(session.id, reviewer);
        }
        match self.sessions.get_mut(&session.id) {
            Some(known) => (known.roots, known.abilities) = (session.roots, session.abilities),
            None => drop(self.sessions.insert(session.id, session)),
        }
    }

    /// Returns the names of the editors that are connected or expected.
    pub fn editor_names(&self, now: SystemTime) -> Vec<String> {
        let expected = self.reviewers.expected(now).map(|expected| expected.reviewer.name.clone());
        let connected = self.sessions.values().filter(|session| session.role == Role::Editor);
        connected.map(|session| session.author.clone()).chain(expected).collect()
    }

    /// Returns the editors whose language servers may rename, with their folders, in the order of their connections.
    pub fn renaming_editors(&self) -> Vec<(SessionId, Vec<PathBuf>)> {
        let can = |session: &&Session| session.role == Role::Editor && session.abilities.rename;
        let mut editors: Vec<_> =
            self.sessions.values().filter(can).map(|session| (session.id, session.roots.clone())).collect();
        editors.sort_by_key(|(id, _)| *id);
        editors
    }

    /// Closes the documents of an editor whose connection has ended.
    pub fn close_documents(&mut self, id: SessionId) {
        self.buffers.close_all(id);
    }

    /// Removes a connection, and its session unless it can be resumed. A reviewer whose connection ended without a
    /// goodbye is expected back.
    pub fn disconnect(&mut self, id: SessionId, departure: Departure, now: SystemTime) {
        self.reviewers.expire(now);
        self.reviewers.disconnect(id, departure, now);
        if let Some(ended) = self.end_connection(id) {
            self.end_session(ended);
        }
    }

    /// Removes a session. Its bases are retained for a while, because the client may come back in another
    /// session.
    fn end_session(&mut self, id: SessionId) {
        self.buffers.close_all(id);
        self.diagnostics.forget(id);
        let Some(session) = self.sessions.remove(&id) else { return };
        for hash in session.given {
            self.texts.release(hash);
        }
        for (count, (key, entry)) in session.ledger.into_iter().enumerate() {
            if let Some(known) = &entry.known_base {
                self.texts.release(known.given);
            }
            self.remove_reader(&key, id);
            let given = DepartedBase { hash: entry.base.hash, key, role: session.role };
            let gone = if count < DEPARTED_BASES { self.departed.insert(given) } else { Some(given) };
            if let Some(gone) = gone {
                self.texts.release(gone.hash);
            }
        }
    }

    /// Replaces the roots of a session.
    pub fn set_roots(&mut self, id: SessionId, roots: Vec<PathBuf>) {
        if let Some(session) = self.sessions.get_mut(&id) {
            session.roots = roots;
        }
        self.update_reviewer(id);
    }

    /// Updates what a reviewer watches: its roots, and the files that it has open outside of them.
    pub(super) fn update_reviewer(&mut self, id: SessionId) {
        let Some(session) = self.sessions.get(&id).filter(|session| session.is_reviewer()) else { return };
        let open = self.buffers.all().filter(|buffer| buffer.id.session == id);
        let mut outside: Vec<_> =
            open.filter(|buffer| !session.covers(&buffer.path)).map(|buffer| buffer.path.clone()).collect();
        outside.sort_unstable();
        let places = session.roots.iter().cloned().chain(outside).collect();
        self.reviewers.watch(id, places);
    }

    /// Returns the session with that id.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    /// Records the observed content of a file. If it differs from the last known content, another program
    /// has changed the file, and the sessions that have read it are notified.
    pub fn observe(&mut self, observed: &ObservedVersion) {
        let hash = observed.content.hash();
        let Some(document) = self.documents.get_mut(&observed.key) else { return };
        if document.current == hash {
            return;
        }
        let before = document.current;
        self.set_current(&observed.key, &observed.content);
        let by = if observed.is_unsaved { Author::Editor } else { Author::Disk };
        self.transition(Transition { key: observed.key.clone(), before, after: hash, by, plan: None });
        self.mark_externally_applied(&observed.key, hash);
    }

    /// Records that a session was given all or part of a file, or learned that it is missing or not text.
    pub fn record_read(&mut self, session: SessionId, file: &ObservedVersion, reading: Reading) {
        self.observe(file);
        match &file.content {
            FileContent::Text(snapshot) => self.set_base(session, &file.key, &file.path, snapshot, reading),
            FileContent::Missing | FileContent::Opaque(_) => self.forget(session, &file.key),
        }
    }

    /// Records that a session was shown lines of a file besides what it has read. If it was given another version of the
    /// file, that one remains its base: it may change the shown lines by their numbers, and the rest is stale.
    pub fn record_found(&mut self, session: SessionId, file: &ObservedVersion, lines: &ShownLines) {
        self.observe(file);
        let FileContent::Text(snapshot) = &file.content else { return };
        let entry = self.sessions.get_mut(&session).and_then(|session| session.ledger.get_mut(&file.key));
        match entry {
            Some(entry) => entry.shown.add(snapshot.hash, lines),
            None => {
                self.set_base(session, &file.key, &file.path, snapshot, Reading::part(lines.clone()));
            }
        }
    }

    /// Returns counters for the status report.
    pub fn counts(&self) -> Counts {
        Counts {
            sessions: self.sessions.len() - self.resumable.idle_count(),
            documents: self.documents.len(),
            text_bytes: self.texts.bytes,
            proposals: self.proposals.all().len(),
            open_proposals: self.proposals.open().count(),
            diagnostics: self.diagnostics.count(),
        }
    }

    /// Returns the text with that hash, if it is in memory.
    pub fn text(&mut self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        self.texts.get(hash)
    }

    /// Returns `true` if any session has read the file.
    pub fn is_read(&self, key: &FileKey) -> bool {
        self.documents.contains_key(key)
    }

    fn set_base(
        &mut self,
        id: SessionId,
        key: &FileKey,
        path: &Path,
        snapshot: &Arc<Snapshot>,
        Reading { coverage, lines }: Reading,
    ) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let hash = snapshot.hash;
        self.texts.retain(hash, Some(snapshot.clone()));
        let known = session.ledger.get(key).filter(|entry| entry.base.hash == hash);
        // Two partial reads do not add up to a whole one. A whole read remains whole as long as the content
        // is equal.
        let coverage = known.map_or(coverage, |entry| match entry.base.coverage {
            Coverage::Whole => Coverage::Whole,
            Coverage::Part => coverage,
        });
        if session.given.back() != Some(&hash) {
            session.given.push_back(hash);
            self.texts.retain(hash, None);
        }
        if session.given.len() > GIVEN_BASES
            && let Some(oldest) = session.given.pop_front()
        {
            self.texts.release(oldest);
        }
        let base = Base { hash, coverage, path: path.to_owned() };
        let mut shown = session.ledger.get(key).map(|entry| entry.shown.clone()).unwrap_or_default();
        shown.add(hash, &lines);
        let entry = LedgerEntry { base, notified: false, known_base: None, shown };
        if let Some(old) = session.ledger.insert(key.clone(), entry) {
            self.release_entry(&old);
        }
        self.add_reader(key, path, snapshot, id);
    }

    /// Sets the current content of a file. Its text is retained as long as any session reads the file.
    fn set_current(&mut self, key: &FileKey, content: &FileContent) {
        let Some(document) = self.documents.get_mut(key) else { return };
        let text = content.snapshot();
        if let Some(snapshot) = text {
            self.texts.retain(snapshot.hash, Some(snapshot.clone()));
        }
        document.current = content.hash();
        let before = std::mem::replace(&mut document.held_text, text.map(|snapshot| snapshot.hash));
        if let Some(before) = before {
            self.texts.release(before);
        }
    }

    /// Removes the session's base for a file, for instance because the content did not reach the model.
    pub fn forget(&mut self, id: SessionId, key: &FileKey) {
        let entry = self.sessions.get_mut(&id).and_then(|session| session.ledger.remove(key));
        if let Some(entry) = entry {
            self.release_entry(&entry);
            self.remove_reader(key, id);
        }
    }

    fn release_entry(&mut self, entry: &LedgerEntry) {
        self.texts.release(entry.base.hash);
        if let Some(known) = &entry.known_base {
            self.texts.release(known.given);
        }
    }

    fn add_reader(&mut self, key: &FileKey, path: &Path, snapshot: &Arc<Snapshot>, id: SessionId) {
        let Some(role) = self.sessions.get(&id).map(|session| session.role) else { return };
        if !self.documents.contains_key(key) {
            self.outcome.watch.push((key.clone(), path.to_owned()));
            let document = Document { path: path.to_owned(), ..Document::default() };
            self.documents.insert(key.clone(), document);
            self.set_current(key, &FileContent::Text(snapshot.clone()));
        }
        if let Some(document) = self.documents.get_mut(key) {
            document.readers.insert(id);
            document.record_given(snapshot.hash, role);
        }
    }

    fn remove_reader(&mut self, key: &FileKey, id: SessionId) {
        let Some(document) = self.documents.get_mut(key) else { return };
        document.readers.remove(&id);
        if document.readers.is_empty()
            && let Some(document) = self.documents.remove(key)
        {
            if let Some(text) = document.held_text {
                self.texts.release(text);
            }
            self.outcome.forget.push((key.clone(), document.path));
        }
    }

    /// Logs a change of a file and notifies its readers, each of them once until its next read.
    fn transition(&mut self, change: Transition) {
        let readers = self.documents.get(&change.key).into_iter().flat_map(|document| &document.readers);
        for id in readers.filter(|id| !change.by.is(**id)) {
            let entry = self.sessions.get_mut(id).and_then(|session| session.ledger.get_mut(&change.key));
            let is_news = |entry: &&mut LedgerEntry| !entry.notified && Some(entry.base.hash) != change.after;
            let Some(entry) = entry.filter(is_news) else { continue };
            entry.notified = true;
            let (path, by) = (entry.base.path.clone(), change.by.name().to_owned());
            self.outcome.notices.push((*id, Notice::FileChanged { path, hash: change.after, by }));
        }
        self.log.push(change);
    }

    /// Returns `true` if `session` may act on a proposal. Agents may act only on their own. A proposal made
    /// on the editor socket never belongs to an agent, whatever name its client uses.
    fn may_act(&self, session: SessionId, proposal: &Proposal) -> bool {
        let is_own = |s: &Session| s.author == proposal.author && proposal.role == Role::Agent;
        self.sessions.get(&session).is_some_and(|s| s.role == Role::Editor || is_own(s))
    }
}
