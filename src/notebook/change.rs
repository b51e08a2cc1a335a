//! Another source or type for a cell that stays.

use std::borrow::Cow;
use std::ops::Range;

use super::book::{Book, Cell};
use super::list::{Item, List};
use super::scan::{elements, unquoted};
use super::{CellOp, CellType};
use crate::edit::Splice;

/// What makes of a cell what is asked for.
pub(super) fn replaced(
    book: &Book<'_>,
    at: usize,
    (op, asked): (usize, &CellOp),
    warnings: &mut Vec<String>,
) -> Vec<Splice> {
    let CellOp::Replace { cell_type, source, clear_outputs, .. } = asked else { return Vec::new() };
    let cell = &book.cells[at];
    let mut change = Change::new(book, cell);
    let other_type = cell_type.filter(|wanted| !cell.is(*wanted));
    if let Some(wanted) = other_type {
        change.retype(wanted);
    }
    let is_code = cell_type.map_or_else(|| cell.is(CellType::Code), |wanted| wanted == CellType::Code);
    if *clear_outputs && is_code {
        change.clear();
    }
    if let Some(source) = source {
        change.source(&plain(source));
    }
    warnings.extend(change.warnings.iter().map(|said| format!("cells[{op}]: {said}")));
    let splices = change.splices();
    if splices.is_empty() {
        warnings.push(format!("cells[{op}] changes nothing"));
    }
    splices
}

/// The value of `source` in a new cell.
pub(super) fn source_value(book: &Book<'_>, source: &str) -> String {
    let source = plain(source);
    if book.is_flat {
        return book.style.quoted(&source);
    }
    let lines: Vec<String> = source_lines(&source).map(|line| book.style.quoted(line)).collect();
    format!("[{}]", book.source_gaps.joined(&lines))
}

/// Sources have LFs only, whatever the file has.
fn plain(source: &str) -> Cow<'_, str> {
    if source.contains('\r') { Cow::Owned(source.replace("\r\n", "\n")) } else { Cow::Borrowed(source) }
}

fn source_lines(source: &str) -> impl Iterator<Item = &str> {
    source.split_inclusive('\n')
}

/// A cell under change.
struct Change<'b, 'a> {
    book: &'b Book<'a>,
    cell: &'b Cell<'a>,
    /// Of each member, whether it goes.
    gone: Vec<bool>,
    /// Members that come, each before the one of that index.
    fresh: Vec<(usize, String)>,
    /// Within members that stay.
    inner: Vec<Splice>,
    warnings: Vec<&'static str>,
}

impl<'b, 'a> Change<'b, 'a> {
    fn new(book: &'b Book<'a>, cell: &'b Cell<'a>) -> Self {
        let gone = vec![false; cell.members.len()];
        Self { book, cell, gone, fresh: Vec::new(), inner: Vec::new(), warnings: Vec::new() }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.cell.members.iter().position(|member| member.name == name)
    }

    fn value(&self, range: &Range<usize>) -> &'a str {
        &self.book.text[range.clone()]
    }

    fn set(&mut self, range: &Range<usize>, text: String) {
        if self.value(range) != text {
            self.inner.push(Splice { range: range.clone(), text });
        }
    }

    fn add(&mut self, before: usize, name: &str, value: &str) {
        self.fresh.push((before, self.book.style.member(name, value)));
    }

    /// Takes a member away; says whether it was there and said something.
    fn remove(&mut self, name: &str) -> bool {
        let Some(at) = self.place(name) else { return false };
        self.gone[at] = true;
        !matches!(self.value(&self.cell.members[at].value), "null" | "[]" | "{}")
    }

    /// Code cells, and no others, have a count and outputs; they alone have no attachments.
    fn retype(&mut self, wanted: CellType) {
        let named = self.book.style.quoted(wanted.name());
        match self.cell.get("cell_type").cloned() {
            Some(value) => self.set(&value, named),
            None => self.add(0, "cell_type", &named),
        }
        if wanted == CellType::Code {
            if self.place("execution_count").is_none() {
                self.add(self.place("cell_type").map_or(0, |at| at + 1), "execution_count", "null");
            }
            if self.place("outputs").is_none() {
                self.add(self.place("source").unwrap_or(self.cell.members.len()), "outputs", "[]");
            }
            if self.remove("attachments") {
                self.warnings.push("the attachments went, because code has none");
            }
        } else {
            self.remove("execution_count");
            if self.remove("outputs") {
                self.warnings.push("the outputs went, because only code has some");
            }
        }
    }

    /// Forgets that the cell ever ran.
    fn clear(&mut self) {
        if let Some(count) = self.cell.get("execution_count").cloned() {
            self.set(&count, "null".to_owned());
        }
        if let Some(outputs) = self.cell.get("outputs").cloned() {
            let is_empty = elements(self.book.text, &outputs).is_ok_and(|items| items.is_empty());
            if !is_empty {
                self.set(&outputs, "[]".to_owned());
            }
        }
    }

    fn source(&mut self, source: &str) {
        let Some(value) = self.cell.get("source").cloned() else {
            self.add(self.cell.members.len(), "source", &source_value(self.book, source));
            return;
        };
        let was = self.value(&value);
        match elements(self.book.text, &value) {
            Ok(items) => self.inner.extend(lines_changed(self.book, &value, items, source)),
            Err(_) if was.starts_with('"') => {
                if unquoted(was) != source {
                    self.set(&value, self.book.style.quoted(source));
                }
            }
            Err(_) => self.set(&value, source_value(self.book, source)),
        }
    }

    fn splices(self) -> Vec<Splice> {
        let (mut splices, mut items) = (self.inner, Vec::new());
        let mut fresh = self.fresh;
        fresh.sort_by_key(|(before, _)| *before);
        let mut fresh = fresh.into_iter().peekable();
        for at in 0..=self.gone.len() {
            while let Some((_, text)) = fresh.next_if(|(before, _)| *before == at) {
                items.push(Item::New(text));
            }
            if self.gone.get(at) == Some(&false) {
                items.push(Item::Kept(at));
            }
        }
        splices.extend(self.cell.list().splices(&items, &self.book.cell_gaps));
        splices
    }
}

/// A source that is a list of lines: those at its head and tail that stay keep their bytes.
fn lines_changed(
    book: &Book<'_>,
    value: &Range<usize>,
    items: Vec<Range<usize>>,
    source: &str,
) -> Vec<Splice> {
    let old: Vec<Cow<'_, str>> = items.iter().map(|item| unquoted(&book.text[item.clone()])).collect();
    let new: Vec<&str> = source_lines(source).collect();
    let shorter = old.len().min(new.len());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == *new).count();
    let rest = old.iter().rev().zip(new.iter().rev()).take(shorter - head);
    let tail = rest.take_while(|(old, new)| old == *new).count();
    let kept = |range: Range<usize>| range.map(Item::Kept);
    let fresh = new[head..new.len() - tail].iter().map(|line| Item::New(book.style.quoted(line)));
    let wanted: Vec<Item> = kept(0..head).chain(fresh).chain(kept(old.len() - tail..old.len())).collect();
    let list = List::new(value, items);
    let gaps = list.gaps(book.text, book.style.comma).unwrap_or_else(|| book.source_gaps.clone());
    // An empty list stays as it is written.
    if wanted.is_empty() && list.items.is_empty() { Vec::new() } else { list.splices(&wanted, &gaps) }
}
