//! Converts operations on cells into splices.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::change::replacement;
use super::list::Item;
use super::model::Notebook;
use super::{CellChange, CellOp, CellRef, CellRefusal, CellRefusalKind, CellSummary, CellType};
use crate::edit::{Occurrence, Occurrences, Splice};
use crate::text::ContentHash;

/// Maximum number of cells that a refusal lists.
const LISTED: usize = 50;
/// Size of a generated id, in bytes: eight hexadecimal characters, like the ids of Jupyter.
const ID_BYTES: usize = 4;

/// Applies all operations, or returns a refusal for each one that fails.
pub(super) fn apply_all(notebook: &Notebook<'_>, ops: &[CellOp]) -> Result<CellChange, Vec<CellRefusal>> {
    let cells = Cells::of(notebook);
    let mut resolved = ResolvedOps { claimed: vec![None; notebook.cells.len()], ..ResolvedOps::default() };
    let mut refused = Vec::new();
    for (op, requested) in ops.iter().enumerate() {
        let outcome = match requested {
            CellOp::Insert { .. } => {
                cells.position(requested).map(|position| resolved.inserts.push((position, op)))
            }
            CellOp::Replace { cell, .. } | CellOp::Delete { cell } => {
                cells.cell(cell).and_then(|cell| resolved.claim(notebook, cell, op))
            }
        };
        refused.extend(outcome.err().map(|kind| CellRefusal { op, kind }));
    }
    if refused.is_empty() { Ok(resolved.finish(notebook, ops)) } else { Err(refused) }
}

/// Resolves references to cells.
struct Cells<'b> {
    notebook: &'b Notebook<'b>,
    by_id: HashMap<&'b str, Vec<usize>>,
}

impl<'b> Cells<'b> {
    fn of(notebook: &'b Notebook<'b>) -> Self {
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, cell) in notebook.cells.iter().enumerate() {
            by_id.entry(cell.id.as_deref().unwrap_or_default()).or_default().push(at);
        }
        by_id.remove("");
        Self { notebook, by_id }
    }

    fn cell(&self, place: &CellRef) -> Result<usize, CellRefusalKind> {
        match place {
            CellRef::Index(index) if *index < self.notebook.cells.len() => Ok(*index),
            CellRef::Id(id) => match self.by_id.get(id.as_str()).map(Vec::as_slice) {
                Some([cell]) => Ok(*cell),
                Some(several) => Err(self.ambiguous(id, several)),
                None => Err(self.not_found(Some(place))),
            },
            CellRef::Index(_) => Err(self.not_found(Some(place))),
        }
    }

    /// Returns the number of cells before an inserted one.
    fn position(&self, requested: &CellOp) -> Result<usize, CellRefusalKind> {
        let CellOp::Insert { at, .. } = requested else { return Ok(0) };
        match at {
            Some(CellRef::Index(index)) if *index == self.notebook.cells.len() => Ok(*index),
            Some(CellRef::Id(_)) => at.as_ref().map_or(Ok(0), |at| Ok(self.cell(at)? + 1)),
            Some(place @ CellRef::Index(_)) => self.cell(place),
            None if self.notebook.cells.is_empty() => Ok(0),
            None => Err(self.not_found(None)),
        }
    }

    fn not_found(&self, wanted: Option<&CellRef>) -> CellRefusalKind {
        let summary = |index: usize| {
            let cell = &self.notebook.cells[index];
            let (id, cell_type) = (cell.id.clone(), cell.kind.clone());
            CellSummary { index, id, cell_type, lines: self.notebook.lines(index) }
        };
        let total = self.notebook.cells.len();
        let cells = (0..total.min(LISTED)).map(summary).collect();
        CellRefusalKind::NotFound { wanted: wanted.cloned(), cells, total }
    }

    fn ambiguous(&self, id: &str, cells: &[usize]) -> CellRefusalKind {
        let occurrence = |index: &usize| {
            let lines = self.notebook.lines(*index);
            Occurrence { start_line: lines.start, end_line: lines.end, excerpt: format!("cell {index}") }
        };
        let listed = cells.iter().take(LISTED).map(occurrence).collect();
        let occurrences = Occurrences { total: cells.len(), more: false, overlap: false, listed };
        CellRefusalKind::Ambiguous { id: id.to_owned(), occurrences }
    }
}

/// The operations, resolved to cells.
#[derive(Default)]
struct ResolvedOps {
    /// Operation that replaces or deletes each cell, by index of the cell.
    claimed: Vec<Option<usize>>,
    /// Pairs of an insertion position and an operation.
    inserts: Vec<(usize, usize)>,
}

impl ResolvedOps {
    fn claim(&mut self, notebook: &Notebook<'_>, cell: usize, op: usize) -> Result<(), CellRefusalKind> {
        match self.claimed[cell].replace(op) {
            None => Ok(()),
            Some(other_op) => {
                // Conflicts are reported against the first operation on a cell.
                self.claimed[cell] = Some(other_op);
                Err(CellRefusalKind::Contradiction { other_op, cell, lines: notebook.lines(cell) })
            }
        }
    }

    fn finish(mut self, notebook: &Notebook<'_>, ops: &[CellOp]) -> CellChange {
        let (mut splices, mut warnings, mut items) = (Vec::new(), Vec::new(), Vec::new());
        let mut ids: HashSet<String> = notebook.cells.iter().filter_map(|cell| cell.id.clone()).collect();
        // A stable sort keeps the given order of insertions at the same position.
        self.inserts.sort_by_key(|(position, _)| *position);
        let mut inserts = self.inserts.into_iter().peekable();
        for position in 0..=notebook.cells.len() {
            while let Some((_, op)) = inserts.next_if(|(at, _)| *at == position) {
                items.push(Item::New(new_cell(notebook, (position, op), &ops[op], &mut ids, &mut warnings)));
            }
            match self.claimed.get(position).map(|op| op.map(|op| (op, &ops[op]))) {
                None | Some(Some((_, CellOp::Delete { .. }))) => continue,
                Some(Some((op, requested))) => {
                    splices.extend(replacement(notebook, position, (op, requested), &mut warnings));
                }
                Some(None) => {}
            }
            items.push(Item::Kept(position));
        }
        splices.extend(notebook.list.splices(&items, &notebook.list_gaps()));
        CellChange::of(notebook.text, splices, warnings)
    }
}

/// Returns the JSON of a new cell, with the members that Jupyter writes, in the same order.
fn new_cell(
    notebook: &Notebook<'_>,
    (position, op): (usize, usize),
    requested: &CellOp,
    ids: &mut HashSet<String>,
    warnings: &mut Vec<String>,
) -> String {
    let CellOp::Insert { cell_type, source, .. } = requested else { return String::new() };
    let (style, is_code) = (&notebook.style, *cell_type == CellType::Code);
    let mut members = vec![style.member("cell_type", &style.quoted(cell_type.name()))];
    if is_code {
        members.push(style.member("execution_count", "null"));
    }
    if notebook.has_ids {
        let id = fresh_id(position, *cell_type, source, ids);
        warnings.push(format!("cells[{op}]: the new cell has the id {id}"));
        members.push(style.member("id", &style.quoted(&id)));
    }
    members.push(style.member("metadata", "{}"));
    if is_code {
        members.push(style.member("outputs", "[]"));
    }
    members.push(style.member("source", &super::change::source_value(notebook, source)));
    format!("{{{}}}", notebook.cell_gaps.joined(&members))
}

/// Generates an id that no cell has. The same request on the same notebook generates the same id.
fn fresh_id(position: usize, cell_type: CellType, source: &str, ids: &mut HashSet<String>) -> String {
    for attempt in 0_u64.. {
        let seed = format!("{position}\n{attempt}\n{}\n{source}", cell_type.name());
        let mut id = String::new();
        for byte in ContentHash::of(seed.as_bytes()).as_bytes().iter().take(ID_BYTES) {
            // Writing to a string cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        if ids.insert(id.clone()) {
            return id;
        }
    }
    String::new()
}

impl CellChange {
    fn of(text: &str, splices: Vec<Splice>, warnings: Vec<String>) -> Self {
        // The splices replace cells, values or gaps, which never overlap.
        let plan = crate::edit::Plan::new(text.len(), splices);
        debug_assert!(plan.is_ok(), "disjoint splices form a plan");
        Self { plan: plan.unwrap_or_else(|_| crate::edit::Plan::empty(text.len())), warnings }
    }
}
