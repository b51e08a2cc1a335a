//! A parsed notebook: the positions of its cells and the style of its JSON.

use std::cell::OnceCell;
use std::ops::Range;

use super::list::{Gaps, List};
use super::scan::{Member, SyntaxError, document, elements, members, unquoted};
use super::style::Style;
use super::{CellType, Unreadable};
use crate::LineRange;
use editd_text::count_line_ends;

/// Indentation level of a cell in the array of cells, in notebooks written by Jupyter.
const CELL_DEPTH: usize = 2;

/// A notebook of format 4.
#[derive(Debug)]
pub(super) struct Notebook<'a> {
    pub(super) text: &'a str,
    /// The array of cells.
    pub(super) list: List,
    pub(super) cells: Vec<Cell<'a>>,
    /// `true` if cells have ids: required since format 4.5, not allowed before.
    pub(super) has_ids: bool,
    pub(super) style: Style<'a>,
    /// Whitespace and separators between the members of a cell.
    pub(super) cell_gaps: Gaps,
    /// Whitespace and separators between the lines of a source.
    pub(super) source_gaps: Gaps,
    /// `true` if this notebook writes sources as single strings.
    pub(super) is_flat: bool,
    /// Lines of each cell, computed on first use.
    lines: OnceCell<Vec<LineRange>>,
}

/// A cell.
#[derive(Debug)]
pub(super) struct Cell<'a> {
    pub(super) span: Range<usize>,
    pub(super) members: Vec<Member<'a>>,
    pub(super) id: Option<String>,
    pub(super) kind: Option<String>,
}

impl<'a> Notebook<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, Unreadable> {
        Self::scan(text).map_err(|error| Unreadable {
            line: count_line_ends(&text[..error.at]) + 1,
            reason: error.reason.into_owned(),
        })
    }

    fn scan(text: &'a str) -> Result<Self, SyntaxError> {
        let top = document(text)?;
        let all = members(text, &top)?;
        let has_ids = has_ids(text, &top, &all)?;
        let Some(cells) = member(&all, "cells")? else {
            return Err(SyntaxError::new(top.start, "`cells` is missing"));
        };
        let list = List::new(&cells.value, elements(text, &cells.value)?);
        let style = Style::of(text, top.start + 1, &all);
        let cells = list.items.iter().map(|span| Cell::scan(text, span)).collect::<Result<Vec<_>, _>>()?;
        let sources: Vec<_> = cells.iter().filter_map(|cell| cell.get("source")).collect();
        let cell_gaps = cells
            .iter()
            .find_map(|cell| cell.list().gaps(text, style.comma))
            .unwrap_or_else(|| style.gaps(CELL_DEPTH));
        let is_list = |value: &&Range<usize>| text[(**value).clone()].starts_with('[');
        let gaps_of = |value| {
            let items = elements(text, value).ok()?;
            List::new(value, items).gaps(text, style.comma)
        };
        let source_gaps = sources.iter().copied().filter(is_list).find_map(gaps_of).unwrap_or_else(|| {
            Gaps::of(&deeper(&cell_gaps.lead, style.indent()), &cell_gaps.lead, style.comma)
        });
        let is_flat = !sources.is_empty() && !sources.iter().any(is_list);
        Ok(Self {
            text,
            list,
            cells,
            has_ids,
            style,
            cell_gaps,
            source_gaps,
            is_flat,
            lines: OnceCell::new(),
        })
    }

    /// Returns the whitespace and separators between cells.
    pub(super) fn list_gaps(&self) -> Gaps {
        self.list.gaps(self.text, self.style.comma).unwrap_or_else(|| self.style.gaps(CELL_DEPTH - 1))
    }

    /// Returns the lines of a cell, 1-based.
    pub(super) fn lines(&self, cell: usize) -> LineRange {
        self.lines.get_or_init(|| self.all_lines())[cell]
    }

    /// Computes the lines of all cells in one pass over the text.
    fn all_lines(&self) -> Vec<LineRange> {
        let (mut at, mut line) = (0, 1);
        let lines = |cell: &Cell<'_>| {
            line += count_line_ends(&self.text[at..cell.span.start]);
            let start = line;
            line += count_line_ends(&self.text[cell.span.clone()]);
            at = cell.span.end;
            LineRange { start, end: line }
        };
        self.cells.iter().map(lines).collect()
    }
}

impl<'a> Cell<'a> {
    fn scan(text: &'a str, span: &Range<usize>) -> Result<Self, SyntaxError> {
        let members =
            members(text, span).map_err(|_| SyntaxError::new(span.start, "a cell is not an object"))?;
        let named = |name| {
            let value = member(&members, name)?.map(|member| &text[member.value.clone()]);
            Ok(value.filter(|value| value.starts_with('"')).map(|value| unquoted(value).into_owned()))
        };
        let (id, kind) = (named("id")?, named("cell_type")?);
        for name in ["source", "outputs", "execution_count", "attachments"] {
            member(&members, name)?;
        }
        Ok(Self { span: span.clone(), members, id, kind })
    }

    /// Returns the value of the member with this name.
    pub(super) fn get(&self, name: &str) -> Option<&Range<usize>> {
        self.members.iter().find(|member| member.name == name).map(|member| &member.value)
    }

    pub(super) fn list(&self) -> List {
        List::new(&self.span, self.members.iter().map(|member| member.span.clone()).collect())
    }

    pub(super) fn is(&self, cell_type: CellType) -> bool {
        self.kind.as_deref() == Some(cell_type.name())
    }
}

/// Returns the member with this name. Duplicates are an error, because JSON readers disagree on which one
/// counts.
fn member<'m, 'a>(members: &'m [Member<'a>], name: &str) -> Result<Option<&'m Member<'a>>, SyntaxError> {
    let mut found = members.iter().filter(|member| member.name == name);
    match (found.next(), found.next()) {
        (_, Some(second)) => Err(SyntaxError::new(second.span.start, format!("`{name}` appears twice"))),
        (first, None) => Ok(first),
    }
}

fn has_ids(text: &str, top: &Range<usize>, all: &[Member<'_>]) -> Result<bool, SyntaxError> {
    let number = |name| {
        let member = member(all, name)?;
        Ok(member.and_then(|member| text[member.value.clone()].parse::<u64>().ok()))
    };
    match (number("nbformat")?, number("nbformat_minor")?) {
        (Some(4), minor) => Ok(minor.is_some_and(|minor| minor >= 5)),
        (None, _) => Err(SyntaxError::new(top.start, "`nbformat` is missing or not a number")),
        (Some(other), _) => {
            Err(SyntaxError::new(top.start, format!("`nbformat` is {other}, but only 4 is supported")))
        }
    }
}

/// Returns a line gap with one more step of indentation.
fn deeper(lead: &str, step: &str) -> String {
    if lead.contains(['\n', '\r']) { format!("{lead}{step}") } else { lead.to_owned() }
}
