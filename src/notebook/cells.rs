//! From operations on cells to splices.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::book::Book;
use super::change::replaced;
use super::list::Item;
use super::{CellChange, CellOp, CellPlace, CellRefusal, CellRefusalKind, CellSummary, CellType};
use crate::edit::{Occurrence, Occurrences, Splice};
use crate::text::ContentHash;

/// Cells that a refusal lists.
const LISTED: usize = 50;
/// Bytes of an id that is made up: eight characters, as Jupyter's ids have.
const ID_BYTES: usize = 4;

/// All operations together, or everything that is wrong with them.
pub(super) fn changed(book: &Book<'_>, ops: &[CellOp]) -> Result<CellChange, Vec<CellRefusal>> {
    let places = Places::of(book);
    let mut work = Work { taken: vec![None; book.cells.len()], ..Work::default() };
    let mut refused = Vec::new();
    for (op, asked) in ops.iter().enumerate() {
        let outcome = match asked {
            CellOp::Insert { .. } => places.gap(asked).map(|gap| work.inserts.push((gap, op))),
            CellOp::Replace { cell, .. } | CellOp::Delete { cell } => {
                places.cell(cell).and_then(|cell| work.take(book, cell, op))
            }
        };
        refused.extend(outcome.err().map(|kind| CellRefusal { op, kind }));
    }
    if refused.is_empty() { Ok(work.done(book, ops)) } else { Err(refused) }
}

/// Which cells there are.
struct Places<'b> {
    book: &'b Book<'b>,
    by_id: HashMap<&'b str, Vec<usize>>,
}

impl<'b> Places<'b> {
    fn of(book: &'b Book<'b>) -> Self {
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, cell) in book.cells.iter().enumerate() {
            by_id.entry(cell.id.as_deref().unwrap_or_default()).or_default().push(at);
        }
        by_id.remove("");
        Self { book, by_id }
    }

    fn cell(&self, place: &CellPlace) -> Result<usize, CellRefusalKind> {
        match place {
            CellPlace::Index(index) if *index < self.book.cells.len() => Ok(*index),
            CellPlace::Id(id) => match self.by_id.get(id.as_str()).map(Vec::as_slice) {
                Some([cell]) => Ok(*cell),
                Some(several) => Err(self.ambiguous(id, several)),
                None => Err(self.not_found(Some(place))),
            },
            CellPlace::Index(_) => Err(self.not_found(Some(place))),
        }
    }

    /// How many cells stand before the new one.
    fn gap(&self, asked: &CellOp) -> Result<usize, CellRefusalKind> {
        let CellOp::Insert { at, .. } = asked else { return Ok(0) };
        match at {
            Some(CellPlace::Index(index)) if *index == self.book.cells.len() => Ok(*index),
            Some(CellPlace::Id(_)) => at.as_ref().map_or(Ok(0), |at| Ok(self.cell(at)? + 1)),
            Some(place @ CellPlace::Index(_)) => self.cell(place),
            None if self.book.cells.is_empty() => Ok(0),
            None => Err(self.not_found(None)),
        }
    }

    fn not_found(&self, wanted: Option<&CellPlace>) -> CellRefusalKind {
        let summary = |index: usize| {
            let cell = &self.book.cells[index];
            let (id, cell_type) = (cell.id.clone(), cell.kind.clone());
            CellSummary { index, id, cell_type, lines: self.book.lines(index) }
        };
        let total = self.book.cells.len();
        let cells = (0..total.min(LISTED)).map(summary).collect();
        CellRefusalKind::NotFound { wanted: wanted.cloned(), cells, total }
    }

    fn ambiguous(&self, id: &str, cells: &[usize]) -> CellRefusalKind {
        let place = |index: &usize| {
            let lines = self.book.lines(*index);
            Occurrence { start_line: lines.start, end_line: lines.end, excerpt: format!("cell {index}") }
        };
        let listed = cells.iter().take(LISTED).map(place).collect();
        let occurrences = Occurrences { total: cells.len(), more: false, overlap: false, listed };
        CellRefusalKind::Ambiguous { id: id.to_owned(), occurrences }
    }
}

/// What is to be done where.
#[derive(Default)]
struct Work {
    /// The operation that replaces or deletes each cell.
    taken: Vec<Option<usize>>,
    /// Gaps and the operations that insert there.
    inserts: Vec<(usize, usize)>,
}

impl Work {
    fn take(&mut self, book: &Book<'_>, cell: usize, op: usize) -> Result<(), CellRefusalKind> {
        match self.taken[cell].replace(op) {
            None => Ok(()),
            Some(other_op) => {
                // The first one is the one that the others get in the way of.
                self.taken[cell] = Some(other_op);
                Err(CellRefusalKind::Contradiction { other_op, cell, lines: book.lines(cell) })
            }
        }
    }

    fn done(mut self, book: &Book<'_>, ops: &[CellOp]) -> CellChange {
        let (mut splices, mut warnings, mut items) = (Vec::new(), Vec::new(), Vec::new());
        let mut ids: HashSet<String> = book.cells.iter().filter_map(|cell| cell.id.clone()).collect();
        // Stable: what goes to one gap stays in the order given.
        self.inserts.sort_by_key(|(gap, _)| *gap);
        let mut inserts = self.inserts.into_iter().peekable();
        for gap in 0..=book.cells.len() {
            while let Some((_, op)) = inserts.next_if(|(at, _)| *at == gap) {
                items.push(Item::New(new_cell(book, (gap, op), &ops[op], &mut ids, &mut warnings)));
            }
            match self.taken.get(gap).map(|op| op.map(|op| (op, &ops[op]))) {
                None | Some(Some((_, CellOp::Delete { .. }))) => continue,
                Some(Some((op, asked))) => {
                    splices.extend(replaced(book, gap, (op, asked), &mut warnings));
                }
                Some(None) => {}
            }
            items.push(Item::Kept(gap));
        }
        splices.extend(book.list.splices(&items, &book.list_gaps()));
        CellChange::of(book.text, splices, warnings)
    }
}

/// A new cell, in the order of members and with the members that Jupyter writes.
fn new_cell(
    book: &Book<'_>,
    (gap, op): (usize, usize),
    asked: &CellOp,
    ids: &mut HashSet<String>,
    warnings: &mut Vec<String>,
) -> String {
    let CellOp::Insert { cell_type, source, .. } = asked else { return String::new() };
    let (style, is_code) = (&book.style, *cell_type == CellType::Code);
    let mut members = vec![style.member("cell_type", &style.quoted(cell_type.name()))];
    if is_code {
        members.push(style.member("execution_count", "null"));
    }
    if book.has_ids {
        let id = fresh_id(gap, *cell_type, source, ids);
        warnings.push(format!("cells[{op}]: the new cell has the id {id}"));
        members.push(style.member("id", &style.quoted(&id)));
    }
    members.push(style.member("metadata", "{}"));
    if is_code {
        members.push(style.member("outputs", "[]"));
    }
    members.push(style.member("source", &super::change::source_value(book, source)));
    format!("{{{}}}", book.cell_gaps.joined(&members))
}

/// An id that no cell has. The same request on the same notebook makes the same one.
fn fresh_id(gap: usize, cell_type: CellType, source: &str, ids: &mut HashSet<String>) -> String {
    for attempt in 0_u64.. {
        let seed = format!("{gap}\n{attempt}\n{}\n{source}", cell_type.name());
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
        // Cells, their values and what stands between them have no bytes in common.
        let plan = crate::edit::Plan::new(text.len(), splices);
        debug_assert!(plan.is_ok(), "splices of different places are a plan");
        Self { plan: plan.unwrap_or_else(|_| crate::edit::Plan::empty(text.len())), warnings }
    }
}
