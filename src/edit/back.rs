//! The way back from the result of a plan, also where that result has changed since.

use memchr::memmem;

use super::{Plan, Splice};
use crate::text::{Position, PositionEncoding, Text};

/// Changed places up to which their surroundings are kept.
const SPOTS: usize = 64;
/// Bytes of new text, over all places, up to which it is kept.
const NEW_TEXT: usize = 64 << 10;
/// Whole lines kept on each side of a place, besides the rest of its own.
const CONTEXT_LINES: usize = 2;
/// Bytes kept on each side of a place.
const CONTEXT_BYTES: usize = 400;

/// How to undo a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WayBack {
    /// Leads from the plan's result to its base.
    pub inverse: Plan,
    /// What each of its places looks like in the result, in order; none where that would be too much.
    pub spots: Vec<Spot>,
}

/// A changed place of a text, with what stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The line in which `before` begins, from 0.
    pub line: usize,
    /// The text in front of the place.
    pub before: String,
    /// The text that the change put there.
    pub new: String,
    /// The text behind the place.
    pub after: String,
}

impl WayBack {
    /// The way back from `result`, which `plan` made of `base`. Costs about as much as the change is large,
    /// whatever the size of the text.
    pub fn of(plan: &Plan, base: &str, result: &Text) -> Self {
        let inverse = plan.invert(base);
        let new: usize = plan.splices().iter().map(|splice| splice.text.len()).sum();
        if plan.splices().len() > SPOTS || new > NEW_TEXT {
            return Self { inverse, spots: Vec::new() };
        }
        let both = plan.splices().iter().zip(inverse.splices());
        let spots = both.map(|(there, back)| Spot::around(back, &there.text, result)).collect();
        Self { inverse, spots }
    }

    /// The way back for a text that is the result after these further plans, one after the other. Nothing if
    /// one of them touches a place.
    pub fn carried(&self, later: &[Plan]) -> Option<Plan> {
        later.iter().try_fold(self.inverse.clone(), |inverse, plan| inverse.map_through(plan))
    }

    /// The way back for a text of which is only known that it was the result once: each place has to stand
    /// there with its surroundings, to the letter and only once, in the same order.
    pub fn found_in(&self, text: &str) -> Option<Plan> {
        if self.spots.len() != self.inverse.splices().len() {
            return None;
        }
        let mut splices = Vec::with_capacity(self.spots.len());
        let mut behind = 0;
        for (spot, back) in self.spots.iter().zip(self.inverse.splices()) {
            let start = spot.find(text)? + spot.before.len();
            if start < behind {
                return None;
            }
            behind = start + spot.new.len();
            splices.push(Splice { range: start..behind, text: back.text.clone() });
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
        let near = |line: &usize| start - start_of(*line) <= CONTEXT_BYTES;
        let line = (own.saturating_sub(CONTEXT_LINES)..=own).find(near).unwrap_or(own);
        let from = start_of(line).max(start.saturating_sub(CONTEXT_BYTES));
        let last = line_of(end) + 1;
        let near = |line: &usize| start_of(*line) - end <= CONTEXT_BYTES;
        let to = (last..=last + CONTEXT_LINES).rev().find(near).map_or(end + CONTEXT_BYTES, start_of);
        Self {
            line,
            before: slice_from(result, from, start),
            new: new.to_owned(),
            after: slice_to(result, end, to),
        }
    }

    /// Where it begins in a text, if it stands there exactly once and there is anything to know it by.
    pub fn find(&self, text: &str) -> Option<usize> {
        if self.before.trim().is_empty() && self.after.trim().is_empty() {
            return None;
        }
        let whole = [self.before.as_str(), &self.new, &self.after].concat();
        let mut places = memmem::find_iter(text.as_bytes(), whole.as_bytes());
        let first = places.next()?;
        // One that overlaps the first is a second place too.
        let second = memmem::find(&text.as_bytes()[first + 1..], whole.as_bytes());
        second.is_none().then_some(first)
    }
}

/// The text of a range, its start moved forward to a whole character.
fn slice_from(text: &Text, start: usize, end: usize) -> String {
    (start..=end.min(start + 3)).find_map(|start| text.slice(start..end)).unwrap_or_default()
}

/// The text of a range, its end moved back to a whole character.
fn slice_to(text: &Text, start: usize, end: usize) -> String {
    let end = end.min(text.len_bytes());
    (end.saturating_sub(3).max(start)..=end).rev().find_map(|end| text.slice(start..end)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
