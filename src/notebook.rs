//! Jupyter notebooks: from operations on cells to one [`Plan`]. Pure.
//!
//! A notebook is JSON, and its file is full of what nobody asked to change: outputs, metadata, the order of
//! members, indentation. So it is never read into values and written out again. Its cells are found by
//! their places in the text, and only the values that an operation means are replaced, written as the file
//! writes such values.

mod book;
mod cells;
mod change;
mod list;
mod scan;
mod shown;
mod style;

use std::path::Path;

use crate::edit::{LineRange, Occurrences, Plan};

use book::Book;

pub use shown::{ShownCell, ShownOutput, shown_cells};

/// What a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellType {
    /// Code, with outputs.
    Code,
    /// Text in Markdown.
    Markdown,
    /// Text that is passed on as it is.
    Raw,
}

/// Which cell is meant, of those that the notebook has before any operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellPlace {
    /// The one with this id.
    Id(String),
    /// The one at this place, from 0.
    Index(usize),
}

/// One change of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellOp {
    /// Another type or source for a cell. Outputs stay unless they are to go, or the type has none.
    Replace {
        /// The cell.
        cell: CellPlace,
        /// Its type from now on.
        cell_type: Option<CellType>,
        /// Its source from now on.
        source: Option<String>,
        /// Whether a code cell forgets its outputs and how often it ran.
        clear_outputs: bool,
    },
    /// A new cell.
    Insert {
        /// Behind the cell with this id, or at this index; only an empty notebook needs neither.
        at: Option<CellPlace>,
        /// Its type.
        cell_type: CellType,
        /// Its source.
        source: String,
    },
    /// The cell goes.
    Delete {
        /// The cell.
        cell: CellPlace,
    },
}

/// A change of a notebook, worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange {
    /// The change of its text; empty if nothing changes.
    pub plan: Plan,
    /// What the author should know, in words.
    pub warnings: Vec<String>,
}

/// Why a notebook was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotebookError {
    /// The text is no notebook that is understood.
    Unreadable(Unreadable),
    /// Operations that do not fit it, in their order.
    Cells(Vec<CellRefusal>),
}

/// A text that is no notebook of format 4.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Unreadable {
    /// The line where that shows, from 1.
    pub line: usize,
    /// What is wrong, in words.
    pub reason: String,
}

/// The refusal of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellRefusal {
    /// Index of the operation, from 0.
    pub op: usize,
    /// Why.
    pub kind: CellRefusalKind,
}

/// Why an operation was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellRefusalKind {
    /// There is no such cell.
    NotFound {
        /// Which was asked for; none where a new cell has no place.
        wanted: Option<CellPlace>,
        /// The first fifty cells there are.
        cells: Vec<CellSummary>,
        /// How many there are.
        total: usize,
    },
    /// Several cells have the same id.
    Ambiguous {
        /// The id.
        id: String,
        /// Where they are.
        occurrences: Occurrences,
    },
    /// Another operation is about the same cell.
    Contradiction {
        /// Index of the other operation.
        other_op: usize,
        /// Index of the cell.
        cell: usize,
        /// Its lines.
        lines: LineRange,
    },
}

/// A cell as a refusal lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSummary {
    /// Its place, from 0.
    pub index: usize,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Its type, if it says one.
    pub cell_type: Option<String>,
    /// Its lines.
    pub lines: LineRange,
}

impl CellType {
    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// Works out what a notebook's text becomes. All operations mean the cells that it has now. Takes time in
/// proportion to the text, and keeps all bytes of cells that no operation is about.
///
/// ```
/// use editd::notebook::{CellOp, CellPlace, edit_cells};
///
/// let text = r#"{"cells": [{"cell_type": "raw", "metadata": {}, "source": "a"}], "nbformat": 4}"#;
/// let cell = CellPlace::Index(0);
/// let source = Some("b".to_owned());
/// let op = CellOp::Replace { cell, cell_type: None, source, clear_outputs: false };
/// let changed = edit_cells(text, &[op]).unwrap();
/// assert_eq!(changed.plan.apply(text), text.replace("\"a\"", "\"b\""));
/// ```
pub fn edit_cells(text: &str, ops: &[CellOp]) -> Result<CellChange, NotebookError> {
    let book = Book::read(text).map_err(NotebookError::Unreadable)?;
    cells::changed(&book, ops).map_err(NotebookError::Cells)
}

/// Whether the text is a notebook whose cells can be changed.
pub fn is_notebook(text: &str) -> bool {
    Book::read(text).is_ok()
}

/// Why the text of a notebook would be no notebook any more after a change. None where it stays one, where it was
/// none before, and of files that are not called notebooks.
///
/// ```
/// use editd::edit::{Deadline, Plan};
/// use editd::notebook::broken;
///
/// let text = r#"{"nbformat": 4, "cells": []}"#;
/// let plan = Plan::between(text, "print(1)", Deadline::NONE);
/// assert!(broken("a.ipynb".as_ref(), text, &plan).is_some());
/// assert!(broken("a.json".as_ref(), text, &plan).is_none());
/// ```
pub fn broken(path: &Path, text: &str, plan: &Plan) -> Option<Unreadable> {
    if is_named_as_notebook(path) && is_notebook(text) { Book::read(&plan.apply(text)).err() } else { None }
}

/// Returns whether a file has the extension of notebooks, which are read as cells.
///
/// ```
/// use editd::notebook::is_named_as_notebook;
///
/// assert!(is_named_as_notebook("docs/a.ipynb".as_ref()));
/// assert!(!is_named_as_notebook("docs/a.json".as_ref()));
/// ```
pub fn is_named_as_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ipynb")
}

#[cfg(test)]
mod tests;
