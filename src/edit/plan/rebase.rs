//! Rebasing of plans onto a text that has changed since the plan was made, and undo.

use std::ops::Range;

use memchr::memmem;

use super::{Plan, Shift, Splice, overlap, push_spliced};
use editd_text::Text;

/// Maximum number of splices for which context is stored.
const MAX_SPOTS: usize = 64;
/// Maximum size of the new text, over all splices, for which context is stored. Bytes.
const MAX_NEW_TEXT: usize = 64 << 10;
/// Number of whole context lines stored on each side of a splice, besides the rest of the line.
const CONTEXT_LINES: usize = 2;
/// Maximum size of the context on each side of a splice, in bytes.
const CONTEXT_BYTES: usize = 400;

/// The range of a newer version of a text to which a splice of the base was mapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedRange {
    /// Bytes of the newer text; approximate if `touched`, and possibly not on character boundaries then.
    pub range: Range<usize>,
    /// `true` if a newer change touches the splice, so that its meaning may have changed.
    pub touched: bool,
}

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

impl Plan {
    /// Rebases this plan onto the result of `earlier`, which was made for the same base. Returns `None` if
    /// the two overlap or touch: then the meaning of a splice may have changed.
    pub fn rebase_strict(&self, earlier: &Self) -> Option<Self> {
        self.rebase_past(earlier, |one, next| one.end < next.start)
    }

    /// Like [`rebase_strict`](Self::rebase_strict), but the two may touch: an insertion right before or after
    /// a splice does not change the text that it replaces. Returns `None` if they overlap, or if both insert
    /// at the same offset.
    pub fn rebase_adjacent(&self, earlier: &Self) -> Option<Self> {
        self.rebase_past(earlier, |one, next| {
            one.end <= next.start && !(one.is_empty() && next.is_empty() && one.end == next.start)
        })
    }

    /// Rebases this plan if of any two splices, one of each plan, one `precedes` the other.
    fn rebase_past(
        &self,
        earlier: &Self,
        precedes: impl Fn(&Range<usize>, &Range<usize>) -> bool,
    ) -> Option<Self> {
        if self.base_len != earlier.base_len {
            return None;
        }
        let mut shift = Shift::default();
        let mut before = earlier.splices.iter().peekable();
        let mut splices = Vec::with_capacity(self.splices.len());
        for splice in &self.splices {
            while let Some(passed) = before.next_if(|other| precedes(&other.range, &splice.range)) {
                shift.pass(passed);
            }
            if before.peek().is_some_and(|other| !precedes(&splice.range, &other.range)) {
                return None;
            }
            splices.push(Splice { range: shift.apply_to_range(&splice.range), text: splice.text.clone() });
        }
        Some(Self { base_len: earlier.result_len(), splices })
    }

    /// Rebases this plan onto the result of `earlier`, both made for `base`. Where the two overlap this plan
    /// wins: the whole range that the two changed becomes what this plan alone makes of it. Where they only
    /// touch, both are applied, the insertion of `earlier` first.
    ///
    /// If [`rebase_strict`](Self::rebase_strict) returns a plan, this returns the same one.
    #[must_use]
    pub fn rebase_overwriting(&self, earlier: &Self, base: &str) -> Self {
        let (mut own, mut other) = (self.splices.iter().peekable(), earlier.splices.iter().peekable());
        let mut shift = Shift::default();
        let mut splices = Vec::with_capacity(self.splices.len());
        while let Some(first) = own.next() {
            while let Some(passed) = other.next_if(|other| other.range.end <= first.range.start) {
                shift.pass(passed);
            }
            let (mut range, mut members) = (first.range.clone(), vec![first]);
            let before = shift.clone();
            loop {
                if let Some(met) = other.next_if(|other| overlap(&other.range, &range)) {
                    shift.pass(met);
                    range = range.start.min(met.range.start)..range.end.max(met.range.end);
                } else if let Some(next) = own.next_if(|next| overlap(&next.range, &range)) {
                    range.end = range.end.max(next.range.end);
                    members.push(next);
                } else {
                    break;
                }
            }
            let mut text = String::new();
            push_spliced(&mut text, base, range.clone(), members);
            splices.push(Splice { range: before.apply(range.start)..shift.apply(range.end), text });
        }
        Self::new(earlier.result_len(), splices).unwrap_or_else(|_| Self::empty(earlier.result_len()))
    }

    /// Maps splices of this plan's base to its result. They must be sorted and disjoint, as
    /// [`by_hunk`](Self::by_hunk) returns them.
    pub fn map_splices(&self, splices: &[Splice]) -> Vec<MappedRange> {
        // The shift before each of the plan's splices.
        let mut shifts = vec![Shift::default()];
        for splice in &self.splices {
            let mut shift = shifts.last().cloned().unwrap_or_default();
            shift.pass(splice);
            shifts.push(shift);
        }
        let mapped = |splice: &Splice| {
            let Range { start, end } = splice.range;
            let first = self.splices.partition_point(|other| other.range.end <= start);
            let before = self.splices.partition_point(|other| other.range.start < end.max(start));
            // A splice that only touches the start counts as before, and so does an insertion at the same
            // offset.
            let touches = |other: &Splice| other.range.start <= end && other.range.end >= start;
            let near = first.saturating_sub(1)..(before + 1).min(self.splices.len());
            let from = self.map_offset(&shifts, first, start);
            let to = if start == end { from } else { self.map_offset(&shifts, before, end).max(from) };
            MappedRange { range: from..to, touched: self.splices[near].iter().any(touches) }
        };
        splices.iter().map(mapped).collect()
    }

    /// Maps an offset of the base to the result; `before` is the number of splices before it.
    fn map_offset(&self, shifts: &[Shift], before: usize, offset: usize) -> usize {
        let inside = |splice: &&Splice| splice.range.start < offset && offset < splice.range.end;
        // The splice around the offset is either the last one that begins before it or the next.
        let mut candidates = [before.checked_sub(1), Some(before)].into_iter().flatten();
        let around = candidates.find_map(|at| Some((at, self.splices.get(at).filter(inside)?)));
        match around {
            Some((at, splice)) => {
                let start = shifts[at].apply(splice.range.start);
                start + (offset - splice.range.start).min(splice.text.len())
            }
            None => shifts[before].apply(offset),
        }
    }
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
        let (line_of, start_of) = (|offset| result.line_of(offset), |line| result.line_start(line));
        let (start, end) = (back.range.start, back.range.end);
        let own = line_of(start);
        let is_near = |line: &usize| start - start_of(*line) <= CONTEXT_BYTES;
        let line = (own.saturating_sub(CONTEXT_LINES)..=own).find(is_near).unwrap_or(own);
        let from = start_of(line).max(start.saturating_sub(CONTEXT_BYTES));
        let last = line_of(end) + 1;
        let is_near = |line: &usize| start_of(*line) - end <= CONTEXT_BYTES;
        let to = (last..=last + CONTEXT_LINES).rev().find(is_near).map_or(end + CONTEXT_BYTES, start_of);
        let (before, after) = (slice_from(result, from, start), slice_to(result, end, to));
        Self { line, before, new: new.to_owned(), after }
    }

    /// Returns the offset of the context in a text, if it occurs there exactly once and is not blank.
    pub fn find(&self, text: &str) -> Option<usize> {
        if self.before.trim().is_empty() && self.after.trim().is_empty() {
            return None;
        }
        let whole = [self.before.as_str(), &self.new, &self.after].concat();
        let first = memmem::find(text.as_bytes(), whole.as_bytes())?;
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
