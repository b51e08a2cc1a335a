//! Omitted lines, replaced with a marker.

use std::ops::Range;

use super::super::ask::{Ask, AskLine, Case};
use super::super::change::{Part, is_unique};
use super::super::plain::{bare, count, indent};
use super::super::rng::Rng;
use super::super::sources::File;
use super::{Draft, LONG, draft};

/// Returns kept lines that can be omitted because other lines precede and follow them.
pub(super) fn hidden(rng: &mut Rng, ask: &Ask, least: usize) -> Option<Range<usize>> {
    let kept = ask.kept();
    let start = *rng.any(&kept)?;
    let run = ask.lines[start..].iter().take_while(|line| line.part == Part::Keep).count();
    let end = start + least + rng.below(run.saturating_sub(least) + 1);
    (run >= least && start > 0 && end < ask.lines.len()).then_some(start..end)
}

/// Replaces these lines with a marker.
pub(super) fn leave_out(ask: &mut Ask, lines: Range<usize>, mark: &str) {
    let line = AskLine { part: Part::Keep, old: mark.to_owned(), new: mark.to_owned() };
    ask.lines.splice(lines, [line]);
}

/// Returns `true` if the old lines before and after the marker each have a unique match.
fn ends_are_unique(file: &File, ask: &Ask, lines: &Range<usize>) -> bool {
    let text = bare(&file.text());
    let old = |part: &[AskLine]| -> String {
        part.iter().filter(|line| line.part != Part::Put).map(|line| bare(&line.old)).collect()
    };
    let once = |part: &[AskLine]| {
        let old = old(part);
        old.len() >= 6 && count(&text, &old) == 1
    };
    once(&ask.lines[..lines.start]) && once(&ask.lines[lines.end..])
}

/// Returns a marker with the depth of the omitted lines, or at column 0.
pub(super) fn mark(rng: &mut Rng, file: &File, deep: &str, in_words: bool) -> String {
    let (before, behind) = file.language.comment;
    let depth = if rng.percent(75) { indent(deep) } else { "" };
    match (in_words, rng.below(3)) {
        (true, _) => format!("{depth}{before}... existing code ...{behind}"),
        (false, 0) => format!("{depth}{before}...{behind}"),
        (false, _) => format!("{depth}..."),
    }
}

/// Returns a draft with omitted lines whose remaining parts are unique.
pub(super) fn with_elision(rng: &mut Rng, in_words: bool) -> Option<Draft> {
    let (file, change, mut ask) = draft(rng, &LONG)?;
    let lines = hidden(rng, &ask, 2)?;
    if !ends_are_unique(&file, &ask, &lines) || !is_unique(&file, &change) {
        return None;
    }
    let mark = mark(rng, &file, &ask.lines[lines.start].old.clone(), in_words);
    leave_out(&mut ask, lines, &mark);
    Some((file, change, ask))
}

pub(super) fn elided(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = with_elision(rng, false)?;
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn elided_in_words(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = with_elision(rng, true)?;
    Case::tolerated(&file, &change, &ask)
}

/// Two ranges are omitted; the parts before, between and after them are unique.
pub(super) fn elided_twice(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &(10..=30))?;
    let (one, two) = (hidden(rng, &ask, 2)?, hidden(rng, &ask, 2)?);
    let (first, second) = if one.start < two.start { (one, two) } else { (two, one) };
    if first.end >= second.start {
        return None;
    }
    let between = Ask { lines: ask.lines[first.end..].to_vec(), ..ask.clone() };
    let later = second.start - first.end..second.end - first.end;
    let unique = ends_are_unique(&file, &ask, &first) && ends_are_unique(&file, &between, &later);
    let mark = mark(rng, &file, &ask.lines[first.start].old.clone(), false);
    leave_out(&mut ask, second, &mark);
    leave_out(&mut ask, first, &mark);
    Case::tolerated(&file, &change, &ask).filter(|_| unique)
}
