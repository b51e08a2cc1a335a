//! A request for one file.

use crate::daemon::observe::Observed;
use crate::edit::Edit;
use crate::notebook::CellOp;
use crate::text::Encoding;
use crate::workspace::NewMode;

/// The change that a request wants of one file.
#[derive(Debug)]
pub(crate) enum Want {
    /// With the encoding that the file has, if the author names it.
    Edit(Vec<Edit>, Option<Encoding>),
    Write(NewContent),
    Delete(Option<Removed>),
    /// Cells of a notebook.
    Cells(Vec<CellOp>),
    /// With the edits that go along, if any.
    Rename {
        edits: Vec<Edit>,
        to: Box<Observed>,
    },
}

/// The content of a file that is written whole.
#[derive(Debug)]
pub(crate) struct NewContent {
    pub(crate) text: String,
    /// Line ends are taken as they are.
    pub(crate) literal: bool,
    pub(crate) encoding: Option<Encoding>,
    /// The permission bits, if the author names them. An existing file must already match.
    pub(crate) mode: Option<NewMode>,
    pub(crate) when: When,
}

/// The condition on which a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// The file is what its author was given, or does not exist.
    Any,
    /// The file does not exist.
    New,
    /// The file is empty, or with `creates` does not exist. The text stands at a line of a patch.
    Empty { creates: bool, line: usize },
}

/// The text that a patch deletes, and the line of the patch: without it the file has to be empty.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) edits: Vec<Edit>,
    pub(crate) line: usize,
}
