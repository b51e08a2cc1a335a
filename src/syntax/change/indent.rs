//! Indentation of new texts.

use std::collections::HashSet;

use super::super::lines::indentation;
use super::super::{BadText, Language, SymbolRefusal};
use super::Site;
use editd_text::{self as text, IndentKind, indent_style};

/// Width of a level of indentation if nothing tells it.
const WIDTH: usize = 4;

/// The new text of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum New {
    Declaration,
    Body,
}

/// The lines of a new text, indented for their place, without line endings and without blank lines around.
pub(super) struct Placed {
    pub(super) lines: Vec<String>,
    /// `true` if the lines could not be shifted together.
    pub(super) is_uneven: bool,
}

/// Returns the lines of a new text without blank lines around them.
pub(super) fn content(new: &str) -> Vec<&str> {
    let all: Vec<&str> = text::lines(new).map(|line| line.content).collect();
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = all.iter().take_while(|line| is_blank(line)).count();
    let end = all.len() - all[start..].iter().rev().take_while(|line| is_blank(line)).count();
    all[start..end].to_vec()
}

/// Indents a new text as `target`. The lines of `like` tell the style.
pub(super) fn placed(site: &Site<'_>, new: &str, target: &str, what: New) -> Result<Placed, SymbolRefusal> {
    let lines = content(new);
    if lines.is_empty() {
        return Err(SymbolRefusal::BadText { reason: BadText::Blank });
    }
    let unit = unit(site);
    let lines = with_unit(&lines, &unit, site);
    let is_block = matches!(site.outline.language, Language::Python | Language::Yaml);
    let first = indentation(&lines[0]).to_owned();
    if first == target {
        return Ok(Placed { lines, is_uneven: false });
    }
    if known_lines(site, &lines, &first, target)
        .unwrap_or_else(|| only_first_is_off(&lines, &first, target, is_block, what))
    {
        let mut lines = lines;
        lines[0] = format!("{target}{}", &lines[0][first.len()..]);
        return Ok(Placed { lines, is_uneven: false });
    }
    let is_blank = |line: &str| line.trim().is_empty();
    if lines.iter().any(|line| !is_blank(line) && !line.starts_with(&first)) {
        return Ok(Placed { lines, is_uneven: true });
    }
    let shift = |line: &String| {
        if is_blank(line) { line.clone() } else { format!("{target}{}", &line[first.len()..]) }
    };
    Ok(Placed { lines: lines.iter().map(shift).collect(), is_uneven: false })
}

/// Compares the lines after the first one with those of the symbol. Returns `true` if more of them are there as
/// they are than with the indentation of the first line corrected, `false` if fewer are, `None` if the numbers
/// are equal.
fn known_lines(site: &Site<'_>, lines: &[String], first: &str, target: &str) -> Option<bool> {
    let known: HashSet<&str> = text::lines(site.own_lines()).map(|line| line.content).collect();
    let (mut kept, mut shifted) = (0, 0);
    for line in lines[1..].iter().filter(|line| !line.trim().is_empty()) {
        kept += usize::from(known.contains(line.as_str()));
        let corrected = line.strip_prefix(first).map(|line| format!("{target}{line}"));
        shifted += usize::from(corrected.is_some_and(|line| known.contains(line.as_str())));
    }
    (kept != shifted).then_some(kept > shifted)
}

/// Returns `true` if only the first line lacks the indentation: all others have at least that of the place. In
/// languages with braces, the closing ones are at the level of the first line, so nothing else is possible. In
/// others, the lines may also be a block below the first line; then the second line tells.
fn only_first_is_off(lines: &[String], first: &str, target: &str, is_block: bool, what: New) -> bool {
    let target = columns(target);
    let mut rest =
        lines[1..].iter().filter(|line| !line.trim().is_empty()).map(|line| columns(indentation(line)));
    let Some(second) = rest.next() else { return false };
    let shallowest = rest.fold(second, usize::min);
    if columns(first) >= target || shallowest < target {
        return false;
    }
    let head = lines[0].trim();
    let is_above = head.starts_with(['@', '#']);
    match what {
        _ if !is_block || shallowest > target || is_above => true,
        New::Body => !head.ends_with(':'),
        New::Declaration => false,
    }
}

/// Returns the width of an indentation.
fn columns(indent: &str) -> usize {
    indent.chars().fold(0, |width, c| if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 })
}

/// Returns a level of indentation, as the symbol has it, or else the file.
pub(super) fn unit(site: &Site<'_>) -> String {
    let own = indent_style(site.own_lines());
    let style = if own.kind == IndentKind::None { indent_style(site.text) } else { own };
    if style.kind == IndentKind::Tabs {
        return "\t".to_owned();
    }
    let own = style.width.map(usize::from).filter(|&width| !is_divided(site, width));
    " ".repeat(own.or(indent_style(site.text).width.map(usize::from)).unwrap_or(WIDTH))
}

/// Returns `true` if a line of the symbol is deeper than it by less than this width, which is then that of
/// continuations.
fn is_divided(site: &Site<'_>, width: usize) -> bool {
    let outer = columns(site.indentation());
    let mut depths = text::lines(site.own_lines())
        .filter(|line| !line.content.trim().is_empty() && !line.content.trim_start().starts_with('*'))
        .map(|line| columns(indentation(line.content)));
    depths.any(|depth| depth > outer && depth - outer < width)
}

/// Converts between tabs and spaces, if the symbol or the file uses only one of them and the new text only the
/// other, in whole levels.
fn with_unit(lines: &[&str], unit: &str, site: &Site<'_>) -> Vec<String> {
    let (own, file) = (indent_style(site.own_lines()).kind, indent_style(site.text).kind);
    let kind = if own == IndentKind::None || own == file { file } else { IndentKind::Mixed };
    let indents = || lines.iter().filter(|line| !line.trim().is_empty()).map(|line| indentation(line));
    let all = |unwanted: char| indents().all(|indent| !indent.contains(unwanted));
    let as_they_are = || lines.iter().map(|&line| line.to_owned()).collect();
    if indents().all(str::is_empty) {
        return as_they_are();
    }
    match kind {
        IndentKind::Spaces if all(' ') => lines
            .iter()
            .map(|line| {
                let indent = indentation(line);
                format!("{}{}", unit.repeat(indent.len()), &line[indent.len()..])
            })
            .collect(),
        IndentKind::Tabs if all('\t') => {
            let Some(width) = indents().map(str::len).filter(|&width| width > 1).min() else {
                return as_they_are();
            };
            let levels = |line: &str| {
                let (indent, stars) =
                    (indentation(line).len(), usize::from(line.trim_start().starts_with('*')));
                let stars = if indent % width == 1 { stars } else { 0 };
                ((indent - stars.min(indent)).is_multiple_of(width)).then_some((indent / width, stars))
            };
            let converted = lines.iter().map(|line| {
                let (count, stars) = levels(line)?;
                Some(format!("{}{}{}", "\t".repeat(count), " ".repeat(stars), line.trim_start_matches(' ')))
            });
            converted.collect::<Option<Vec<String>>>().unwrap_or_else(as_they_are)
        }
        _ => as_they_are(),
    }
}
