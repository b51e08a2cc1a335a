//! Drafts: the plans that edits, new content and cell operations produce on one text.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;

use editd_edit::notebook::{CellChange, CellOp, CellRefusal, NotebookError, broken, edit_cells};
use editd_edit::{Deadline, EditRefusal, Match, Plan, SharedIndex, Splice};
use editd_syntax::{Renamed, SymbolRefusal};
use editd_text::ContentHash;
use editd_workspace::RefusalKind;

/// A plan for one text, with its matches and warnings. [`finish`](super::compute::finish) turns it into a
/// computed change.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) plan: Plan,
    pub(crate) matches: Vec<Match>,
    pub(crate) warnings: Vec<String>,
    pub(crate) rebased: bool,
    /// The changes of others with which a rebase has merged it.
    pub(crate) since: Option<Plan>,
    /// The plan before a rebase, with the hash of the version that it was for.
    pub(crate) original_plan: Option<(ContentHash, Arc<Plan>)>,
    /// Names that the change replaces in a declaration only.
    pub(crate) renamed: Vec<String>,
    /// Renames of symbols with their uses.
    pub(crate) renames: Vec<Renamed>,
}

/// Refusal of operations on cells that take too long.
pub(crate) const CELLS_TIMED_OUT: RefusalKind = RefusalKind::Timeout { what: "Changing the cells" };

/// Plans operations on the cells of a notebook.
pub(crate) fn draft_cells(text: &str, ops: &[CellOp], deadline: Deadline) -> Result<Draft, DraftError> {
    let CellChange { plan, warnings } = edit_cells(text, ops, deadline).map_err(|error| match error {
        NotebookError::Unreadable(unreadable) => DraftError::File(RefusalKind::Notebook(unreadable)),
        NotebookError::Cells(refusals) => DraftError::Cells(refusals),
        NotebookError::TimedOut => DraftError::File(CELLS_TIMED_OUT),
    })?;
    Ok(Draft { plan, warnings, ..Draft::default() })
}

/// Refuses a plan that would leave a notebook that no program can open. That can happen with a text edit, and
/// with some of the hunks of a cell operation.
pub(crate) fn stays_notebook(path: &Path, text: &str, plan: &Plan) -> Result<(), RefusalKind> {
    broken(path, text, plan).map_or(Ok(()), |why| Err(RefusalKind::BrokenNotebook(why)))
}

/// Plans a new file.
pub(crate) fn created(content: &str) -> Draft {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let splice = Splice { range: 0..0, text: content.to_owned() };
    // A single insertion into an empty text is always a valid plan.
    let plan = Plan::new(0, vec![splice]).unwrap_or_default();
    Draft { plan, ..Draft::default() }
}

/// The reasons why a draft cannot be computed.
pub(crate) enum DraftError {
    File(RefusalKind),
    Edits(Vec<EditRefusal>),
    /// Refusals of edits of symbols, with the positions of the edits.
    Symbols(Vec<(usize, SymbolRefusal)>),
    Cells(Vec<CellRefusal>),
}

impl From<RefusalKind> for DraftError {
    fn from(kind: RefusalKind) -> Self {
        Self::File(kind)
    }
}

/// Maximum number of cached indexes.
const CACHED: usize = 16;

/// Maximum total size of the cached indexes, in bytes, not counting the most recently used one.
const CACHED_BYTES: usize = 64 << 20;

/// The most recently used indexes, by version of the text.
#[derive(Debug, Default)]
pub(crate) struct Indexes(Mutex<VecDeque<(ContentHash, SharedIndex)>>);

impl Indexes {
    /// Returns the index of a version and makes it the most recently used one. The index is built on first
    /// use.
    pub(crate) fn of(&self, version: ContentHash) -> SharedIndex {
        let mut cached = self.0.lock();
        let known = cached.iter().position(|(hash, _)| *hash == version).and_then(|at| cached.remove(at));
        let entry = known.unwrap_or_else(|| (version, SharedIndex::default()));
        let index = entry.1.clone();
        let mut bytes: usize = cached.iter().map(|(_, index)| index.bytes()).sum();
        while bytes > CACHED_BYTES || cached.len() >= CACHED {
            let Some((_, oldest)) = cached.pop_front() else { break };
            bytes -= oldest.bytes().min(bytes);
        }
        cached.push_back(entry);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_one_index_while_it_is_used() {
        let indexes = Indexes::default();
        let version = |number: u8| ContentHash::of(&[number]);
        let first = indexes.of(version(0));
        for number in 1..=CACHED as u8 {
            assert!(indexes.of(version(0)).is_shared_with(&first), "it is used again and again");
            indexes.of(version(number));
        }
        for number in 1..=CACHED as u8 {
            indexes.of(version(number));
        }
        assert!(!indexes.of(version(0)).is_shared_with(&first), "others have replaced it");
    }
}
