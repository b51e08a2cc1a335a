//! Blanks at the ends of a request's lines that the file does not have.

use std::collections::HashSet;

use super::line_diff::runs;
use super::{Deadline, fold};
use crate::text::Line;

/// Blanks at the end of an old line that are not the file's say nothing, nor do they in a new line that is
/// the same.
pub(super) fn drop_false_blanks<'l, 'a: 'l>(
    old: &mut [Line<'a>],
    new: &mut [Line<'a>],
    there: impl Iterator<Item = Option<&'l Line<'a>>>,
    deadline: Deadline,
) {
    let contents = |lines: &[Line<'a>]| -> Vec<&'a str> { lines.iter().map(|line| line.content).collect() };
    let changed = runs(&contents(old), &contents(new), deadline);
    let without = |content: &'a str| fold::trim_end(content, true);
    let mut dropped = HashSet::new();
    for (old, there) in old.iter_mut().zip(there) {
        let kept = without(old.content);
        let said = &old.content[kept.len()..];
        let true_blanks = there.is_none_or(|there| said == &there.content[without(there.content).len()..]);
        if kept.is_empty() || !true_blanks {
            dropped.insert(old.content);
            old.content = kept;
        }
    }
    let blank_lines = old.iter().any(|line| line.content.is_empty());
    let (mut at, mut kept) = (0, 0);
    let end = (old.len()..old.len(), new.len()..new.len());
    for (old_run, new_run) in changed.into_iter().chain([end]) {
        // A line that stays stays as the file has it.
        for (old, new) in old[kept..old_run.start].iter().zip(&mut new[at..new_run.start]) {
            new.content = old.content;
        }
        for new in &mut new[new_run.clone()] {
            if blank_lines && without(new.content).is_empty() || dropped.contains(new.content) {
                new.content = without(new.content);
            }
        }
        (kept, at) = (old_run.end, new_run.end);
    }
}
