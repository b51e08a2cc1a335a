//! Intended changes as lists of lines: what is replaced, and by which lines.

use std::ops::Range;

use super::change::{Change, Part};
use super::plain::indent;
use super::rng::Rng;
use super::sources::{self, File, Line};
use super::stored::{self, Fashion};

/// Lines that are replaced with new ones. An empty range is the place of an insertion.
#[derive(Clone, Debug)]
pub(crate) struct Hunk {
    pub(crate) lines: Range<usize>,
    pub(crate) new: Vec<String>,
}

impl Hunk {
    pub(crate) fn new(lines: Range<usize>, new: &[String]) -> Self {
        Self { lines, new: new.to_vec() }
    }

    pub(crate) fn moved(&self, by: isize) -> Self {
        let to = |at: usize| at.saturating_add_signed(by);
        Self { lines: to(self.lines.start)..to(self.lines.end), new: self.new.clone() }
    }
}

/// Returns a text to edit: generated, of the corpus, or of the project.
pub(crate) fn file(rng: &mut Rng) -> File {
    let file = match rng.below(10) {
        0 | 1 => stored::file(rng, Fashion::Levels),
        2 => stored::file(rng, Fashion::Columns),
        _ => sources::file(rng, None),
    };
    File { bom: false, ..file }
}

/// Returns the hunks of a change.
pub(crate) fn hunks(change: &Change) -> Vec<Hunk> {
    let (mut found, mut at): (Vec<Hunk>, _) = (Vec::new(), change.at);
    let mut open = false;
    for step in &change.steps {
        if step.part == Part::Keep {
            at += 1;
            open = false;
            continue;
        }
        if !open {
            found.push(Hunk { lines: at..at, new: Vec::new() });
        }
        open = true;
        if let Some(hunk) = found.last_mut() {
            if step.part == Part::Put {
                hunk.new.push(step.text.clone());
            } else {
                at += 1;
                hunk.lines.end = at;
            }
        }
    }
    found
}

/// Returns the file after these hunks, which are sorted. New lines have the line ending of the lines around
/// them, and a missing one at the end of the file stays missing. Returns `None` if the lines around have
/// different endings, or if nothing is left.
pub(crate) fn changed(file: &File, hunks: &[Hunk]) -> Option<File> {
    let (mut lines, mut copied): (Vec<Line>, usize) = (Vec::new(), 0);
    for hunk in hunks {
        let around = hunk.lines.start.saturating_sub(1)..(hunk.lines.end + 1).min(file.lines.len());
        let ending = file.ending_of(around)?;
        lines.extend_from_slice(file.lines.get(copied..hunk.lines.start)?);
        if let Some(line) = lines.last_mut().filter(|line| line.ending.is_empty()) {
            line.ending = ending;
        }
        lines.extend(hunk.new.iter().map(|text| Line { text: text.clone(), ending }));
        copied = hunk.lines.end;
    }
    lines.extend_from_slice(file.lines.get(copied..)?);
    if file.lines.last()?.ending.is_empty() {
        lines.last_mut()?.ending = "";
    }
    (!lines.is_empty()).then(|| File { lines, blocks: Vec::new(), ..file.clone() })
}

/// Returns hunks elsewhere: away from `kept` lines, which stay as they are.
pub(crate) fn foreign(rng: &mut Rng, file: &File, kept: &Range<usize>) -> Vec<Hunk> {
    let mut found: Vec<Hunk> = Vec::new();
    for _ in 0..12 {
        let start = rng.below(file.lines.len() + 1);
        let size = if rng.percent(50) { 0 } else { 1 + rng.below(3) };
        let lines = start..(start + size).min(file.lines.len());
        let statement = |rng: &mut Rng| {
            let near = file.lines[start.min(file.lines.len() - 1)].text.clone();
            format!("{}{}", indent(&near), file.statement(rng))
        };
        let most = if rng.percent(15) { 30 } else { 4 };
        let new = match (lines.is_empty(), rng.percent(40)) {
            (false, true) => Vec::new(),
            _ => (0..=rng.below(most)).map(|_| statement(rng)).collect(),
        };
        let apart = |other: &Range<usize>| lines.end < other.start || other.end < lines.start;
        if apart(kept) && found.iter().all(|hunk| apart(&hunk.lines)) {
            found.push(Hunk { lines, new });
        }
        if rng.percent(40) && !found.is_empty() {
            break;
        }
    }
    found.sort_by_key(|hunk| hunk.lines.start);
    found
}

/// Returns the number of lines by which a line moves that comes after some of these hunks.
pub(crate) fn shift(hunks: &[Hunk], line: usize) -> isize {
    let before = hunks.iter().filter(|hunk| hunk.lines.end <= line);
    before.map(|hunk| hunk.new.len().cast_signed() - hunk.lines.len().cast_signed()).sum()
}
