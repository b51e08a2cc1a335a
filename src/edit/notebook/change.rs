//! Changes the source or the type of an existing cell.

use std::borrow::Cow;
use std::ops::Range;

use super::list::{Item, List};
use super::model::{Cell, Notebook};
use super::scan::{elements, unquoted};
use super::{CellOp, CellType};
use crate::{Splice, common_ends};
use editd_text::normalize_line_endings;

/// Returns the splices that apply a replace operation to a cell.
pub(super) fn replacement(
    notebook: &Notebook<'_>,
    at: usize,
    (op, requested): (usize, &CellOp),
    warnings: &mut Vec<String>,
) -> Vec<Splice> {
    let CellOp::Replace { cell_type, source, clear_outputs, .. } = requested else { return Vec::new() };
    let cell = &notebook.cells[at];
    let mut change = CellEdit::new(notebook, cell);
    let other_type = cell_type.filter(|wanted| !cell.is(*wanted));
    if let Some(wanted) = other_type {
        change.retype(wanted);
    }
    let is_code = cell_type.map_or_else(|| cell.is(CellType::Code), |wanted| wanted == CellType::Code);
    if *clear_outputs && is_code {
        change.clear();
    }
    if let Some(source) = source {
        change.source(&normalize_line_endings(source));
    }
    warnings.extend(change.warnings.iter().map(|warning| format!("cells[{op}]: {warning}")));
    let splices = change.splices();
    if splices.is_empty() {
        warnings.push(format!("cells[{op}] changes nothing"));
    }
    splices
}

/// Returns the JSON value of `source` in a new cell.
pub(super) fn source_value(notebook: &Notebook<'_>, source: &str) -> String {
    let source = normalize_line_endings(source);
    if notebook.is_flat {
        return notebook.style.quoted(&source);
    }
    let lines: Vec<String> = source.split_inclusive('\n').map(|line| notebook.style.quoted(line)).collect();
    format!("[{}]", notebook.source_gaps.joined(&lines))
}

/// A pending change of a cell.
struct CellEdit<'b, 'a> {
    notebook: &'b Notebook<'a>,
    cell: &'b Cell<'a>,
    /// Removal flags, one per member.
    removed: Vec<bool>,
    /// Added members, each with the index of the member that it precedes.
    added: Vec<(usize, String)>,
    /// Splices within kept members.
    inner: Vec<Splice>,
    warnings: Vec<&'static str>,
}

impl<'b, 'a> CellEdit<'b, 'a> {
    fn new(notebook: &'b Notebook<'a>, cell: &'b Cell<'a>) -> Self {
        let removed = vec![false; cell.members.len()];
        Self { notebook, cell, removed, added: Vec::new(), inner: Vec::new(), warnings: Vec::new() }
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.cell.members.iter().position(|member| member.name == name)
    }

    fn value(&self, range: &Range<usize>) -> &'a str {
        &self.notebook.text[range.clone()]
    }

    fn set(&mut self, range: &Range<usize>, text: String) {
        if self.value(range) != text {
            self.inner.push(Splice { range: range.clone(), text });
        }
    }

    fn add(&mut self, before: usize, name: &str, value: &str) {
        self.added.push((before, self.notebook.style.member(name, value)));
    }

    /// Removes a member. Returns `true` if the member existed and was not empty.
    fn remove(&mut self, name: &str) -> bool {
        let Some(at) = self.index_of(name) else { return false };
        self.removed[at] = true;
        !matches!(self.value(&self.cell.members[at].value), "null" | "[]" | "{}")
    }

    /// Changes the type. Code cells, unlike all others, have an execution count and outputs, and no
    /// attachments.
    fn retype(&mut self, wanted: CellType) {
        let named = self.notebook.style.quoted(wanted.name());
        match self.cell.get("cell_type").cloned() {
            Some(value) => self.set(&value, named),
            None => self.add(0, "cell_type", &named),
        }
        if wanted == CellType::Code {
            if self.index_of("execution_count").is_none() {
                self.add(self.index_of("cell_type").map_or(0, |at| at + 1), "execution_count", "null");
            }
            if self.index_of("outputs").is_none() {
                self.add(self.index_of("source").unwrap_or(self.cell.members.len()), "outputs", "[]");
            }
            if self.remove("attachments") {
                self.warnings.push("the attachments were removed, because code cells have none");
            }
        } else {
            self.remove("execution_count");
            if self.remove("outputs") {
                self.warnings.push("the outputs were removed, because only code cells have outputs");
            }
        }
    }

    /// Clears the execution count and the outputs.
    fn clear(&mut self) {
        if let Some(count) = self.cell.get("execution_count").cloned() {
            self.set(&count, "null".to_owned());
        }
        if let Some(outputs) = self.cell.get("outputs").cloned()
            && !elements(self.notebook.text, &outputs).is_ok_and(|items| items.is_empty())
        {
            self.set(&outputs, "[]".to_owned());
        }
    }

    fn source(&mut self, source: &str) {
        let Some(value) = self.cell.get("source").cloned() else {
            self.add(self.cell.members.len(), "source", &source_value(self.notebook, source));
            return;
        };
        let current = self.value(&value);
        match elements(self.notebook.text, &value) {
            Ok(items) => self.inner.extend(changed_lines(self.notebook, &List::new(&value, items), source)),
            Err(_) if current.starts_with('"') => {
                if unquoted(current) != source {
                    self.set(&value, self.notebook.style.quoted(source));
                }
            }
            Err(_) => self.set(&value, source_value(self.notebook, source)),
        }
    }

    fn splices(mut self) -> Vec<Splice> {
        let (mut splices, mut items) = (self.inner, Vec::new());
        self.added.sort_by_key(|(before, _)| *before);
        let mut added = self.added.into_iter().peekable();
        for at in 0..=self.removed.len() {
            while let Some((_, text)) = added.next_if(|(before, _)| *before == at) {
                items.push(Item::New(text));
            }
            if self.removed.get(at) == Some(&false) {
                items.push(Item::Kept(at));
            }
        }
        splices.extend(self.cell.list().splices(&items, &self.notebook.cell_gaps));
        splices
    }
}

/// Returns the splices for a source that is a list of lines. Unchanged lines at its start and end keep their
/// bytes.
fn changed_lines(notebook: &Notebook<'_>, list: &List, source: &str) -> Vec<Splice> {
    let old: Vec<Cow<'_, str>> =
        list.items.iter().map(|item| unquoted(&notebook.text[item.clone()])).collect();
    let new: Vec<&str> = source.split_inclusive('\n').collect();
    let (head, tail) = common_ends(&old, &new);
    let kept = |range: Range<usize>| range.map(Item::Kept);
    let added = new[head..new.len() - tail].iter().map(|line| Item::New(notebook.style.quoted(line)));
    let wanted: Vec<Item> = kept(0..head).chain(added).chain(kept(old.len() - tail..old.len())).collect();
    let gaps = list.gaps(notebook.text, notebook.style.comma).unwrap_or_else(|| notebook.source_gaps.clone());
    // An empty list that stays empty keeps its bytes.
    if wanted.is_empty() && list.items.is_empty() { Vec::new() } else { list.splices(&wanted, &gaps) }
}
