//! What tiers that match whole lines share.

use std::borrow::Cow;
use std::ops::Range;

use super::base::Base;
use super::index::{Entry, describe};
use super::{fold, typography};
use crate::text::{line_end, lines};

/// The lines of an old text, as keys to look up.
pub(super) struct Wanted {
    pub(super) keys: Vec<u32>,
    /// Whether the last line is ended, so that the place takes in the file's line end.
    ended: bool,
}

impl Wanted {
    pub(super) fn new(old: &str) -> Self {
        let keys = lines(old).map(|line| describe(line.content).0).collect();
        Self { keys, ended: old.ends_with('\n') }
    }

    /// The line to look for first, as (index, key): the one that the file has least often among some that
    /// are not blank and not equal to each other.
    pub(super) fn rarest(&self, entries: &[Entry]) -> (usize, u32) {
        const TRIED: usize = 8;
        let mut lines: Vec<(usize, u32)> = self.keys.iter().copied().enumerate().collect();
        lines.retain(|&(_, key)| key != 0);
        lines.sort_by_key(|&(_, key)| key);
        lines.dedup_by_key(|&mut (_, key)| key);
        let often = |key| entries.iter().filter(|entry| entry.key == key).count();
        let tried = lines.iter().copied().step_by(lines.len().div_ceil(TRIED).max(1));
        tried.min_by_key(|&(_, key)| often(key)).unwrap_or((0, 0))
    }

    /// The bytes of the base for the place that starts at `line` (from 0).
    pub(super) fn range(&self, base: &Base<'_>, line: usize) -> Option<Range<usize>> {
        let start = base.index().start(base.text, line);
        let last = base.index().start(base.text, line + self.keys.len().checked_sub(1)?);
        let (content_end, end) = line_end(base.text, last);
        Some(start..if self.ended { end } else { content_end })
    }
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

fn blank(character: char) -> bool {
    fold::is_blank(character) || typography::is_space(character)
}
