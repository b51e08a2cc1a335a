//! Changes as people mean them: a block of a file, and what becomes of each of its lines.

mod steps;

pub(crate) use steps::{frame, gap, is_indented, words_changed};

use std::ops::{Range, RangeInclusive};

use super::plain::{self, bare};
use super::rng::Rng;
use super::sources::File;

/// What becomes of a line.
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

/// A block of the file with what becomes of it, in the file's own words and bytes.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) at: usize,
    pub(crate) steps: Vec<Step>,
}

impl Change {
    /// The lines of the file that it accounts for.
    pub(crate) fn lines(&self) -> Range<usize> {
        let old = self.steps.iter().filter(|step| step.part != Part::Put).count();
        self.at..self.at + old
    }

    /// The block as it is.
    pub(crate) fn old_text(&self) -> String {
        self.joined(Part::Put)
    }

    /// The block as it is to be.
    pub(crate) fn new_text(&self) -> String {
        self.joined(Part::Cut)
    }

    /// Puts new lines before a step.
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

    /// Whether something of the block stays and something comes in its place.
    pub(crate) fn is_sound(&self) -> bool {
        let changes = self.count(Part::Cut) + self.count(Part::Put) > 0;
        changes && self.count(Part::Keep) + self.count(Part::Put) > 0 && self.old_text() != self.new_text()
    }

    /// Whether no line that comes new reads as one that was there: else it is a matter of taste which of
    /// them stayed, and with it which bytes are the file's.
    pub(crate) fn is_clear(&self) -> bool {
        let of = |put: bool| self.steps.iter().filter(move |step| (step.part == Part::Put) == put);
        let reads = |step: &Step| plain::seen(&plain::folded(step.text.trim_end()));
        of(true).all(|put| of(false).all(|old| reads(put) != reads(old))) && !self.cuts_one_of_like_blanks()
    }

    /// Returns whether one of several lines goes that differ in their last blanks only: nobody can tell which one.
    fn cuts_one_of_like_blanks(&self) -> bool {
        let of = |part: Part| self.steps.iter().filter(move |step| step.part == part);
        let like =
            |one: &Step, other: &Step| one.text.trim_end() == other.text.trim_end() && one.text != other.text;
        of(Part::Cut).any(|cut| of(Part::Keep).chain(of(Part::Cut)).any(|other| like(cut, other)))
    }

    /// Pairs of lines (steps' indexes), the first of which is replaced by the second.
    pub(crate) fn replaced(&self) -> Vec<(usize, usize)> {
        let pairs = self.steps.windows(2).enumerate();
        let replaced = pairs.filter(|(_, two)| two[0].part == Part::Cut && two[1].part == Part::Put);
        replaced.map(|(at, _)| (at, at + 1)).collect()
    }

    /// Lines that come in without replacing any.
    pub(crate) fn inserted(&self) -> impl Iterator<Item = &Step> {
        let fresh = |at: usize| at == 0 || self.steps[at - 1].part != Part::Cut;
        let steps = self.steps.iter().enumerate();
        steps.filter(move |(at, step)| step.part == Part::Put && fresh(*at)).map(|(_, step)| step)
    }
}

/// The file with changes made, byte by byte. Nothing where it cannot be said which line ends are right.
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

/// A change of a block of so many lines that begins and ends with words.
pub(crate) fn draw(rng: &mut Rng, file: &File, size: &RangeInclusive<usize>) -> Option<Change> {
    let size = rng.within(size).min(file.lines.len());
    let at = rng.below(file.lines.len() + 1 - size);
    draw_at(rng, file, at..at + size)
}

/// These lines, of which nothing is changed yet; they begin and end with words.
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

/// A block of so many lines, of which nothing is changed yet.
pub(crate) fn block(rng: &mut Rng, file: &File, size: &RangeInclusive<usize>) -> Option<Change> {
    let size = rng.within(size).min(file.lines.len());
    let at = rng.below(file.lines.len() + 1 - size);
    file.ending_of(at..at + size)?;
    keep(file, at..at + size)
}

/// A change of these lines.
pub(crate) fn draw_at(rng: &mut Rng, file: &File, lines: Range<usize>) -> Option<Change> {
    let mut change = keep(file, lines.clone())?;
    for _ in 0..1 + usize::from(rng.percent(35)) + usize::from(rng.percent(15)) {
        steps::alter(rng, file, &mut change.steps);
    }
    (change.is_sound() && file.ending_of(lines).is_some()).then_some(change)
}

/// Whether the block of a change stands once, whatever is tolerated.
pub(crate) fn is_unique(file: &File, change: &Change) -> bool {
    let old = bare(&change.old_text());
    old.len() >= 6 && plain::count(&bare(&file.text()), &old) == 1
}
