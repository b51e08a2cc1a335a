//! Tier: lines that old and new text share may differ slightly from the file, or one of them may be missing
//! or surplus. Lines that the edit changes must equal the file's.

mod alignment;
mod drift_check;

use std::ops::Range;

use alignment::{Alignment, alignments};
use drift_check::DriftCheck;

use super::super::base::Base;
use super::super::block::Block;
use super::super::closest::candidates::starts;
use super::super::indent::UnclearIndentation;
use super::super::needle::Needle;
use super::super::replacement::ReplacementBuilder;
use super::super::{Splice, TimedOut};
use super::{Hits, Part, Site};

/// Minimum number of lines of a block; in a shorter one no line may differ.
const MIN_LINES: usize = 4;
/// Number of lines by which the match must differ less than any other region.
const LEAD: usize = 2;

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, _: usize) -> Result<Hits, TimedOut> {
    let Some(block) = Block::of(needle).filter(|block| block.core().len() >= MIN_LINES) else {
        return Ok(Hits::default());
    };
    let check = DriftCheck::new(&block, &needle.new, base.deadline);
    base.deadline.check()?;
    let windows = windows(base, &check)?;
    let mut sites: Vec<(Site, Result<Vec<Splice>, UnclearIndentation>)> = Vec::new();
    let mut best: Option<&Window> = None;
    for window in &windows {
        for alignment in &window.alignments {
            if !check.allows(base, alignment)? {
                continue;
            }
            let site = Site { range: 0..0, parts: vec![part(base, &block, alignment)] };
            let site = Site { range: site.parts[0].range.clone(), ..site };
            // An unclear indentation is reported once the match is chosen.
            let splices = ReplacementBuilder::part(base, &site.parts[0], needle);
            if splices.as_ref().is_ok_and(Vec::is_empty) {
                base.is_applied.set(true);
            } else if sites.iter().all(|(_, known)| *known != splices) {
                sites.push((site, splices));
                best = Some(window);
            }
        }
    }
    if let (Some(best), [_]) = (best, &sites[..])
        && windows.iter().any(|other| other.rivals(best, block.core().len()))
    {
        return Ok(Hits::default());
    }
    sites.sort_by_key(|(site, _)| site.range.start);
    Ok(Hits { sites: sites.into_iter().map(|(site, _)| site).collect(), more: false })
}

/// A region of the base that may match the block, with the alignments that leave the fewest lines differing.
struct Window {
    start: usize,
    differing: usize,
    alignments: Vec<Alignment>,
}

impl Window {
    /// Returns `true` if this region is so similar to the block that `best` is not clearly better.
    fn rivals(&self, best: &Self, lines: usize) -> bool {
        self.start.abs_diff(best.start) >= lines && self.differing < best.differing + LEAD
    }
}

fn windows(base: &Base<'_>, check: &DriftCheck<'_>) -> Result<Vec<Window>, TimedOut> {
    let starts_nearby = starts(base, &check.requested).into_iter();
    let mut candidates: Vec<usize> = starts_nearby
        .flat_map(|start| [start.checked_sub(1), Some(start), Some(start + 1)])
        .flatten()
        .collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut windows = Vec::new();
    for start in candidates {
        base.deadline.check()?;
        let alignments = alignments(base, &check.requested, start);
        if let Some(differing) = alignments.first().map(|alignment| alignment.differing) {
            windows.push(Window { start, differing, alignments });
        }
    }
    Ok(windows)
}

/// Returns the part of the block at an alignment, with blank lines at its edges that the file has there too.
fn part(base: &Base<'_>, block: &Block<'_>, alignment: &Alignment) -> Part {
    let count = alignment.lines();
    let mut part = block.part(base, alignment.start, count);
    let start = base.index().start(base.text, alignment.start);
    let before = base.lines_between(part.range.start, start);
    let after = base.lines_between(start, part.range.end) - count;
    let shifted = |span: &Range<usize>| span.start + before..span.end + before;
    let core = alignment.spans.iter().map(shifted);
    let single = |at: usize| at..at + 1;
    let head = (0..before).map(single);
    part.spans = head.chain(core).chain((before + count..before + count + after).map(single)).collect();
    part
}
