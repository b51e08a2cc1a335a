//! Alignment of a block with a window of the file, with at most one line missing or surplus.

use std::ops::Range;

use super::super::super::base::Base;
use super::super::super::index::key_and_pairs;
use super::super::super::whole_lines::eq_ignoring_whitespace;

/// An alignment of a block with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Alignment {
    /// First line of the base, from 0.
    pub(super) start: usize,
    /// Lines of the file for every line of the block, counted from `start`.
    pub(super) spans: Vec<Range<usize>>,
    pub(super) gap: Gap,
    /// Number of lines of the block that differ from the file's, including the missing or surplus line.
    pub(super) differing: usize,
}

/// A line that only one side has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    /// The file lacks this line of the block.
    Missing(usize),
    /// The file has an extra line before this line of the block.
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

    /// Returns the number of lines of the base that the alignment covers.
    pub(super) fn lines(&self) -> usize {
        self.spans.last().map_or(0, |span| span.end)
    }
}

/// Returns the alignments of `requested` from line `start` on that leave the fewest lines differing.
pub(super) fn alignments(base: &Base<'_>, requested: &[&str], start: usize) -> Vec<Alignment> {
    let differs = |shift: usize| -> Vec<bool> {
        // `shift` is 0 for one line back, 1 for none, 2 for one line on.
        let actual = |at: usize| (start + at + shift).checked_sub(1);
        requested
            .iter()
            .enumerate()
            .map(|(at, line)| actual(at).is_none_or(|actual| !same(base, line, actual)))
            .collect()
    };
    let [back, level, on] = [0, 1, 2].map(differs);
    let lines = requested.len();
    let (head, tails) = (prefix_sums(&level), [&back, &level, &on].map(|differs| prefix_sums(differs)));
    let rest = |shift: usize, from: usize| tails[shift][lines] - tails[shift][from];
    let mut found = vec![(Gap::None, head[lines])];
    // A gap must be between two lines that equal the file's.
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

/// Returns the prefix sums: how many of the first n lines differ, for every n.
fn prefix_sums(differs: &[bool]) -> Vec<usize> {
    let mut sum = 0;
    let running = differs.iter().map(|&differs| {
        sum += usize::from(differs);
        sum
    });
    [0].into_iter().chain(running.collect::<Vec<_>>()).collect()
}

/// Returns `true` if line `at` (from 0) of the base equals the requested line except for whitespace.
pub(super) fn same(base: &Base<'_>, requested: &str, at: usize) -> bool {
    base.index().keys().get(at) == Some(&key_and_pairs(requested).0)
        && eq_ignoring_whitespace(requested, base.line(at))
}
