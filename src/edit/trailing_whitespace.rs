//! Trailing whitespace of a request that the file does not have.

use std::collections::HashSet;

use super::line_diff::runs;
use super::{Deadline, fold};
use crate::text::Line;

/// Removes trailing whitespace from old lines if it differs from the file's, and from new lines that are
/// equal to them.
pub(super) fn drop_spurious_trailing_whitespace<'l, 'a: 'l>(
    old: &mut [Line<'a>],
    new: &mut [Line<'a>],
    actual: impl Iterator<Item = Option<&'l Line<'a>>>,
    deadline: Deadline,
) {
    let contents = |lines: &[Line<'a>]| -> Vec<&'a str> { lines.iter().map(|line| line.content).collect() };
    let changed = runs(&contents(old), &contents(new), deadline);
    let trimmed = |content: &'a str| fold::trim_end(content, true);
    let mut dropped = HashSet::new();
    for (old, actual) in old.iter_mut().zip(actual) {
        let kept = trimmed(old.content);
        let trailing = &old.content[kept.len()..];
        let matches_file =
            actual.is_none_or(|actual| trailing == &actual.content[trimmed(actual.content).len()..]);
        if kept.is_empty() || !matches_file {
            dropped.insert(old.content);
            old.content = kept;
        }
    }
    let has_blank_line = old.iter().any(|line| line.content.is_empty());
    let (mut at, mut kept) = (0, 0);
    let end = (old.len()..old.len(), new.len()..new.len());
    for (old_run, new_run) in changed.into_iter().chain([end]) {
        // An unchanged line stays as the file has it.
        for (old, new) in old[kept..old_run.start].iter().zip(&mut new[at..new_run.start]) {
            new.content = old.content;
        }
        for new in &mut new[new_run.clone()] {
            if has_blank_line && trimmed(new.content).is_empty() || dropped.contains(new.content) {
                new.content = trimmed(new.content);
            }
        }
        (kept, at) = (old_run.end, new_run.end);
    }
}
