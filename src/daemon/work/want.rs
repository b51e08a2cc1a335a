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
    /// The permission bits, if the author names them: a file that is there has to have them.
    pub(crate) mode: Option<NewMode>,
    pub(crate) when: When,
}

/// What a file has to be so that it may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Whatever its author was given, or nothing.
    Any,
    /// Not there.
    New,
    /// Without text; `creates` says whether it may also not be there. The text stands at a line of a patch.
    Empty { creates: bool, line: usize },
}

/// What a patch says of the text that it deletes, at a line: nothing may be left of the file without it.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) edits: Vec<Edit>,
    pub(crate) line: usize,
}
