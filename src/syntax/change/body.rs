//! Replaces the body of a declaration.

use std::ops::Range;

use super::super::lines::indentation;
use super::super::{BadText, Language, SymbolRefusal};
use super::indent::{New, Placed, content, placed, unit};
use super::replace::UNEVEN;
use super::{Site, SymbolChange};
use editd_edit::{LineRange, Splice};
use editd_text::count_line_ends;

pub(super) fn replace_body(site: &Site<'_>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let Some(body) = site.symbol.body.clone() else {
        return Err(SymbolRefusal::WithoutBody { lines: site.symbol.lines });
    };
    if is_delimited(site, &body) {
        return inside(site, body, new);
    }
    if site.lines.is_first(body.start) {
        return lines_of(site, body, new);
    }
    value(site, body, new)
}

/// Returns the lines of a body that shares them with no other code.
pub(super) fn lines(site: &Site<'_>) -> Result<LineRange, SymbolRefusal> {
    let symbol = site.symbol;
    let Some(body) = symbol.body.clone() else {
        return Err(SymbolRefusal::WithoutBody { lines: symbol.lines });
    };
    let text = &site.text[body.clone()];
    let range = body.start + (text.len() - text.trim_start().len())..body.start + text.trim_end().len();
    let in_line = SymbolRefusal::BodyInLine { lines: symbol.lines };
    if range.is_empty() || !site.lines.is_first(range.start) || !is_last(site, range.end) {
        return Err(in_line);
    }
    let (mut start, end) = (site.lines.of(range.start) + 1, site.lines.of(range.end - 1) + 1);
    if site.outline.language == Language::Python && is_documentation(site.lines.content(start - 1)) {
        let end_of = |body: &str| documentation_end(body).map(|end| count_line_ends(&body[..end]));
        start += end_of(&site.text[range.clone()]).unwrap_or_default() + 1;
        start += (start..=end).take_while(|line| site.lines.is_blank(line - 1)).count();
    }
    if start <= end { Ok(LineRange { start, end }) } else { Err(in_line) }
}

/// Returns `true` if only whitespace is behind an offset in its line.
fn is_last(site: &Site<'_>, offset: usize) -> bool {
    let end = site.lines.end(site.lines.of(offset.saturating_sub(1))).max(offset);
    site.text[offset..end].trim().is_empty()
}

/// Returns `true` for the first line of a string that is a whole statement of Python.
fn is_documentation(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['r', 'R', 'u', 'U']);
    let is_quoted = |quote: &str| line.strip_prefix(quote).is_some_and(|rest| rest.ends_with(quote));
    line.starts_with("\"\"\"") || line.starts_with("'''") || is_quoted("\"") || is_quoted("'")
}

/// Returns the offset behind the string in three quotes with which a text of Python begins.
fn documentation_end(text: &str) -> Option<usize> {
    let prefix = text.len() - text.trim_start_matches(['r', 'R', 'u', 'U']).len();
    let quotes = ["\"\"\"", "'''"].into_iter().find(|quotes| text[prefix..].starts_with(quotes))?;
    let mut at = prefix + quotes.len();
    loop {
        let rest = text.get(at..)?;
        let close = rest.find(quotes)?;
        match rest.find('\\').filter(|escape| *escape < close) {
            Some(escape) => at += escape + 1 + rest[escape + 1..].chars().next().map_or(0, char::len_utf8),
            None => return Some(at + close + quotes.len()),
        }
    }
}

/// Returns `true` if delimiters around the body stay.
fn is_delimited(site: &Site<'_>, body: &Range<usize>) -> bool {
    let (before, after) = (&site.text[..body.start], &site.text[body.end..]);
    let is_block = match site.outline.language {
        Language::Lua => after.starts_with("end"),
        #[cfg(feature = "all-grammars")]
        Language::Ruby => after.starts_with("end"),
        Language::Html => true,
        _ => false,
    };
    is_block || before.ends_with('{') && after.starts_with('}')
}

/// Replaces the text inside delimiters. Blank lines and spaces beside the delimiters stay.
fn inside(site: &Site<'_>, body: Range<usize>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let mut change = SymbolChange::default();
    let old = &site.text[body.clone()];
    let has_lines = old.contains(['\n', '\r']);
    let mut new = without_braces(site, &body, new, &mut change);
    let mut start = body.start + (old.len() - old.trim_start().len());
    let end = body.start + old.trim_end().len();
    if old.trim().is_empty() {
        start = body.start;
    }
    // A comment behind the opening delimiter stays.
    let first_line = site.text[start..end.max(start)].lines().next().unwrap_or_default();
    let is_comment = site.grammar.comment_marks.iter().any(|mark| first_line.starts_with(mark));
    if has_lines && is_comment && !site.lines.is_first(start) && !first_line.contains("*/") {
        let rest = new.trim_start();
        new = rest.strip_prefix(first_line.trim_end()).unwrap_or(new);
        start += first_line.len();
        start += site.text[start..end.max(start)].len() - site.text[start..end.max(start)].trim_start().len();
    }
    if new.trim().is_empty() {
        let range = if has_lines { start..end.max(start) } else { body };
        let rest = &site.text[range.end..site.lines.end(site.lines.of(range.end)).max(range.end)];
        let are_whole = has_lines && site.lines.is_first(range.start) && rest.trim().is_empty();
        let range = if are_whole { whole_lines(site, range) } else { range };
        change.splices.push(Splice { range, text: String::new() });
        return Ok(change);
    }
    let lines = content(new);
    if !has_lines && lines.len() == 1 {
        let text = lines[0].trim().to_owned();
        let is_tag = site.outline.language == Language::Html;
        let spaced = if old.trim().is_empty() && !is_tag { format!(" {text} ") } else { text };
        let range = if old.trim().is_empty() { body } else { start..end };
        change.splices.push(Splice { range, text: spaced });
        return Ok(change);
    }
    if has_lines && start < end && !site.lines.is_first(start) {
        let mut inline = value(site, start..end, new)?;
        inline.warnings = change.warnings;
        return Ok(inline);
    }
    let is_on_own_lines = has_lines && start < end && site.lines.is_first(start);
    let target = if is_on_own_lines {
        site.lines.indentation(start).to_owned()
    } else {
        format!("{}{}", site.lines.indentation(body.start), unit(site))
    };
    let placed = block(site, new, &target, &mut change)?;
    let text = site.joined(&placed.lines);
    let splice = if is_on_own_lines {
        Splice { range: site.lines.start(site.lines.of(start))..end, text }
    } else {
        let line_indent = site.lines.indentation(if has_lines { body.end } else { body.start });
        Splice { range: body, text: [site.ending, &text, site.ending, line_indent].concat() }
    };
    change.splices.push(splice);
    Ok(change)
}

/// Extends a range to the whole lines that it touches.
fn whole_lines(site: &Site<'_>, range: Range<usize>) -> Range<usize> {
    let last = site.lines.of(range.end.saturating_sub(1).max(range.start));
    site.lines.start(site.lines.of(range.start))..site.lines.end(last)
}

/// Removes braces around a new body, if they enclose all of it.
fn without_braces<'n>(
    site: &Site<'_>,
    body: &Range<usize>,
    new: &'n str,
    change: &mut SymbolChange,
) -> &'n str {
    let trimmed = new.trim();
    let inner = trimmed.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
    let Some(inner) = inner.filter(|_| site.text[..body.start].ends_with('{')) else { return new };
    let mut open = 0_i64;
    let is_enclosed = inner.bytes().all(|byte| {
        open += i64::from(byte == b'{') - i64::from(byte == b'}');
        open >= 0
    });
    let was_enclosed = site.text[body.clone()].trim().starts_with('{');
    if !is_enclosed || open != 0 || was_enclosed {
        return new;
    }
    change
        .warnings
        .push("the braces around the new body were removed, because the declaration has them".to_owned());
    inner
}

/// Replaces a body that consists of whole lines without delimiters.
fn lines_of(site: &Site<'_>, body: Range<usize>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let mut change = SymbolChange::default();
    let target = site.lines.indentation(body.start).to_owned();
    let placed = block(site, new, &target, &mut change)?;
    let start = site.lines.start(site.lines.of(body.start));
    change.splices.push(Splice { range: start..body.end, text: site.joined(&placed.lines) });
    Ok(change)
}

fn block(
    site: &Site<'_>,
    new: &str,
    target: &str,
    change: &mut SymbolChange,
) -> Result<Placed, SymbolRefusal> {
    let placed = placed(site, new, target, New::Body)?;
    if placed.is_uneven {
        change.warnings.push(UNEVEN.to_owned());
    }
    Ok(placed)
}

/// Replaces a value within a line. Further lines are shifted if the new text begins at the margin.
fn value(site: &Site<'_>, body: Range<usize>, new: &str) -> Result<SymbolChange, SymbolRefusal> {
    let lines = content(new);
    let Some((first, rest)) = lines.split_first() else {
        return Err(SymbolRefusal::BadText { reason: BadText::Blank });
    };
    let target = site.lines.indentation(body.start);
    let is_short = |line: &&&str| !line.trim().is_empty() && !indentation(line).starts_with(target);
    let shift =
        if rest.iter().any(|line| is_short(&line)) && !first.starts_with([' ', '\t']) { target } else { "" };
    let mut text = first.trim_start().to_owned();
    for line in rest {
        text.push_str(site.ending);
        if !line.trim().is_empty() {
            text.push_str(shift);
        }
        text.push_str(line);
    }
    text.truncate(text.trim_end().len());
    let has_end = |text: &str| text.ends_with([';', ',']);
    if has_end(&text)
        && site.text[body.end..].trim_start().starts_with([';', ','])
        && !has_end(&site.text[body.clone()])
    {
        text.truncate(text.len() - 1);
    }
    Ok(SymbolChange::of(vec![Splice { range: body, text }]))
}
