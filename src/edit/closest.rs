//! Regions that come near a text that stands nowhere.

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

const LISTED: usize = 3;
/// Below this a region resembles by accident.
const LEAST: f64 = 0.5;
/// Lines of a shown difference, and characters of a line in it.
const DIFF_LINES: usize = 40;
const DIFF_WIDTH: usize = 200;
/// The mark of rows that are left out of a difference.
const LEFT_OUT: char = '~';
/// Characters of a line that is quoted in a reason.
const QUOTED: usize = 60;
/// New text below this length stands in many places by accident: as whole lines, and within a line.
const TELLING: usize = 3;
const TELLING_INSIDE: usize = 6;
/// Places of the new text that are looked at.
const HITS: usize = 64;

/// The refusal for a text that stands nowhere; with the closest regions if they are wanted.
pub(super) fn not_found(base: &Base<'_>, needle: &Needle<'_>, explain: bool) -> EditRefusalKind {
    let closest = if explain { closest(base, needle) } else { Vec::new() };
    let already_applied = base.done.get() || already_applied(base, needle);
    EditRefusalKind::NotFound { closest, already_applied }
}

/// The refusal for a context line that stands nowhere, with the lines that come near.
pub(super) fn missing_context(base: &Base<'_>, line: &str) -> EditRefusalKind {
    let edit = Edit::new(line, "");
    EditRefusalKind::MissingContext { context: line.to_owned(), closest: closest(base, &Needle::new(&edit)) }
}

/// The refusal for a place that does not tell how a new line is to be indented.
pub(super) fn unclear(
    base: &Base<'_>,
    needle: &Needle<'_>,
    site: &Site,
    unclear: UnclearIndentation,
) -> EditRefusalKind {
    let asked: Vec<&str> = lines(needle.old.trim_matches('\n')).map(|line| line.content).collect();
    let start = base.lines_between(0, line_start(base.text, site.range.start));
    let end = start + base.lines_between(line_start(base.text, site.range.start), site.range.end).max(1);
    let lines_there = start..end;
    let similarity = resemblance(&asked, &contents(base, &lines_there));
    let mut closest = explain(base, &asked, &Region { lines: lines_there, similarity });
    let line = lines(&needle.new).nth(unclear.line).map_or("", |line| line.content.trim());
    closest.reason = format!(
        "the place is here, but indented otherwise, and how the new line `{}` is to be indented does not follow \
         from it: send the old and the new text indented as the file is",
        shortened(line)
    );
    EditRefusalKind::NotFound { closest: vec![closest], already_applied: false }
}

/// A line as it is quoted in a sentence.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => line[..end].to_owned() + "…",
        None => line.to_owned(),
    }
}

/// Whether the new text stands there, and not by accident: as whole lines, or as words of some length.
fn already_applied(base: &Base<'_>, needle: &Needle<'_>) -> bool {
    let new = needle.new.trim_end_matches('\n');
    if new.trim().len() < TELLING || memmem::find(needle.old.as_bytes(), new.as_bytes()).is_some() {
        return false;
    }
    let view = base.view(Level::LineEnds).text();
    let hits = memmem::find_iter(view.as_bytes(), new.as_bytes()).take(HITS);
    hits.into_iter().any(|at| {
        let (before, behind) = (&view[..at], &view[at + new.len()..]);
        let line = |text: &str| text.trim_start_matches(is_blank).is_empty();
        let (head, _) = behind.split_once('\n').unwrap_or((behind, ""));
        let whole = line(&before[line_start(before, before.len())..]) && line(head);
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let apart = !(before.ends_with(word) && new.starts_with(word)
            || behind.starts_with(word) && new.ends_with(word));
        whole || apart && new.trim().len() >= TELLING_INSIDE
    })
}

/// A window of the base's lines, counted from 0.
struct Region {
    lines: Range<usize>,
    similarity: f64,
}

/// Up to three regions, nearest first. Where time is up, none.
fn closest(base: &Base<'_>, needle: &Needle<'_>) -> Vec<Closest> {
    if needle.blank || base.deadline.check().is_err() {
        return Vec::new();
    }
    let asked: Vec<&str> = lines(needle.old.trim_matches('\n')).map(|line| line.content).collect();
    let total = base.index().lines();
    let window = |start: usize| start..(start + asked.len()).min(total);
    let mut regions: Vec<Region> = Vec::new();
    for start in starts(base, &asked) {
        if base.deadline.check().is_err() {
            break;
        }
        let lines = window(start);
        let similarity = resemblance(&asked, &contents(base, &lines));
        regions.push(Region { lines, similarity });
    }
    regions.sort_by(|one, other| {
        other.similarity.total_cmp(&one.similarity).then(one.lines.start.cmp(&other.lines.start))
    });
    let mut listed: Vec<Region> = Vec::new();
    for region in regions.into_iter().filter(|region| region.similarity >= LEAST) {
        let apart =
            |other: &Region| other.lines.end <= region.lines.start || region.lines.end <= other.lines.start;
        if listed.len() < LISTED && listed.iter().all(apart) {
            listed.push(region);
        }
    }
    listed.iter().map(|region| explain(base, &asked, region)).collect()
}

fn contents<'a>(base: &Base<'a>, window: &Range<usize>) -> Vec<&'a str> {
    let lines = base.index().lines_from(base.text, window.start).take(window.len());
    lines.map(|line: Line<'a>| line.content).collect()
}

/// Like the similarity of the texts, but a short text may also resemble a part of a longer line.
fn resemblance(asked: &[&str], there: &[&str]) -> f64 {
    let whole = similarity::of_texts(&asked.join("\n"), &there.join("\n"));
    match (asked, there) {
        ([asked], [there]) if there.len() > asked.len() && there.len() < asked.len() * 4 => {
            // The part of the asked text that is there, in order; in a longer line some of it by accident.
            let found = whole * similarity::share(asked.len() + there.len(), asked.len() * 2);
            whole.max(found * 0.75).min(1.0)
        }
        _ => whole,
    }
}

fn explain(base: &Base<'_>, asked: &[&str], region: &Region) -> Closest {
    let there = contents(base, &region.lines);
    let first = region.lines.start + 1;
    Closest {
        start_line: first,
        end_line: region.lines.end,
        similarity: region.similarity,
        diff: difference(asked, &there, base.deadline),
        reason: reason::of(asked, &there, first),
    }
}

/// Lines asked for against lines that are there. Where that is too long, the lines of both sides from the first
/// that differ, and how many lines are left out.
fn difference<'l>(asked: &[&'l str], there: &[&'l str], deadline: Deadline) -> String {
    let mut rows: Vec<(char, &'l str)> = Vec::new();
    let mut at = 0;
    for (old, new) in runs(asked, there, deadline) {
        push(&mut rows, ' ', &asked[at..old.start], usize::MAX);
        let most = if old.len() + new.len() > DIFF_LINES { DIFF_LINES / 2 } else { DIFF_LINES };
        push(&mut rows, '-', &asked[old.clone()], most);
        push(&mut rows, '+', &there[new], most);
        at = old.end;
    }
    push(&mut rows, ' ', &asked[at..], usize::MAX);
    shown(&rows, asked.len().max(there.len()))
}

/// Adds lines to a difference, at most so many, and a mark where some are left out.
fn push<'l>(rows: &mut Vec<(char, &'l str)>, sign: char, lines: &[&'l str], most: usize) {
    rows.extend(lines.iter().take(most).map(|line| (sign, *line)));
    rows.extend((lines.len() > most).then_some((LEFT_OUT, "")));
}

/// The rows of a difference from shortly before the first that differs, as far as there is room.
fn shown(rows: &[(char, &str)], lines: usize) -> String {
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
