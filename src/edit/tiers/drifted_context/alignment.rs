//! Ways to lay a block on a window of the file with at most one line missing or surplus.

use std::ops::Range;

use super::super::super::base::Base;
use super::super::super::index::describe;
use super::super::super::whole_lines::same_but_blanks;

/// How a block lies on the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alignment {
    /// First line of the base, from 0.
    pub(super) start: usize,
    /// Lines for every line of the block, counted from `start`.
    pub(super) spans: Vec<Range<usize>>,
    pub(super) gap: Gap,
    /// Lines of the block that are not the file's, and lines that one of the two lacks.
    pub(super) differing: usize,
}

/// A line that one side has and the other has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    /// The file has no line for this one of the block.
    Missing(usize),
    /// The file has a line more before this one of the block.
    Surplus(usize),
}

impl Alignment {
    fn new(start: usize, lines: usize, gap: Gap, differing: usize) -> Self {
        let span = |at: usize| match gap {
            Gap::Missing(missing) if at == missing => at..at,
            Gap::Missing(missing) if at > missing => at - 1..at,
            Gap::Surplus(before) if at >= before => at + 1..at + 2,
            _ => at..at + 1,
        };
        Self { start, spans: (0..lines).map(span).collect(), gap, differing }
    }

    /// Lines of the base that it takes in.
    pub(super) fn lines(&self) -> usize {
        self.spans.last().map_or(0, |span| span.end)
    }
}

/// The alignments of `asked` from line `start` on that leave the fewest lines differing.
pub(super) fn alignments(base: &Base<'_>, asked: &[&str], start: usize) -> Vec<Alignment> {
    let differs = |shift: usize| -> Vec<bool> {
        // Shifted by one line back, none, and one on.
        let there = |at: usize| (start + at + shift).checked_sub(1);
        asked
            .iter()
            .enumerate()
            .map(|(at, line)| there(at).is_none_or(|there| !same(base, line, there)))
            .collect()
    };
    let [back, level, on] = [0, 1, 2].map(differs);
    let lines = asked.len();
    let (head, tails) = (sums(&level), [&back, &level, &on].map(|differs| sums(differs)));
    let rest = |shift: usize, from: usize| tails[shift][lines] - tails[shift][from];
    let mut found = vec![(Gap::None, head[lines])];
    // A gap lies between two lines that are the file's.
    let inner = (1..lines).filter(|&at| !level[at - 1]);
    for at in inner {
        if !on[at] {
            found.push((Gap::Surplus(at), head[at] + rest(2, at) + 1));
        }
        if back.get(at + 1) == Some(&false) {
            found.push((Gap::Missing(at), head[at] + rest(0, at + 1) + 1));
        }
    }
    let total = base.index().lines();
    let alignment = |(gap, differing)| Alignment::new(start, lines, gap, differing);
    let mut found: Vec<_> = found.into_iter().map(alignment).collect();
    found.retain(|one| start + one.lines() <= total);
    let fewest = found.iter().map(|one| one.differing).min();
    found.retain(|one| Some(one.differing) == fewest);
    found
}

/// How many of the first lines differ, for every number of lines.
fn sums(differs: &[bool]) -> Vec<usize> {
    let mut sum = 0;
    let running = differs.iter().map(|&differs| {
        sum += usize::from(differs);
        sum
    });
    [0].into_iter().chain(running.collect::<Vec<_>>()).collect()
}

/// Whether the line `at` (from 0) of the base is the line asked for but for blanks.
pub(super) fn same(base: &Base<'_>, asked: &str, at: usize) -> bool {
    base.index().keys().get(at) == Some(&describe(asked).0) && same_but_blanks(asked, base.line(at))
}
