//! Indentation by columns, in files that mix tabs and spaces.

use super::super::unit::columns;
use super::{Evidence, Known};

/// The columns of the request shifted by a constant, as a file of tabs and spaces writes them.
#[derive(Debug)]
pub(in super::super) struct Columns {
    by: isize,
    /// Indentation that the file uses for each column that new lines need.
    written: Vec<(usize, Option<String>)>,
}

impl Columns {
    pub(super) fn of(evidence: &Evidence<'_, '_>, known: &[Known<'_>]) -> Option<Self> {
        let by = |(pair, _): &Known<'_>| columns(pair.actual).cast_signed() - columns(pair.old).cast_signed();
        let first = known.first().map(by)?;
        if !known.iter().all(|one| by(one) == first) {
            return None;
        }
        let mut wanted: Vec<usize> =
            evidence.new.iter().filter_map(|line| column_of(line.indent, first)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let written =
            wanted.into_iter().map(|column| (column, evidence.nearby.indent_at_column(column))).collect();
        Some(Self { by: first, written })
    }

    /// Maps `indent` to its shifted column, as the file writes it.
    pub(in super::super) fn apply(&self, indent: &str) -> Option<String> {
        let column = column_of(indent, self.by)?;
        self.written.iter().find(|(known, _)| *known == column)?.1.clone()
    }
}

fn column_of(indent: &str, by: isize) -> Option<usize> {
    columns(indent).checked_add_signed(by)
}
