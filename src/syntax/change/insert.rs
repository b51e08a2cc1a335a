//! Inserts text before or after a declaration.

use super::super::symbol::{Separator, Symbol, SymbolKind};
use super::super::{BadText, Language, SymbolRefusal};
use super::indent::{New, content, placed};
use super::replace::UNEVEN;
use super::{Site, SymbolChange};
use editd_edit::{LinePlace, MovedText, Splice};
use editd_text::indent_style;

/// The position of a new text beside a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Before the declaration with its attributes and comments.
    Before,
    /// After the declaration.
    After,
}

/// The place for text that is moved or copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewPlace {
    /// Between lines.
    Lines(LinePlace),
    /// Beside a symbol.
    Beside {
        /// Reference to the symbol.
        symbol: String,
        /// Side of the symbol.
        position: Position,
    },
    /// A file that does not exist.
    NewFile {
        /// First lines of the file.
        head: String,
    },
}

pub(super) fn insert(site: &Site<'_>, new: &str, position: Position) -> Result<SymbolChange, SymbolRefusal> {
    if !site.symbol.parts.whole_lines {
        return insert_inline(site, new, position);
    }
    let placed = placed(site, new, site.indentation(), New::Declaration)?;
    let mut lines = placed.lines;
    let comma = lines.last_mut().and_then(|last| commas(site, last, position));
    let gap = gap(site, position, &lines);
    let mut change = insert_lines(site, &[lines], (position, gap));
    if placed.is_uneven {
        change.warnings.push(UNEVEN.to_owned());
    }
    add_comma(&mut change, comma);
    Ok(change)
}

/// Inserts texts of other places beside a declaration, in their order.
pub(super) fn insert_moved(
    site: &Site<'_>,
    moved: &[MovedText],
    position: Position,
) -> Result<SymbolChange, SymbolRefusal> {
    let is_list = matches!(site.symbol.separator, Separator::Comma { .. });
    let line = site.symbol.lines.start;
    if let Some(line) = site.symbol.broken {
        return Err(SymbolRefusal::Broken { line });
    }
    if moved.iter().filter_map(|moved| moved.symbol).any(|moved| moved.comma.is_some() != is_list) {
        return Err(SymbolRefusal::NotAnItem { line });
    }
    if !is_list && !site.symbol.parts.whole_lines {
        return Err(SymbolRefusal::SharedLines { line });
    }
    let style = indent_style(site.text);
    let last = moved.len().saturating_sub(1);
    let part = |(number, moved): (usize, &MovedText)| {
        let text = match site.symbol.separator {
            Separator::Comma { .. } if number < last || has_comma_behind(site, position) => {
                moved.with_comma()
            }
            _ => moved.text.clone(),
        };
        MovedText { text, ..moved.clone() }.indented(site.indentation(), style)
    };
    let texts: Vec<String> = moved.iter().enumerate().map(part).collect();
    if texts.iter().all(|text| text.trim().is_empty()) {
        return Err(SymbolRefusal::BadText { reason: BadText::Blank });
    }
    let comma = match site.symbol.separator {
        Separator::Comma { .. } if !has_comma_behind(site, position) => Some(own_comma(site)),
        _ => None,
    };
    let mut change = if site.symbol.parts.whole_lines {
        let lines = |text: &String| content(text).into_iter().map(str::to_owned).collect();
        let parts: Vec<Vec<String>> = texts.iter().map(lines).collect();
        let gap = match parts.first().map_or(0, |first| gap(site, position, first)) {
            // A function among variables is set apart from them.
            0 if is_value(site.symbol.kind)
                && moved.iter().filter_map(|moved| moved.symbol).any(|moved| moved.is_apart) =>
            {
                declaration_gap(site, true)
            }
            gap => gap,
        };
        insert_lines(site, &parts, (position, gap))
    } else {
        let texts: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
        SymbolChange::of(vec![inline(site, &texts.join(" "), position)])
    };
    add_comma(&mut change, comma);
    Ok(change)
}

/// Inserts parts, each of whole lines, with blank lines between them.
fn insert_lines(site: &Site<'_>, parts: &[Vec<String>], (position, gap): (Position, usize)) -> SymbolChange {
    let range = &site.symbol.range;
    let blank = site.ending.repeat(gap);
    let parts: Vec<String> = parts.iter().map(|part| site.joined(part)).collect();
    let text = parts.join(&*[site.ending, &blank].concat());
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
    SymbolChange::of(vec![Splice { range: at..at, text }])
}

fn extra(blank: &str, needed: bool) -> String {
    if needed { blank.to_owned() } else { String::new() }
}

/// Adds the commas that a list needs to the last line of the new text. Returns the comma that the symbol needs
/// itself.
fn commas(site: &Site<'_>, last: &mut String, position: Position) -> Option<Splice> {
    if !matches!(site.symbol.separator, Separator::Comma { .. }) {
        return None;
    }
    last.truncate(last.trim_end().trim_end_matches(',').len());
    if has_comma_behind(site, position) {
        last.push(',');
        return None;
    }
    Some(own_comma(site))
}

/// Returns `true` if a new item of a list needs a comma behind it.
fn has_comma_behind(site: &Site<'_>, position: Position) -> bool {
    position == Position::Before || matches!(site.symbol.separator, Separator::Comma { after: Some(_), .. })
}

/// Returns the comma that the symbol needs if an item follows it.
fn own_comma(site: &Site<'_>) -> Splice {
    let end = site.symbol.parts.end;
    Splice { range: end..end, text: ",".to_owned() }
}

/// Adds the comma that the symbol needs to an insertion behind it.
fn add_comma(change: &mut SymbolChange, comma: Option<Splice>) {
    let Some(comma) = comma else { return };
    match change.splices.first_mut() {
        Some(insertion) if insertion.range == comma.range => insertion.text.insert(0, ','),
        _ => change.splices.insert(0, comma),
    }
}

/// Inserts text beside a declaration that shares its lines with other code.
fn insert_inline(site: &Site<'_>, new: &str, position: Position) -> Result<SymbolChange, SymbolRefusal> {
    let mut lines: Vec<String> = content(new).into_iter().map(str::to_owned).collect();
    let Some(first) = lines.first_mut() else {
        return Err(SymbolRefusal::BadText { reason: BadText::Blank });
    };
    *first = first.trim_start().to_owned();
    let is_item = matches!(site.symbol.separator, Separator::Comma { .. });
    if !is_item && !stays_apart(site, lines.last().map_or("", String::as_str), position) {
        return Err(SymbolRefusal::SharedLines { line: site.symbol.lines.start });
    }
    let comma = lines.last_mut().and_then(|last| commas(site, last, position));
    let mut change = SymbolChange::of(vec![inline(site, &site.joined(&lines), position)]);
    add_comma(&mut change, comma);
    Ok(change)
}

/// Returns `true` if a text that is inserted into the line of a declaration is set apart from the code beside it by its
/// own end and the ends of that code. Otherwise, as in `a = 1; b = 2`, only a new line would do.
fn stays_apart(site: &Site<'_>, new: &str, position: Position) -> bool {
    let ends = |text: &str| text.trim_end().ends_with(['}', ';']);
    let Symbol { range, parts, .. } = site.symbol;
    let before = site.text[..parts.head].rsplit(['\n', '\r']).next().unwrap_or_default().trim();
    let after = site.text[range.end..].split(['\n', '\r']).next().unwrap_or_default().trim();
    match position {
        Position::Before => (before.is_empty() || before.ends_with('{') || ends(before)) && ends(new),
        Position::After => ends(&site.text[range.clone()]) && (after.is_empty() || ends(new)),
    }
}

/// Returns the insertion of a text into the line of a declaration.
fn inline(site: &Site<'_>, text: &str, position: Position) -> Splice {
    let (at, text) = match position {
        Position::Before => (site.symbol.parts.head, format!("{text} ")),
        Position::After => (site.symbol.range.end, format!(" {text}")),
    };
    Splice { range: at..at, text }
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
    first.or(second).unwrap_or_else(|| usual_gap(site))
}

/// Returns the number of blank lines between two symbols, if nothing else is between them.
fn blank_lines(site: &Site<'_>, one: &Symbol, next: &Symbol) -> Option<usize> {
    let between = site.text.get(one.range.end..next.range.start)?;
    between.trim().is_empty().then(|| editd_text::count_lines(between))
}

/// Returns the number of blank lines around a declaration without neighbors. `is_long` for one of several lines.
fn declaration_gap(site: &Site<'_>, is_long: bool) -> usize {
    let is_apart = site.outline.language == Language::Python && site.symbol.parent.is_none() && is_long;
    if is_apart { 2 } else { 1 }
}

/// Returns `true` for symbols that usually stand together without blank lines.
pub(super) fn is_value(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Field
            | SymbolKind::Key
            | SymbolKind::Element
    )
}

/// Returns the number of blank lines around a symbol without neighbors.
fn usual_gap(site: &Site<'_>) -> usize {
    let symbol = site.symbol;
    if symbol.kind == SymbolKind::Section {
        return 1;
    }
    let is_long = symbol.lines.start < symbol.lines.end;
    if is_value(symbol.kind) || !is_long && symbol.parent.is_some() {
        0
    } else {
        declaration_gap(site, is_long)
    }
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
