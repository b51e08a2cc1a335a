//! Changes of files, from the request to the commit.
//!
//! A [`RequestedChange`] is located, observed, computed (`compute`), rebased onto newer content if needed
//! (`rebase`), and committed with all other files of its request (`commit`).

pub(crate) mod apply;
pub(crate) mod check;
pub(crate) mod commit;
pub(crate) mod compute;
pub(crate) mod content;
pub(crate) mod draft;
pub(crate) mod edits;
pub(crate) mod guard;
pub(crate) mod history_recording;
mod known;
mod left_uses;
pub(crate) mod lines;
mod moves;
pub(crate) mod outlined;
pub(crate) mod own;
pub(crate) mod perform;
pub(crate) mod placed;
pub(crate) mod rebase;
mod relocate;
mod renames;
pub(crate) mod request;
pub(crate) mod retried;
pub(crate) mod spread;
mod written;

use crate::engine::change::spread::UsesElsewhere;
use crate::engine::editors::ServedUses;
use crate::engine::files::access::Clearance;
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::Purpose;
use editd_disk::Target;
use editd_edit::notebook::CellOp;
use editd_edit::{Edit, LineEdit, MovedText, Reshape, TextScope};
use editd_syntax::{NewPlace, Position, SymbolEdit};
use editd_text::Encoding;
use editd_workspace::{NamedVersion, NewMode};

/// A change of one file. `F` is the file in the stage that the request has reached: the path as it was sent
/// ([`RequestedPath`](editd_workspace::RequestedPath)), the opened [`Target`], or the [`Observed`] content.
#[derive(Debug)]
pub(crate) struct RequestedChange<F> {
    /// Index of the change in the request.
    pub(crate) index: usize,
    pub(crate) file: F,
    /// The version that the change names: its `baseHash`, or the tag of its path.
    pub(crate) base: Option<NamedVersion>,
    /// `true` if the request names the file only in edits: as their path, or as one end of a move.
    pub(crate) implied: bool,
    /// The judgement of the path rules; empty until the file is located.
    pub(crate) clearance: Clearance,
    pub(crate) kind: ChangeKind<F>,
}

/// The kind of a change.
#[derive(Debug)]
pub(crate) enum ChangeKind<F> {
    /// Edits, with the encoding of the file if the request names it.
    Edit(Vec<RequestedEdit>, Option<Encoding>),
    Write(NewContent),
    Delete(Option<Removed>),
    /// Operations on the cells of a notebook.
    Cells(Vec<CellOp>),
    /// A new path, with edits that may be empty.
    Rename {
        edits: Vec<RequestedEdit>,
        to: F,
    },
}

/// An edit of a file.
#[derive(Clone, Debug)]
pub(crate) struct RequestedEdit {
    /// The edit of the request; `None` if it is the one at this position.
    pub(crate) of: Option<EditIndex>,
    pub(crate) form: EditForm,
    /// The part of the file in which a text is searched for, or that is reshaped; `None` for the whole file.
    pub(crate) within: Option<TextScope>,
}

/// An edit of a request: the index of its change, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EditIndex {
    pub(crate) change: usize,
    pub(crate) edit: usize,
}

/// Identifies lines that a request moves: the index of the change and the edit, or their number in a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clip(pub(crate) usize, pub(crate) usize);

/// The form of an edit.
#[derive(Clone, Debug)]
pub(crate) enum EditForm {
    Text(Edit),
    Lines(LineEdit),
    Symbol(SymbolEdit),
    /// A symbol that a language server has renamed in its file.
    Renamed(SymbolEdit, ServedUses),
    /// Uses of a symbol that the request renames, in a file that does not declare it.
    Uses(UsesElsewhere),
    /// Lines that are indented or wrapped.
    Reshape(Reshape),
    /// Lines or a symbol that the request moves or copies.
    Take {
        clip: Clip,
        part: TextScope,
        removes: bool,
    },
    /// The place for what the request moves or copies.
    Put {
        clip: Clip,
        place: NewPlace,
        reindent: bool,
    },
    /// Text of another place that is inserted beside a symbol.
    Beside {
        symbol: String,
        /// True if the author names the symbol or lines beside it, and so must know them. The end of a file needs none.
        is_named: bool,
        position: Position,
        moved: Vec<MovedText>,
    },
}

impl From<Edit> for RequestedEdit {
    fn from(edit: Edit) -> Self {
        Self { of: None, form: EditForm::Text(edit), within: None }
    }
}

/// The whole new content of a file.
#[derive(Debug)]
pub(crate) struct NewContent {
    pub(crate) text: String,
    /// Keeps the line endings of `text` instead of adapting them to the file.
    pub(crate) literal: bool,
    pub(crate) encoding: Option<Encoding>,
    /// Requested mode. An existing file must already have it.
    pub(crate) mode: Option<NewMode>,
    pub(crate) precondition: Precondition,
}

/// The state in which a file must be for its whole content to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// The file has the content that its author was given, or does not exist.
    Any,
    /// The file does not exist.
    New,
    /// The file is empty or, with `creates`, does not exist. `line` is the line of the patch; an edit without old
    /// text has none.
    Empty { creates: bool, line: Option<usize> },
}

/// The text that a patch removes together with its file. Without it, the file must be empty.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) edits: Vec<Edit>,
    /// Line of the patch.
    pub(crate) line: usize,
}

impl<F> RequestedChange<F> {
    /// Moves the change to its next stage: `file` converts its file, `new` the new path of a rename.
    pub(crate) fn advance<T, E>(
        self,
        file: impl FnOnce(F) -> Result<T, E>,
        new: impl FnOnce(F) -> Result<T, E>,
    ) -> Result<RequestedChange<T>, E> {
        let Self { index, base, implied, clearance, .. } = self;
        let file = file(self.file)?;
        let kind = match self.kind {
            ChangeKind::Edit(edits, encoding) => ChangeKind::Edit(edits, encoding),
            ChangeKind::Write(new) => ChangeKind::Write(new),
            ChangeKind::Delete(removed) => ChangeKind::Delete(removed),
            ChangeKind::Cells(ops) => ChangeKind::Cells(ops),
            ChangeKind::Rename { edits, to } => ChangeKind::Rename { edits, to: new(to)? },
        };
        Ok(RequestedChange { index, file, base, implied, clearance, kind })
    }
}

impl<F> ChangeKind<F> {
    /// The purpose for which the file is opened.
    pub(crate) fn purpose(&self) -> Purpose {
        match self {
            Self::Edit(..) if self.only_reads() => Purpose::Read,
            Self::Edit(..) if self.creates() => Purpose::Write,
            Self::Edit(..) | Self::Cells(_) => Purpose::Edit,
            Self::Write(_) => Purpose::Write,
            Self::Delete(_) => Purpose::Delete,
            Self::Rename { edits, .. } => Purpose::RenameFrom { edited: !edits.is_empty() },
        }
    }

    /// Returns `true` if the request only copies lines of the file to another one.
    pub(crate) fn only_reads(&self) -> bool {
        let copies = |edit: &RequestedEdit| matches!(edit.form, EditForm::Take { removes: false, .. });
        matches!(self, Self::Edit(edits, _) if edits.iter().all(copies))
    }

    /// Returns `true` if the request moves text into the file, which does not exist.
    pub(crate) fn creates(&self) -> bool {
        let creates =
            |edit: &RequestedEdit| matches!(edit.form, EditForm::Put { place: NewPlace::NewFile { .. }, .. });
        matches!(self, Self::Edit(edits, _) if edits.iter().any(creates))
    }

    /// The text that each edit searches for; empty for edits at lines and for patterns.
    pub(crate) fn old_texts(&self) -> Vec<String> {
        let old = |edit: &RequestedEdit| match &edit.form {
            EditForm::Text(edit) if !edit.kind.is_pattern() => edit.old.clone(),
            _ => String::new(),
        };
        self.edits().iter().map(old).collect()
    }

    /// The edits of text and of lines.
    pub(crate) fn edits(&self) -> &[RequestedEdit] {
        match self {
            Self::Edit(edits, _) | Self::Rename { edits, .. } => edits,
            Self::Write(_) | Self::Delete(_) | Self::Cells(_) => &[],
        }
    }

    /// The edits, to complete them.
    pub(crate) fn edits_mut(&mut self) -> &mut [RequestedEdit] {
        match self {
            Self::Edit(edits, _) | Self::Rename { edits, .. } => edits,
            Self::Write(_) | Self::Delete(_) | Self::Cells(_) => &mut [],
        }
    }

    /// Removes the edits that `keeps` does not keep.
    pub(crate) fn retain_edits(&mut self, keeps: impl FnMut(&RequestedEdit) -> bool) {
        match self {
            Self::Edit(edits, _) | Self::Rename { edits, .. } => edits.retain(keeps),
            Self::Write(_) | Self::Delete(_) | Self::Cells(_) => {}
        }
    }

    /// Number of edits and cell operations.
    pub(crate) fn len(&self) -> usize {
        if let Self::Cells(ops) = self { ops.len() } else { self.edits().len() }
    }

    /// Joins two changes of one file: an edit with a rename and, with `several`, also edits with edits.
    /// Returns `None` for other combinations.
    pub(crate) fn join(self, other: Self, several: bool) -> Option<Self> {
        let joined = |mut edits: Vec<RequestedEdit>, more: Vec<RequestedEdit>| {
            edits.extend(more);
            edits
        };
        match (self, other) {
            (Self::Edit(edits, encoding), Self::Edit(more, _)) if several => {
                Some(Self::Edit(joined(edits, more), encoding))
            }
            (Self::Edit(edits, _), Self::Rename { edits: more, to }) if several || more.is_empty() => {
                Some(Self::Rename { edits: joined(edits, more), to })
            }
            (Self::Rename { edits, to }, Self::Edit(more, _)) if several || edits.is_empty() => {
                Some(Self::Rename { edits: joined(edits, more), to })
            }
            _ => None,
        }
    }
}

impl RequestedChange<Observed> {
    /// The opened new path of a rename.
    pub(crate) fn new_target(&self) -> Option<&Target> {
        if let ChangeKind::Rename { to, .. } = &self.kind { Some(&to.target) } else { None }
    }
}
