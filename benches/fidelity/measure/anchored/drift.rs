//! Files that others have changed between read and edit, where the lines of the edit are unchanged.

use std::ops::Range;

use super::super::ask::Outcome;
use super::super::meant::{changed, foreign, shift};
use super::super::rng::Rng;
use super::super::sources::File;
use super::borders::{Reach, inside};
use super::slips::{MARKS, numbered, off_by_one};
use super::{Act, Case, Draft, Hunk, Put, draft, inserts, joined, put, replaces, single};

/// Returns the lines of a hunk: those that are replaced, or the two beside an insertion.
fn touched(hunk: &Hunk) -> Range<usize> {
    if hunk.lines.is_empty() {
        hunk.lines.start.saturating_sub(1)..hunk.lines.end + 1
    } else {
        hunk.lines.clone()
    }
}

/// Returns `true` if a line of a hunk, at its place in the base, occurs nowhere else, then and now.
pub(super) fn is_unmistakable(base: &File, now: &File, hunk: &Hunk) -> bool {
    let once = |file: &File, text: &str| {
        file.lines.iter().filter(|line| line.text.trim() == text.trim()).count() == 1
    };
    let lines = touched(hunk);
    let lines = lines.start..lines.end.min(base.lines.len());
    let telling = |text: &str| text.split_whitespace().collect::<String>().len() >= 6;
    let unique = |text: &str| telling(text) && once(base, text) && once(now, text);
    let (start, end) = (lines.start.saturating_sub(1), (lines.end + 1).min(base.lines.len()));
    // The lines beside it must not occur twice in a row either, or the place among them is uncertain.
    base.lines[lines].iter().all(|line| unique(&line.text))
        && base.lines[start..end].windows(2).all(|two| two[0].text.trim() != two[1].text.trim())
}

impl Draft {
    /// Returns the case of these requests after others have changed the file elsewhere.
    pub(super) fn drifted(&self, theirs: &[Hunk], acts: Vec<Act>) -> Option<Case> {
        let now = changed(&self.file, theirs)?;
        let moved = |hunk: &Hunk| hunk.moved(shift(theirs, hunk.lines.start));
        let hunks: Vec<_> = self.hunks.iter().map(moved).collect();
        let draft = Draft { file: now, hunks };
        let outcome = draft.becomes()?;
        let (base, now) = (self.file.text(), draft.file.text());
        if base == now {
            return None;
        }
        Some(Case { base, now: Some(now), acts: self.existing(acts), outcome })
    }

    /// Returns lines that others must leave as they are, so that the place stays certain.
    fn kept(&self) -> Range<usize> {
        let starts = self.hunks.iter().map(|hunk| touched(hunk).start).min().unwrap_or(0);
        let ends = self.hunks.iter().map(|hunk| touched(hunk).end).max().unwrap_or(0);
        starts.saturating_sub(1)..ends + 1
    }

    /// Returns the case after changes elsewhere. Every line of the hunks must be unmistakable.
    fn drifted_elsewhere(&self, rng: &mut Rng, acts: Vec<Act>) -> Option<Case> {
        let theirs = foreign(rng, &self.file, &self.kept());
        let now = changed(&self.file, &theirs)?;
        let certain = self.hunks.iter().all(|hunk| is_unmistakable(&self.file, &now, hunk));
        certain.then(|| self.drifted(&theirs, acts))?
    }
}

impl Case {
    /// Allows a refusal as well.
    fn or_refused(self) -> Self {
        let outcome = match self.outcome {
            Outcome::Becomes { text, lines } => Outcome::BecomesOrRefused { text, lines },
            other => other,
        };
        Self { outcome, ..self }
    }
}

pub(super) fn changed_elsewhere(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !inserts(hunk))?;
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    draft.drifted_elsewhere(rng, acts)
}

pub(super) fn changed_elsewhere_insertion(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, inserts)?;
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    draft.drifted_elsewhere(rng, acts)
}

pub(super) fn changed_elsewhere_several(rng: &mut Rng) -> Option<Case> {
    let draft = draft(rng).filter(|draft| draft.hunks.len() > 1)?;
    let acts = draft.hunks.iter().map(|hunk| Act::Put(put(rng, hunk))).collect();
    draft.drifted_elsewhere(rng, acts)
}

/// Others convert all line endings, and may change lines elsewhere as well.
pub(super) fn line_ends_converted(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !inserts(hunk))?;
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    let mut other = draft.clone();
    let from = draft.file.ending_of(0..draft.file.lines.len())?;
    other.file.set_ending(if from == "\n" { "\r\n" } else { "\n" });
    let case = if rng.percent(50) { other.case_of(acts)? } else { other.drifted_elsewhere(rng, acts)? };
    let now = case.now.unwrap_or(case.base);
    is_unmistakable(&draft.file, &draft.file, draft.hunk()).then(|| Case {
        base: draft.file.text(),
        now: Some(now),
        ..case
    })
}

pub(super) fn changed_elsewhere_and_numbers(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let new = Some(joined(&numbered(rng, draft.hunk(), &MARKS)));
    let acts = vec![Act::Put(Put { new, ..put(rng, draft.hunk()) })];
    draft.drifted_elsewhere(rng, acts)
}

pub(super) fn changed_elsewhere_and_borders(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole)?;
    let closing = inside.line(inside.block.closing?);
    let new = [vec![inside.line(inside.block.opening)], inside.draft.hunk().new.clone(), vec![closing]];
    let acts = vec![Act::Put(Put { new: Some(joined(&new.concat())), ..put(rng, inside.draft.hunk()) })];
    inside.draft.drifted_elsewhere(rng, acts)
}

pub(super) fn changed_elsewhere_and_off_by_one(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !inserts(hunk))?;
    let off = if rng.percent(50) { 1 } else { -1 };
    let acts = vec![Act::Put(off_by_one(rng, &draft, off)?)];
    draft.drifted_elsewhere(rng, acts)
}

/// Any lines, also braces and blank ones, after any changes elsewhere, also directly beside them.
pub(super) fn any_line_drifted(rng: &mut Rng) -> Option<Case> {
    let draft = draft(rng)?;
    let at = rng.below(draft.file.lines.len());
    let new = vec![draft.file.statement(rng)];
    let size = rng.below(3).min(draft.file.lines.len() - at);
    let draft = Draft { hunks: vec![Hunk { lines: at..at + size, new }], ..draft };
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    let theirs = foreign(rng, &draft.file, &draft.hunk().lines);
    // An equal line beside the place makes it uncertain which of them is the same one.
    let now = changed(&draft.file, &theirs)?;
    let start = at.saturating_add_signed(shift(&theirs, at));
    let around = start.saturating_sub(6)..(start + size + 6).min(now.lines.len());
    let texts: Vec<_> = now.lines[around].iter().map(|line| line.text.trim()).collect();
    let filled = |text: &&&str| !text.is_empty();
    let single =
        texts.iter().filter(filled).all(|text| texts.iter().filter(|other| *other == text).count() == 1);
    (draft.is_plain() && single).then(|| draft.drifted(&theirs, acts))?.map(Case::or_refused)
}

/// Returns lines around a hunk that begin and end at blank lines, or at the ends of the file.
fn paragraph(file: &File, hunk: &Hunk) -> Range<usize> {
    let blank = |at: usize| file.lines[at].text.trim().is_empty();
    let start = (0..hunk.lines.start).rev().find(|&at| blank(at)).map_or(0, |at| at + 1);
    let end = (hunk.lines.end..file.lines.len()).find(|&at| blank(at)).unwrap_or(file.lines.len());
    start..end
}

/// Returns another paragraph that is not next to this one.
fn other_paragraph(rng: &mut Rng, file: &File, from: &Range<usize>) -> Option<Range<usize>> {
    let at = rng.below(file.lines.len());
    let other = paragraph(file, &Hunk { lines: at..at, new: Vec::new() });
    let apart = other.end + 2 <= from.start || from.end + 2 <= other.start;
    (!other.is_empty() && apart && other.end < file.lines.len()).then_some(other)
}

fn texts(file: &File, lines: &Range<usize>) -> Vec<String> {
    file.lines[lines.clone()].iter().map(|line| line.text.clone()).collect()
}

/// Others move another paragraph past the lines of the edit.
pub(super) fn block_moved_elsewhere(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !inserts(hunk))?;
    let home = paragraph(&draft.file, draft.hunk());
    let other = other_paragraph(rng, &draft.file, &home)?;
    let past = if other.start < home.start { home.end + 1 } else { home.start };
    let moved = [texts(&draft.file, &other), vec![String::new()]].concat();
    let mut theirs = vec![
        Hunk { lines: other.start..other.end + 1, new: Vec::new() },
        Hunk { lines: past..past, new: moved },
    ];
    theirs.sort_by_key(|hunk| hunk.lines.start);
    let (now, kept) = (changed(&draft.file, &theirs)?, draft.kept());
    let near = home.start + 1 > kept.start || home.end < kept.end || past > draft.file.lines.len();
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    let certain = !near && is_unmistakable(&draft.file, &now, draft.hunk());
    // A move may also be read as one of the lines of the edit in the other direction.
    certain.then(|| draft.drifted(&theirs, acts))?
}

/// Others move the paragraph with the lines of the edit.
pub(super) fn block_moved(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !inserts(hunk))?;
    let home = paragraph(&draft.file, draft.hunk());
    let to = other_paragraph(rng, &draft.file, &home)?.start;
    let block = [texts(&draft.file, &home), vec![String::new()]].concat();
    let mut theirs = vec![
        Hunk { lines: home.start..(home.end + 1).min(draft.file.lines.len()), new: Vec::new() },
        Hunk { lines: to..to, new: block },
    ];
    theirs.sort_by_key(|hunk| hunk.lines.start);
    let now = changed(&draft.file, &theirs)?;
    let by = now.lines.iter().position(|line| line.text == draft.file.lines[home.start].text)?;
    let hunk = draft.hunk().moved(by.cast_signed() - home.start.cast_signed());
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    let certain = is_unmistakable(&draft.file, &now, draft.hunk())
        && is_unmistakable(&draft.file, &now, &Hunk { lines: home.start..home.start + 1, new: Vec::new() });
    let there = Draft { file: now, hunks: vec![hunk] };
    let outcome = certain.then(|| there.becomes())??;
    let case = Case { base: draft.file.text(), now: Some(there.file.text()), acts, outcome };
    Some(case.or_refused())
}

/// Others copy the paragraph with the lines of the edit to another place.
pub(super) fn copy_elsewhere(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !inserts(hunk))?;
    let home = paragraph(&draft.file, draft.hunk());
    let to = other_paragraph(rng, &draft.file, &home)?.start;
    let copy = [texts(&draft.file, &home), vec![String::new()]].concat();
    let theirs = [Hunk { lines: to..to, new: copy }];
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    draft.drifted(&theirs, acts).map(Case::or_refused)
}

/// Two paragraphs have equal lines; others remove the other one.
pub(super) fn other_twin_removed(rng: &mut Rng) -> Option<Case> {
    let mut draft = single(rng, |hunk| !inserts(hunk))?;
    let home = paragraph(&draft.file, draft.hunk());
    let to = other_paragraph(rng, &draft.file, &home)?.start;
    let size = home.len() + 1;
    let copy = [texts(&draft.file, &home), vec![String::new()]].concat();
    draft.file = changed(&draft.file, &[Hunk { lines: to..to, new: copy }])?;
    if to <= home.start {
        draft.hunks[0] = draft.hunk().moved(size.cast_signed());
    }
    let theirs = [Hunk { lines: to..to + size, new: Vec::new() }];
    let acts = vec![Act::Put(put(rng, draft.hunk()))];
    draft.drifted(&theirs, acts).map(Case::or_refused)
}
