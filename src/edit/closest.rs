//! Regions that are similar to an old text without a match.

pub(super) mod candidates;
mod reason;

use std::fmt::Write as _;
use std::ops::Range;

use memchr::memmem;

use candidates::starts;

use super::base::Base;
use super::fold::{Level, is_blank};
use super::indent::UnclearIndentation;
use super::line_diff::runs;
use super::needle::Needle;
use super::tiers::Site;
use super::{Closest, Deadline, Edit, EditRefusalKind, similarity};
use crate::text::{Line, line_start, lines};

const MAX_LISTED: usize = 3;
/// Minimum similarity; below this a region is similar by accident.
const MIN_SIMILARITY: f64 = 0.5;
/// Maximum number of lines of a diff, and of characters per line in it.
const DIFF_LINES: usize = 40;
const DIFF_WIDTH: usize = 200;
/// Marker of rows that are omitted from a diff.
const LEFT_OUT: char = '~';
/// Maximum number of characters of a line quoted in a reason.
const MAX_QUOTED: usize = 60;
/// Minimum length of a new text for it to count as already applied: as whole lines, and within a line. A
/// shorter one occurs by accident.
const MIN_WHOLE_LINE: usize = 3;
const MIN_WITHIN_LINE: usize = 6;
/// Maximum number of occurrences of the new text that are checked.
const MAX_HITS: usize = 64;

/// Creates the refusal for an old text without a match; with the closest regions if `explain` is set.
pub(super) fn not_found(base: &Base<'_>, needle: &Needle<'_>, explain: bool) -> EditRefusalKind {
    let closest = if explain { closest(base, needle) } else { Vec::new() };
    let already_applied = base.is_applied.get() || already_applied(base, needle);
    EditRefusalKind::NotFound { closest, already_applied }
}

/// Creates the refusal for a context line without a match, with the most similar lines.
pub(super) fn missing_context(base: &Base<'_>, line: &str) -> EditRefusalKind {
    let edit = Edit::new(line, "");
    EditRefusalKind::MissingContext { context: line.to_owned(), closest: closest(base, &Needle::new(&edit)) }
}

/// Creates the refusal for a match from which the indentation of a new line does not follow.
pub(super) fn unclear(
    base: &Base<'_>,
    needle: &Needle<'_>,
    site: &Site,
    unclear: UnclearIndentation,
) -> EditRefusalKind {
    let requested: Vec<&str> = lines(needle.old.trim_matches('\n')).map(|line| line.content).collect();
    let start = base.lines_between(0, line_start(base.text, site.range.start));
    let end = start + base.lines_between(line_start(base.text, site.range.start), site.range.end).max(1);
    let window = start..end;
    let similarity = similarity_to(&requested, &contents(base, &window));
    let mut closest = explain(base, &requested, &Region { lines: window, similarity });
    let line = lines(&needle.new).nth(unclear.line).map_or("", |line| line.content.trim());
    closest.reason = format!(
        "the text is here with another indentation, and the indentation of the new line `{}` does not follow \
         from it: send the old and the new text indented as the file is",
        shortened(line)
    );
    EditRefusalKind::NotFound { closest: vec![closest], already_applied: false }
}

/// Shortens a line for a quotation.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => line[..end].to_owned() + "…",
        None => line.to_owned(),
    }
}

/// Returns `true` if the file already has the new text, and not by accident: as whole lines, or as words of
/// some length.
fn already_applied(base: &Base<'_>, needle: &Needle<'_>) -> bool {
    let new = needle.new.trim_end_matches('\n');
    if new.trim().len() < MIN_WHOLE_LINE || memmem::find(needle.old.as_bytes(), new.as_bytes()).is_some() {
        return false;
    }
    let view = base.view(Level::LineEndings).text();
    let hits = memmem::find_iter(view.as_bytes(), new.as_bytes()).take(MAX_HITS);
    hits.into_iter().any(|at| {
        let (before, after) = (&view[..at], &view[at + new.len()..]);
        let line = |text: &str| text.trim_start_matches(is_blank).is_empty();
        let (head, _) = after.split_once('\n').unwrap_or((after, ""));
        let whole = line(&before[line_start(before, before.len())..]) && line(head);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let apart = !(before.ends_with(word) && new.starts_with(word)
            || after.starts_with(word) && new.ends_with(word));
        whole || apart && new.trim().len() >= MIN_WITHIN_LINE
    })
}

/// A window of the base's lines, counted from 0.
struct Region {
    lines: Range<usize>,
    similarity: f64,
}

/// Returns up to three regions, most similar first. After the deadline it returns none.
fn closest(base: &Base<'_>, needle: &Needle<'_>) -> Vec<Closest> {
    if needle.blank || base.deadline.check().is_err() {
        return Vec::new();
    }
    let requested: Vec<&str> = lines(needle.old.trim_matches('\n')).map(|line| line.content).collect();
    let total = base.index().lines();
    let window = |start: usize| start..(start + requested.len()).min(total);
    let mut regions: Vec<Region> = Vec::new();
    for start in starts(base, &requested) {
        if base.deadline.check().is_err() {
            break;
        }
        let lines = window(start);
        let similarity = similarity_to(&requested, &contents(base, &lines));
        regions.push(Region { lines, similarity });
    }
    regions.sort_by(|one, other| {
        other.similarity.total_cmp(&one.similarity).then(one.lines.start.cmp(&other.lines.start))
    });
    let mut listed: Vec<Region> = Vec::new();
    for region in regions.into_iter().filter(|region| region.similarity >= MIN_SIMILARITY) {
        let apart =
            |other: &Region| other.lines.end <= region.lines.start || region.lines.end <= other.lines.start;
        if listed.len() < MAX_LISTED && listed.iter().all(apart) {
            listed.push(region);
        }
    }
    listed.iter().map(|region| explain(base, &requested, region)).collect()
}

fn contents<'a>(base: &Base<'a>, window: &Range<usize>) -> Vec<&'a str> {
    let lines = base.index().lines_from(base.text, window.start).take(window.len());
    lines.map(|line: Line<'a>| line.content).collect()
}

/// Returns the similarity of the texts; a short text may also be similar to a part of a longer line.
fn similarity_to(requested: &[&str], actual: &[&str]) -> f64 {
    let whole = similarity::of_texts(&requested.join("\n"), &actual.join("\n"));
    match (requested, actual) {
        ([requested], [actual]) if actual.len() > requested.len() && actual.len() < requested.len() * 4 => {
            // The share of the requested text that is present, in order; in a longer line some of it by
            // accident.
            let found = whole * similarity::share(requested.len() + actual.len(), requested.len() * 2);
            whole.max(found * 0.75).min(1.0)
        }
        _ => whole,
    }
}

fn explain(base: &Base<'_>, requested: &[&str], region: &Region) -> Closest {
    let actual = contents(base, &region.lines);
    let first = region.lines.start + 1;
    Closest {
        start_line: first,
        end_line: region.lines.end,
        similarity: region.similarity,
        diff: difference(requested, &actual, base.deadline),
        reason: reason::of(requested, &actual, first),
    }
}

/// Returns a diff of the requested lines against the actual ones. If it is too long, shows the lines of both
/// sides from the first difference on and the number of lines.
fn difference<'l>(requested: &[&'l str], actual: &[&'l str], deadline: Deadline) -> String {
    let mut rows: Vec<(char, &'l str)> = Vec::new();
    let mut at = 0;
    for (old, new) in runs(requested, actual, deadline) {
        push(&mut rows, ' ', &requested[at..old.start], usize::MAX);
        let most = if old.len() + new.len() > DIFF_LINES { DIFF_LINES / 2 } else { DIFF_LINES };
        push(&mut rows, '-', &requested[old.clone()], most);
        push(&mut rows, '+', &actual[new], most);
        at = old.end;
    }
    push(&mut rows, ' ', &requested[at..], usize::MAX);
    render(&rows, requested.len().max(actual.len()))
}

/// Adds at most `most` lines to a diff, and a marker if some are omitted.
fn push<'l>(rows: &mut Vec<(char, &'l str)>, sign: char, lines: &[&'l str], most: usize) {
    rows.extend(lines.iter().take(most).map(|line| (sign, *line)));
    rows.extend((lines.len() > most).then_some((LEFT_OUT, "")));
}

/// Renders the rows of a diff from shortly before the first difference on, up to the size limit.
fn render(rows: &[(char, &str)], lines: usize) -> String {
    const BEFORE: usize = 3;
    let first = rows.iter().position(|(sign, _)| *sign != ' ').unwrap_or(0);
    let from = if rows.len() > DIFF_LINES { first.saturating_sub(BEFORE) } else { 0 };
    let mut text = String::new();
    let kept = &rows[from..rows.len().min(from + DIFF_LINES)];
    for (sign, line) in kept.iter().filter(|(sign, _)| *sign != LEFT_OUT) {
        let end = line.char_indices().nth(DIFF_WIDTH).map_or(line.len(), |(at, _)| at);
        text.extend([sign.encode_utf8(&mut [0; 4]), &line[..end], "\n"]);
    }
    if kept.len() < rows.len() || kept.iter().any(|(sign, _)| *sign == LEFT_OUT) {
        let _ = writeln!(text, "[cut: only a part of {lines} lines is shown]");
    }
    text
}

#[cfg(test)]
mod tests;
