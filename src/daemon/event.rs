use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::oneshot;

use crate::disk::{Root, Stat};
use crate::text::ContentHash;
use crate::workspace::buffers::BufferId;
use crate::workspace::diagnostics::Report;
use crate::workspace::review::Review;
use crate::workspace::{
    Answered, ApplyStep, BaseState, Changed, Counts, Coverage, Diagnosed, FileKey, Moved, NewProposal,
    PlannedFile, Proposal, ProposalId, ProposalState, Refusal, RequestKey, Seen, Session, SessionId,
    Snapshot,
};

use super::editors::EditorsEvent;

/// Where the answer to an event goes. A receiver that is gone has been cancelled; nothing is owed to it.
pub(crate) type Reply<T> = oneshot::Sender<T>;

/// A file as it was looked at, with what is needed to look again.
#[derive(Clone, Debug)]
pub(crate) struct Sighting {
    /// The file and its content.
    pub(crate) seen: Seen,
    /// The state in which it was read; none if it does not exist.
    pub(crate) stat: Option<Stat>,
    /// What is on the disk, where that is not the truth.
    pub(crate) disk: Option<Arc<Snapshot>>,
    /// The root that it was reached through.
    pub(crate) root: Root,
}

/// Why a proposal is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FindFor {
    /// To look at it.
    Looking,
    /// To apply it, at that revision if one is named.
    Applying(Option<u32>),
}

/// What is said of files by editors.
pub(crate) enum DiagnosticsEvent {
    /// An editor says what is wrong in a file.
    Told { id: BufferId, path: PathBuf, report: Report },
    /// Somebody asks what is said of a file.
    Of { path: PathBuf, key: FileKey, reply: Reply<Vec<Diagnosed>> },
    /// Somebody asks of which files something is said.
    Files { reply: Reply<Vec<PathBuf>> },
}

/// Everything that can happen to the workspace, in one list. Events come in through the books and are
/// handled one at a time; none of them waits, reads a file or looks at a text.
pub(crate) enum Event {
    /// A client has said `initialize`.
    Connected { session: Session, reply: Reply<()> },
    /// A client is gone.
    Disconnected { session: SessionId },
    /// A session was given a file.
    Read { session: SessionId, sighting: Sighting, coverage: Coverage, reply: Reply<()> },
    /// What a session was given of a file has not reached its reader.
    Forget { session: SessionId, key: FileKey, reply: Reply<()> },
    /// Somebody looked at a file for another reason.
    Looked { sighting: Sighting },
    /// A session wants to change files as they were just seen, maybe on a base that it sent.
    Bases { session: SessionId, files: Vec<(Seen, Option<ContentHash>)>, reply: Reply<Vec<BaseState>> },
    /// A session made a proposal.
    Propose { new: NewProposal, reply: Reply<Result<Proposal, Refusal>> },
    /// A session asks for a proposal.
    Find { session: SessionId, id: String, purpose: FindFor, reply: Reply<Result<Proposal, Refusal>> },
    /// A session asks for the list.
    List { session: SessionId, state: Option<String>, reply: Reply<Vec<Proposal>> },
    /// A session takes a proposal back.
    Discard {
        session: SessionId,
        id: String,
        reason: Option<String>,
        reply: Reply<Result<Proposal, Refusal>>,
    },
    /// A session starts to apply a proposal to files as they were just seen.
    BeginApply {
        session: SessionId,
        id: String,
        seen: Vec<Seen>,
        reply: Reply<Result<Vec<ApplyStep>, Refusal>>,
    },
    /// It was applied, in a transaction if anything was written. `files` is what was done, where it is not
    /// what was proposed. Gives the transaction that it was applied in.
    Applied {
        session: SessionId,
        author: String,
        id: String,
        transaction: Option<Arc<str>>,
        files: Option<Vec<PlannedFile>>,
        moved: Vec<(Moved, Sighting)>,
        reply: Reply<Option<Arc<str>>>,
    },
    /// It was not.
    NotApplied { session: SessionId, id: String, state: ProposalState },
    /// Something about proposals that a person decides.
    Reviewed(ReviewEvent),
    /// Somebody looks for a text.
    Text { hash: ContentHash, reply: Reply<Option<Arc<Snapshot>>> },
    /// A session asks which files it has read, and for the newest cursor.
    FilesRead { session: SessionId, reply: Reply<(u64, Vec<(FileKey, PathBuf)>)> },
    /// A session asks what others did to one of them, after it was looked at.
    Changes { session: SessionId, seen: Seen, since: Option<u64>, reply: Reply<Option<Changed>> },
    /// A request that may be sent twice came in.
    Recall { key: RequestKey, reply: Reply<Option<Answered>> },
    /// It was answered.
    Remember { key: RequestKey, answered: Answered },
    /// Something about editors and what they have open.
    Editors(EditorsEvent),
    /// Something about diagnostics.
    Diagnostics(DiagnosticsEvent),
    /// Somebody asks for sizes.
    Count { reply: Reply<Counts> },
}

/// What can happen to proposals that a person decides.
pub(crate) enum ReviewEvent {
    /// Somebody asks whether a person sees what agents do to these files.
    Watched { paths: Vec<PathBuf>, reply: Reply<bool> },
    /// A session wants a proposal to be decided by a person.
    Review { session: SessionId, id: String, revision: Option<u32>, reply: Reply<Result<Proposal, Refusal>> },
    /// A person is about to decide about a proposal.
    FindToDecide { session: SessionId, id: String, revision: u32, reply: Reply<Result<Proposal, Refusal>> },
    /// A person has decided some of it.
    Decide {
        session: SessionId,
        id: String,
        revision: u32,
        review: Review,
        reply: Reply<Result<Proposal, Refusal>>,
    },
    /// A person has decided all of it, and it is about to happen.
    BeginDecided { session: SessionId, id: String, revision: u32, reply: Reply<Result<(), Refusal>> },
    /// It has happened: the author's session and name, what was decided, and what was done.
    Decided {
        session: SessionId,
        by: (SessionId, String),
        id: String,
        review: Review,
        transaction: Option<Arc<str>>,
        moved: Vec<(Moved, Sighting)>,
        reply: Reply<()>,
    },
    /// It has not.
    NotDecided { id: String },
    /// A person wants back what was rejected in their folders.
    ListRejected { session: SessionId, reply: Reply<Vec<ProposalId>> },
    /// A person wants back what was rejected of a proposal.
    FindRejected { session: SessionId, id: String, reply: Reply<Result<Proposal, Refusal>> },
    /// It waits again.
    Reopen {
        session: SessionId,
        id: String,
        files: Vec<PlannedFile>,
        at: SystemTime,
        reply: Reply<Result<Proposal, Refusal>>,
    },
    /// Somebody asks what waits for a person that would change a file of an author's.
    PendingOn { author: String, key: FileKey, reply: Reply<Vec<Proposal>> },
    /// Proposals of an earlier daemon that still wait.
    Restore { proposals: Vec<Proposal> },
}

impl From<ReviewEvent> for Event {
    fn from(event: ReviewEvent) -> Self {
        Self::Reviewed(event)
    }
}
