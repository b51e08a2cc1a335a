//! Plans: changes of a text, as values.

mod rebase;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use editd_text::Text;

pub use rebase::{MappedRange, Spot, UndoPlan};

/// New text for a range of the base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
/// use editd_edit::{Plan, Splice};
///
/// let base = "one two three";
/// let plan = Plan::new(base.len(), vec![Splice { range: 4..7, text: "2".to_owned() }]).unwrap();
/// let result = plan.apply(base);
/// assert_eq!(result, "one 2 three");
/// assert_eq!(plan.invert(base).apply(&result), base);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
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
                Some(last) if splice.range.start == last.range.end => {
                    last.range.end = splice.range.end;
                    last.text.push_str(&splice.text);
                }
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
    #[must_use]
    pub fn moved_by(mut self, head: usize) -> Self {
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

    /// Returns `true` if the result differs from `base`.
    pub fn changes(&self, base: &str) -> bool {
        self.result_len() != self.base_len || self.differs(base.as_bytes()).unwrap_or(true)
    }

    /// Like [`Plan::changes`], for a result as long as the base. Several splices can leave the text as it is together,
    /// as those that move a line past equal ones. Returns `None` if the plan is not for this base.
    fn differs(&self, base: &[u8]) -> Option<bool> {
        let Some(first) = self.splices.first() else { return Some(false) };
        // The result is compared with the base from here on.
        let (mut at, mut kept_to) = (first.range.start, first.range.start);
        for splice in &self.splices {
            for piece in [base.get(kept_to..splice.range.start)?, splice.text.as_bytes()] {
                if !base.get(at..)?.starts_with(piece) {
                    return Some(true);
                }
                at += piece.len();
            }
            kept_to = splice.range.end;
        }
        Some(false)
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
        push_spliced(&mut result, base, 0..base.len(), &self.splices);
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

    /// Composes this plan with `next`, which was made for its result.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        debug_assert_eq!(self.result_len(), next.base_len, "the next plan is made for this one's result");
        let pieces = self.pieces();
        let (mut splices, mut kept_to, mut text, mut at) = (Vec::new(), 0, String::new(), 0);
        let end = Splice { range: self.result_len()..self.result_len(), text: String::new() };
        for splice in next.splices.iter().chain([&end]) {
            let first = pieces.partition_point(|(start, piece)| start + piece.len() <= at);
            for (start, piece) in pieces[first..].iter().take_while(|(start, _)| *start < splice.range.start)
            {
                let part = at.saturating_sub(*start)..piece.len().min(splice.range.start - start);
                match piece {
                    ResultPiece::Written(written) => text.push_str(written.get(part).unwrap_or_default()),
                    ResultPiece::Kept(kept) => {
                        let range = kept_to..kept.start + part.start;
                        if !range.is_empty() || !text.is_empty() {
                            splices.push(Splice { range, text: std::mem::take(&mut text) });
                        }
                        kept_to = kept.start + part.end;
                    }
                }
            }
            text.push_str(&splice.text);
            at = splice.range.end;
        }
        if kept_to < self.base_len || !text.is_empty() {
            splices.push(Splice { range: kept_to..self.base_len, text });
        }
        Self { base_len: self.base_len, splices }
    }

    /// Returns the pieces of the plan's result, each with its start there.
    fn pieces<'s>(&'s self) -> Vec<(usize, ResultPiece<'s>)> {
        let mut pieces = Vec::with_capacity(self.splices.len() * 2 + 1);
        let (mut start, mut kept_to) = (0, 0);
        let mut push = |piece: ResultPiece<'s>| {
            let length = piece.len();
            pieces.push((start, piece));
            start += length;
        };
        for splice in &self.splices {
            push(ResultPiece::Kept(kept_to..splice.range.start));
            push(ResultPiece::Written(&splice.text));
            kept_to = splice.range.end;
        }
        push(ResultPiece::Kept(kept_to..self.base_len));
        pieces
    }
}

/// Returns `true` if two ranges overlap; an empty range overlaps a range that contains it.
pub(super) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Appends a range of `base` to `text`, with `splices` of that range applied.
pub(super) fn push_spliced<'s>(
    text: &mut String,
    base: &str,
    range: Range<usize>,
    splices: impl IntoIterator<Item = &'s Splice>,
) {
    let mut copied = range.start;
    for splice in splices {
        text.push_str(base.get(copied..splice.range.start).unwrap_or_default());
        text.push_str(&splice.text);
        copied = splice.range.end;
    }
    text.push_str(base.get(copied..range.end).unwrap_or_default());
}

/// The offset by which the splices passed so far move later text.
#[derive(Debug, Clone, Default)]
pub(super) struct Shift {
    added: usize,
    removed: usize,
}

impl Shift {
    pub(super) fn pass(&mut self, splice: &Splice) {
        self.added += splice.text.len();
        self.removed += splice.range.len();
    }

    pub(super) fn apply(&self, offset: usize) -> usize {
        offset + self.added - self.removed
    }

    pub(super) fn apply_to_range(&self, range: &Range<usize>) -> Range<usize> {
        self.apply(range.start)..self.apply(range.end)
    }
}

/// A piece of a plan's result.
enum ResultPiece<'a> {
    Kept(Range<usize>),
    Written(&'a str),
}

impl ResultPiece<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Kept(range) => range.len(),
            Self::Written(text) => text.len(),
        }
    }
}

#[cfg(test)]
mod tests;
