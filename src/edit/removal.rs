//! Whole lines that go: no empty line is left in their place.

use std::ops::Range;

use super::Splice;
use super::base::Base;
use super::needle::Needle;
use super::tiers::Site;
use crate::text::{line_end, line_start, lines};

/// Returns whether whole lines go for nothing although the old text does not say so of the end of the last: no empty
/// line is left in their place.
pub(super) fn removes_lines(base: &Base<'_>, site: &Site, needle: &Needle<'_>) -> bool {
    let range = &site.range;
    needle.new.is_empty()
        && !needle.blank
        && !needle.old.ends_with('\n')
        && line_start(base.text, range.start) == range.start
        && line_end(base.text, range.end).0 == range.end
}

/// The splice that removes the last lines of a text that ends without a line end, as it does afterwards.
pub(super) fn without_last_lines(base: &str, range: Range<usize>) -> Splice {
    let before = lines(&base[line_start(base, range.start.saturating_sub(1))..range.start]).next();
    let ending = before.map_or(0, |line| line.ending.as_str().len());
    Splice { range: range.start - ending..range.end, text: String::new() }
}

/// Joins removals of neighbouring last lines, each of which takes the line end before it: all of them take the one
/// before the first.
pub(super) fn join_removals(base: &str, mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut joined: Vec<Splice> = Vec::with_capacity(splices.len());
    for splice in splices {
        match joined.last_mut() {
            Some(last)
                if last.text.is_empty() && splice.text.is_empty() && splice.range.start <= last.range.end =>
            {
                // Only lines that go whole share a line end; parts of a line that touch leave it.
                let shared = splice.range.start < last.range.end;
                last.range.end = last.range.end.max(splice.range.end);
                if shared
                    && last.range.end == base.len()
                    && !base.ends_with(['\n', '\r'])
                    && line_start(base, last.range.start) == last.range.start
                {
                    *last = without_last_lines(base, last.range.clone());
                }
            }
            _ => joined.push(splice),
        }
    }
    joined
}
