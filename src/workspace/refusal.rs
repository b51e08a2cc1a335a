mod of_cell;
mod of_disk;
mod of_edit;
mod of_editor;
mod of_patch;
mod of_proposal;
mod of_review;
mod of_undo;
mod words;

use std::path::PathBuf;
use std::sync::Arc;

use crate::edit::{ConflictRegion, EditRefusalKind};
use crate::notebook::{CellRefusalKind, Unreadable};
use crate::text::ContentHash;

use super::rules::Protection;

pub use of_editor::{Contest, EditorRefusal};
pub use of_proposal::ProposalRefusal;
pub use of_review::ReviewRefusal;
pub use of_undo::UndoRefusal;

/// An answer that says no, and how to get a yes.
///
/// It is not a fault: it is what the product exists for. Each has a stable [`name`](Self::name) for
/// programs, one sentence for the model or person ([`message`](Self::message)) and what to send next
/// ([`hint`](Self::hint)).
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Index of the change it is about, from 0.
    pub change: Option<usize>,
    /// Index of the edit within that change, from 0.
    pub edit: Option<usize>,
    /// Line of the patch that the change or edit came in, from 1.
    pub patch_line: Option<usize>,
    /// The file it is about, as the request named it or as it was resolved.
    pub path: Option<PathBuf>,
    /// What is wrong.
    pub kind: RefusalKind,
}

/// Everything that can be wrong with a request that is well formed.
#[derive(Clone, Debug, PartialEq)]
pub enum RefusalKind {
    /// The session was never given this file's content.
    Unread {
        /// The file's hash now, if it exists.
        current: Option<ContentHash>,
        /// Lines around the wanted text, if it is there.
        excerpt: Option<String>,
        /// What the session was given so far.
        known: Known,
    },
    /// The file is not what the session was given.
    Stale {
        /// Hash of the truth; `None` if the file is gone.
        current: Option<ContentHash>,
        /// What changed since the base, as a unified diff, if the base's text is known.
        diff: Option<String>,
        /// Whether the base's text is still known.
        base_known: bool,
        /// What the base is.
        since: Since,
    },
    /// The change and what others did meanwhile touch each other.
    Conflict {
        /// Each place, with the three texts.
        regions: Vec<ConflictRegion>,
    },
    /// The place that an edit means could not be found, or not be told apart.
    Edit(EditRefusalKind),
    /// A patch that cannot be understood, or that leaves open what it means.
    BadPatch {
        /// The line where it is not what it should be, from 1.
        line: usize,
        /// What should be there.
        expected: String,
    },
    /// The cell that an operation means could not be found, or not be told apart.
    Cells(CellRefusalKind),
    /// The file is no notebook whose cells could be changed.
    Notebook(Unreadable),
    /// A change of its text would leave a notebook that is none.
    BrokenNotebook(Unreadable),
    /// A change as a whole would leave the file as it is.
    NoChange,
    /// An edit of a file that holds nothing to be replaced.
    EmptyFile,
    /// The target of a rename or a creation is there already.
    Exists,
    /// The file exists with another mode than the requested one.
    OtherMode {
        /// The existing file is executable.
        is_executable: bool,
    },
    /// There is no such file.
    Missing,
    /// A folder, device, pipe or socket; `what` names it.
    NotAFile {
        /// For instance `folder`.
        what: String,
    },
    /// The file holds no text.
    Binary,
    /// The file begins as an image does and cannot be decoded; why, in words.
    DamagedImage(String),
    /// The text cannot be read or written in the file's encoding.
    Encoding {
        /// What exactly, in words.
        detail: String,
    },
    /// An encoding that was guessed does not say how the text is written.
    GuessedEncoding {
        /// The guess.
        name: String,
    },
    /// A file or result beyond a limit.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
        /// The size in bytes.
        size: u64,
    },
    /// The file's mode, flags or file system forbid writing.
    ReadOnly,
    /// The path does not lie in the session's roots.
    OutsideWorkspace {
        /// The roots that the session has.
        roots: Vec<PathBuf>,
    },
    /// A path rule forbids it.
    Protected(Protection),
    /// A root that an agent may not have.
    Root {
        /// Why not, in words.
        reason: &'static str,
    },
    /// The file system said no; nothing was changed.
    Disk {
        /// The operation that failed.
        operation: &'static str,
        /// The system's error number.
        errno: Option<i32>,
        /// The system's words.
        detail: String,
        /// Bytes needed, where space was missing.
        required: Option<u64>,
        /// Bytes free, where space was missing.
        available: Option<u64>,
    },
    /// The editors that have it open stand against it.
    Editor(EditorRefusal),
    /// A transaction that cannot be undone.
    Undo(UndoRefusal),
    /// A proposal that cannot be acted on.
    Proposal(ProposalRefusal),
    /// A person said no, or has not said anything yet.
    Review(ReviewRefusal),
    /// The role or the configuration does not allow it.
    NotPermitted {
        /// What is not allowed, in words.
        what: String,
    },
    /// The `requestId` belongs to another request of this author.
    RequestIdUsed {
        /// The id.
        id: String,
    },
    /// An earlier transaction was interrupted and could neither be finished nor taken back yet.
    Recovering {
        /// Which.
        transaction: String,
    },
    /// A limit on what waits or is kept was reached.
    Busy {
        /// Which, in words.
        what: String,
    },
    /// A deadline passed.
    Timeout {
        /// What took too long.
        what: &'static str,
    },
}

/// What a session was given, where that is not enough for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing at all: it may be a new one in the place of one that was.
    NothingYet,
    /// Other files.
    OtherFiles,
    /// Some lines of the file.
    SomeLines,
}

/// What a stale file has changed since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The session was given it.
    #[default]
    Read,
    /// A proposal was made, which cannot be applied any more.
    Proposed,
    /// A transaction wrote it that is to be undone.
    Written {
        /// The later transaction that is in the way, if one of editd's is.
        later: Option<Arc<str>>,
    },
}

impl Refusal {
    /// A refusal about no file in particular.
    pub fn new(kind: RefusalKind) -> Self {
        Self { change: None, edit: None, patch_line: None, path: None, kind }
    }

    /// A refusal about a file.
    pub fn at(path: impl Into<PathBuf>, kind: RefusalKind) -> Self {
        Self { path: Some(path.into()), ..Self::new(kind) }
    }

    /// The same, said of the change with that index.
    #[must_use]
    pub fn of_change(self, index: usize) -> Self {
        Self { change: Some(index), ..self }
    }

    /// The same, where it is a proposal that cannot be applied: then the next step is another one.
    #[must_use]
    pub fn of_proposal(mut self) -> Self {
        if let RefusalKind::Stale { since, .. } = &mut self.kind {
            *since = Since::Proposed;
        }
        self
    }

    /// The stable name: `kind` on the wire.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            RefusalKind::Unread { .. } => "unread",
            RefusalKind::Stale { .. } => "stale",
            RefusalKind::Conflict { .. } => "conflict",
            RefusalKind::Edit(edit) => of_edit::name(edit),
            RefusalKind::Cells(cells) => of_cell::name(cells),
            RefusalKind::BadPatch { .. } => "bad_patch",
            RefusalKind::NoChange => "no_change",
            RefusalKind::EmptyFile => "not_found",
            RefusalKind::Exists | RefusalKind::OtherMode { .. } => "exists",
            RefusalKind::Missing => "missing",
            RefusalKind::NotAFile { .. } => "not_a_file",
            RefusalKind::Binary | RefusalKind::DamagedImage(_) => "binary",
            // JSON is the encoding of a notebook.
            RefusalKind::Encoding { .. }
            | RefusalKind::GuessedEncoding { .. }
            | RefusalKind::Notebook(_)
            | RefusalKind::BrokenNotebook(_) => "encoding",
            RefusalKind::TooLarge { .. } => "too_large",
            RefusalKind::ReadOnly => "read_only",
            RefusalKind::OutsideWorkspace { .. } | RefusalKind::Root { .. } => "outside_workspace",
            RefusalKind::Protected(_) => "protected",
            RefusalKind::Disk { .. } => "disk",
            RefusalKind::Editor(editor) => of_editor::name(editor),
            RefusalKind::Undo(undo) => of_undo::name(undo),
            RefusalKind::Proposal(proposal) => of_proposal::name(proposal),
            RefusalKind::Review(review) => of_review::name(review),
            RefusalKind::NotPermitted { .. } | RefusalKind::RequestIdUsed { .. } => "not_permitted",
            RefusalKind::Recovering { .. } => "recovering",
            RefusalKind::Busy { .. } => "busy",
            RefusalKind::Timeout { .. } => "timeout",
        }
    }

    /// One sentence for a model or a person.
    pub fn message(&self) -> String {
        words::message(self)
    }

    /// What to send next.
    pub fn hint(&self) -> String {
        words::hint(self)
    }
}
