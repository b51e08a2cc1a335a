//! The guard against text that is not meant for the file: placeholders for omitted code.

use std::path::Path;

use crate::edit::{EditRefusal, EditRefusalKind, placeholder};
use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::draft::DraftError;
use crate::notebook::{CellOp, CellType};
use crate::text::lines;
use crate::workspace::is_prose;

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
    pub(crate) fn check_cells(&self, notebook: &str, ops: &[CellOp]) -> Result<(), DraftError> {
        let of_op = |(edit, op): (usize, &CellOp)| {
            let source = match op {
                CellOp::Insert { cell_type: CellType::Code, source, .. } => source,
                CellOp::Replace { cell_type: None | Some(CellType::Code), source: Some(source), .. } => {
                    source
                }
                _ => return None,
            };
            let kind = self.check("", source).err()?;
            let is_known = matches!(&kind, EditRefusalKind::Placeholder { text, .. } if notebook.contains(text.as_str()));
            (!is_known).then_some(EditRefusal { edit, kind })
        };
        let refused: Vec<_> = ops.iter().enumerate().filter_map(of_op).collect();
        if refused.is_empty() { Ok(()) } else { Err(DraftError::Edits(refused)) }
    }
}
