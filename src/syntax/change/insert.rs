//! Inserts text before or after a declaration.

use super::super::SymbolRefusal;
use super::super::symbol::{Separator, Symbol, SymbolKind};
use super::indent::{New, content, placed};
use super::replace::UNEVEN;
use super::{Site, SymbolChange};
use crate::edit::Splice;

/// The position of a new text beside a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Before,
    After,
}

pub(super) fn insert(site: &Site<'_>, new: &str, position: Position) -> Result<SymbolChange, SymbolRefusal> {
    if !site.symbol.parts.whole_lines {
        return insert_inline(site, new, position);
    }
    let placed = placed(site, new, site.indentation(), New::Declaration)?;
    let mut lines = placed.lines;
    let mut change = SymbolChange::default();
    if placed.is_uneven {
        change.warnings.push(UNEVEN.to_owned());
    }
    if let Some(last) = lines.last_mut() {
        change.splices.extend(commas(site, last, position));
    }
    let range = &site.symbol.range;
    let blank = site.ending.repeat(gap(site, position, &lines));
    let text = site.joined(&lines);
    let (at, text) = match position {
        Position::Before if site.is_first_in_block() => (range.start, [&text, site.ending, &blank].concat()),
        Position::Before => {
            (range.start, [&*extra(&blank, is_text_before(site)), &text, site.ending, &blank].concat())
        }
        Position::After => {
            let is_open = !site.text[..range.end].ends_with(['\n', '\r']);
            let (start, end) = if is_open { (site.ending, "") } else { ("", site.ending) };
            (range.end, [start, &blank, &text, end, &*extra(&blank, is_text_after(site))].concat())
        }
    };
    change.splices.push(Splice { range: at..at, text });
    Ok(change)
}

fn extra(blank: &str, needed: bool) -> String {
    if needed { blank.to_owned() } else { String::new() }
}

/// Adds the commas that a list needs to the last line of the new text. Returns the comma that the symbol needs
/// itself.
fn commas(site: &Site<'_>, last: &mut String, position: Position) -> Option<Splice> {
    let Separator::Comma { after, .. } = site.symbol.separator else { return None };
    last.truncate(last.trim_end().trim_end_matches(',').len());
    if position == Position::Before || after.is_some() {
        last.push(',');
        return None;
    }
    let end = site.symbol.parts.end;
    Some(Splice { range: end..end, text: ",".to_owned() })
}

/// Inserts text beside a declaration that shares its lines with other code.
fn insert_inline(site: &Site<'_>, new: &str, position: Position) -> Result<SymbolChange, SymbolRefusal> {
    let mut lines: Vec<String> = content(new).into_iter().map(str::to_owned).collect();
    let Some(first) = lines.first_mut() else { return Err(SymbolRefusal::BadText { reason: "blank" }) };
    *first = first.trim_start().to_owned();
    let mut splices = Vec::new();
    if let Some(last) = lines.last_mut() {
        splices.extend(commas(site, last, position));
    }
    let text = site.joined(&lines);
    let (at, text) = match position {
        Position::Before => (site.symbol.parts.head, format!("{text} ")),
        Position::After => (site.symbol.range.end, format!(" {text}")),
    };
    match splices.first_mut() {
        // A comma that the symbol gets is at the same offset.
        Some(comma) if comma.range.start == at => comma.text.push_str(&text),
        _ => splices.push(Splice { range: at..at, text }),
    }
    Ok(SymbolChange::of(splices))
}

/// Returns the number of blank lines between a new text and the symbol: as many as separate the symbol from
/// its neighbor on that side, or else on the other side.
fn gap(site: &Site<'_>, position: Position, new: &[String]) -> usize {
    let symbol = site.symbol;
    let (previous, next) = site.outline.neighbors(symbol);
    let after = next.and_then(|next| blank_lines(site, symbol, next));
    let before = previous.and_then(|previous| blank_lines(site, previous, symbol));
    let glued = |sibling: Option<&Symbol>, gap: Option<usize>| {
        gap == Some(0) && sibling.is_some_and(|sibling| sibling.kind == symbol.kind)
    };
    let is_one_line = symbol.lines.start == symbol.lines.end;
    let nearest = if position == Position::After { next } else { previous };
    let is_like_nearest = nearest.is_some_and(|nearest| nearest.kind == symbol.kind);
    let first_word = |text: &str| text.split_whitespace().next().map(str::to_owned);
    let is_alike = matches!(new, [line] if first_word(line) == first_word(&symbol.signature));
    if is_alike && is_one_line && !is_like_nearest && (glued(next, after) || glued(previous, before)) {
        return 0;
    }
    let (first, second) = if position == Position::After { (after, before) } else { (before, after) };
    first.or(second).unwrap_or_else(|| usual_gap(symbol))
}

/// Returns the number of blank lines between two symbols, if nothing else is between them.
fn blank_lines(site: &Site<'_>, one: &Symbol, next: &Symbol) -> Option<usize> {
    let between = site.text.get(one.range.end..next.range.start)?;
    between.trim().is_empty().then(|| crate::text::count_lines(between))
}

/// Returns the number of blank lines around a symbol without neighbors.
fn usual_gap(symbol: &Symbol) -> usize {
    let is_small = matches!(
        symbol.kind,
        SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Field
            | SymbolKind::Key
            | SymbolKind::Element
    );
    if symbol.kind == SymbolKind::Section {
        return 1;
    }
    usize::from(!is_small && (symbol.lines.start < symbol.lines.end || symbol.parent.is_none()))
}

/// Returns `true` if other code is in the line before the symbol.
fn is_text_before(site: &Site<'_>) -> bool {
    let line = site.lines.of(site.symbol.range.start);
    line > 0 && !site.lines.is_blank(line - 1)
}

/// Returns `true` if other code of the same block is in the line after the symbol.
fn is_text_after(site: &Site<'_>) -> bool {
    let end = site.symbol.range.end;
    end < site.text.len() && !site.lines.is_blank(site.lines.of(end)) && !site.is_last_in_block()
}
