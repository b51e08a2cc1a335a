//! What tiers that match whole lines share.

use std::borrow::Cow;
use std::ops::Range;

use super::base::Base;
use super::index::describe;
use super::{TimedOut, fold, typography};
use crate::text::{line_end, lines};

/// Lines compared between two looks at the clock.
const STRIDE: usize = 4096;

/// Whether a line asked for and a line of the file are taken for the same.
pub(super) type Alike = fn(&str, &str) -> bool;

/// The lines (from 0) at which `old` stands as whole lines that are alike, up to `limit`; and whether the
/// search stopped there.
pub(super) fn places(
    base: &Base<'_>,
    old: &str,
    limit: usize,
    alike: Alike,
) -> Result<(Vec<usize>, bool), TimedOut> {
    base.deadline.check()?;
    let wanted = Wanted::new(old);
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
        if keys[line..].starts_with(&wanted.keys) && same_lines(base, old, line, alike) {
            found.push(line);
            if found.len() >= limit {
                return Ok((found, true));
            }
        }
    }
    Ok((found, false))
}

fn same_lines(base: &Base<'_>, old: &str, line: usize, alike: Alike) -> bool {
    let there = base.index().lines_from(base.text, line);
    lines(old).zip(there).all(|(asked, there)| alike(asked.content, there.content))
}

/// The lines of an old text, as keys to look up.
struct Wanted {
    keys: Vec<u32>,
}

impl Wanted {
    fn new(old: &str) -> Self {
        Self { keys: lines(old).map(|line| describe(line.content).0).collect() }
    }

    /// The line to look for first, as (index, key): the one that the file has least often among some that
    /// are not blank and not equal to each other.
    fn rarest(&self, base: &Base<'_>) -> Option<(usize, u32)> {
        const TRIED: usize = 8;
        let mut lines: Vec<(usize, u32)> = self.keys.iter().copied().enumerate().collect();
        lines.retain(|&(_, key)| key != 0);
        lines.sort_by_key(|&(_, key)| key);
        lines.dedup_by_key(|&mut (_, key)| key);
        let tried = lines.iter().copied().step_by(lines.len().div_ceil(TRIED).max(1));
        tried.min_by_key(|&(_, key)| base.count_of(key))
    }
}

/// The bytes of the base's lines from `first` on (from 0), `count` of them, without the last line's end
/// unless it is `ended`.
pub(super) fn bytes_of(base: &Base<'_>, first: usize, count: usize, ended: bool) -> Range<usize> {
    let start = base.index().start(base.text, first);
    if count == 0 {
        return start..start;
    }
    let (content_end, end) = line_end(base.text, base.index().start(base.text, first + count - 1));
    start..if ended { end } else { content_end }
}

/// Same lines but for the blanks around them.
pub(super) fn same_but_indentation(asked: &str, there: &str) -> bool {
    bare(asked) == bare(there)
}

/// Same lines but for the blanks around them and how long runs of blanks in them are.
pub(super) fn same_but_blanks(asked: &str, there: &str) -> bool {
    let (asked, there) = (bare(asked), bare(there));
    asked == there || words(&asked).eq(words(&there))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(fold::is_blank).filter(|word| !word.is_empty())
}

/// A line without the blanks around it, signs made plain.
pub(super) fn bare(content: &str) -> Cow<'_, str> {
    fold::plain(content.trim_matches(blank))
}

/// A line in two: the blanks before it, and the rest.
pub(super) fn split_indent(content: &str) -> (&str, &str) {
    let rest = content.trim_start_matches(blank);
    content.split_at(content.len() - rest.len())
}

/// How deep a line is indented, in signs.
pub(super) fn depth(content: &str) -> usize {
    split_indent(content).0.chars().count()
}

/// Whether a line begins with what closes a block.
pub(super) fn closes_block(content: &str) -> bool {
    let line = content.trim_start();
    ["}", ")", "]", "end"].iter().any(|closer| line.starts_with(closer))
}

/// Whether a line has nothing but blanks.
pub(super) fn is_blank_line(content: &str) -> bool {
    content.chars().all(blank)
}

fn blank(character: char) -> bool {
    fold::is_blank(character) || typography::is_space(character)
}
