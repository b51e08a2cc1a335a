//! Slips with a proof: copied line numbers, omitted indentation, ranges that are off by one.

use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::Grouping;
use super::{Case, Draft, Hunk, Put, inserts, joined, put, puts, replaces, single, spelled};

/// Returns lines with their numbers before them.
pub(super) fn numbered(rng: &mut Rng, hunk: &Hunk, marks: &[&str]) -> Vec<String> {
    let (mark, wide) = (*rng.pick(marks), rng.percent(30));
    let line = |(at, line): (usize, &String)| {
        let number = hunk.lines.start + 1 + at;
        if wide { format!("{number:>6}{mark}{line}") } else { format!("{number}{mark}{line}") }
    };
    hunk.new.iter().enumerate().map(line).collect()
}

/// Signs that follow the number of a line.
pub(super) const MARKS: [&str; 2] = ["\t", "→"];
const OTHER_MARKS: [&str; 4] = ["|", "| ", ": ", " | "];

fn with_numbers(rng: &mut Rng, draft: &Draft, marks: &[&str]) -> Option<Case> {
    let new = Some(joined(&numbered(rng, draft.hunk(), marks)));
    let put = Put { new, ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

pub(super) fn numbers_copied(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| hunk.new.len() > 1)?;
    with_numbers(rng, &draft, &MARKS)
}

pub(super) fn numbers_with_signs(rng: &mut Rng) -> Option<Case> {
    // With levels of one column, and before the stars of comments, the space after a sign may be a level.
    let even = |hunk: &Hunk| hunk.new.iter().all(|line| indent(line).matches(' ').count().is_multiple_of(2));
    let draft = single(rng, |hunk| hunk.new.len() > 1)
        .filter(|draft| draft.file.unit != " " && even(draft.hunk()))?;
    with_numbers(rng, &draft, &OTHER_MARKS)
}

pub(super) fn numbers_of_one_line(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| hunk.new.len() == 1)?;
    with_numbers(rng, &draft, &MARKS)
}

/// Copied line numbers, and then the lines without their indentation.
pub(super) fn numbers_and_no_indentation(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let bare = Hunk { new: bare(&draft)?, ..draft.hunk().clone() };
    let new = Some(joined(&numbered(rng, &bare, &["\t"])));
    let put = Put { new, ..put(rng, &bare) };
    draft.case(vec![put])
}

/// Returns `true` for lines that may stand at the start of a line at any depth: comments, labels, directives
/// and items of lists.
fn stands_anywhere(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(['#', '/', '*', '-', '<', '`']) || line.ends_with(':') || line.starts_with("case ")
}

/// Returns `true` if lines close a block that they did not open.
fn close_outer(lines: &[String]) -> bool {
    let mut depth = 0_i32;
    lines.iter().flat_map(|line| line.chars()).any(|sign| {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        depth < 0
    })
}

/// Returns the new lines without the indentation that all of them have, if their place proves it: the lines
/// around, and the replaced ones, are at least as deep, and the first new line is code. Lines that close an
/// outer block may be meant for its level.
pub(super) fn bare(draft: &Draft) -> Option<Vec<String>> {
    let hunk = draft.hunk();
    let depth = indent(hunk.new.first()?).to_owned();
    let filled = |line: &&str| !line.trim().is_empty();
    let texts: Vec<_> = draft.file.lines.iter().map(|line| line.text.as_str()).collect();
    let before = texts[..hunk.lines.start].iter().rfind(|line| filled(line))?;
    let after = texts[hunk.lines.end..].iter().find(|line| filled(line))?;
    let old = &texts[hunk.lines.clone()];
    let inside = |line: &&str| line.trim().is_empty() || line.starts_with(&depth);
    let proven = [before, after].into_iter().chain(old).all(inside)
        && hunk.new.iter().map(String::as_str).all(|line| inside(&line))
        && old.first().is_none_or(|line| indent(line) == depth);
    // A line of an opened block is deeper than the one that opens it.
    let level = indent(before) == depth || old.first().is_some_and(|line| indent(line) == depth);
    if close_outer(&hunk.new)
        || stands_anywhere(&hunk.new[0]) && hunk.new.len() == 1
        || hunk.new[0].trim().starts_with("- ")
    {
        return None;
    }
    if depth.is_empty() || !proven || !level || draft.file.language.grouping == Grouping::Neither {
        return None;
    }
    Some(hunk.new.iter().map(|line| line.strip_prefix(&depth).unwrap_or_default().to_owned()).collect())
}

fn without_indentation(rng: &mut Rng, draft: &Draft) -> Option<Case> {
    let put = Put { new: Some(joined(&bare(draft)?)), ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

pub(super) fn indentation_omitted(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    without_indentation(rng, &draft)
}

pub(super) fn indentation_omitted_in_insertion(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| inserts(hunk) && puts(hunk))?;
    let at = draft.hunk().lines.start;
    // Both lines beside the place are as deep as the new ones, so the depth is certain.
    let beside = [at.checked_sub(1)?, at];
    let depth = indent(draft.hunk().new.first()?);
    let level = |line: usize| {
        let text = draft.file.lines.get(line).map_or("", |line| line.text.as_str());
        !text.trim().is_empty() && indent(text) == depth
    };
    beside.into_iter().all(level).then(|| without_indentation(rng, &draft))?
}

/// Returns a text without whitespace.
fn tight(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns `true` if the text of a line is at this distance from it, and neither at distance 0 nor at the
/// other side.
fn is_proof(draft: &Draft, line: usize, off: isize) -> bool {
    let named = line.cast_signed() - off;
    let text = |at: isize| {
        let at = usize::try_from(at).ok()?;
        draft.file.lines.get(at).map(|line| tight(&line.text))
    };
    let wanted = tight(draft.text(line));
    wanted.len() > 2 && text(named).is_some_and(|text| text != wanted) && text(named - off) != Some(wanted)
}

/// Returns a request whose numbers are off, with the text of the boundary lines.
pub(super) fn off_by_one(rng: &mut Rng, draft: &Draft, off: isize) -> Option<Put> {
    let lines = draft.hunk().lines.clone();
    let (first, last) = (lines.start, lines.end - 1);
    if !is_proof(draft, first, off) || !is_proof(draft, last, off) {
        return None;
    }
    let wrong = lines.start.checked_add_signed(-off)?..lines.end.checked_add_signed(-off)?;
    let one = first == last && rng.percent(50);
    Some(Put {
        place: spelled(&wrong),
        first: Some(draft.text(first).trim().to_owned()),
        last: (!one).then(|| draft.text(last).trim().to_owned()),
        ..put(rng, draft.hunk())
    })
}

pub(super) fn one_line_too_low(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !hunk.lines.is_empty())?;
    let put = off_by_one(rng, &draft, -1)?;
    draft.case(vec![put])
}

pub(super) fn one_line_too_high(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !hunk.lines.is_empty())?;
    let put = off_by_one(rng, &draft, 1)?;
    draft.case(vec![put])
}

/// Only the first or only the last number is off.
pub(super) fn one_boundary_off(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| hunk.lines.len() > 2)?;
    let lines = draft.hunk().lines.clone();
    let (off, at_start) = (if rng.percent(50) { 1 } else { -1 }, rng.percent(50));
    let proven = if at_start { lines.start } else { lines.end - 1 };
    if !is_proof(&draft, proven, off) {
        return None;
    }
    let mut wrong = lines.clone();
    let bound = if at_start { &mut wrong.start } else { &mut wrong.end };
    *bound = bound.checked_add_signed(-off)?;
    let put = Put {
        place: spelled(&wrong),
        first: Some(draft.text(lines.start).to_owned()),
        last: Some(draft.text(lines.end - 1).to_owned()),
        ..put(rng, draft.hunk())
    };
    let filled =
        [&put.first, &put.last].iter().all(|text| text.as_ref().is_some_and(|t| !t.trim().is_empty()));
    filled.then(|| draft.case(vec![put]))?
}

/// The range is off by one, and the new lines have the numbers of the lines that are meant.
pub(super) fn numbers_and_off_by_one(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let off = if rng.percent(50) { 1 } else { -1 };
    let wrong = off_by_one(rng, &draft, off)?;
    let put = Put { new: Some(joined(&numbered(rng, draft.hunk(), &MARKS))), ..wrong };
    draft.case(vec![put])
}
