//! Lines that are moved or copied by their numbers.

use std::ops::Range;

use editd_edit::LinePlace;

use super::super::ask::Outcome;
use super::super::meant::{self, changed, foreign};
use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::File;
use super::borders::blocks;
use super::drift::is_unmistakable;
use super::{Act, Case, Draft, Hunk, range};

/// Lines to take, and the line before which they are put.
struct Taken {
    file: File,
    lines: Range<usize>,
    to: usize,
}

fn taken(rng: &mut Rng, most: usize) -> Option<Taken> {
    let file = meant::file(rng);
    let size = 1 + rng.below(most);
    let start = rng.below(file.lines.len().checked_sub(size)?);
    let to = rng.below(file.lines.len() + 1);
    let apart = to < start || start + size < to;
    apart.then_some(Taken { file, lines: start..start + size, to })
}

impl Taken {
    fn act(&self, rng: &mut Rng, removes: bool, reindents: bool) -> Act {
        let to = match self.to {
            0 => LinePlace::After(0),
            to if to == self.file.lines.len() => LinePlace::After(to),
            to if rng.percent(50) => LinePlace::After(to),
            to => LinePlace::Before(to + 1),
        };
        Act::Take { lines: range(&self.lines), to, removes, reindents }
    }

    /// Returns the draft with these lines at their new place.
    fn draft(&self, new: Vec<String>, removes: bool) -> Draft {
        let mut hunks = vec![Hunk { lines: self.to..self.to, new }];
        if removes {
            hunks.push(Hunk { lines: self.lines.clone(), new: Vec::new() });
        }
        hunks.sort_by_key(|hunk| hunk.lines.start);
        Draft { file: self.file.clone(), hunks }
    }

    fn texts(&self) -> Vec<String> {
        self.file.lines[self.lines.clone()].iter().map(|line| line.text.clone()).collect()
    }
}

pub(super) fn lines_moved(rng: &mut Rng) -> Option<Case> {
    let taken = taken(rng, 12)?;
    taken.draft(taken.texts(), true).case_of(vec![taken.act(rng, true, false)])
}

pub(super) fn lines_copied(rng: &mut Rng) -> Option<Case> {
    let taken = taken(rng, 12)?;
    taken.draft(taken.texts(), false).case_of(vec![taken.act(rng, false, false)])
}

/// Lines are copied to a place among themselves.
pub(super) fn copied_into_block(rng: &mut Rng) -> Option<Case> {
    let mut taken = taken(rng, 12).filter(|taken| taken.lines.len() > 1)?;
    taken.to = taken.lines.start + 1 + rng.below(taken.lines.len() - 1);
    taken.draft(taken.texts(), false).case_of(vec![taken.act(rng, false, false)])
}

/// Lines are moved after others have changed the file elsewhere.
pub(super) fn lines_moved_and_drifted(rng: &mut Rng) -> Option<Case> {
    let taken = taken(rng, 5).filter(|taken| taken.to > 0 && taken.to < taken.file.lines.len())?;
    let draft = taken.draft(taken.texts(), true);
    let (low, high) = (taken.lines.start.min(taken.to), taken.lines.end.max(taken.to));
    let theirs = foreign(rng, &taken.file, &(low.saturating_sub(2)..high + 2));
    let now = changed(&taken.file, &theirs)?;
    let certain = draft.hunks.iter().all(|hunk| is_unmistakable(&taken.file, &now, hunk));
    certain.then(|| draft.drifted(&theirs, vec![taken.act(rng, true, false)]))?
}

/// Statements are moved into a block of another depth, with the indentation of that block.
pub(super) fn moved_and_reindented(rng: &mut Rng) -> Option<Case> {
    let mut taken = taken(rng, 5)?;
    let found = blocks(&taken.file);
    let block = rng.any(&found)?.clone();
    let (first, last) = (taken.lines.start, taken.lines.end - 1);
    let apart = block.body.end < first || last + 1 < block.opening;
    let deep = |at: usize| indent(&taken.file.lines[at].text).to_owned();
    let (from, to) = (deep(first), deep(block.body.start));
    let filled = |at: usize| !taken.file.lines[at].text.trim().is_empty();
    let regular = |depth: &str| depth.replace(taken.file.unit, "").is_empty();
    let step = to == deep(block.opening) + taken.file.unit;
    if !apart || !step || !filled(first) || !filled(last) || !regular(&from) || !regular(&to) {
        return None;
    }
    let inside = |line: &String| line.trim().is_empty() || line.starts_with(&from);
    let texts = taken.texts();
    let like = |line: &String| match line.strip_prefix(&from) {
        Some(rest) if !line.trim().is_empty() => format!("{to}{rest}"),
        _ => line.clone(),
    };
    let new = texts.iter().map(like).collect();
    taken.to = block.body.start;
    if !texts.iter().all(inside) || from == to {
        return None;
    }
    let removes = rng.percent(60);
    let to = LinePlace::After(taken.to);
    let act = Act::Take { lines: range(&taken.lines), to, removes, reindents: true };
    let case = taken.draft(new, removes).case_of(vec![act])?;
    matches!(case.outcome, Outcome::Becomes { .. }).then_some(case)
}
