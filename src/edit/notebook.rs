//! Edits Jupyter notebooks: turns operations on cells into one [`Plan`]. Pure.
//!
//! A notebook is a JSON file, most of which an edit must leave alone: outputs, metadata, the order of
//! members, indentation. Therefore it is never deserialized and serialized again. The parser records the byte
//! ranges of cells and their values, and an operation replaces only the values it names, in the JSON style of
//! the file.

mod cells;
mod change;
mod list;
mod model;
mod scan;
mod shown;
mod style;

use std::path::Path;

use crate::{Deadline, LineRange, Occurrences, Plan, TimedOut};

use model::Notebook;

pub use shown::{ShownCell, ShownOutput, decode_cells};

/// The type of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellType {
    /// Code, with outputs.
    Code,
    /// Text in Markdown.
    Markdown,
    /// Text that Jupyter passes through unchanged.
    Raw,
}

/// A reference to a cell, resolved against the notebook before any operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellRef {
    /// The cell with this id.
    Id(String),
    /// The cell at this 0-based index.
    Index(usize),
}

/// An operation on a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellOp {
    /// Changes the type or the source of a cell. Outputs are kept unless `clear_outputs` is set or the new
    /// type has none.
    Replace {
        /// The cell.
        cell: CellRef,
        /// New type, if it changes.
        cell_type: Option<CellType>,
        /// New source, if it changes.
        source: Option<String>,
        /// `true` to clear the outputs and the execution count of a code cell.
        clear_outputs: bool,
    },
    /// Inserts a new cell.
    Insert {
        /// Position: after the cell with this id, or at this index. Optional only in an empty notebook.
        at: Option<CellRef>,
        /// Type of the cell.
        cell_type: CellType,
        /// Source of the cell.
        source: String,
    },
    /// Deletes a cell.
    Delete {
        /// The cell.
        cell: CellRef,
    },
}

/// The computed change of a notebook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange {
    /// Change of the text; empty if nothing changes.
    pub plan: Plan,
    /// Warnings for the author of the change.
    pub warnings: Vec<String>,
}

/// The reason why a notebook was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotebookError {
    /// The text is not a supported notebook.
    Unreadable(Unreadable),
    /// Refusals of individual operations, in order.
    Cells(Vec<CellRefusal>),
    /// The deadline has passed.
    TimedOut,
}

impl From<TimedOut> for NotebookError {
    fn from(_: TimedOut) -> Self {
        Self::TimedOut
    }
}

/// A text that is not a notebook of format 4.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct Unreadable {
    /// Line of the error, 1-based.
    pub line: usize,
    /// Description of the error.
    pub reason: String,
}

/// The refusal of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellRefusal {
    /// Index of the operation, from 0.
    pub op: usize,
    /// Reason of the refusal.
    pub kind: CellRefusalKind,
}

/// The reason why an operation was refused, with the name of the refusal.
#[derive(Debug, Clone, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CellRefusalKind {
    /// The cell does not exist.
    NotFound {
        /// The requested cell, or `None` if an insertion names no position.
        wanted: Option<CellRef>,
        /// The first 50 cells of the notebook; empty after a few refusals of one call.
        cells: Vec<CellSummary>,
        /// Number of cells in the notebook.
        total: usize,
    },
    /// Several cells have the same id.
    Ambiguous {
        /// The id.
        id: String,
        /// Positions of the cells with this id.
        occurrences: Occurrences,
    },
    /// Another operation changes the same cell.
    Contradiction {
        /// Index of the other operation.
        other_op: usize,
        /// Index of the cell.
        cell: usize,
        /// Lines of the cell.
        lines: LineRange,
    },
}

/// A cell as listed in a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellSummary {
    /// Index of the cell, 0-based.
    pub index: usize,
    /// Id of the cell, if it has one.
    pub id: Option<String>,
    /// Type of the cell, if it has one.
    pub cell_type: Option<String>,
    /// Lines of the cell.
    pub lines: LineRange,
}

impl CellType {
    /// Name of the type in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

/// Computes the change that the operations make to the text of a notebook. All operations refer to the
/// current cells. Cells that no operation names keep their bytes. Runs in time linear in the size of the
/// text, and ends with an error soon after the deadline.
///
/// ```
/// use editd_edit::Deadline;
/// use editd_edit::notebook::{CellOp, CellRef, edit_cells};
///
/// let text = r#"{"cells": [{"cell_type": "raw", "metadata": {}, "source": "a"}], "nbformat": 4}"#;
/// let cell = CellRef::Index(0);
/// let source = Some("b".to_owned());
/// let op = CellOp::Replace { cell, cell_type: None, source, clear_outputs: false };
/// let changed = edit_cells(text, &[op], Deadline::NONE).unwrap();
/// assert_eq!(changed.plan.apply(text), text.replace("\"a\"", "\"b\""));
/// ```
pub fn edit_cells(text: &str, ops: &[CellOp], deadline: Deadline) -> Result<CellChange, NotebookError> {
    let notebook = Notebook::parse(text).map_err(NotebookError::Unreadable)?;
    cells::apply_all(&notebook, ops, deadline)
}

/// Returns `true` if the text is a notebook whose cells can be changed.
pub fn is_notebook(text: &str) -> bool {
    Notebook::parse(text).is_ok()
}

/// Returns the error that makes a notebook unreadable after a change. Returns `None` if it stays a notebook,
/// if it was not one before, or if the file is not named as one.
///
/// ```
/// use editd_edit::{Deadline, Plan};
/// use editd_edit::notebook::broken;
///
/// let text = r#"{"nbformat": 4, "cells": []}"#;
/// let plan = Plan::between(text, "print(1)", Deadline::NONE);
/// assert!(broken("a.ipynb".as_ref(), text, &plan).is_some());
/// assert!(broken("a.json".as_ref(), text, &plan).is_none());
/// ```
pub fn broken(path: &Path, text: &str, plan: &Plan) -> Option<Unreadable> {
    if is_named_as_notebook(path) && is_notebook(text) {
        Notebook::parse(&plan.apply(text)).err()
    } else {
        None
    }
}

/// Returns `true` if a file has the extension of notebooks, which are read as cells.
///
/// ```
/// use editd_edit::notebook::is_named_as_notebook;
///
/// assert!(is_named_as_notebook("docs/a.ipynb".as_ref()));
/// assert!(!is_named_as_notebook("docs/a.json".as_ref()));
/// ```
pub fn is_named_as_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "ipynb")
}

#[cfg(test)]
mod tests;
