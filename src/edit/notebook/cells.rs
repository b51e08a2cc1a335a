//! Converts operations on cells into splices.

use std::collections::{HashMap, HashSet};

use super::change::{replacement, source_value};
use super::list::Item;
use super::model::Notebook;
use super::{
    CellChange, CellOp, CellRef, CellRefusal, CellRefusalKind, CellSummary, CellType, NotebookError,
};
use crate::{Deadline, Occurrence, Occurrences, Plan, TimedOut};
use editd_text::ContentHash;

/// Maximum number of cells that a refusal lists.
const LISTED: usize = 50;
/// Maximum number of refusals of one call that list cells.
const EXPLAINED: usize = 16;
/// Number of cells between two deadline checks.
const STRIDE: usize = 256;

/// Applies all operations, or returns a refusal for each one that fails.
pub(super) fn apply_all(
    notebook: &Notebook<'_>,
    ops: &[CellOp],
    deadline: Deadline,
) -> Result<CellChange, NotebookError> {
    let cells = Cells::of(notebook);
    let mut resolved = ResolvedOps { claimed: vec![None; notebook.cells.len()], inserts: Vec::new() };
    let mut refused = Vec::new();
    for (op, requested) in ops.iter().enumerate() {
        deadline.check()?;
        let outcome = match requested {
            CellOp::Insert { at, cell_type, source } => cells.position(at.as_ref()).map(|position| {
                resolved.inserts.push(Insert { position, op, cell_type: *cell_type, source });
            }),
            CellOp::Replace { cell, .. } | CellOp::Delete { cell } => {
                cells.cell(cell).and_then(|cell| resolved.claim(notebook, cell, op))
            }
        };
        if let Err(mut kind) = outcome {
            if let CellRefusalKind::NotFound { cells, .. } = &mut kind
                && refused.len() >= EXPLAINED
            {
                cells.clear();
            }
            refused.push(CellRefusal { op, kind });
        }
    }
    if !refused.is_empty() {
        return Err(NotebookError::Cells(refused));
    }
    Ok(resolved.finish(notebook, ops, deadline)?)
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
    fn position(&self, at: Option<&CellRef>) -> Result<usize, CellRefusalKind> {
        match at {
            Some(CellRef::Index(index)) if *index == self.notebook.cells.len() => Ok(*index),
            Some(place @ CellRef::Index(_)) => self.cell(place),
            Some(place @ CellRef::Id(_)) => Ok(self.cell(place)? + 1),
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
        let occurrences = Occurrences { total: cells.len(), listed, ..Occurrences::default() };
        CellRefusalKind::Ambiguous { id: id.to_owned(), occurrences }
    }
}

/// The operations, resolved to cells.
struct ResolvedOps<'o> {
    /// Operation that replaces or deletes each cell, by index of the cell.
    claimed: Vec<Option<usize>>,
    inserts: Vec<Insert<'o>>,
}

/// An insertion before the cell at `position`.
struct Insert<'o> {
    position: usize,
    op: usize,
    cell_type: CellType,
    source: &'o str,
}

impl ResolvedOps<'_> {
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

    fn finish(
        mut self,
        notebook: &Notebook<'_>,
        ops: &[CellOp],
        deadline: Deadline,
    ) -> Result<CellChange, TimedOut> {
        let (mut splices, mut warnings, mut items) = (Vec::new(), Vec::new(), Vec::new());
        let mut ids = Ids::of(notebook);
        // A stable sort keeps the given order of insertions at the same position.
        self.inserts.sort_by_key(|insert| insert.position);
        let mut inserts = self.inserts.into_iter().peekable();
        for position in 0..=notebook.cells.len() {
            if position % STRIDE == 0 {
                deadline.check()?;
            }
            while let Some(insert) = inserts.next_if(|insert| insert.position == position) {
                deadline.check()?;
                items.push(Item::New(new_cell(notebook, &insert, &mut ids, &mut warnings)));
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
        // The splices replace cells, values or gaps, which never overlap.
        let plan = Plan::new(notebook.text.len(), splices);
        debug_assert!(plan.is_ok(), "disjoint splices form a plan");
        Ok(CellChange { plan: plan.unwrap_or_else(|_| Plan::empty(notebook.text.len())), warnings })
    }
}

/// Returns the JSON of a new cell, with the members that Jupyter writes, in the same order.
fn new_cell<'i>(
    notebook: &Notebook<'_>,
    insert: &Insert<'i>,
    ids: &mut Ids<'i>,
    warnings: &mut Vec<String>,
) -> String {
    let (style, is_code) = (&notebook.style, insert.cell_type == CellType::Code);
    let mut members = vec![style.member("cell_type", &style.quoted(insert.cell_type.name()))];
    if is_code {
        members.push(style.member("execution_count", "null"));
    }
    if notebook.has_ids {
        let id = ids.fresh(insert);
        warnings.push(format!("cells[{}]: the new cell has the id {id}", insert.op));
        members.push(style.member("id", &style.quoted(&id)));
    }
    members.push(style.member("metadata", "{}"));
    if is_code {
        members.push(style.member("outputs", "[]"));
    }
    members.push(style.member("source", &source_value(notebook, insert.source)));
    format!("{{{}}}", notebook.cell_gaps.joined(&members))
}

/// The ids of the cells, and those of new ones.
struct Ids<'i> {
    taken: HashSet<String>,
    /// Number of ids that were generated for a position, a type and a source.
    generated: HashMap<(usize, &'static str, &'i str), u64>,
}

impl<'i> Ids<'i> {
    fn of(notebook: &Notebook<'_>) -> Self {
        let taken = notebook.cells.iter().filter_map(|cell| cell.id.clone()).collect();
        Self { taken, generated: HashMap::new() }
    }

    /// Generates an id that no cell has, of eight hexadecimal characters like the ids of Jupyter. The same request
    /// on the same notebook generates the same id.
    fn fresh(&mut self, insert: &Insert<'i>) -> String {
        let Insert { position, cell_type, source, .. } = *insert;
        let next = self.generated.entry((position, cell_type.name(), source)).or_default();
        loop {
            let seed = format!("{position}\n{next}\n{}\n{source}", cell_type.name());
            *next += 1;
            let [first, second, third, fourth, ..] = *ContentHash::of(seed.as_bytes()).as_bytes();
            let id = format!("{:08x}", u32::from_be_bytes([first, second, third, fourth]));
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}
