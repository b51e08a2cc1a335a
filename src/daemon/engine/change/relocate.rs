//! Symbols that leave their places in a file, and symbols that are put beside others there.

use std::collections::HashMap;

use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::outlined::Outlined;
use crate::engine::change::{EditForm, RequestedEdit};
use editd_edit::{LineRange, MovedText, Plan, TextScope};
use editd_syntax::{
    Outline, Position, Symbol, SymbolChange, SymbolEdit, SymbolOp, SymbolPath, SymbolRefusal, delete_symbols,
    insert_beside,
};
use editd_workspace::RefusalKind;

/// The changes of edits, by their positions.
pub(crate) type SymbolChanges = HashMap<usize, Result<SymbolChange, SymbolRefusal>>;

/// Text that an edit puts beside a symbol.
struct Put<'a> {
    /// Position of the edit.
    at: usize,
    symbol: SymbolPath,
    is_named: bool,
    position: Position,
    moved: &'a [MovedText],
}

/// Returns the changes of the edits that delete symbols or put symbols beside others.
///
/// If there are both, the second ones are made in the text without the deleted symbols, so that commas and blank lines
/// fit. Then the last of them has all changes of the text.
pub(crate) fn relocate(
    outlined: &Outlined<'_>,
    edits: &[RequestedEdit],
    rules: &ComputeOptions<'_>,
) -> Result<SymbolChanges, RefusalKind> {
    let deleted: Vec<(usize, &str)> =
        edits.iter().enumerate().filter_map(|(at, edit)| Some((at, deleted_symbol(edit)?))).collect();
    let put: Vec<Put<'_>> = edits.iter().enumerate().filter_map(|(at, edit)| put(at, edit)).collect();
    if deleted.is_empty() && put.is_empty() {
        return Ok(SymbolChanges::new());
    }
    let (text, outline) = (outlined.text(), outlined.outline()?);
    let symbols: Vec<&str> = deleted.iter().map(|(_, symbol)| *symbol).collect();
    let deletions = delete_symbols(text, outline, &symbols);
    let mut changes: SymbolChanges = deleted.iter().map(|(at, _)| *at).zip(deletions).collect();
    let splices = changes.values().flatten().flat_map(|change| change.splices.clone()).collect();
    match Plan::new(text.len(), splices) {
        Ok(deletion) if !deletion.is_empty() && changes.values().all(Result::is_ok) => {
            put_into_rest(outlined, (&deletion, &put), &mut changes, rules)?;
        }
        // Deletions that overlap are refused later, and so are those of unknown symbols.
        _ => changes.extend(put.into_iter().map(|Put { at, symbol, is_named, position, moved }| {
            let change = insert_beside(text, outline, &symbol, position, moved);
            (
                at,
                change.map(
                    |change| if is_named { change } else { SymbolChange { lines: Vec::new(), ..change } },
                ),
            )
        })),
    }
    Ok(changes)
}

/// Adds the changes that put symbols into the text that a deletion leaves.
fn put_into_rest(
    outlined: &Outlined<'_>,
    (deletion, put): (&Plan, &[Put<'_>]),
    changes: &mut SymbolChanges,
    rules: &ComputeOptions<'_>,
) -> Result<(), RefusalKind> {
    let rest = deletion.apply(outlined.text());
    let rest = Outlined::new(outlined.path(), &rest, rules.deadline);
    let mut insertions = Vec::new();
    for Put { at, symbol, is_named, position, moved } in put {
        let beside = match outlined.outline()?.resolve(symbol) {
            Ok(beside) => beside,
            Err(refusal) => {
                changes.insert(*at, Err(refusal));
                continue;
            }
        };
        let change = match in_rest(deletion, rest.outline()?, beside) {
            Some(reference) => insert_beside(rest.text(), rest.outline()?, &reference, *position, moved),
            None => Err(SymbolRefusal::InMoved { line: beside.lines.start }),
        };
        let change = change.map(|change| {
            insertions.extend(change.splices);
            let single = |line: usize| LineRange { start: line, end: line };
            let needed = [beside.lines.start, beside.lines.end].map(single);
            let lines = needed.into_iter().filter(|_| *is_named).collect();
            SymbolChange { splices: Vec::new(), lines, ..change }
        });
        changes.insert(*at, change);
    }
    let Some(last) = put.last().filter(|_| changes.values().all(Result::is_ok)) else { return Ok(()) };
    if let Ok(insertion) = Plan::new(rest.text().len(), insertions) {
        changes.values_mut().flatten().for_each(|change| change.splices.clear());
        if let Some(Ok(change)) = changes.get_mut(&last.at) {
            change.splices = deletion.then(&insertion).into_splices();
        }
    }
    Ok(())
}

/// Returns a reference to a symbol in the text that a deletion leaves, or `None` if it is deleted.
fn in_rest(deletion: &Plan, rest: &Outline, symbol: &Symbol) -> Option<SymbolPath> {
    let before = deletion.splices().iter().take_while(|splice| splice.range.start <= symbol.range.start);
    let start = before.into_iter().try_fold(symbol.range.start, |start, splice| {
        let is_behind = splice.range.end <= symbol.range.start;
        is_behind.then(|| start + splice.text.len() - splice.range.len())
    })?;
    // A comment that was apart from the symbol may be attached to it now.
    let is_same =
        |one: &&Symbol| one.range.contains(&start) && one.name == symbol.name && one.kind == symbol.kind;
    let there = rest.symbols().iter().rfind(is_same)?;
    Some(SymbolPath::parse(&format!("{}@{}", rest.path(there), there.lines.start)))
}

fn put(at: usize, edit: &RequestedEdit) -> Option<Put<'_>> {
    match &edit.form {
        EditForm::Beside { symbol, is_named, position, moved } => {
            let symbol = SymbolPath::parse(symbol);
            Some(Put { at, symbol, is_named: *is_named, position: *position, moved })
        }
        _ => None,
    }
}

/// Returns the symbol that an edit deletes or takes away.
fn deleted_symbol(edit: &RequestedEdit) -> Option<&str> {
    match &edit.form {
        EditForm::Symbol(SymbolEdit { op: SymbolOp::Delete, symbol, .. })
        | EditForm::Take { part: TextScope::Symbol(symbol), removes: true, .. } => Some(symbol),
        _ => None,
    }
}
