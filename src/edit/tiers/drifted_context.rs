//! Lines that old and new text share may differ from the file a little, or one of them may be missing or
//! surplus. Lines that the edit changes have to be the file's.

mod alignment;
mod claim;

use std::ops::Range;

use alignment::{Alignment, alignments};
use claim::Claim;

use super::super::base::Base;
use super::super::block::Block;
use super::super::closest::candidates::starts;
use super::super::indent::UnclearIndentation;
use super::super::needle::Needle;
use super::super::weave::Weave;
use super::super::{Splice, TimedOut};
use super::{Hits, Part, Site};

/// Shorter blocks say too little for a line of them to be wrong.
const FEWEST_LINES: usize = 4;
/// So many lines fewer must differ than in any other region.
const LEAD: usize = 2;

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, _: usize) -> Result<Hits, TimedOut> {
    let Some(block) = Block::of(needle).filter(|block| block.core().len() >= FEWEST_LINES) else {
        return Ok(Hits::default());
    };
    let claim = Claim::new(&block, &needle.new, base.deadline);
    base.deadline.check()?;
    let windows = windows(base, &claim)?;
    let mut sites: Vec<(Site, Result<Vec<Splice>, UnclearIndentation>)> = Vec::new();
    let mut best: Option<&Window> = None;
    for window in &windows {
        for alignment in &window.alignments {
            if !claim.allows(base, alignment)? {
                continue;
            }
            let site = Site { range: 0..0, parts: vec![part(base, &block, alignment)] };
            let site = Site { range: site.parts[0].range.clone(), ..site };
            // Where the indentation is unclear it is said once the place is taken.
            let splices = Weave::part(base, &site.parts[0], needle);
            if splices.as_ref().is_ok_and(Vec::is_empty) {
                base.done.set(true);
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

/// A stretch of the base that the block may lie on, with the ways to lay it there that leave the fewest
/// lines differing.
struct Window {
    start: usize,
    differing: usize,
    alignments: Vec<Alignment>,
}

impl Window {
    /// Whether this region is so like the block that `best` does not clearly lead.
    fn rivals(&self, best: &Self, lines: usize) -> bool {
        self.start.abs_diff(best.start) >= lines && self.differing < best.differing + LEAD
    }
}

fn windows(base: &Base<'_>, claim: &Claim<'_>) -> Result<Vec<Window>, TimedOut> {
    let near = starts(base, &claim.asked).into_iter();
    let mut candidates: Vec<usize> =
        near.flat_map(|start| [start.checked_sub(1), Some(start), Some(start + 1)]).flatten().collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut windows = Vec::new();
    for start in candidates {
        base.deadline.check()?;
        let alignments = alignments(base, &claim.asked, start);
        if let Some(differing) = alignments.first().map(|alignment| alignment.differing) {
            windows.push(Window { start, differing, alignments });
        }
    }
    Ok(windows)
}

/// The part of the block where it is laid, with blank lines at its edges that the file has there too.
fn part(base: &Base<'_>, block: &Block<'_>, alignment: &Alignment) -> Part {
    let count = alignment.lines();
    let mut part = block.part(base, alignment.start, count);
    let start = base.index().start(base.text, alignment.start);
    let before = base.lines_between(part.range.start, start);
    let behind = base.lines_between(start, part.range.end) - count;
    let moved = |span: &Range<usize>| span.start + before..span.end + before;
    let core = alignment.spans.iter().map(moved);
    let single = |at: usize| at..at + 1;
    let head = (0..before).map(single);
    part.spans = head.chain(core).chain((before + count..before + count + behind).map(single)).collect();
    part
}
