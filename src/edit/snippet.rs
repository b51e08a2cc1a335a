//! Numbered excerpts of a text.

use super::occurrences::numbered;
use crate::text::{line_end, lines};

/// Maximum number of lines of a snippet; the middle of a longer one is cut.
const MAX_LINES: usize = 60;

/// Returns the lines `first..=last` (from 1) of `text` with `context` lines around them, each with its number
/// and a tab. Long lines and long snippets are cut.
pub fn snippet(text: &str, first: usize, last: usize, context: usize) -> String {
    let start_line = first.saturating_sub(context).max(1);
    let end_line = last.max(first).saturating_add(context);
    let Some(start) = lines(text).nth(start_line - 1).map(|line| line.start) else { return String::new() };
    if end_line - start_line < MAX_LINES {
        return numbered(take(text, start, end_line - start_line + 1), start_line);
    }
    let half = MAX_LINES / 2;
    let head = numbered(take(text, start, half), start_line);
    let tail_line = end_line + 1 - half;
    let Some(tail) = lines(text).nth(tail_line - 1).map(|line| line.start) else { return head };
    format!("{head}…\n{}", numbered(take(text, tail, half), tail_line))
}

fn take(text: &str, start: usize, count: usize) -> &str {
    let end = (0..count).fold(start, |at, _| line_end(text, at).1);
    &text[start..end]
}
