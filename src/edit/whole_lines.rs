//! Search and comparison of whole lines, shared by several tiers.

use std::borrow::Cow;
use std::ops::Range;

use super::base::Base;
use super::index::key_and_pairs;
use super::{TimedOut, fold, typography};
use crate::text::{line_end, lines};

/// Number of lines compared between two deadline checks.
const STRIDE: usize = 4096;

/// Compares a requested line with a line of the file.
pub(super) type LineEq = fn(&str, &str) -> bool;

/// Finds the lines of the base (from 0) at which the lines of `old` match as whole lines, up to `limit`.
/// Returns `true` with them if the search stopped there.
pub(super) fn find_lines(
    base: &Base<'_>,
    old: &str,
    limit: usize,
    eq: LineEq,
) -> Result<(Vec<usize>, bool), TimedOut> {
    base.deadline.check()?;
    let wanted = LineKeys::new(old);
    let keys = base.index().keys();
    let mut found = Vec::new();
    let Some(last_start) = keys.len().checked_sub(wanted.keys.len()) else { return Ok((found, false)) };
    let Some((pivot, key)) = wanted.rarest(base) else { return Ok((found, false)) };
    let mut compared = 0;
    let starts = base.lines_with(key).filter_map(|line| line.checked_sub(pivot));
    for line in starts.filter(|&line| line <= last_start) {
        compared += 1;
        if compared % STRIDE == 0 {
            base.deadline.check()?;
        }
        if keys[line..].starts_with(&wanted.keys) && lines_match(base, old, line, eq) {
            found.push(line);
            if found.len() >= limit {
                return Ok((found, true));
            }
        }
    }
    Ok((found, false))
}

fn lines_match(base: &Base<'_>, old: &str, line: usize, eq: LineEq) -> bool {
    let actual = base.index().lines_from(base.text, line);
    lines(old).zip(actual).all(|(requested, actual)| eq(requested.content, actual.content))
}

/// The lines of an old text, as index keys.
struct LineKeys {
    keys: Vec<u32>,
}

impl LineKeys {
    fn new(old: &str) -> Self {
        Self { keys: lines(old).map(|line| key_and_pairs(line.content).0).collect() }
    }

    /// Returns the line to search for first, as (index, key): the rarest in the file among a few distinct
    /// lines that are not blank.
    fn rarest(&self, base: &Base<'_>) -> Option<(usize, u32)> {
        const TRIED: usize = 8;
        let mut lines: Vec<(usize, u32)> = self.keys.iter().copied().enumerate().collect();
        lines.retain(|&(_, key)| key != 0);
        lines.sort_by_key(|&(_, key)| key);
        lines.dedup_by_key(|&mut (_, key)| key);
        let candidates = lines.iter().copied().step_by(lines.len().div_ceil(TRIED).max(1));
        candidates.min_by_key(|&(_, key)| base.count_of(key))
    }
}

/// Returns the bytes of `count` lines of the base from `first` on (from 0), without the last line ending
/// unless `ended`.
pub(super) fn bytes_of(base: &Base<'_>, first: usize, count: usize, ended: bool) -> Range<usize> {
    let start = base.index().start(base.text, first);
    if count == 0 {
        return start..start;
    }
    let (content_end, end) = line_end(base.text, base.index().start(base.text, first + count - 1));
    start..if ended { end } else { content_end }
}

/// Returns `true` if the lines are equal except for whitespace around them.
pub(super) fn eq_ignoring_indentation(requested: &str, actual: &str) -> bool {
    bare(requested) == bare(actual)
}

/// Returns `true` if the lines are equal except for whitespace around them and the length of whitespace runs
/// in them.
pub(super) fn eq_ignoring_whitespace(requested: &str, actual: &str) -> bool {
    let (requested, actual) = (bare(requested), bare(actual));
    requested == actual || words(&requested).eq(words(&actual))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(fold::is_blank).filter(|word| !word.is_empty())
}

/// Trims whitespace and folds typographic characters.
pub(super) fn bare(content: &str) -> Cow<'_, str> {
    fold::plain(content.trim_matches(blank))
}

/// Splits a line into its indentation and the rest.
pub(super) fn split_indent(content: &str) -> (&str, &str) {
    let rest = content.trim_start_matches(blank);
    content.split_at(content.len() - rest.len())
}

/// Returns the indentation depth of a line, in characters.
pub(super) fn depth(content: &str) -> usize {
    split_indent(content).0.chars().count()
}

/// Returns `true` if a line begins with a token that closes a block.
pub(super) fn closes_block(content: &str) -> bool {
    let line = content.trim_start();
    ["}", ")", "]", "end"].iter().any(|closer| line.starts_with(closer))
}

/// Returns `true` if a line has only whitespace.
pub(super) fn is_blank_line(content: &str) -> bool {
    content.chars().all(blank)
}

fn blank(character: char) -> bool {
    fold::is_blank(character) || typography::is_space(character)
}
