//! Deletes a declaration.

use super::super::symbol::Separator;
use super::{Site, SymbolChange};
use editd_edit::Splice;

/// Deletes a symbol.
pub(super) fn delete(site: &Site<'_>) -> SymbolChange {
    delete_run(site, site)
}

/// Deletes neighbors, with what is between them. `site` is the first one.
pub(super) fn delete_run(site: &Site<'_>, last: &Site<'_>) -> SymbolChange {
    let mut range = site.symbol.range.start..last.symbol.range.end;
    let mut splices = Vec::new();
    let separator = match (site.symbol.separator, last.symbol.separator) {
        (Separator::Comma { before, .. }, Separator::Comma { after, .. }) => {
            Separator::Comma { before, after }
        }
        _ => Separator::None,
    };
    if site.symbol.parts.whole_lines && last.symbol.parts.whole_lines {
        range = with_blank_lines((site, last), range);
        // The last line of the text has no line ending: then the line that becomes the last has none either.
        if range.end == site.text.len() && !site.text.ends_with(['\n', '\r']) {
            let before = &site.text[..range.start];
            let bare = before.strip_suffix("\r\n").or_else(|| before.strip_suffix(['\n', '\r']));
            range.start = bare.map_or(range.start, str::len);
        }
        if let Separator::Comma { after: None, before: Some(comma) } = separator {
            splices.push(Splice { range: comma..comma + 1, text: String::new() });
        }
    } else {
        let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        match separator {
            Separator::Comma { after: Some(after), .. } => {
                range.end = after + 1;
                range.end += blanks(&site.text[range.end..]);
            }
            Separator::Comma { after: None, before: Some(before) } => range = before..last.symbol.parts.end,
            _ => {
                let behind = range.end + blanks(&site.text[range.end..]);
                if site.text[behind..].starts_with(['\n', '\r']) || behind == site.text.len() {
                    range.start = site.text[..range.start].trim_end_matches([' ', '\t']).len();
                } else {
                    range.end = behind;
                }
            }
        }
    }
    if splices.iter().any(|comma| comma.range.start >= range.start) {
        splices.clear();
    }
    splices.push(Splice { range, text: String::new() });
    SymbolChange::of(splices)
}

/// Extends whole lines by the blank lines that separated them from one neighbor.
fn with_blank_lines(
    (site, last): (&Site<'_>, &Site<'_>),
    range: std::ops::Range<usize>,
) -> std::ops::Range<usize> {
    let lines = &site.lines;
    let first = lines.of(range.start);
    let next = if range.end >= site.text.len() { lines.count() } else { lines.of(range.end) };
    let before = (0..first).rev().take_while(|&line| lines.is_blank(line)).count();
    let after = (next..lines.count()).take_while(|&line| lines.is_blank(line)).count();
    let (is_first, is_last) = (site.is_first_in_block(), last.is_last_in_block());
    let (before, after) = match (is_first, is_last) {
        (true, true) => (0, 0),
        (true, false) => (0, after),
        (false, false) if after <= before => (0, after),
        (false, _) => (before, 0),
    };
    if before == 0 {
        range.start..lines.start(next + after).max(range.end)
    } else {
        lines.start(first - before)..range.end
    }
}
