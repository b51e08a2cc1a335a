//! Sections of Markdown.

use super::super::grammar::heading_level;
use super::super::lines::Lines;
use super::super::symbol::Symbol;
use super::Found;

/// Extends each heading to its section: down to the next heading of its level or above, without the blank
/// lines before that one.
pub(super) fn nest(text: &str, symbols: &mut [Symbol], found: &[Found<'_>]) {
    let lines = Lines::new(text);
    let levels: Vec<usize> = found.iter().map(|found| heading_level(found.node)).collect();
    let starts: Vec<usize> = symbols.iter().map(|symbol| symbol.range.start).collect();
    let mut open: Vec<usize> = Vec::new();
    let mut ends = vec![text.len(); symbols.len()];
    for (at, &level) in levels.iter().enumerate() {
        while let Some(&last) = open.last().filter(|&&last| levels[last] >= level) {
            ends[last] = starts[at];
            open.pop();
        }
        symbols[at].parent = open.last().copied();
        open.push(at);
    }
    for (symbol, end) in symbols.iter_mut().zip(ends) {
        let heading_end = symbol.range.end;
        let content = text[..end].trim_end().len().max(symbol.parts.end);
        let last = lines.of(content.saturating_sub(1).max(symbol.range.start));
        symbol.block = 0..text.len();
        symbol.range.end = lines.end(last).max(heading_end);
        symbol.lines = lines.range(&symbol.range);
        symbol.parts.end = content;
        let start = content - text[heading_end.min(content)..content].trim_start().len();
        symbol.body = (start < content).then(|| lines.start(lines.of(start))..content);
    }
}
