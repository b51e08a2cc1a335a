//! Messages for operations on notebook cells that cannot be performed.

use crate::notebook::{CellRef, CellRefusalKind, CellSummary};

/// Maximum number of cells that a message lists.
const NAMED: usize = 8;
/// Maximum number of characters of an id that a message shows.
const ID: usize = 64;

pub(super) fn name(kind: &CellRefusalKind) -> &'static str {
    match kind {
        CellRefusalKind::NotFound { .. } => "not_found",
        CellRefusalKind::Ambiguous { .. } => "ambiguous",
        CellRefusalKind::Contradiction { .. } => "contradiction",
    }
}

pub(super) fn message(kind: &CellRefusalKind, op: Option<usize>, file: &str) -> String {
    let op = op.map_or_else(|| "the operation".to_owned(), |op| format!("cells[{op}]"));
    match kind {
        CellRefusalKind::NotFound { wanted, cells, total } => {
            let there = there(cells, *total);
            match wanted {
                Some(CellRef::Id(id)) => {
                    format!("{file} has no cell with the id `{}`; {there}.", shown(id))
                }
                Some(CellRef::Index(index)) => format!("{file} has no cell {index}; {there}."),
                None => format!("{op} does not say where in {file} the new cell goes; {there}."),
            }
        }
        CellRefusalKind::Ambiguous { id, occurrences } => {
            format!("{} cells of {file} have the id `{}`.", occurrences.total, shown(id))
        }
        CellRefusalKind::Contradiction { other_op, cell, .. } => {
            format!("{op} and cells[{other_op}] are both about cell {cell} of {file}.")
        }
    }
}

pub(super) fn hint(kind: &CellRefusalKind) -> &'static str {
    match kind {
        CellRefusalKind::NotFound { wanted: None, .. } => {
            "Send `index`, the position of the new cell, or `id` of the cell to insert it after."
        }
        CellRefusalKind::NotFound { .. } => {
            "Use an id or an index of `cells`; all operations refer to the cells as they were read."
        }
        CellRefusalKind::Ambiguous { .. } => "Name the cell by `index`.",
        CellRefusalKind::Contradiction { .. } => "Combine the two operations into one, or drop one of them.",
    }
}

/// Describes the existing cells.
fn there(cells: &[CellSummary], total: usize) -> String {
    let name = |cell: &CellSummary| match &cell.id {
        Some(id) => format!("{} `{}`", cell.index, shown(id)),
        None => cell.index.to_string(),
    };
    let listed: Vec<_> = cells.iter().take(NAMED).map(name).collect();
    match total {
        0 => "it has no cells".to_owned(),
        total if total > NAMED => format!("its cells are {} and {} more", listed.join(", "), total - NAMED),
        _ => format!("its cells are {}", listed.join(", ")),
    }
}

/// Escapes and shortens an id for a message.
fn shown(id: &str) -> String {
    id.escape_debug().take(ID).collect()
}
