//! Requests that must be refused: no such lines, or other text than they state.

use editd_edit::{LinePlace, LineRange};

use super::super::rng::Rng;
use super::{Act, Case, Draft, Place, Put, draft, put, replaces, single};

fn lines(first: usize, last: usize) -> Place {
    Place::Lines(format!("{first}-{last}"))
}

fn replaced(rng: &mut Rng, place: impl Fn(&Draft, &mut Rng) -> Place) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let place = place(&draft, rng);
    let put = Put { place, ..put(rng, draft.hunk()) };
    Some(draft.refused(vec![Act::Put(put)]))
}

pub(super) fn beyond_the_end(rng: &mut Rng) -> Option<Case> {
    replaced(rng, |draft, rng| {
        let total = draft.file.lines.len();
        let far = total + 1 + rng.below(9);
        match rng.below(4) {
            0 => lines(total, far),
            1 => lines(far, far + rng.below(3)),
            2 => Place::At(LinePlace::After(far)),
            _ => Place::At(LinePlace::Before(far + 1)),
        }
    })
}

pub(super) fn reversed_range(rng: &mut Rng) -> Option<Case> {
    replaced(rng, |draft, rng| {
        let first = 2 + rng.below(draft.file.lines.len() - 1);
        lines(first, 1 + rng.below(first - 1))
    })
}

pub(super) fn line_zero(rng: &mut Rng) -> Option<Case> {
    replaced(rng, |draft, rng| match rng.below(3) {
        0 => Place::Lines("0".to_owned()),
        1 => lines(0, draft.hunk().lines.end),
        _ => Place::At(LinePlace::Before(0)),
    })
}

pub(super) fn overlapping(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| replaces(hunk) && hunk.lines.len() > 1)?;
    let range = &draft.hunk().lines;
    let mut other = put(rng, draft.hunk());
    other.place = lines(range.start + 1 + rng.below(range.len()), range.end + rng.below(2));
    if rng.percent(30) {
        other.new = None;
    }
    let other_end = draft.file.lines.len() <= range.end;
    let mut acts = vec![Act::Put(put(rng, draft.hunk())), Act::Put(other)];
    rng.shuffle(&mut acts);
    (!other_end).then(|| draft.refused(acts))
}

pub(super) fn same_line_twice(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let (one, mut other) = (put(rng, draft.hunk()), put(rng, draft.hunk()));
    if rng.percent(50) {
        other.new = rng.percent(50).then(|| draft.file.statement(rng));
    }
    Some(draft.refused(vec![Act::Put(one), Act::Put(other)]))
}

pub(super) fn inserted_within_replaced(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| hunk.lines.len() > 1)?;
    let range = &draft.hunk().lines;
    let inner = range.start + 1 + rng.below(range.len() - 1);
    let place = if rng.percent(50) { LinePlace::After(inner) } else { LinePlace::Before(inner + 1) };
    let new = Some(draft.file.statement(rng));
    let other = Put { place: Place::At(place), new, first: None, last: None };
    let mut acts = vec![Act::Put(put(rng, draft.hunk())), Act::Put(other)];
    rng.shuffle(&mut acts);
    Some(draft.refused(acts))
}

fn tight(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The stated text of a boundary is not there.
pub(super) fn boundary_text_differs(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !hunk.lines.is_empty())?;
    let (first, last) = (rng.percent(60), rng.percent(60));
    let text = draft.file.statement(rng);
    if draft.file.lines.iter().any(|line| tight(&line.text) == tight(&text)) || !first && !last {
        return None;
    }
    let put = Put {
        first: first.then(|| text.clone()),
        last: last.then(|| text.clone()),
        ..put(rng, draft.hunk())
    };
    Some(draft.refused(vec![Act::Put(put)]))
}

/// The stated text of the first or last line is two lines or more away.
pub(super) fn boundary_text_two_lines_off(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !hunk.lines.is_empty())?;
    let lines = draft.hunk().lines.clone();
    let (at_start, off) = (rng.percent(50), 2 + rng.below(3));
    let bound = if at_start { lines.start } else { lines.end - 1 };
    let there = if rng.percent(50) { bound.checked_sub(off)? } else { bound + off };
    let text = draft.file.lines.get(there)?.text.clone();
    let near = bound.saturating_sub(1)..(bound + 2).min(draft.file.lines.len());
    let is_near = near.into_iter().any(|at| tight(draft.text(at)) == tight(&text));
    if is_near || text.trim().is_empty() {
        return None;
    }
    let mut put = put(rng, draft.hunk());
    let stated = if at_start { &mut put.first } else { &mut put.last };
    *stated = Some(text);
    Some(draft.refused(vec![Act::Put(put)]))
}

/// The lines on both sides of the named one have the stated text.
pub(super) fn boundary_text_at_both_neighbors(rng: &mut Rng) -> Option<Case> {
    let mut draft = single(rng, |hunk| !hunk.lines.is_empty() && hunk.lines.start > 0)?;
    let at = draft.hunk().lines.start;
    let text = draft.file.lines.get(at + 1)?.text.clone();
    if text.trim().is_empty() || tight(&text) == tight(draft.text(at)) {
        return None;
    }
    draft.file.lines[at - 1].text.clone_from(&text);
    draft.hunks[0].lines.end = at + 1;
    let put = Put { first: Some(text), ..put(rng, &draft.hunks[0].clone()) };
    Some(draft.refused(vec![Act::Put(put)]))
}

/// Lines are moved to a place among themselves.
pub(super) fn moved_into_itself(rng: &mut Rng) -> Option<Case> {
    let draft = draft(rng)?;
    let size = 2 + rng.below(5);
    let start = rng.below(draft.file.lines.len().checked_sub(size)?);
    let inner = start + 1 + rng.below(size - 1);
    let lines = LineRange { start: start + 1, end: start + size };
    let to = if rng.percent(50) { LinePlace::After(inner) } else { LinePlace::Before(inner + 1) };
    Some(draft.refused(vec![Act::Take { lines, to, removes: true, reindents: false }]))
}
