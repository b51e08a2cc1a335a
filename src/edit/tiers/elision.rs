//! Tier: a line that is only `...` represents lines of the file, in old and new text alike.

use std::ops::Range;

use super::super::base::Base;
use super::super::block::Block;
use super::super::elided::is_elision;
use super::super::needle::Needle;
use super::super::whole_lines::{closes_block, depth, eq_ignoring_whitespace, is_blank_line};
use super::{Hits, Part, Site, TimedOut};
use crate::text::lines;

/// Maximum number of segments of a request, and of matches of one segment.
const MAX_SEGMENTS: usize = 32;
const MAX_MATCHES: usize = 100_000;

/// The text between two elisions, with the lines (from 0) at which it matches.
struct Segment<'n> {
    block: Block<'n>,
    changed: bool,
    starts: Vec<usize>,
}

pub(super) fn locate(base: &Base<'_>, needle: &Needle<'_>, _: usize) -> Result<Hits, TimedOut> {
    let Some(blocks) = segments(needle) else { return Ok(Hits::default()) };
    let mut found = Vec::with_capacity(blocks.len());
    for (block, changed) in blocks {
        let (starts, more) = block.find_lines(base, MAX_MATCHES, eq_ignoring_whitespace)?;
        if starts.is_empty() || more && !changed {
            return Ok(Hits::default());
        }
        found.push(Segment { block, changed, starts });
    }
    if let Some(ambiguous) = found.iter().find(|segment| segment.changed && segment.starts.len() > 1) {
        // The order alone does not determine which one is intended.
        return Ok(every_match(base, ambiguous));
    }
    Ok(if can_follow(base, &found) { outcome(base, &found) } else { Hits::default() })
}

/// Splits a request into the segments between elisions, with `true` for each that changes. Returns `None` if
/// old and new text have a different number of elisions, or if a segment changes whose old text is blank.
fn segments<'n>(needle: &'n Needle<'_>) -> Option<Vec<(Block<'n>, bool)>> {
    let (old, new) = (ranges_between_elisions(&needle.old), ranges_between_elisions(&needle.new));
    if old.len() < 2 || old.len() != new.len() || old.len() > MAX_SEGMENTS {
        return None;
    }
    let mut blocks = Vec::new();
    for (old, new) in old.into_iter().zip(new) {
        let (old_text, new_text) = (&needle.old[old.clone()], &needle.new[new.clone()]);
        match Block::new((old_text, old.start), (new_text, new.start)) {
            Some(block) => blocks.push((block, old_text != new_text)),
            None if old_text.trim() == new_text.trim() => {}
            None => return None,
        }
    }
    (!blocks.is_empty()).then_some(blocks)
}

/// Returns the ranges between the elisions of a text; one more than there are elisions.
fn ranges_between_elisions(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in lines(text).filter(|line| is_elision(line.content)) {
        found.push(start..line.start);
        start = line.end();
    }
    found.push(start..text.len());
    found
}

/// Returns `true` if the segments can match in order with the lines elided between two of them in one block.
fn can_follow(base: &Base<'_>, segments: &[Segment<'_>]) -> bool {
    let Some((first, rest)) = segments.split_first() else { return false };
    let mut ends: Vec<usize> = first.starts.iter().map(|start| start + first.block.core().len()).collect();
    for segment in rest {
        let follows = |&start: &usize| ends.iter().any(|&end| end <= start && same_block(base, end, start));
        // Too many combinations are not tried.
        let starts = segment.starts.iter().copied().filter(|start| ends.len() <= MAX_TRIED && follows(start));
        ends = starts.take(MAX_TRIED).map(|start| start + segment.block.core().len()).collect();
    }
    !ends.is_empty()
}

/// Maximum number of matches of a segment from which the next one is searched.
const MAX_TRIED: usize = 64;

/// Returns `true` if the elided lines `end..start` of the base do not leave their block: after a line that
/// opens a block, up to a deeper line, all of them must be in that block.
fn same_block(base: &Base<'_>, end: usize, start: usize) -> bool {
    let last = base.line(end.saturating_sub(1));
    let (before, after) = (depth(last), depth(base.line(start)));
    let elided_depths = || {
        let lines = base.index().lines_from(base.text, end).take(start - end);
        lines.filter(|line| !is_blank_line(line.content)).map(|line| depth(line.content))
    };
    let opens = !closes_block(last) && elided_depths().next().is_some_and(|next| next > before);
    !opens || after <= before || elided_depths().all(|depth| depth > before)
}

/// Returns the only matches of the segments that change. The location of unchanged segments makes no
/// difference.
fn outcome(base: &Base<'_>, segments: &[Segment<'_>]) -> Hits {
    let changed = segments.iter().filter(|segment| segment.changed);
    let parts = changed.filter_map(|segment| Some(segment.part(base, *segment.starts.first()?)));
    Hits { sites: Site::of_parts(parts.collect()).into_iter().collect(), more: false }
}

/// Returns every match of one segment.
fn every_match(base: &Base<'_>, segment: &Segment<'_>) -> Hits {
    let site = |&line: &usize| Site::of_parts(vec![segment.part(base, line)]);
    Hits { sites: segment.starts.iter().filter_map(site).collect(), more: false }
}

impl Segment<'_> {
    fn part(&self, base: &Base<'_>, line: usize) -> Part {
        self.block.part(base, line, self.block.core().len())
    }
}
