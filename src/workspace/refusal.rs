mod of_cell;
mod of_edit;
mod of_editor;
mod of_patch;
mod of_review;
mod of_undo;

use std::path::PathBuf;

use crate::edit::{ConflictRegion, EditRefusalKind};
use crate::notebook::{CellRefusalKind, Unreadable};
use crate::text::ContentHash;

use super::proposal::ProposalId;
use super::rules::Protection;

pub use of_editor::{Contest, EditorRefusal};
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
        /// The session has seen some lines of it, which is not enough for this change.
        partly: bool,
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
    /// A change as a whole would leave the file as it is.
    NoChange,
    /// The target of a rename or a creation is there already.
    Exists,
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
    /// No proposal of that id that the session may see.
    UnknownProposal {
        /// The id as it was sent.
        id: String,
    },
    /// The proposal was replaced, or has a newer revision.
    Superseded {
        /// Its revision now.
        current_revision: u32,
        /// The proposal that took its place.
        by: Option<ProposalId>,
    },
    /// The proposal is closed: applied, discarded or failed.
    Closed {
        /// Its state.
        state: &'static str,
        /// Its revision.
        current_revision: u32,
    },
    /// A person said no, or has not said anything yet.
    Review(ReviewRefusal),
    /// The role or the configuration does not allow it.
    NotPermitted {
        /// What is not allowed, in words.
        what: String,
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

/// What a stale file has changed since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Since {
    /// The session was given it.
    #[default]
    Read,
    /// A proposal was made, which cannot be applied any more.
    Proposed,
    /// A transaction wrote it that is to be undone.
    Written,
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
            RefusalKind::Exists => "exists",
            RefusalKind::Missing => "missing",
            RefusalKind::NotAFile { .. } => "not_a_file",
            RefusalKind::Binary | RefusalKind::DamagedImage(_) => "binary",
            // JSON is the encoding of a notebook.
            RefusalKind::Encoding { .. } | RefusalKind::Notebook(_) => "encoding",
            RefusalKind::TooLarge { .. } => "too_large",
            RefusalKind::ReadOnly => "read_only",
            RefusalKind::OutsideWorkspace { .. } | RefusalKind::Root { .. } => "outside_workspace",
            RefusalKind::Protected(_) => "protected",
            RefusalKind::Disk { .. } => "disk",
            RefusalKind::Editor(editor) => of_editor::name(editor),
            RefusalKind::Undo(undo) => of_undo::name(undo),
            RefusalKind::UnknownProposal { .. } => "unknown_proposal",
            RefusalKind::Superseded { .. } | RefusalKind::Closed { .. } => "superseded",
            RefusalKind::Review(review) => of_review::name(review),
            RefusalKind::NotPermitted { .. } => "not_permitted",
            RefusalKind::Recovering { .. } => "recovering",
            RefusalKind::Busy { .. } => "busy",
            RefusalKind::Timeout { .. } => "timeout",
        }
    }

    /// One sentence for a model or a person.
    pub fn message(&self) -> String {
        let file = self.path.as_ref().map_or_else(|| "the file".to_owned(), |p| format!("`{}`", p.display()));
        match &self.kind {
            RefusalKind::Unread { partly: true, .. } => {
                format!(
                    "Only a part of {file} was read in this session, so the whole of it cannot be changed."
                )
            }
            RefusalKind::Unread { .. } => format!("{file} has not been read in this session."),
            RefusalKind::Stale { current, since: Since::Written, .. } => {
                of_undo::stale_message(&file, *current)
            }
            RefusalKind::Stale { current: None, .. } => format!("{file} was read, but is gone since."),
            RefusalKind::Stale { .. } => format!("{file} has changed since it was read."),
            RefusalKind::Conflict { regions } => {
                format!(
                    "{file} has changed since it was read in {} that this change touches.",
                    places(regions.len())
                )
            }
            RefusalKind::Edit(kind) => of_edit::message(kind, self.edit, self.patch_line, &file),
            RefusalKind::Cells(kind) => of_cell::message(kind, self.edit, &file),
            RefusalKind::Notebook(Unreadable { line, reason }) => {
                format!("{file} cannot be read as a notebook: {reason} (line {line}).")
            }
            RefusalKind::BadPatch { line, expected } => {
                format!("Line {line} of the patch is not what it should be: expected {expected}.")
            }
            RefusalKind::NoChange => format!("The change would leave {file} exactly as it is."),
            RefusalKind::Exists => format!("{file} exists already."),
            RefusalKind::Missing => format!("{file} does not exist."),
            RefusalKind::NotAFile { what } => format!("{file} is not a regular file but {what}."),
            RefusalKind::DamagedImage(why) => format!("{file} begins as an image does, but {why}."),
            RefusalKind::Binary => format!("{file} is a binary file."),
            RefusalKind::Encoding { detail } => {
                format!("{file} cannot be changed in its encoding: {detail}.")
            }
            RefusalKind::TooLarge { limit, size } => {
                format!("{file} would take {size} bytes, more than the limit of {limit}.")
            }
            RefusalKind::ReadOnly => format!("{file} is read-only."),
            RefusalKind::OutsideWorkspace { roots } if roots.is_empty() => {
                format!("{file} lies outside the workspace: this session has no roots.")
            }
            RefusalKind::OutsideWorkspace { .. } => format!("{file} lies outside the workspace."),
            RefusalKind::Root { reason } => format!("{file} cannot be a root: {reason}."),
            RefusalKind::Protected(Protection { rule, what, .. }) => {
                format!("{file} is protected by the rule `{rule}`: it {what}.")
            }
            RefusalKind::Disk { operation, detail, .. } => {
                format!("The file system refused to {operation} {file} ({detail}); nothing was changed.")
            }
            RefusalKind::Editor(editor) => of_editor::message(editor, &file),
            RefusalKind::Undo(undo) => of_undo::message(undo),
            RefusalKind::UnknownProposal { id } => format!("There is no proposal `{id}` of this author."),
            RefusalKind::Superseded { by: Some(by), .. } => format!("The proposal was replaced by `{by}`."),
            RefusalKind::Superseded { current_revision, .. } => {
                format!("The proposal has changed; its revision is now {current_revision}.")
            }
            RefusalKind::Closed { state, .. } => {
                format!("The proposal is {state} and cannot be acted on any more.")
            }
            RefusalKind::Review(review) => of_review::message(review, self.edit, &file),
            RefusalKind::NotPermitted { what } => format!("Not permitted: {what}."),
            RefusalKind::Recovering { transaction } => format!(
                "Transaction `{transaction}` was interrupted while it changed this file, and could not be taken back yet."
            ),
            RefusalKind::Busy { what } => format!("The daemon is busy: {what}."),
            RefusalKind::Timeout { what } => format!("{what} took longer than the deadline allows."),
        }
    }

    /// What to send next.
    pub fn hint(&self) -> String {
        if let Some(hint) = self.patch_line.and_then(|_| of_patch::hint(&self.kind)) {
            return hint.to_owned();
        }
        match &self.kind {
            RefusalKind::Unread { partly: true, .. } => {
                "Send `currentHash` as `baseHash` if the whole file is meant as it is; or read all of it in one call, if it fits."
            }
            RefusalKind::Unread { .. } => {
                "Call `editd/read` on it first, then send the change again; or send `currentHash` as `baseHash` if the file is meant as it is."
            }
            RefusalKind::Stale { since: Since::Written, .. } => of_undo::STALE_HINT,
            RefusalKind::Stale { current: None, .. } => {
                "Read it to be told that it is gone; a `write` then creates it anew."
            }
            RefusalKind::Stale { since: Since::Proposed, .. } => {
                "The proposal is closed: look at `diff`, and propose the change anew with `currentHash` as `baseHash`, or with `onStale: \"rebase\"`."
            }
            RefusalKind::Stale { base_known: false, .. } => "Read the file again, then make the change anew.",
            RefusalKind::Stale { .. } => {
                "Look at `diff`; if the change still makes sense, send it again with `currentHash` as `baseHash`, or with `onStale: \"rebase\"`."
            }
            RefusalKind::Conflict { .. } => {
                "Read the file again and make the change on the text as it is now; `regions` shows both sides. Or send `onConflict: \"markers\"` to have both written into the file."
            }
            RefusalKind::Cells(kind) => of_cell::hint(kind),
            RefusalKind::Notebook(_) => {
                "Look at the line; an `edit` changes the file as text, whatever it is."
            }
            RefusalKind::Edit(kind) => return of_edit::hint(kind, self.patch_line.is_some()).to_owned(),
            RefusalKind::BadPatch { .. } => {
                "Nothing of the patch was applied: correct that line, and send the whole patch again."
            }
            RefusalKind::NoChange => "Nothing needs to be done; if something should change, check `newText`.",
            RefusalKind::Exists => "Choose another path, or change the existing file with `edit` or `write`.",
            RefusalKind::Missing => "Check the path; a new file is made by a `write` change.",
            RefusalKind::NotAFile { .. } => "Name a regular file; folders are made as needed by a `write` into them.",
            RefusalKind::DamagedImage(_) => "Ask the user for the image in another form.",
            RefusalKind::Binary => "editd changes text only; use a program made for this kind of file.",
            RefusalKind::Encoding { .. } => {
                "Keep to characters that the file's encoding has, or rewrite the file with a `write` that names `encoding`."
            }
            RefusalKind::TooLarge { .. } => "Work on a smaller file, or raise the limit in the configuration.",
            RefusalKind::ReadOnly => "Ask the user to make the file writable if it should be changed.",
            RefusalKind::OutsideWorkspace { .. } => {
                "Use a path inside one of `roots`; roots are set by `workspaceFolders` in `initialize`."
            }
            RefusalKind::Root { .. } => "Start the session with the folder of the project as its root.",
            RefusalKind::Protected(protection) => return protection.hint(),
            RefusalKind::Disk { .. } => "Tell the user; the same request can be sent again once the cause is gone.",
            RefusalKind::Editor(editor) => of_editor::hint(editor),
            RefusalKind::Undo(undo) => of_undo::hint(undo),
            RefusalKind::UnknownProposal { .. } => "List what there is with `editd/proposals`, or propose anew.",
            RefusalKind::Superseded { by: Some(_), .. } => "Act on the proposal that replaced it.",
            RefusalKind::Superseded { .. } => "Look at it again with `editd/proposal`, then send the current revision.",
            RefusalKind::Closed { .. } => "Propose the change anew.",
            RefusalKind::Review(review) => of_review::hint(review),
            RefusalKind::NotPermitted { .. } => "Ask the user; this connection cannot do it.",
            RefusalKind::Recovering { .. } => "Nothing is lost; reading still works. Each try to change the file tries to take it back first. Ask the user to look at `editd doctor`.",
            RefusalKind::Busy { .. } => "Wait for earlier requests to end, or discard proposals, then try again.",
            RefusalKind::Timeout { .. } => "Ask for less at a time: smaller edits, a more distinctive `oldText`, a smaller file.",
        }
        .to_owned()
    }
}

fn places(count: usize) -> String {
    match count {
        0 => "places".to_owned(),
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    }
}
