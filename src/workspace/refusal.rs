mod base;
mod messages;
mod of_edit;
mod of_lines;
mod of_symbols;
mod reasons;
#[cfg(any(test, feature = "test-refusals"))]
pub mod samples;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;

use editd_edit::notebook::{CellRefusalKind, Unreadable};
use editd_edit::{ConflictRegion, EditRefusalKind, Offer};
use editd_syntax::{SymbolRefusal, SyntaxError};
use editd_text::{ContentHash, HashTag};

use super::Audience;
use super::rules::Protection;
use messages::Texts;

pub use reasons::{Contest, EditorRefusal, ProposalRefusal, ReviewRefusal, UndoRefusal};

/// A refused request, with the reason and the next step.
///
/// A refusal is not an internal error: it is a normal answer. Each has a stable [`name`](Self::name) for
/// programs, a one-sentence [`message`](Self::message) for the model or user, and a [`hint`](Self::hint)
/// about what to send next.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Index of the change, from 0.
    pub change: Option<usize>,
    /// Index of the edit within that change, from 0.
    pub edit: Option<usize>,
    /// Line of the patch that contains the change or edit, from 1.
    pub patch_line: Option<usize>,
    /// The file, as named in the request or as resolved.
    pub path: Option<PathBuf>,
    /// The reason for the refusal.
    pub kind: RefusalKind,
    /// Number in the id by which the refused request can be sent again, see [`retry_id`](Self::retry_id), or by which
    /// its offers can be accepted, see [`offer`](Self::offer).
    pub number: Option<NonZeroU64>,
}

/// All reasons for refusing a well-formed request, with the names of the refusals.
#[derive(Clone, Debug, PartialEq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum RefusalKind {
    /// The session was never given the content of the file.
    Unread {
        /// Current hash of the file, if it exists.
        current: Option<ContentHash>,
        /// Lines around the old text, if the file contains it.
        excerpt: Option<String>,
        /// Contents that the session has been given so far.
        known: Known,
    },
    /// The file differs from the content that the session was given.
    Stale {
        /// Hash of the current content; `None` if the file was deleted.
        current: Option<ContentHash>,
        /// Unified diff since the base, if the text of the base is known.
        diff: Option<String>,
        /// `true` if the text of the base is still known.
        base_known: bool,
        /// The event since which the file has changed.
        since: Since,
    },
    /// No version of the file that the session was shown has this tag.
    #[strum(serialize = "stale")]
    UnknownTag {
        /// The tag.
        tag: HashTag,
        /// Another file that has a version with this tag.
        other: Option<PathBuf>,
        /// Hash of the current content, if the file exists.
        current: Option<ContentHash>,
    },
    /// The change and concurrent changes by others touch the same lines.
    Conflict {
        /// The conflicting regions, with all three texts.
        regions: Vec<ConflictRegion>,
    },
    /// An edit cannot be located or applied.
    Edit(EditRefusalKind),
    /// A patch that is malformed or ambiguous.
    BadPatch {
        /// Line of the syntax error, from 1.
        line: usize,
        /// Description of the expected content.
        expected: String,
    },
    /// An edit of a symbol, or a read of one, cannot be located or applied.
    #[strum(serialize = "not_found")]
    Symbol(SymbolRefusal),
    /// Symbols of the file are not offered. Contains the reason.
    #[strum(serialize = "syntax")]
    NoSyntax(String),
    /// The change would add syntax errors, which the configuration forbids.
    #[strum(serialize = "syntax")]
    NewErrors(Vec<SyntaxError>),
    /// An operation on a cell cannot be located or applied.
    Cells(CellRefusalKind),
    /// The file cannot be parsed as a notebook. JSON is the encoding of a notebook.
    #[strum(serialize = "encoding")]
    Notebook(Unreadable),
    /// A text change would leave the file an invalid notebook.
    #[strum(serialize = "encoding")]
    BrokenNotebook(Unreadable),
    /// A whole change would leave the file as it is.
    NoChange,
    /// An edit of an empty file.
    #[strum(serialize = "not_found")]
    EmptyFile,
    /// The target of a rename or creation already exists.
    Exists,
    /// The file exists with another mode than the requested one.
    #[strum(serialize = "exists")]
    OtherMode {
        /// `true` if the existing file is executable.
        is_executable: bool,
    },
    /// The file does not exist.
    Missing,
    /// An edit of all files that match a glob finds its text in none of them.
    #[strum(serialize = "not_found")]
    NoFileMatches {
        /// Number of searched files.
        searched: u64,
    },
    /// An edit of all files that match a glob has another number of places than it expects.
    #[strum(serialize = "count_mismatch")]
    OtherTotal {
        /// Number that the edit expects.
        expected: u32,
        /// Number of places.
        found: usize,
        /// Number of files with these places.
        files: usize,
    },
    /// Files that an edit of all files would change were never given to the session.
    #[strum(serialize = "unread")]
    UnreadFiles {
        /// Number of these files.
        unread: usize,
        /// Number of places in all files.
        found: usize,
        /// Number of files with these places.
        files: usize,
    },
    /// No refused request of the session can be sent again by this id.
    #[strum(serialize = "missing")]
    NothingToRetry {
        /// The id.
        id: String,
    },
    /// A folder, device, pipe or socket.
    NotAFile {
        /// The type of the file, such as `folder`.
        what: String,
    },
    /// The file is not text.
    Binary,
    /// The file has the signature of an image but cannot be decoded. Contains the reason.
    #[strum(serialize = "binary")]
    DamagedImage(String),
    /// The text cannot be decoded or encoded in the file's encoding.
    Encoding {
        /// Description of the problem.
        detail: String,
    },
    /// The encoding was guessed, so it is not known how to encode new text.
    #[strum(serialize = "encoding")]
    GuessedEncoding {
        /// Name of the guessed encoding.
        name: String,
    },
    /// A file or result exceeds a limit.
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
        /// The size, in bytes.
        size: u64,
    },
    /// The mode, flags or file system of the file forbid writing.
    ReadOnly,
    /// The path is outside the roots of the session.
    OutsideWorkspace {
        /// The roots of the session.
        roots: Vec<PathBuf>,
    },
    /// A path rule forbids the operation.
    Protected(Protection),
    /// A root that an agent may not use.
    #[strum(serialize = "outside_workspace")]
    Root {
        /// The reason.
        reason: &'static str,
    },
    /// A file system error; nothing was changed.
    Disk {
        /// The operation that failed.
        operation: &'static str,
        /// The system's error number.
        errno: Option<i32>,
        /// The system's error message.
        detail: String,
        /// Bytes needed, if space was missing.
        required: Option<u64>,
        /// Bytes free, if space was missing.
        available: Option<u64>,
    },
    /// The editors that have the file open prevent the change.
    Editor(EditorRefusal),
    /// A transaction that cannot be undone.
    Undo(UndoRefusal),
    /// A proposal in the wrong state, or an unknown one.
    Proposal(ProposalRefusal),
    /// A person rejected the change or has not decided yet.
    Review(ReviewRefusal),
    /// The role or the configuration forbids the operation.
    NotPermitted {
        /// Description of the forbidden operation.
        what: String,
    },
    /// The `requestId` belongs to another request of this author.
    #[strum(serialize = "not_permitted")]
    RequestIdUsed {
        /// The id.
        id: String,
    },
    /// An earlier transaction was interrupted and has been neither completed nor rolled back yet.
    Recovering {
        /// Id of the transaction.
        transaction: String,
    },
    /// A limit on queued requests or stored items was reached.
    Busy {
        /// Description of the limit.
        what: String,
    },
    /// A deadline passed.
    Timeout {
        /// The operation that took too long.
        what: &'static str,
    },
}

/// Contents that a session was given, if they do not suffice for a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// No content at all. The session may have replaced an earlier one.
    NothingYet,
    /// Other files only.
    OtherFiles,
    /// Some lines of the file.
    SomeLines,
}

/// The event since which a file has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The session was given the file.
    #[default]
    Read,
    /// A proposal was made, which can no longer be applied.
    Proposed,
    /// The transaction to be undone wrote the file.
    Written {
        /// The later transaction that prevents the undo, if it was made through editd.
        later: Option<Arc<str>>,
    },
}

impl Refusal {
    /// Creates a refusal that concerns no particular file.
    pub fn new(kind: RefusalKind) -> Self {
        Self { change: None, edit: None, patch_line: None, path: None, kind, number: None }
    }

    /// Creates a refusal that concerns a file.
    pub fn at(path: impl Into<PathBuf>, kind: RefusalKind) -> Self {
        Self { path: Some(path.into()), ..Self::new(kind) }
    }

    /// Sets the index of the change.
    #[must_use]
    pub fn of_change(self, index: usize) -> Self {
        Self { change: Some(index), ..self }
    }

    /// Marks the refusal as concerning a proposal that can no longer be applied, which changes the hint.
    #[must_use]
    pub fn of_proposal(mut self) -> Self {
        if let RefusalKind::Stale { since, .. } = &mut self.kind {
            *since = Since::Proposed;
        }
        self
    }

    /// Returns the stable name: `kind` on the wire.
    pub fn name(&self) -> &'static str {
        match &self.kind {
            RefusalKind::Edit(EditRefusalKind::Lines(kind)) => kind.into(),
            RefusalKind::Edit(kind) => kind.into(),
            RefusalKind::Cells(kind) => kind.into(),
            RefusalKind::Symbol(kind) => kind.into(),
            RefusalKind::Editor(reason) => reason.into(),
            RefusalKind::Undo(reason) => reason.into(),
            RefusalKind::Proposal(reason) => reason.into(),
            RefusalKind::Review(reason) => reason.into(),
            kind => kind.into(),
        }
    }

    /// Returns the id by which the refused request can be sent again.
    pub fn retry_id(&self) -> Option<String> {
        self.number.filter(|_| self.offered().is_none()).map(|number| format!("r{number}"))
    }

    /// Returns the change that the request probably means, with the id by which it can be accepted.
    pub fn offer(&self) -> Option<(String, &Offer)> {
        Some((format!("o{}", self.number?), self.offered()?))
    }

    /// Returns the change that the refused edit probably means.
    pub fn offered(&self) -> Option<&Offer> {
        if let RefusalKind::Edit(kind) = &self.kind { kind.offer() } else { None }
    }

    /// Returns one sentence about the reason, in the terms of its readers.
    pub fn message(&self, audience: Audience) -> String {
        Texts::of(self, audience).message
    }

    /// Returns what to do next, in the terms of its readers.
    pub fn hint(&self, audience: Audience) -> String {
        let mut hint = Texts::of(self, audience).hint;
        if let (Some((id, _)), true) = (self.offer(), audience != Audience::CommandLine) {
            return format!(
                "If `offerDiff` is what you mean, send only `accept: \"{id}\"`: exactly this is made, with the other edits of the request. Otherwise send the text as the file has it."
            );
        }
        if let (Some(id), true) = (&self.retry_id(), audience != Audience::CommandLine) {
            let (before, after) = match &self.kind {
                RefusalKind::Stale { .. } => return hint,
                RefusalKind::Conflict { .. } => ("With ", " it need not be repeated"),
                RefusalKind::Edit(EditRefusalKind::Ambiguous { .. }) => {
                    ("Or send ", " with the `lines` that you mean")
                }
                _ => ("Or send only ", ""),
            };
            hint.extend([" ", before, "`retry: \"", id, "\"`", after, "."]);
        }
        hint
    }
}
