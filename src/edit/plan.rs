//! Plans: changes of a text, as values.

mod compose;
mod over;

use std::ops::Range;

use crate::text::Text;

pub use over::MappedRange;

/// New text for a range of the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Replaced bytes of the base.
    pub range: Range<usize>,
    /// Text that replaces the range.
    pub text: String,
}

/// The reason why splices do not form a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Two splices overlap.
    #[error("two changes overlap")]
    Overlap,
    /// A splice lies outside the base, or ends before it starts.
    #[error("a change lies outside the text")]
    OutOfBounds,
}

/// A set of splices of one base: sorted and disjoint, none empty, none touching the next.
///
/// A plan is valid for its base only, so store the hash of the base with a plan that you keep.
///
/// ```
/// use editd::edit::{Plan, Splice};
///
/// let base = "one two three";
/// let plan = Plan::new(base.len(), vec![Splice { range: 4..7, text: "2".to_owned() }]).unwrap();
/// let result = plan.apply(base);
/// assert_eq!(result, "one 2 three");
/// assert_eq!(plan.invert(base).apply(&result), base);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    base_len: usize,
    splices: Vec<Splice>,
}

impl Plan {
    /// Creates a plan from `splices` (in any order) for a base of `base_len` bytes. Splices that touch are
    /// joined; insertions at the same offset stay in the order given.
    pub fn new(base_len: usize, mut splices: Vec<Splice>) -> Result<Self, PlanError> {
        splices.sort_by_key(|splice| (splice.range.start, splice.range.end));
        let mut merged: Vec<Splice> = Vec::with_capacity(splices.len());
        for splice in splices {
            if splice.range.start > splice.range.end || splice.range.end > base_len {
                return Err(PlanError::OutOfBounds);
            }
            match merged.last_mut() {
                Some(last) if splice.range.start < last.range.end => return Err(PlanError::Overlap),
                Some(last) if splice.range.start == last.range.end => last.extend(&splice),
                _ => merged.push(splice),
            }
        }
        merged.retain(|splice| !splice.range.is_empty() || !splice.text.is_empty());
        Ok(Self { base_len, splices: merged })
    }

    /// Creates a plan that changes nothing.
    pub fn empty(base_len: usize) -> Self {
        Self { base_len, splices: Vec::new() }
    }

    /// Returns the length of the base, in bytes.
    pub fn base_len(&self) -> usize {
        self.base_len
    }

    /// Returns the length of the result, in bytes.
    pub fn result_len(&self) -> usize {
        let removed: usize = self.splices.iter().map(|splice| splice.range.len()).sum();
        let added: usize = self.splices.iter().map(|splice| splice.text.len()).sum();
        self.base_len - removed + added
    }

    /// Moves the plan to a text with `head` bytes more at the start.
    pub(super) fn moved_by(mut self, head: usize) -> Self {
        self.base_len += head;
        for splice in &mut self.splices {
            splice.range = splice.range.start + head..splice.range.end + head;
        }
        self
    }

    /// Returns the splices, in order.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Consumes the plan and returns its splices.
    pub fn into_splices(self) -> Vec<Splice> {
        self.splices
    }

    /// Returns `true` if the plan changes nothing.
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }

    /// Returns `true` if `base` can be the text that this plan was made for: its length is right, and no
    /// splice cuts a character.
    pub fn fits(&self, base: &str) -> bool {
        let whole = |at| base.is_char_boundary(at);
        base.len() == self.base_len
            && self.splices.iter().all(|splice| whole(splice.range.start) && whole(splice.range.end))
    }

    /// Applies the plan. `base` must be the text that the plan was made for; if it does not
    /// [fit](Self::fits), it is returned unchanged.
    pub fn apply(&self, base: &str) -> String {
        debug_assert!(self.fits(base), "a plan is applied to its own base");
        if !self.fits(base) {
            return base.to_owned();
        }
        let mut result = String::with_capacity(self.result_len());
        let mut copied = 0;
        for splice in &self.splices {
            result.push_str(&base[copied..splice.range.start]);
            result.push_str(&splice.text);
            copied = splice.range.end;
        }
        result.push_str(&base[copied..]);
        result
    }

    /// Applies the plan in place. `text` must be the text that the plan was made for.
    pub fn apply_to(&self, text: &mut Text) {
        debug_assert_eq!(text.len_bytes(), self.base_len, "a plan is applied to its own base");
        // From the end, so that the earlier ranges stay valid.
        for splice in self.splices.iter().rev() {
            text.splice(splice.range.clone(), &splice.text);
        }
    }

    /// Returns the inverse plan, which restores `base` from the result.
    #[must_use]
    pub fn invert(&self, base: &str) -> Self {
        let mut shift = Shift::default();
        let invert = |splice: &Splice| {
            let start = shift.apply(splice.range.start);
            shift.pass(splice);
            let text = base.get(splice.range.clone()).unwrap_or_default().to_owned();
            Splice { range: start..start + splice.text.len(), text }
        };
        Self { base_len: self.result_len(), splices: self.splices.iter().map(invert).collect() }
    }

    /// Rebases this plan onto the result of `earlier`, which was made for the same base. Returns `None` if
    /// the two overlap or touch: then the meaning of a splice may have changed.
    pub fn rebase_strict(&self, earlier: &Self) -> Option<Self> {
        self.map_past(
            earlier,
            |other, splice| other.end < splice.start,
            |other, splice| other.start > splice.end,
        )
    }

    /// Like [`rebase_strict`](Self::rebase_strict), but the two may touch: an insertion right before or after
    /// a splice does not change the text that it replaces. Returns `None` if they overlap, or if both insert
    /// at the same offset.
    pub fn rebase_adjacent(&self, earlier: &Self) -> Option<Self> {
        let at_once = |other: &Range<usize>, splice: &Range<usize>| other.is_empty() && splice.is_empty();
        self.map_past(
            earlier,
            |other, splice| {
                other.end <= splice.start && !(at_once(other, splice) && other.end == splice.start)
            },
            |other, splice| {
                other.start >= splice.end && !(at_once(other, splice) && other.start == splice.end)
            },
        )
    }

    fn map_past(
        &self,
        earlier: &Self,
        is_before: impl Fn(&Range<usize>, &Range<usize>) -> bool,
        is_after: impl Fn(&Range<usize>, &Range<usize>) -> bool,
    ) -> Option<Self> {
        if self.base_len != earlier.base_len {
            return None;
        }
        let mut shift = Shift::default();
        let mut before = earlier.splices.iter().peekable();
        let mut splices = Vec::with_capacity(self.splices.len());
        for splice in &self.splices {
            while let Some(passed) = before.next_if(|other| is_before(&other.range, &splice.range)) {
                shift.pass(passed);
            }
            if before.peek().is_some_and(|other| !is_after(&other.range, &splice.range)) {
                return None;
            }
            let range = shift.apply(splice.range.start)..shift.apply(splice.range.end);
            splices.push(Splice { range, text: splice.text.clone() });
        }
        Some(Self { base_len: earlier.result_len(), splices })
    }
}

impl Splice {
    fn extend(&mut self, next: &Self) {
        self.range.end = next.range.end;
        self.text.push_str(&next.text);
    }
}

/// The offset by which the splices passed so far move later text.
#[derive(Debug, Clone, Default)]
struct Shift {
    added: usize,
    removed: usize,
}

impl Shift {
    fn pass(&mut self, splice: &Splice) {
        self.added += splice.text.len();
        self.removed += splice.range.len();
    }

    fn apply(&self, offset: usize) -> usize {
        offset + self.added - self.removed
    }
}

#[cfg(test)]
mod tests;
