//! Regions that are similar to an old text without a match, and descriptions of the difference.

use std::fmt::Write as _;
use std::ops::Range;

use memchr::memmem;
use unicode_normalization::char::canonical_combining_class;

use super::base::Base;
use super::fold::{Level, Needle, is_blank, is_invisible, plain};
use super::line_diff::runs;
use super::refusal::truncated;
use super::similarity::similar_starts;
use super::tiers::Site;
use super::unwrap::{ENTITIES, without_number};
use super::whole_lines::{bare, split_indent};
use super::{Closest, Deadline, Edit, EditRefusalKind, similarity};
use editd_text::{line_start, lines};

/// Maximum number of regions that are listed.
const MAX_LISTED: usize = 3;
/// Maximum number of differing lines that are listed; more are better seen in the diff.
const MAX_DIFFERING: usize = 3;
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
    EditRefusalKind::NotFound { closest, already_applied, offer: None }
}

/// Creates the refusal for a context line without a match, with the most similar lines.
pub(super) fn missing_context(base: &Base<'_>, line: &str) -> EditRefusalKind {
    let edit = Edit::new(line, "");
    EditRefusalKind::MissingContext { context: line.to_owned(), closest: closest(base, &Needle::new(&edit)) }
}

/// Creates the refusal for a match from which the indentation of a new line does not follow.
pub(super) fn unclear(base: &Base<'_>, needle: &Needle<'_>, site: &Site, line: usize) -> EditRefusalKind {
    let mut closest = at_site(base, needle, site);
    let line = lines(&needle.new).nth(line).map_or("", |line| line.content.trim());
    closest.reason = format!(
        "the text is here with another indentation, and the indentation of the new line `{}` does not follow \
         from it: send the old and the new text indented as the file is",
        truncated(line, MAX_QUOTED)
    );
    EditRefusalKind::NotFound { closest: vec![closest], already_applied: false, offer: None }
}

/// Creates the refusal for several matches that are only tolerated, of which none can be chosen.
pub(super) fn several(base: &Base<'_>, needle: &Needle<'_>, sites: &[Site]) -> EditRefusalKind {
    let closest = sites.iter().take(MAX_LISTED).map(|site| at_site(base, needle, site)).collect();
    EditRefusalKind::NotFound { closest, already_applied: false, offer: None }
}

/// Describes a match as a region that is similar to the old text.
fn at_site(base: &Base<'_>, needle: &Needle<'_>, site: &Site) -> Closest {
    let requested: Vec<&str> = lines(needle.old.trim_matches('\n')).map(|line| line.content).collect();
    let start = base.lines_between(0, line_start(base.text, site.range.start));
    let count = base.lines_between(line_start(base.text, site.range.start), site.range.end).max(1);
    let lines_there = start..start + count;
    let similarity = similarity_to(&requested, &contents(base, &lines_there));
    explain(base, &requested, &Region { lines: lines_there, similarity })
}

/// Returns `true` if the file already has the new text, and not by accident: as whole lines, or as words of
/// some length.
fn already_applied(base: &Base<'_>, needle: &Needle<'_>) -> bool {
    let new = needle.new.trim_end_matches('\n');
    if new.trim().len() < MIN_WHOLE_LINE || memmem::find(needle.old.as_bytes(), new.as_bytes()).is_some() {
        return false;
    }
    let view = &*base.view(Level::LineEndings).text;
    memmem::find_iter(view.as_bytes(), new.as_bytes()).take(MAX_HITS).any(|at| {
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
    let starts = similar_starts(base, &requested).into_iter().take_while(|_| base.deadline.check().is_ok());
    let region = |start: usize| {
        let lines = start..(start + requested.len()).min(total);
        let similarity = similarity_to(&requested, &contents(base, &lines));
        Region { lines, similarity }
    };
    let mut regions: Vec<Region> = starts.map(region).collect();
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
    let lines = base.lines_from(window.start).take(window.len());
    lines.map(|line| line.content).collect()
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
        reason: reason(requested, &actual, first),
    }
}

/// Returns a diff of the requested lines against the actual ones. If it is too long, shows the lines of both
/// sides from the first difference on and the number of lines.
fn difference<'l>(requested: &[&'l str], actual: &[&'l str], deadline: Deadline) -> String {
    let mut rows: Vec<(char, &'l str)> = Vec::new();
    let mut at = 0;
    for (old, new) in runs(requested, actual, deadline) {
        push_rows(&mut rows, ' ', &requested[at..old.start], usize::MAX);
        let most = if old.len() + new.len() > DIFF_LINES { DIFF_LINES / 2 } else { DIFF_LINES };
        push_rows(&mut rows, '-', &requested[old.clone()], most);
        push_rows(&mut rows, '+', &actual[new], most);
        at = old.end;
    }
    push_rows(&mut rows, ' ', &requested[at..], usize::MAX);
    render(&rows, requested.len().max(actual.len()))
}

/// Adds at most `most` lines to a diff, and a marker if some are omitted.
fn push_rows<'l>(rows: &mut Vec<(char, &'l str)>, sign: char, lines: &[&'l str], most: usize) {
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

/// Describes the difference between the actual and the requested lines; empty if there is no short
/// description. `first` is the number of the first line.
fn reason(requested: &[&str], actual: &[&str], first: usize) -> String {
    if requested.len() != actual.len() {
        return String::new();
    }
    let pairs = || requested.iter().copied().zip(actual.iter().copied());
    let differ: Vec<usize> = (0..actual.len()).filter(|&at| requested[at] != actual[at]).collect();
    let Some(&at) = differ.first() else { return String::new() };
    let all = |same: fn(&str, &str) -> bool| pairs().all(|(old, new)| same(old, new));
    let line = first + at;
    if all(|old, new| old.trim() == new.trim()) {
        return indentation_difference(requested[at], actual[at], line);
    }
    if all(|old, new| bare(old) == bare(new)) {
        return character_difference(requested[at], actual[at], line);
    }
    if all(|old, new| without_entities(old).trim() == without_entities(new).trim()) {
        return format!(
            "line {line} has characters such as `<` and `&` where the old text has HTML entities, or the \
                        other way round"
        );
    }
    if all(|old, new| without_number(old).is_some_and(|old| old.trim() == new.trim())) {
        return "the old text has line numbers, and the numbers in the new text do not continue them: send \
                both without line numbers"
            .to_owned();
    }
    if all(|old, new| without_whitespace(old) == without_whitespace(new)) {
        return format!("the whitespace inside line {line} differs");
    }
    if all(|old, new| bare(old).to_lowercase() == bare(new).to_lowercase()) {
        return format!("the letter case differs in line {line}");
    }
    all_but(&differ, requested.len(), first)
}

/// Describes how the indentation of a line differs.
fn indentation_difference(requested: &str, actual: &str, line: usize) -> String {
    let (old, new) = (split_indent(requested).0, split_indent(actual).0);
    if old == new {
        return format!("the trailing whitespace of line {line} differs");
    }
    match (old.contains('\t'), new.contains('\t')) {
        (false, true) => "the file indents with tabs".to_owned(),
        (true, false) => "the file indents with spaces".to_owned(),
        _ => {
            let (new, old) = (counted_whitespace(new), counted_whitespace(old));
            format!("line {line} is indented by {new}, not by {old}")
        }
    }
}

fn counted_whitespace(indent: &str) -> String {
    let unit = if indent.contains('\t') { "tab" } else { "space" };
    let count = indent.chars().count();
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// Decodes the predefined XML entities in a line.
fn without_entities(line: &str) -> String {
    ENTITIES.iter().fold(line.to_owned(), |line, (entity, sign)| line.replace(entity, sign))
}

/// Describes the first invisible character that only one of the lines has.
fn invisible(requested: &str, actual: &str, line: usize) -> Option<String> {
    let invisible_chars = |text: &str| -> Vec<(usize, char)> {
        text.chars().enumerate().filter(|(_, character)| is_invisible(*character)).collect()
    };
    let (old, new) = (invisible_chars(requested), invisible_chars(actual));
    let differing = old.iter().zip(&new).position(|(one, other)| one.1 != other.1);
    let at = differing.unwrap_or(old.len().min(new.len()));
    let (has, &(column, character), has_not) = match (old.get(at), new.get(at)) {
        (_, Some(found)) if new.len() >= old.len() => ("the file", found, "the old text"),
        (Some(found), _) => ("the old text", found, "the file"),
        _ => return None,
    };
    Some(format!(
        "in line {line} {has} has the invisible character U+{:04X} at column {}, {has_not} does not",
        u32::from(character),
        column + 1
    ))
}

/// Describes the first character that differs in the file.
fn character_difference(requested: &str, actual: &str, line: usize) -> String {
    if let Some(description) = invisible(requested, actual, line) {
        return description;
    }
    let (requested, (indent, actual)) = (split_indent(requested).1, split_indent(actual));
    let differing = requested.chars().zip(actual.chars()).position(|(old, new)| old != new);
    let Some((column, character)) = differing.and_then(|at| Some((at, actual.chars().nth(at)?))) else {
        return format!("the trailing whitespace of line {line} differs");
    };
    let name = match &*plain(character.encode_utf8(&mut [0; 4])) {
        "'" | "\"" => "quote",
        "-" => "dash",
        " " => "space",
        _ => "character",
    };
    let marks = actual.chars().skip(column + 1).take_while(|mark| canonical_combining_class(*mark) != 0);
    let points: Vec<_> =
        [character].into_iter().chain(marks).map(|point| format!("U+{:04X}", u32::from(point))).collect();
    let column = indent.chars().count() + column + 1;
    format!("the {name} at column {column} of line {line} is {}", points.join(" "))
}

fn without_whitespace(line: &str) -> String {
    plain(line).chars().filter(|character| !character.is_whitespace()).collect()
}

/// Names the lines that differ, if they are few.
fn all_but(differ: &[usize], count: usize, first: usize) -> String {
    if differ.len() > MAX_DIFFERING || differ.len() * 2 > count {
        return String::new();
    }
    let numbers: Vec<String> = differ.iter().map(|at| (first + at).to_string()).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    format!("lines {first}-{} match except for line{plural} {}", first + count - 1, numbers.join(", "))
}

#[cfg(test)]
mod tests;
