//! Line diffs.

use std::hash::Hash;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

use super::Deadline;

/// A run of changed lines: those of the old text, and those that replace them.
pub(super) type Run = (Range<usize>, Range<usize>);

/// Returns the changed runs between two lists of lines, in order. After the deadline the result is coarser,
/// never wrong.
pub(super) fn runs<T: Hash + Eq + Ord>(old: &[T], new: &[T], deadline: Deadline) -> Vec<Run> {
    let shorter = old.len().min(new.len());
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take(shorter - head);
    let tail = tail.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old.is_empty() && new.is_empty() {
        return Vec::new();
    }
    if old.len().min(new.len()) == 0 || old.len().max(new.len()) == 1 {
        return vec![(head..head + old.len(), head..head + new.len())];
    }
    let mut found: Vec<Run> = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Histogram, old, new, deadline.instant()) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, new) = (offset_by(&op.old_range(), head), offset_by(&op.new_range(), head));
        match found.last_mut() {
            Some(last) if last.0.end == old.start && last.1.end == new.start => {
                (last.0.end, last.1.end) = (old.end, new.end);
            }
            _ => found.push((old, new)),
        }
    }
    found
}

/// Returns the changed runs between two lists of equal length, whose lines correspond by index.
pub(super) fn runs_in_place<T: Eq>(old: &[T], new: &[T]) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for at in (0..old.len().min(new.len())).filter(|&at| old[at] != new[at]) {
        match found.last_mut() {
            Some(last) if last.0.end == at => (last.0.end, last.1.end) = (at + 1, at + 1),
            _ => found.push((at..at + 1, at..at + 1)),
        }
    }
    found
}

fn offset_by(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}
