//! Files that others have changed in the lines of the edit, or so that these can be confused with others.

use super::super::ask::Outcome;
use super::super::meant::{changed, foreign};
use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::File;
use super::{Act, Case, Draft, Hunk, draft, inserts, put, single};

/// Returns the case of requests that must be refused, because others have changed the file like this.
fn stale(rng: &mut Rng, draft: &Draft, now: &File) -> Option<Case> {
    let acts = draft.hunks.iter().map(|hunk| Act::Put(put(rng, hunk))).collect();
    let (base, now) = (draft.file.text(), now.text());
    (base != now).then_some(Case { base, now: Some(now), acts, outcome: Outcome::Refused })
}

/// Applies a change of the lines of the edit, and sometimes others elsewhere.
fn changed_here(rng: &mut Rng, draft: &Draft, theirs: Hunk) -> Option<Case> {
    let around = theirs.lines.start.saturating_sub(1)..theirs.lines.end + 1;
    let mut hunks = if rng.percent(50) { foreign(rng, &draft.file, &around) } else { Vec::new() };
    hunks.retain(|hunk| {
        hunk.lines.end < draft.hunk().lines.start || hunk.lines.start > draft.hunk().lines.end
    });
    hunks.push(theirs);
    hunks.sort_by_key(|hunk| hunk.lines.start);
    let now = changed(&draft.file, &hunks)?;
    stale(rng, draft, &now)
}

fn drawn(rng: &mut Rng) -> Option<Draft> {
    single(rng, |hunk| !inserts(hunk))
}

pub(super) fn target_changed(rng: &mut Rng) -> Option<Case> {
    let draft = drawn(rng)?;
    let lines = draft.hunk().lines.clone();
    let at = lines.start + rng.below(lines.len());
    let new = match rng.below(3) {
        0 => draft.file.statement(rng),
        1 => format!("{} {}", draft.text(at), draft.file.statement(rng)),
        _ => draft.hunk().new.first()?.clone(),
    };
    changed_here(rng, &draft, Hunk { lines: at..at + 1, new: vec![new] }).filter(|case| {
        // The statement must not be the same line again.
        case.now.as_ref().is_some_and(|now| now.trim() != case.base.trim())
    })
}

pub(super) fn target_removed(rng: &mut Rng) -> Option<Case> {
    let draft = drawn(rng)?;
    let lines = draft.hunk().lines.clone();
    let text = draft.text(lines.start).trim();
    let alike = draft.file.lines.iter().filter(|line| line.text.trim() == text).count();
    let wide =
        lines.start - rng.below(3).min(lines.start)..(lines.end + rng.below(3)).min(draft.file.lines.len());
    let removed = Hunk { lines: wide, new: Vec::new() };
    (alike >= 1).then(|| changed_here(rng, &draft, removed))?
}

pub(super) fn line_inserted_within(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| hunk.lines.len() > 1)?;
    let lines = draft.hunk().lines.clone();
    let at = lines.start + 1 + rng.below(lines.len() - 1);
    let new = vec![draft.file.statement(rng)];
    changed_here(rng, &draft, Hunk { lines: at..at, new })
}

pub(super) fn line_removed_within(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| hunk.lines.len() > 1)?;
    let lines = draft.hunk().lines.clone();
    let at = lines.start + rng.below(lines.len());
    changed_here(rng, &draft, Hunk { lines: at..at + 1, new: Vec::new() })
}

/// Others change only the indentation of the lines, or the blanks at their ends.
pub(super) fn reindented_meanwhile(rng: &mut Rng) -> Option<Case> {
    let draft = drawn(rng)?;
    let lines = draft.hunk().lines.clone();
    let (unit, behind) = (draft.file.unit, rng.percent(25));
    let other = |at: usize| match draft.text(at) {
        text if text.trim().is_empty() => text.to_owned(),
        text if behind => format!("{text} "),
        text => format!("{unit}{text}"),
    };
    let new = lines.clone().map(other).collect();
    changed_here(rng, &draft, Hunk { lines, new })
}

/// Others insert the lines of the edit, with the ones around, once more directly beside them.
pub(super) fn duplicated_meanwhile(rng: &mut Rng) -> Option<Case> {
    let draft = drawn(rng)?;
    let lines = draft.hunk().lines.clone();
    let wide =
        lines.start - rng.below(4).min(lines.start)..(lines.end + rng.below(4)).min(draft.file.lines.len());
    let copy = wide.clone().map(|at| draft.text(at).to_owned()).collect();
    let now = changed(&draft.file, &[Hunk { lines: wide.end..wide.end, new: copy }])?;
    stale(rng, &draft, &now)
}

/// An equal block is elsewhere, and others remove the one of the edit.
pub(super) fn twin_left_over(rng: &mut Rng) -> Option<Case> {
    let mut draft = drawn(rng)?;
    let size = 1 + rng.below(6);
    let lines = draft.hunk().lines.clone();
    let wide = lines.start - size.min(lines.start)..(lines.end + size).min(draft.file.lines.len());
    let copy: Vec<_> = wide.clone().map(|at| draft.text(at).to_owned()).collect();
    let to = rng.below(draft.file.lines.len());
    if wide.start <= to && to <= wide.end {
        return None;
    }
    let by = copy.len();
    draft.file = changed(&draft.file, &[Hunk { lines: to..to, new: copy }])?;
    let by = if to < wide.start { by.cast_signed() } else { 0 };
    draft.hunks[0] = draft.hunk().moved(by);
    let gone = Hunk { lines: wide, new: Vec::new() }.moved(by);
    let now = changed(&draft.file, &[gone])?;
    stale(rng, &draft, &now)
}

/// Others remove one of two equal lines that follow each other, or are separated by few lines.
pub(super) fn one_of_equal_lines_removed(rng: &mut Rng) -> Option<Case> {
    let mut draft = draft(rng)?;
    let at = rng.below(draft.file.lines.len());
    let line = draft.file.lines[at].clone();
    draft.file = changed(&draft.file, &[Hunk { lines: at..at, new: vec![line.text] }])?;
    let named = at + rng.below(2);
    let new = vec![draft.file.statement(rng)];
    draft.hunks = vec![Hunk { lines: named..named + 1, new }];
    let now = changed(&draft.file, &[Hunk { lines: at..at + 1, new: Vec::new() }])?;
    stale(rng, &draft, &now)
}

/// The lines of one of several edits have changed.
pub(super) fn one_of_several_changed(rng: &mut Rng) -> Option<Case> {
    let draft = draft(rng).filter(|draft| draft.hunks.len() > 1)?;
    let hunk = rng.pick(&draft.hunks).clone();
    let at = hunk.lines.start;
    if hunk.lines.is_empty() {
        return None;
    }
    let new = vec![draft.file.statement(rng)];
    let now = changed(&draft.file, &[Hunk { lines: at..at + 1, new }])?;
    stale(rng, &draft, &now)
}

/// The line before or after an insertion, which the request names, has changed.
pub(super) fn anchor_changed(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| inserts(hunk) && hunk.lines.start > 0)?;
    let at = draft.hunk().lines.start;
    let theirs = |at: usize, text: &str| Hunk { lines: at..at + 1, new: vec![format!("{text} // other")] };
    let beside = [theirs(at - 1, draft.text(at - 1)), theirs(at, &draft.file.lines.get(at)?.text)];
    let now = changed(&draft.file, &beside)?;
    stale(rng, &draft, &now)
}

/// Others convert the indentation of the whole file.
pub(super) fn reformatted_meanwhile(rng: &mut Rng) -> Option<Case> {
    let draft = drawn(rng)?;
    let to = if draft.file.unit == "\t" { "    " } else { "\t" };
    let mut now = draft.file.clone();
    for line in &mut now.lines {
        line.text = super::super::sources::in_unit(&line.text, draft.file.unit, to);
    }
    let indented = draft.hunk().lines.clone().any(|at| !indent(draft.text(at)).is_empty());
    let differs = draft.hunk().lines.clone().any(|at| now.lines[at].text != draft.text(at));
    (indented && differs).then(|| stale(rng, &draft, &now))?
}
