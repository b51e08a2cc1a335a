//! Lines that are only `...` stand for lines of the file, in old and new alike.

use std::ops::Range;

use super::super::base::Base;
use super::super::block::Block;
use super::super::elided::is_elision;
use super::super::needle::Needle;
use super::super::whole_lines::{closes_block, depth, is_blank_line, same_but_blanks};
use super::{Hits, Part, Site, TimedOut};
use crate::text::lines;

/// Stretches of a request, and places of one of them: more than these are not tried out.
const STRETCHES: usize = 32;
const PLACES: usize = 100_000;

/// A stretch between elisions, and the lines (from 0) at which it can stand.
struct Segment<'n> {
    block: Block<'n>,
    changed: bool,
    starts: Vec<usize>,
}

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, _: usize) -> Result<Hits, TimedOut> {
    let Some(blocks) = segments(needle) else { return Ok(Hits::default()) };
    let mut found = Vec::with_capacity(blocks.len());
    for (block, changed) in blocks {
        let (starts, more) = block.places(base, PLACES, same_but_blanks)?;
        if starts.is_empty() || more && !changed {
            return Ok(Hits::default());
        }
        found.push(Segment { block, changed, starts });
    }
    if let Some(several) = found.iter().find(|segment| segment.changed && segment.starts.len() > 1) {
        // The order alone does not say which one is meant.
        return Ok(every_place(base, several));
    }
    Ok(if can_follow(base, &found) { outcome(base, &found) } else { Hits::default() })
}

/// The stretches between elisions, and whether each is changed; nothing where old and new do not leave out
/// as often, or something is asked for in a stretch that says nothing.
fn segments<'n>(needle: &'n Needle<'_>) -> Option<Vec<(Block<'n>, bool)>> {
    let (old, new) = (stretches(&needle.old), stretches(&needle.new));
    if old.len() < 2 || old.len() != new.len() || old.len() > STRETCHES {
        return None;
    }
    let mut blocks = Vec::new();
    for (old, new) in old.into_iter().zip(new) {
        let (asked, written) = (&needle.old[old.clone()], &needle.new[new.clone()]);
        match Block::new((asked, old.start), (written, new.start)) {
            Some(block) => blocks.push((block, asked != written)),
            None if asked.trim() == written.trim() => {}
            None => return None,
        }
    }
    (!blocks.is_empty()).then_some(blocks)
}

/// The bytes between the elisions of a text; one more than there are elisions.
fn stretches(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in lines(text).filter(|line| is_elision(line.content)) {
        found.push(start..line.start);
        start = line.end();
    }
    found.push(start..text.len());
    found
}

/// Whether the stretches can lie in order so that what is left out between two of them is of one block.
fn can_follow(base: &Base<'_>, segments: &[Segment<'_>]) -> bool {
    let Some((first, rest)) = segments.split_first() else { return false };
    let mut ends: Vec<usize> = first.starts.iter().map(|start| start + first.block.core().len()).collect();
    for segment in rest {
        let follows = |&start: &usize| ends.iter().any(|&end| end <= start && same_block(base, end, start));
        // Among too many places it is not tried out.
        let starts = segment.starts.iter().copied().filter(|start| ends.len() <= TRIED && follows(start));
        ends = starts.take(TRIED).map(|start| start + segment.block.core().len()).collect();
    }
    !ends.is_empty()
}

/// Places of a stretch from which the next one is looked for.
const TRIED: usize = 64;

/// Whether the lines `end..start` of the base, which are left out, are of one block where they have to be:
/// from a line that opens a block to a deeper one, all are in that block.
fn same_block(base: &Base<'_>, end: usize, start: usize) -> bool {
    let last = base.line(end.saturating_sub(1));
    let (before, behind) = (depth(last), depth(base.line(start)));
    let left_out = || {
        let lines = base.index().lines_from(base.text, end).take(start - end);
        lines.filter(|line| !is_blank_line(line.content)).map(|line| depth(line.content))
    };
    let opens = !closes_block(last) && left_out().next().is_some_and(|next| next > before);
    !opens || behind <= before || left_out().all(|depth| depth > before)
}

/// The only places of the stretches that change. Where unchanged ones lie makes no difference.
fn outcome(base: &Base<'_>, segments: &[Segment<'_>]) -> Hits {
    let changed = segments.iter().filter(|segment| segment.changed);
    let parts = changed.filter_map(|segment| Some(segment.part(base, *segment.starts.first()?)));
    Hits { sites: Site::of_parts(parts.collect()).into_iter().collect(), more: false }
}

/// Every place of one stretch.
fn every_place(base: &Base<'_>, segment: &Segment<'_>) -> Hits {
    let site = |&line: &usize| Site::of_parts(vec![segment.part(base, line)]);
    Hits { sites: segment.starts.iter().filter_map(site).collect(), more: false }
}

impl Segment<'_> {
    fn part(&self, base: &Base<'_>, line: usize) -> Part {
        self.block.part(base, line, self.block.core().len())
    }
}
