//! Removal of whole lines without leaving an empty line.

use std::ops::Range;

use super::Splice;
use super::base::Base;
use super::needle::Needle;
use super::tiers::Site;
use crate::text::{line_end, line_start, lines};

/// Returns `true` if the edit removes whole lines although the old text lacks the last line ending. The line
/// ending is then removed too, so that no empty line is left.
pub(super) fn removes_lines(base: &Base<'_>, site: &Site, needle: &Needle<'_>) -> bool {
    let range = &site.range;
    needle.new.is_empty()
        && !needle.blank
        && !needle.old.ends_with('\n')
        && line_start(base.text, range.start) == range.start
        && line_end(base.text, range.end).0 == range.end
}

/// Returns the splice that removes the last lines of a text without a final line ending. The line ending
/// before them goes too, so that the text still has no final one.
pub(super) fn without_last_lines(base: &str, range: Range<usize>) -> Splice {
    let before = lines(&base[line_start(base, range.start.saturating_sub(1))..range.start]).next();
    let ending = before.map_or(0, |line| line.ending.as_str().len());
    Splice { range: range.start - ending..range.end, text: String::new() }
}

/// Joins removals of adjacent last lines. Each of them includes the line ending before it; the joined one
/// includes only the line ending before the first.
pub(super) fn join_removals(base: &str, mut splices: Vec<Splice>) -> Vec<Splice> {
    splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut joined: Vec<Splice> = Vec::with_capacity(splices.len());
    for splice in splices {
        match joined.last_mut() {
            Some(last)
                if last.text.is_empty() && splice.text.is_empty() && splice.range.start <= last.range.end =>
            {
                // Only removals of whole lines overlap in a line ending; removed parts of lines that touch
                // keep it.
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
