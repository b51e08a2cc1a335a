//! Undo of a plan, also if its result has changed since.

use memchr::memmem;

use super::{Plan, Splice};
use crate::text::{Position, PositionEncoding, Text};

/// Maximum number of splices for which context is stored.
const MAX_SPOTS: usize = 64;
/// Maximum size of the new text, over all splices, for which context is stored. Bytes.
const MAX_NEW_TEXT: usize = 64 << 10;
/// Number of whole context lines stored on each side of a splice, besides the rest of the line.
const CONTEXT_LINES: usize = 2;
/// Maximum size of the context on each side of a splice, in bytes.
const CONTEXT_BYTES: usize = 400;

/// The data for undoing a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UndoPlan {
    /// The inverse plan, from the plan's result to its base.
    pub inverse: Plan,
    /// The result around each splice of `inverse`, in order; empty if that would be too large.
    pub spots: Vec<Spot>,
}

/// A changed range of a text, with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Line in which `before` begins, from 0.
    pub line: usize,
    /// Text before the changed range.
    pub before: String,
    /// Text that the change wrote.
    pub new: String,
    /// Text after the changed range.
    pub after: String,
}

impl UndoPlan {
    /// Creates the undo plan for `plan`, which turned `base` into `result`. The cost depends on the size of
    /// the change, not on the size of the text.
    pub fn of(plan: &Plan, base: &str, result: &Text) -> Self {
        let inverse = plan.invert(base);
        let new: usize = plan.splices().iter().map(|splice| splice.text.len()).sum();
        if plan.splices().len() > MAX_SPOTS || new > MAX_NEW_TEXT {
            return Self { inverse, spots: Vec::new() };
        }
        let both = plan.splices().iter().zip(inverse.splices());
        let spots = both.map(|(splice, back)| Spot::around(back, &splice.text, result)).collect();
        Self { inverse, spots }
    }

    /// Rebases the inverse plan onto the result of `later`, plans applied one after the other to the original
    /// result. Returns `None` if one of them touches a splice.
    pub fn carried(&self, later: &[Plan]) -> Option<Plan> {
        later.iter().try_fold(self.inverse.clone(), |inverse, plan| inverse.rebase_strict(plan))
    }

    /// Returns the inverse plan for a newer version of the result whose history is unknown: each changed
    /// range must occur exactly once with its exact context, in the same order.
    pub fn found_in(&self, text: &str) -> Option<Plan> {
        if self.spots.len() != self.inverse.splices().len() {
            return None;
        }
        let mut splices = Vec::with_capacity(self.spots.len());
        let mut reached = 0;
        for (spot, back) in self.spots.iter().zip(self.inverse.splices()) {
            let start = spot.find(text)? + spot.before.len();
            if start < reached {
                return None;
            }
            reached = start + spot.new.len();
            splices.push(Splice { range: start..reached, text: back.text.clone() });
        }
        Plan::new(text.len(), splices).ok()
    }
}

impl Spot {
    fn around(back: &Splice, new: &str, result: &Text) -> Self {
        let line_of = |offset| result.position_of(offset, PositionEncoding::Utf8).line;
        let start_of = |line| result.byte_of(Position { line, character: 0 }, PositionEncoding::Utf8);
        let (start, end) = (back.range.start, back.range.end);
        let own = line_of(start);
        let is_near = |line: &usize| start - start_of(*line) <= CONTEXT_BYTES;
        let line = (own.saturating_sub(CONTEXT_LINES)..=own).find(is_near).unwrap_or(own);
        let from = start_of(line).max(start.saturating_sub(CONTEXT_BYTES));
        let last = line_of(end) + 1;
        let is_near = |line: &usize| start_of(*line) - end <= CONTEXT_BYTES;
        let to = (last..=last + CONTEXT_LINES).rev().find(is_near).map_or(end + CONTEXT_BYTES, start_of);
        Self {
            line,
            before: slice_from(result, from, start),
            new: new.to_owned(),
            after: slice_to(result, end, to),
        }
    }

    /// Returns the offset of the context in a text, if it occurs there exactly once and is not blank.
    pub fn find(&self, text: &str) -> Option<usize> {
        if self.before.trim().is_empty() && self.after.trim().is_empty() {
            return None;
        }
        let whole = [self.before.as_str(), &self.new, &self.after].concat();
        let mut places = memmem::find_iter(text.as_bytes(), whole.as_bytes());
        let first = places.next()?;
        // A match that overlaps the first counts as a second one.
        let second = memmem::find(&text.as_bytes()[first + 1..], whole.as_bytes());
        second.is_none().then_some(first)
    }
}

/// Returns the text of a range, with the start moved forward to a character boundary.
fn slice_from(text: &Text, start: usize, end: usize) -> String {
    (start..=end.min(start + 3)).find_map(|start| text.slice(start..end)).unwrap_or_default()
}

/// Returns the text of a range, with the end moved back to a character boundary.
fn slice_to(text: &Text, start: usize, end: usize) -> String {
    let end = end.min(text.len_bytes());
    (end.saturating_sub(3).max(start)..=end).rev().find_map(|end| text.slice(start..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
