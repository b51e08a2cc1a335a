//! The guard against text that is not meant for the file: placeholders for omitted code.

use std::collections::HashMap;
use std::path::Path;

use memchr::memmem;

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::draft::{CELLS_TIMED_OUT, DraftError};
use editd_edit::notebook::{CellOp, CellType};
use editd_edit::{Deadline, EditRefusal, EditRefusalKind, placeholder};
use editd_text::lines;
use editd_workspace::is_prose;

/// Refuses new text with a placeholder that the old text does not have, because writing it would delete the code
/// that it stands for.
pub(crate) struct Guard {
    /// `false` for prose, where such a line is text, and for exact matching, which takes texts literally.
    is_on: bool,
}

impl Guard {
    pub(crate) fn new(path: &Path, rules: &ComputeOptions<'_>) -> Self {
        Self { is_on: rules.matching.fuzzy && !is_prose(path) }
    }

    pub(crate) fn check(&self, old: &str, new: &str) -> Result<(), EditRefusalKind> {
        match placeholder(old, new).filter(|_| self.is_on) {
            None => Ok(()),
            Some(line) => {
                let text = lines(new).nth(line - 1).map_or("", |line| line.content.trim()).to_owned();
                Err(EditRefusalKind::Placeholder { line, text })
            }
        }
    }

    /// Checks the sources of code cells. `notebook` is the text of the file, in which each line of a source is part
    /// of a JSON string.
    pub(crate) fn check_cells(
        &self,
        notebook: &str,
        ops: &[CellOp],
        deadline: Deadline,
    ) -> Result<(), DraftError> {
        let mut refused = Vec::new();
        let mut is_in_notebook: HashMap<String, bool> = HashMap::new();
        for (edit, op) in ops.iter().enumerate() {
            deadline.check().map_err(|_| CELLS_TIMED_OUT)?;
            let Some(kind) = new_code(op).and_then(|source| self.check("", source).err()) else { continue };
            let is_known = match &kind {
                EditRefusalKind::Placeholder { text, .. } => *is_in_notebook
                    .entry(text.clone())
                    .or_insert_with(|| memmem::find(notebook.as_bytes(), text.as_bytes()).is_some()),
                _ => false,
            };
            if !is_known {
                refused.push(EditRefusal { edit, kind });
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(DraftError::Edits(refused)) }
    }
}

/// Returns the source that an operation writes into a code cell.
fn new_code(op: &CellOp) -> Option<&str> {
    match op {
        CellOp::Insert { cell_type: CellType::Code, source, .. } => Some(source),
        CellOp::Replace { cell_type: None | Some(CellType::Code), source, .. } => source.as_deref(),
        _ => None,
    }
}
