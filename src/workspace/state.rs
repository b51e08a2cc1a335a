use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::text::ContentHash;

use super::answers::{Answered, RememberedAnswers, RequestKey};
use super::buffers::Buffers;
use super::departed::{Departed, Given};
use super::diagnostics::Reports;
use super::document::{Document, Seen, Truth};
use super::limits::{DEPARTED_BASES, GIVEN_BASES};
use super::log::{Author, TransitionLog};
use super::session::{Base, Coverage, LedgerEntry};
use super::{FileKey, Limits, Proposal, ProposalState, Role, Session, SessionId, Snapshot, TextStore};

mod bases;
mod book;
mod changes;
mod diagnosed;
mod proposals;
mod rejected;
mod reviews;

pub use bases::BaseState;
pub use changes::{Changed, Moved};
pub use diagnosed::Diagnosed;
pub use proposals::{ApplyStep, MadeFor, NewProposal};
pub use reviews::Record;

use book::ProposalBook;
use rejected::Rejected;

/// Something that a session should hear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A file that it has read is not what it was given any more.
    FileChanged {
        /// The path under which it was read.
        path: PathBuf,
        /// The new hash; `None` if the file is gone.
        hash: Option<ContentHash>,
        /// Who changed it.
        by: String,
    },
    /// A proposal of its author got another revision or state.
    ProposalChanged {
        /// Which.
        id: super::ProposalId,
        /// Its revision now.
        revision: u32,
        /// Its state now.
        state: ProposalState,
    },
}

/// What a step of the workspace asks the world outside to do.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What to tell whom.
    pub notices: Vec<(SessionId, Notice)>,
    /// Files to watch from now on.
    pub watch: Vec<(FileKey, PathBuf)>,
    /// Files that nobody has read any more.
    pub forget: Vec<(FileKey, PathBuf)>,
    /// What to write down of proposals that wait for a person, in this order.
    pub records: Vec<Record>,
    /// Texts that left memory though somebody may still ask for them.
    pub evicted: Vec<Arc<Snapshot>>,
}

/// Sizes for `editd/status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sessions that are connected.
    pub sessions: usize,
    /// Files that some session has read.
    pub documents: usize,
    /// Bytes of text in memory.
    pub text_bytes: u64,
    /// Proposals that are known, closed ones included.
    pub proposals: usize,
    /// Proposals that can still be applied.
    pub open_proposals: usize,
    /// Diagnostics that editors have told of.
    pub diagnostics: usize,
}

/// All state that several sessions share. See the [module](super) for who may change it.
#[derive(Debug)]
pub struct Workspace {
    limits: Limits,
    sessions: HashMap<SessionId, Session>,
    documents: HashMap<FileKey, Document>,
    texts: TextStore,
    departed: Departed,
    log: TransitionLog,
    proposals: ProposalBook,
    rejected: Rejected,
    answers: RememberedAnswers,
    buffers: Buffers,
    diagnostics: Reports,
    outcome: Outcome,
}

impl Workspace {
    /// An empty one. `nonce` makes its ids differ from those of every other start of the daemon.
    pub fn new(limits: Limits, nonce: &str) -> Self {
        let buffers = Buffers::new(limits.file_size);
        Self {
            limits,
            sessions: HashMap::new(),
            documents: HashMap::new(),
            texts: TextStore::default(),
            departed: Departed::default(),
            log: TransitionLog::default(),
            proposals: ProposalBook::new(nonce),
            rejected: Rejected::default(),
            answers: RememberedAnswers::default(),
            buffers,
            diagnostics: Reports::default(),
            outcome: Outcome::default(),
        }
    }

    /// Takes what the steps since the last call ask for.
    pub fn take_outcome(&mut self) -> Outcome {
        self.outcome.evicted.extend(self.texts.evict(self.limits.memory));
        std::mem::take(&mut self.outcome)
    }

    /// A client has said `initialize`.
    pub fn connect(&mut self, session: Session) {
        self.sessions.insert(session.id, session);
    }

    /// A client is gone. What it was given last is kept for a while, since it may come back in another session.
    pub fn disconnect(&mut self, id: SessionId) {
        self.buffers.close_all(id);
        self.diagnostics.forget(id);
        let Some(session) = self.sessions.remove(&id) else { return };
        for hash in session.given {
            self.texts.release(hash);
        }
        for (count, (key, entry)) in session.ledger.into_iter().enumerate() {
            if let Some(unseen) = &entry.unseen {
                self.texts.release(unseen.given);
            }
            self.remove_reader(&key, id);
            let given = Given { hash: entry.base.hash, key, role: session.role };
            let gone = if count < DEPARTED_BASES { self.departed.keep(given) } else { Some(given) };
            if let Some(gone) = gone {
                self.texts.release(gone.hash);
            }
        }
    }

    /// A session works in other folders now.
    pub fn set_roots(&mut self, id: SessionId, roots: Vec<PathBuf>) {
        if let Some(session) = self.sessions.get_mut(&id) {
            session.roots = roots;
        }
    }

    /// What editors have open.
    pub fn buffers(&self) -> &Buffers {
        &self.buffers
    }

    /// The same, to be changed.
    pub fn buffers_mut(&mut self) -> &mut Buffers {
        &mut self.buffers
    }

    /// The session of that number.
    pub fn session(&self, id: SessionId) -> Option<&Session> {
        self.sessions.get(&id)
    }

    /// Takes note of what a file is. If it is not what it was, some other program has changed it, and
    /// those who have read it are told.
    pub fn observe(&mut self, seen: &Seen) {
        let hash = seen.truth.hash();
        let Some(document) = self.documents.get_mut(&seen.key) else { return };
        if document.current == hash {
            return;
        }
        let before = document.current;
        self.set_current(&seen.key, &seen.truth);
        let by = if seen.typed { Author::Editor } else { Author::Disk };
        self.transition(&seen.key, before, hash, by, None);
        self.close_proposals_that_came_true(&seen.key, hash);
    }

    /// The session was given the file, or a part of it, or was told that there is nothing to read.
    pub fn record_read(&mut self, session: SessionId, seen: &Seen, coverage: Coverage) {
        self.observe(seen);
        match &seen.truth {
            Truth::Text(snapshot) => self.set_base(session, &seen.key, &seen.path, snapshot, coverage),
            Truth::Missing | Truth::Opaque(_) => self.drop_base(session, &seen.key),
        }
    }

    /// What the session was given of the file has not reached its reader.
    pub fn forget(&mut self, session: SessionId, key: &FileKey) {
        self.drop_base(session, key);
    }

    /// What a request of this name asked for within the last minutes, and its answer.
    pub fn remembered(&self, key: &RequestKey, now: Instant) -> Option<Answered> {
        self.answers.get(key, now)
    }

    /// Remembers the answer to a request that may be sent again.
    pub fn remember(&mut self, key: RequestKey, answered: Answered, now: Instant) {
        self.answers.insert(key, answered, now);
    }

    /// Sizes, for people.
    pub fn counts(&self) -> Counts {
        Counts {
            sessions: self.sessions.len(),
            documents: self.documents.len(),
            text_bytes: self.texts.bytes(),
            proposals: self.proposals.len(),
            open_proposals: self.proposals.open().count(),
            diagnostics: self.diagnostics.count(),
        }
    }

    /// The text of that hash, if it is in memory.
    pub fn text(&mut self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        self.texts.get(hash)
    }

    /// Whether some session has read that file.
    pub fn is_read(&self, key: &FileKey) -> bool {
        self.documents.contains_key(key)
    }

    fn set_base(
        &mut self,
        id: SessionId,
        key: &FileKey,
        path: &std::path::Path,
        snapshot: &Arc<Snapshot>,
        coverage: Coverage,
    ) {
        let Some(session) = self.sessions.get_mut(&id) else { return };
        let hash = snapshot.hash;
        self.texts.retain(hash, Some(snapshot.clone()));
        let known = session.ledger.get(key).filter(|entry| entry.base.hash == hash);
        // Two partial reads are not a whole one, but a whole one stays whole while the content does.
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
        let entry = LedgerEntry { base, told: false, unseen: None };
        if let Some(old) = session.ledger.insert(key.clone(), entry) {
            self.release_entry(&old);
        }
        self.add_reader(key, path, snapshot, id);
    }

    /// What a file is now. Its text counts as long as somebody reads the file.
    fn set_current(&mut self, key: &FileKey, truth: &Truth) {
        let Some(document) = self.documents.get_mut(key) else { return };
        if let Truth::Text(snapshot) = truth {
            self.texts.retain(snapshot.hash, Some(snapshot.clone()));
        }
        let before = std::mem::replace(&mut document.current, truth.hash());
        if std::mem::replace(&mut document.holds_current, truth.snapshot().is_some())
            && let Some(before) = before
        {
            self.texts.release(before);
        }
    }

    fn drop_base(&mut self, id: SessionId, key: &FileKey) {
        let entry = self.sessions.get_mut(&id).and_then(|session| session.ledger.remove(key));
        if let Some(entry) = entry {
            self.release_entry(&entry);
            self.remove_reader(key, id);
        }
    }

    fn release_entry(&mut self, entry: &LedgerEntry) {
        self.texts.release(entry.base.hash);
        if let Some(unseen) = &entry.unseen {
            self.texts.release(unseen.given);
        }
    }

    fn add_reader(&mut self, key: &FileKey, path: &std::path::Path, snapshot: &Arc<Snapshot>, id: SessionId) {
        let Some(role) = self.sessions.get(&id).map(|session| session.role) else { return };
        if !self.documents.contains_key(key) {
            self.outcome.watch.push((key.clone(), path.to_owned()));
            self.documents.insert(key.clone(), Document::new(path));
            self.set_current(key, &Truth::Text(snapshot.clone()));
        }
        if let Some(document) = self.documents.get_mut(key) {
            document.readers.insert(id);
            document.gave(snapshot.hash, role);
        }
    }

    fn remove_reader(&mut self, key: &FileKey, id: SessionId) {
        let Some(document) = self.documents.get_mut(key) else { return };
        document.readers.remove(&id);
        if document.readers.is_empty()
            && let Some(document) = self.documents.remove(key)
        {
            if let (true, Some(current)) = (document.holds_current, document.current) {
                self.texts.release(current);
            }
            self.outcome.forget.push((key.clone(), document.path));
        }
    }

    /// Logs that a file changed and tells its readers, once each until they look again.
    fn transition(
        &mut self,
        key: &FileKey,
        before: Option<ContentHash>,
        after: Option<ContentHash>,
        by: Author,
        plan: Option<Arc<crate::edit::Plan>>,
    ) {
        let readers: Vec<_> =
            self.documents.get(key).map(|d| d.readers.iter().copied().collect()).unwrap_or_default();
        for id in readers {
            if matches!(&by, Author::Session(author, _) if *author == id) {
                continue;
            }
            let Some(entry) = self.sessions.get_mut(&id).and_then(|s| s.ledger.get_mut(key)) else {
                continue;
            };
            if entry.told || Some(entry.base.hash) == after {
                continue;
            }
            entry.told = true;
            let notice =
                Notice::FileChanged { path: entry.base.path.clone(), hash: after, by: by.name().to_owned() };
            self.outcome.notices.push((id, notice));
        }
        self.log.push(key.clone(), before, after, by, plan);
    }

    /// Whether `session` may act on a proposal: agents on their own only. What came in by an editor is no
    /// agent's, whatever it calls itself.
    fn may_act(&self, session: SessionId, proposal: &Proposal) -> bool {
        let is_own = |s: &Session| s.author == proposal.author && proposal.role == Role::Agent;
        self.sessions.get(&session).is_some_and(|s| s.role == Role::Editor || is_own(s))
    }
}
