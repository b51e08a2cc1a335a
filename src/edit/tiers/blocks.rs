//! The tiers that match whole lines: with another indentation, with blank lines at the edges, with other
//! whitespace inside lines, with elided lines, and with drifted context lines.

use std::ops::Range;

use super::drift::{Alignment, DriftCheck, alignments};
use super::{Hits, Site, SitePart};
use crate::base::Base;
use crate::elided::is_elision;
use crate::fold::Needle;
use crate::indent::UnclearIndentation;
use crate::replacement::ReplacementBuilder;
use crate::similarity::similar_starts;
use crate::whole_lines::{
    Block, LineEq, bytes_of, closes_block, depth, eq_ignoring_indentation, eq_ignoring_whitespace,
    find_lines, is_blank_line, split_indent,
};
use crate::{Splice, TimedOut};
use editd_text::{count_lines, lines};

/// Maximum number of segments of a request that elides lines.
const MAX_SEGMENTS: usize = 32;
/// Maximum number of matches of one segment.
const MAX_MATCHES: usize = 100_000;
/// Maximum number of matches of a segment from which the next one is searched.
const MAX_TRIED: usize = 64;

/// Minimum number of lines of a block; in a shorter one no line may differ.
const MIN_LINES: usize = 4;
/// Maximum number of different results of a block with drifted lines.
const MAX_SITES: usize = 64;
/// Number of lines by which the match must differ less than any other region.
const LEAD: usize = 2;

/// Finds whole lines that are equal except for whitespace before and after them.
pub(super) fn indentation(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    if needle.blank {
        return Ok(Hits::default());
    }
    let (starts, more) = find_lines(base, &needle.old, limit, eq_ignoring_indentation)?;
    let (count, ended) = (count_lines(&needle.old), needle.old.ends_with('\n'));
    let site = |line| Site::whole(bytes_of(base, line, count, ended));
    Ok(Hits { sites: starts.into_iter().map(site).collect(), more })
}

/// Finds whole lines that are equal except for whitespace, if blank lines at the start and end of the old text
/// may be absent from the file.
pub(super) fn edges(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    block_hits(base, Block::of(needle).filter(Block::has_edges), limit, eq_ignoring_indentation)
}

/// Finds whole lines in which runs of whitespace may have another length. A run never equals no whitespace.
pub(super) fn inner_space(base: &Base<'_>, needle: &Needle<'_>, limit: usize) -> Result<Hits, TimedOut> {
    block_hits(base, Block::of(needle), limit, eq_ignoring_whitespace)
}

/// Finds the matches of a block that cover as many lines as the block has.
fn block_hits(base: &Base<'_>, block: Option<Block<'_>>, limit: usize, eq: LineEq) -> Result<Hits, TimedOut> {
    let Some(block) = block else { return Ok(Hits::default()) };
    let (starts, more) = block.find_lines(base, limit, eq)?;
    Ok(Hits { sites: sites_of(base, &block, &starts), more })
}

/// Returns the matches of a block at lines of the base.
fn sites_of(base: &Base<'_>, block: &Block<'_>, starts: &[usize]) -> Vec<Site> {
    starts.iter().map(|&line| Site::of_part(block.part(base, line, block.core().len()))).collect()
}

/// The text between two elisions, with the lines (from 0) at which it matches.
struct Segment<'n> {
    block: Block<'n>,
    changed: bool,
    starts: Vec<usize>,
}

/// Finds the lines around elisions: a line that is only `...` represents lines of the file, in old and new
/// text alike.
pub(super) fn elision(base: &Base<'_>, needle: &Needle<'_>, _: usize) -> Result<Hits, TimedOut> {
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
        return Ok(Hits::complete(sites_of(base, &ambiguous.block, &ambiguous.starts)));
    }
    let sites = if can_follow(base, &found) { changed_site(base, &found) } else { None };
    Ok(Hits::complete(sites.into_iter().collect()))
}

/// Splits a request into the segments between elisions, with `true` for each that changes. Returns `None` if
/// old and new text have a different number of elisions, or if a segment changes whose old text is blank.
fn segments<'n>(needle: &'n Needle<'_>) -> Option<Vec<(Block<'n>, bool)>> {
    let (old, new) = (ranges_between_elisions(&needle.old), ranges_between_elisions(&needle.new));
    // A line that the new text indents otherwise is no elision: the lines for which it stands could not follow.
    if old.len() < 2 || old.len() > MAX_SEGMENTS || !indents(&needle.old).eq(indents(&needle.new)) {
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

/// Returns the indentation of each elision of a text.
fn indents(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter(|line| is_elision(line.content)).map(|line| split_indent(line.content).0)
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

/// Returns `true` if the elided lines `end..start` of the base do not leave their block: after a line that
/// opens a block, up to a deeper line, all of them must be in that block.
fn same_block(base: &Base<'_>, end: usize, start: usize) -> bool {
    let last = base.line(end.saturating_sub(1));
    let (before, after) = (depth(last), depth(base.line(start)));
    let elided_depths = || {
        let lines = base.lines_from(end).take(start - end);
        lines.filter(|line| !is_blank_line(line.content)).map(|line| depth(line.content))
    };
    let opens = !closes_block(last) && elided_depths().next().is_some_and(|next| next > before);
    !opens || after <= before || elided_depths().all(|depth| depth > before)
}

/// Returns the only match of the segments that change. The location of unchanged segments makes no difference.
fn changed_site(base: &Base<'_>, segments: &[Segment<'_>]) -> Option<Site> {
    let changed = segments.iter().filter(|segment| segment.changed);
    let part = |segment: &Segment<'_>| {
        Some(segment.block.part(base, *segment.starts.first()?, segment.block.core().len()))
    };
    let parts: Vec<SitePart> = changed.filter_map(part).collect();
    Some(Site { range: parts.first()?.range.start..parts.last()?.range.end, parts })
}

/// Finds blocks of which lines that old and new text share differ slightly from the file, or one of them is
/// missing or surplus. Lines that the edit changes must equal the file's.
pub(super) fn drifted_context(base: &Base<'_>, needle: &Needle<'_>, _: usize) -> Result<Hits, TimedOut> {
    let Some(block) = Block::of(needle).filter(|block| block.core().len() >= MIN_LINES) else {
        return Ok(Hits::default());
    };
    let check = DriftCheck::new(&block, &needle.new, base.deadline);
    base.deadline.check()?;
    let windows = windows(base, &check)?;
    let mut sites: Vec<(Site, Result<Vec<Splice>, UnclearIndentation>)> = Vec::new();
    let mut best: Option<&Window> = None;
    for window in &windows {
        for alignment in &alignments(base, &check.requested, window.start) {
            base.deadline.check()?;
            if !check.allows(base, alignment)? {
                continue;
            }
            if sites.len() == MAX_SITES {
                let sites = sites.into_iter().map(|(site, _)| site).collect();
                return Ok(Hits { sites, more: true });
            }
            let part = aligned_part(base, &block, alignment);
            // An unclear indentation is reported once the match is chosen.
            let splices = ReplacementBuilder::part(base, &part, needle);
            if splices.as_ref().is_ok_and(Vec::is_empty) {
                base.is_applied.set(true);
            } else if sites.iter().all(|(_, known)| *known != splices) {
                sites.push((Site::of_part(part), splices));
                best = Some(window);
            }
        }
    }
    if let (Some(best), [_]) = (best, &sites[..])
        && windows.iter().any(|other| {
            other.start.abs_diff(best.start) >= block.core().len() && other.differing < best.differing + LEAD
        })
    {
        // Another region is so similar to the block that the match is not clearly better.
        return Ok(Hits::default());
    }
    sites.sort_by_key(|(site, _)| site.range.start);
    Ok(Hits::complete(sites.into_iter().map(|(site, _)| site).collect()))
}

/// A region of the base that may match the block.
struct Window {
    /// First line, from 0.
    start: usize,
    /// Number of lines that differ in the best alignment.
    differing: usize,
}

fn windows(base: &Base<'_>, check: &DriftCheck<'_>) -> Result<Vec<Window>, TimedOut> {
    let around = |start: usize| start.saturating_sub(1)..=start + 1;
    let mut candidates: Vec<usize> =
        similar_starts(base, &check.requested).into_iter().flat_map(around).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut windows = Vec::new();
    for start in candidates {
        base.deadline.check()?;
        if let Some(best) = alignments(base, &check.requested, start).first() {
            windows.push(Window { start, differing: best.differing });
        }
    }
    Ok(windows)
}

/// Returns the part of the block at an alignment, with blank lines at its edges that the file has there too.
fn aligned_part(base: &Base<'_>, block: &Block<'_>, alignment: &Alignment) -> SitePart {
    let count = alignment.lines();
    let mut part = block.part(base, alignment.start, count);
    let start = base.start_of(alignment.start);
    let before = base.lines_between(part.range.start, start);
    let after = base.lines_between(start, part.range.end) - count;
    let single = |at: usize| at..at + 1;
    let core = alignment.spans().map(|span| span.start + before..span.end + before);
    let tail = (before + count..before + count + after).map(single);
    part.spans = (0..before).map(single).chain(core).chain(tail).collect();
    part
}
