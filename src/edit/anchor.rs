//! Restriction of matches by the anchor of a patch hunk.

use std::ops::Range;

use super::base::{Base, key_and_pairs};
use super::closest::missing_context;
use super::refusal::LineCounter;
use super::tiers::{Hits, Site};
use super::whole_lines::{bare, closes_block, depth, is_blank_line};
use super::{Anchor, EditRefusalKind, Strategy, TimedOut};

/// Maximum number of blocks: context lines that occur more often do not identify a block.
const MAX_BLOCKS: usize = 1000;

/// An anchor resolved in a base.
pub(super) struct Scope<'a> {
    anchor: &'a Anchor,
    /// The resolved context lines; `None` if the anchor has none.
    context: Option<Context>,
}

/// The resolved context lines.
struct Context {
    /// Occurrences of the innermost context line within the blocks of the outer ones.
    heads: Vec<usize>,
    /// The blocks that these lines open, as lines from 0, in order and disjoint.
    blocks: Vec<Range<usize>>,
    /// Occurrences of the innermost context line after the outer ones.
    lines: Vec<usize>,
}

impl<'a> Scope<'a> {
    /// Resolves an anchor. Returns an error if a context line does not occur where it should.
    pub(super) fn new(base: &Base<'_>, anchor: &'a Anchor) -> Result<Self, EditRefusalKind> {
        let mut context: Option<Context> = None;
        for line in &anchor.under {
            let lines = similar_lines(base, line)?;
            let (heads, lines) = match &context {
                None => (lines.clone(), lines),
                Some(outer) => {
                    let inside =
                        |line: &usize| outer.block_of(*line).is_some_and(|block| block.start < *line);
                    let heads = lines.iter().copied().filter(inside).collect();
                    let first = outer.lines.first().copied().unwrap_or_default();
                    (heads, lines.into_iter().filter(|&line| line > first).collect())
                }
            };
            if lines.is_empty() {
                return Err(missing_context(base, line));
            }
            context = Some(Context { blocks: blocks(base, &heads)?, heads, lines });
        }
        Ok(Self { anchor, context })
    }

    /// Returns `true` if the anchor restricts matches, so that all of them have to be known.
    pub(super) fn narrows(&self) -> bool {
        self.context.is_some() || self.anchor.at_end || self.anchor.line.is_some()
    }

    /// Keeps the matches that the anchor allows.
    pub(super) fn narrow(&self, base: &Base<'_>, old: &str, strategy: Strategy, hits: &mut Hits) {
        if self.anchor.at_end {
            let open = !old.ends_with('\n');
            let fits = |rest: &str| if open { rest.is_empty() } else { rest.trim().is_empty() };
            hits.sites.retain(|site| fits(&base.text[site.range.end..]));
        }
        if let Some(context) = &self.context {
            let in_block = |site: &Site| context.encloses(base, &site.range);
            if hits.sites.iter().any(in_block) {
                hits.sites.retain(in_block);
            } else {
                let first = context.lines.first().map_or(0, |&line| base.start_of(line));
                hits.sites.retain(|site| site.range.start >= first);
            }
        }
        if let (Some(line), Strategy::Exact, 2..) = (self.anchor.line, strategy, hits.sites.len()) {
            let mut counter = LineCounter::new(base.text);
            hits.keep_only(|site| counter.lines(&site.range).start == line);
        }
    }

    /// Returns the start of the innermost context line, if there is only one.
    pub(super) fn named_place(&self, base: &Base<'_>) -> Option<usize> {
        let context = self.context.as_ref()?;
        match (&context.heads[..], &context.lines[..]) {
            ([line], _) | ([], [line]) => Some(base.start_of(*line)),
            _ => None,
        }
    }

    /// Returns the offsets at which an insertion can go: after the innermost context line, or at the end of
    /// the base. Empty if the anchor names neither.
    pub(super) fn insertion_points(&self, base: &Base<'_>) -> Vec<usize> {
        if self.anchor.at_end {
            return vec![base.text.len()];
        }
        let Some(context) = &self.context else { return Vec::new() };
        let heads = if context.heads.is_empty() { &context.lines } else { &context.heads };
        heads.iter().map(|&line| base.start_of(line + 1)).collect()
    }
}

impl Context {
    /// Returns the block that contains a line.
    fn block_of(&self, line: usize) -> Option<&Range<usize>> {
        let after = self.blocks.partition_point(|block| block.start <= line);
        self.blocks[..after].last().filter(|block| line < block.end)
    }

    /// Returns `true` if a range of bytes of the base lies in one of the blocks.
    fn encloses(&self, base: &Base<'_>, bytes: &Range<usize>) -> bool {
        let line = base.lines_between(0, bytes.start + 1).saturating_sub(1);
        self.block_of(line).is_some_and(|block| bytes.end <= base.start_of(block.end))
    }
}

/// Finds the lines that equal `wanted` except for whitespace around them; if there are none, those that begin
/// with it, as `def f(x):` begins with `def f`.
fn similar_lines(base: &Base<'_>, wanted: &str) -> Result<Vec<usize>, TimedOut> {
    base.deadline.check()?;
    let wanted = bare(wanted.trim_end().trim_end_matches("@@"));
    let wanted = wanted.trim_end();
    let key = key_and_pairs(wanted).0;
    let equal: Vec<usize> = base.lines_with(key).filter(|&line| bare(base.line(line)) == wanted).collect();
    if !equal.is_empty() || wanted.is_empty() {
        return Ok(equal);
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let begins_with_wanted = |line: &str| {
        line.strip_prefix(wanted).is_some_and(|rest| !wanted.ends_with(word) || !rest.starts_with(word))
    };
    let all = base.lines_from(0).enumerate();
    Ok(all.filter(|(_, line)| begins_with_wanted(&bare(line.content))).map(|(at, _)| at).collect())
}

/// Returns the blocks that lines open, in order and disjoint; empty if there are too many lines.
fn blocks(base: &Base<'_>, heads: &[usize]) -> Result<Vec<Range<usize>>, TimedOut> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    for &head in heads.iter().filter(|_| heads.len() <= MAX_BLOCKS) {
        base.deadline.check()?;
        match blocks.last_mut() {
            // A nested block is part of the outer one.
            Some(last) if head < last.end => last.end = last.end.max(block_end(base, head)),
            _ => blocks.push(head..block_end(base, head)),
        }
    }
    Ok(blocks)
}

/// Returns the line after the block that a line opens: the block is the lines that are indented deeper, and a
/// line that closes it.
fn block_end(base: &Base<'_>, opener: usize) -> usize {
    let own = depth(base.line(opener));
    let mut end = opener + 1;
    for (line, at) in base.lines_from(opener + 1).zip(opener + 1..) {
        let content = line.content.trim();
        if is_blank_line(line.content) {
            continue;
        }
        let opens = at == opener + 1 && content.starts_with('{');
        if depth(line.content) <= own && !opens {
            return if closes_block(content) { at + 1 } else { end };
        }
        end = at + 1;
    }
    end
}
