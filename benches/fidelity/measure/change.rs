//! Intended changes: a block of a file, with the change of each of its lines.

mod steps;

pub(crate) use steps::{frame, gap, is_indented, words_changed};

use std::ops::{Range, RangeInclusive};

use super::plain::{self, bare};
use super::rng::Rng;
use super::sources::File;

/// Change of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Keep,
    Cut,
    Put,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) part: Part,
    pub(crate) text: String,
}

/// A block of the file with its changes, in the exact bytes of the file.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) at: usize,
    pub(crate) steps: Vec<Step>,
}

impl Change {
    /// Returns the lines of the file that the change covers.
    pub(crate) fn lines(&self) -> Range<usize> {
        let old = self.steps.iter().filter(|step| step.part != Part::Put).count();
        self.at..self.at + old
    }

    /// Returns the current text of the block.
    pub(crate) fn old_text(&self) -> String {
        self.joined(Part::Put)
    }

    /// Returns the changed text of the block.
    pub(crate) fn new_text(&self) -> String {
        self.joined(Part::Cut)
    }

    /// Inserts new lines before a step.
    pub(crate) fn insert(&mut self, at: usize, lines: &[String]) {
        self.steps.splice(at..at, lines.iter().map(|line| steps::put(line)));
    }

    fn joined(&self, without: Part) -> String {
        let texts = self.steps.iter().filter(|step| step.part != without);
        texts.map(|step| step.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn count(&self, part: Part) -> usize {
        self.steps.iter().filter(|step| step.part == part).count()
    }

    /// Replaces a kept line.
    pub(crate) fn replace(&mut self, at: usize, text: &str) {
        steps::replace(&mut self.steps, at, text);
    }

    /// Returns `true` if the change alters the block and leaves a non-empty result.
    pub(crate) fn is_sound(&self) -> bool {
        let changes = self.count(Part::Cut) + self.count(Part::Put) > 0;
        changes && self.count(Part::Keep) + self.count(Part::Put) > 0 && self.old_text() != self.new_text()
    }

    /// Returns `true` if no new line equals an existing one. Otherwise it would be ambiguous which of them
    /// was kept, and thus which bytes belong to the file.
    pub(crate) fn is_clear(&self) -> bool {
        let of = |put: bool| self.steps.iter().filter(move |step| (step.part == Part::Put) == put);
        let reads = |step: &Step| plain::seen(&plain::folded(step.text.trim_end()));
        of(true).all(|put| of(false).all(|old| reads(put) != reads(old))) && !self.cuts_one_of_like_blanks()
    }

    /// Returns `true` if the change deletes one of several lines that differ only in trailing whitespace,
    /// because it is ambiguous which one.
    fn cuts_one_of_like_blanks(&self) -> bool {
        let of = |part: Part| self.steps.iter().filter(move |step| step.part == part);
        let like =
            |one: &Step, other: &Step| one.text.trim_end() == other.text.trim_end() && one.text != other.text;
        of(Part::Cut).any(|cut| of(Part::Keep).chain(of(Part::Cut)).any(|other| like(cut, other)))
    }

    /// Returns pairs of step indices in which the second line replaces the first.
    pub(crate) fn replaced(&self) -> Vec<(usize, usize)> {
        let pairs = self.steps.windows(2).enumerate();
        let replaced = pairs.filter(|(_, two)| two[0].part == Part::Cut && two[1].part == Part::Put);
        replaced.map(|(at, _)| (at, at + 1)).collect()
    }

    /// Returns the new lines that do not replace another line.
    pub(crate) fn inserted(&self) -> impl Iterator<Item = &Step> {
        let fresh = |at: usize| at == 0 || self.steps[at - 1].part != Part::Cut;
        let steps = self.steps.iter().enumerate();
        steps.filter(move |(at, step)| step.part == Part::Put && fresh(*at)).map(|(_, step)| step)
    }
}

/// Returns the exact bytes of the file after the changes. Returns `None` if the correct line endings are
/// ambiguous.
pub(crate) fn result(file: &File, changes: &[Change]) -> Option<String> {
    let mut changes: Vec<&Change> = changes.iter().collect();
    changes.sort_by_key(|change| change.at);
    let mut text = String::from(if file.bom { "\u{FEFF}" } else { "" });
    let mut copied = 0;
    for change in changes {
        let lines = change.lines();
        if lines.start < copied {
            return None;
        }
        copy(&mut text, file, copied..lines.start);
        text.push_str(&region(file, change)?);
        copied = lines.end;
    }
    copy(&mut text, file, copied..file.lines.len());
    Some(text)
}

fn copy(text: &mut String, file: &File, lines: Range<usize>) {
    text.extend(file.lines[lines].iter().flat_map(|line| [line.text.as_str(), line.ending]));
}

fn region(file: &File, change: &Change) -> Option<String> {
    let ending = file.ending_of(change.lines())?;
    let last = file.lines[change.lines()].last()?.ending;
    let kept: Vec<_> = change.steps.iter().filter(|step| step.part != Part::Cut).collect();
    let texts: Vec<_> = kept.iter().map(|step| step.text.as_str()).collect();
    match (texts.is_empty(), last) {
        (true, "") => None,
        (true, _) => Some(String::new()),
        _ => Some(texts.join(ending) + last),
    }
}

/// Generates a change of a block of this size that begins and ends with non-blank lines.
pub(crate) fn draw(rng: &mut Rng, file: &File, size: &RangeInclusive<usize>) -> Option<Change> {
    let size = rng.within(size).min(file.lines.len());
    let at = rng.below(file.lines.len() + 1 - size);
    draw_at(rng, file, at..at + size)
}

/// Returns an empty change of these lines. They must begin and end with non-blank lines.
pub(crate) fn keep(file: &File, lines: Range<usize>) -> Option<Change> {
    let block = file.lines.get(lines.clone())?;
    let blank = |text: &str| text.trim().is_empty();
    if block.is_empty() || blank(&block[0].text) || blank(&block[block.len() - 1].text) {
        return None;
    }
    let keep = |text: &String| Step { part: Part::Keep, text: text.clone() };
    let steps = block.iter().map(|line| keep(&line.text)).collect();
    Some(Change { at: lines.start, steps })
}

/// Returns an empty change of a random block of this size.
pub(crate) fn block(rng: &mut Rng, file: &File, size: &RangeInclusive<usize>) -> Option<Change> {
    let size = rng.within(size).min(file.lines.len());
    let at = rng.below(file.lines.len() + 1 - size);
    file.ending_of(at..at + size)?;
    keep(file, at..at + size)
}

/// Generates a change of these lines.
pub(crate) fn draw_at(rng: &mut Rng, file: &File, lines: Range<usize>) -> Option<Change> {
    let mut change = keep(file, lines.clone())?;
    for _ in 0..1 + usize::from(rng.percent(35)) + usize::from(rng.percent(15)) {
        steps::alter(rng, file, &mut change.steps);
    }
    (change.is_sound() && file.ending_of(lines).is_some()).then_some(change)
}

/// Returns `true` if the block of a change occurs exactly once, even with maximum tolerance.
pub(crate) fn is_unique(file: &File, change: &Change) -> bool {
    let old = bare(&change.old_text());
    old.len() >= 6 && plain::count(&bare(&file.text()), &old) == 1
}
