//! Where in the base an edit may have its place, from what a patch says besides the text.

use std::ops::Range;

use super::base::Base;
use super::occurrences::LineCounter;
use super::tiers::{Hits, Site};
use super::whole_lines::{bare, is_blank_line, split_indent};
use super::{Anchor, Strategy};
use crate::text::lines;

/// Where a context line may lead: lines of the base, from 0.
type Region = Range<usize>;

/// What an anchor comes to in a base.
pub(super) struct Scope<'a> {
    anchor: &'a Anchor,
    /// The blocks that the innermost context lines open, and all that follows those lines; in order of
    /// preference. Empty if there are no context lines.
    regions: Vec<Vec<Region>>,
}

/// A context line that stands nowhere where it should.
pub(super) struct MissingContext<'a>(pub(super) &'a str);

impl<'a> Scope<'a> {
    pub(super) fn new(base: &Base<'_>, anchor: &'a Anchor) -> Result<Self, MissingContext<'a>> {
        if anchor.under.is_empty() {
            return Ok(Self { anchor, regions: Vec::new() });
        }
        let whole = 0..base.index().lines();
        let mut blocks: Vec<Region> = vec![whole.clone(); 1];
        let mut after: Vec<Region> = vec![whole; 1];
        for line in &anchor.under {
            blocks = headed(base, &blocks, line, |at, region| block_end(base, at).min(region.end));
            after = headed(base, &after, line, |_, region| region.end);
            if after.is_empty() {
                return Err(MissingContext(line));
            }
        }
        Ok(Self { anchor, regions: vec![blocks, after] })
    }

    /// Whether it narrows the search, so that all places have to be known.
    pub(super) fn narrows(&self) -> bool {
        !self.regions.is_empty() || self.anchor.at_end || self.anchor.line.is_some()
    }

    /// Keeps the places that fit.
    pub(super) fn narrow(&self, base: &Base<'_>, old: &str, strategy: Strategy, hits: &mut Hits) {
        if self.anchor.at_end {
            let open = !old.ends_with('\n');
            let fits = |rest: &str| if open { rest.is_empty() } else { rest.trim().is_empty() };
            hits.sites.retain(|site| fits(&base.text[site.range.end..]));
        }
        let within = |regions: &[Region], site: &Site| {
            regions.iter().any(|region| {
                let bytes = bytes(base, region);
                bytes.start <= site.range.start && site.range.end <= bytes.end
            })
        };
        if let Some(regions) =
            self.regions.iter().find(|regions| hits.sites.iter().any(|site| within(regions, site)))
        {
            hits.sites.retain(|site| within(regions, site));
        } else if !self.regions.is_empty() {
            hits.sites.clear();
        }
        if let (Some(line), Strategy::Exact, 2..) = (self.anchor.line, strategy, hits.sites.len()) {
            decide_by_line(base, line, hits);
        }
    }

    /// Offsets at which a text that is only added can go: behind the innermost context line, or at the end
    /// of the base. None if the anchor names neither.
    pub(super) fn insertion_points(&self, base: &Base<'_>) -> Vec<usize> {
        if self.anchor.at_end {
            return vec![base.text.len()];
        }
        let regions = self.regions.iter().find(|regions| !regions.is_empty());
        let behind = |region: &Region| base.index().start(base.text, region.start + 1);
        regions.into_iter().flatten().map(behind).collect()
    }
}

/// Keeps the only place that starts at `line`, if there is one.
fn decide_by_line(base: &Base<'_>, line: usize, hits: &mut Hits) {
    let mut counter = LineCounter::new(base.text);
    let mut named = hits.sites.iter().filter(|site| counter.lines(&site.range).start == line);
    if let (Some(site), None) = (named.next(), named.next()) {
        let site = site.clone();
        hits.sites = vec![site];
    }
}

/// The regions that start at a line like `wanted` within some regions; where there is none, at a line that
/// begins like it, as `def f` for `def f(x):`.
fn headed(
    base: &Base<'_>,
    within: &[Region],
    wanted: &str,
    end: impl Fn(usize, &Region) -> usize,
) -> Vec<Region> {
    let wanted = bare(wanted.trim_end().trim_end_matches("@@"));
    let wanted = wanted.trim_end();
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |line: &str| {
        line.strip_prefix(wanted).is_some_and(|rest| !wanted.ends_with(word) || !rest.starts_with(word))
    };
    let regions = |fits: &dyn Fn(&str) -> bool| {
        let mut found: Vec<Region> = Vec::new();
        for region in within {
            let there = base.index().lines_from(base.text, region.start).take(region.len());
            for (line, at) in there.zip(region.start..) {
                if fits(&bare(line.content)) && found.iter().all(|known| known.start != at) {
                    found.push(at..end(at, region).max(at + 1));
                }
            }
        }
        found
    };
    let equal = regions(&|line| line == wanted);
    if equal.is_empty() && !wanted.is_empty() { regions(&begins) } else { equal }
}

/// The line behind the block that a line opens: what is indented deeper, and a line that closes it.
fn block_end(base: &Base<'_>, opener: usize) -> usize {
    let depth = |line: &str| split_indent(line).0.chars().count();
    let own = depth(base.line(opener));
    let rest = lines(base.text.get(base.index().start(base.text, opener + 1)..).unwrap_or_default());
    let mut end = opener + 1;
    for (line, at) in rest.zip(opener + 1..) {
        let content = line.content.trim();
        if is_blank_line(line.content) {
            continue;
        }
        let opens = at == opener + 1 && content.starts_with('{');
        if depth(line.content) <= own && !opens {
            let closes = ["}", ")", "]", "end"].iter().any(|closer| content.starts_with(closer));
            return if closes { at + 1 } else { end };
        }
        end = at + 1;
    }
    end
}

fn bytes(base: &Base<'_>, region: &Region) -> Range<usize> {
    base.index().start(base.text, region.start)..base.index().start(base.text, region.end)
}
