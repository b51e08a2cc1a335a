//! Composition of plans.

use std::ops::Range;

use super::{Plan, Splice};

/// A piece of a plan's result.
enum Piece<'a> {
    Kept(Range<usize>),
    Written(&'a str),
}

impl Plan {
    /// Composes this plan with `next`, which was made for its result.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        debug_assert_eq!(
            self.result_len(),
            next.base_len,
            "the next plan is made for the result of this one"
        );
        let mut rest = Rest { pieces: self.pieces(), at: 0 };
        let mut result = Vec::new();
        for splice in &next.splices {
            rest.advance(splice.range.start, |piece| result.push(piece));
            rest.advance(splice.range.end, drop);
            result.push(Piece::Written(&splice.text));
        }
        rest.advance(usize::MAX, |piece| result.push(piece));
        Self { base_len: self.base_len, splices: splices(result, self.base_len) }
    }

    /// Returns the pieces of the plan's result, last one first.
    fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::with_capacity(self.splices.len() * 2 + 1);
        let mut kept_to = self.base_len;
        for splice in self.splices.iter().rev() {
            pieces.push(Piece::Kept(splice.range.end..kept_to));
            pieces.push(Piece::Written(&splice.text));
            kept_to = splice.range.start;
        }
        pieces.push(Piece::Kept(0..kept_to));
        pieces
    }
}

/// The remaining pieces of a result.
struct Rest<'a> {
    /// Remaining pieces, last one first.
    pieces: Vec<Piece<'a>>,
    at: usize,
}

impl<'a> Rest<'a> {
    /// Advances to `end` (bytes of the result) and passes each piece on the way to `each`.
    fn advance(&mut self, end: usize, mut each: impl FnMut(Piece<'a>)) {
        while self.at < end
            && let Some(piece) = self.pieces.pop()
        {
            let (head, tail) = piece.split(end - self.at);
            self.at += head.len();
            self.pieces.extend(tail);
            each(head);
        }
    }
}

impl Piece<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Kept(range) => range.len(),
            Self::Written(text) => text.len(),
        }
    }

    /// Splits the piece after `length` bytes.
    fn split(self, length: usize) -> (Self, Option<Self>) {
        if length >= self.len() {
            return (self, None);
        }
        match self {
            Self::Kept(range) => {
                let middle = range.start + length;
                (Self::Kept(range.start..middle), Some(Self::Kept(middle..range.end)))
            }
            // A plan that fits its base cuts no character.
            Self::Written(text) => match text.split_at_checked(length) {
                Some((head, tail)) => (Self::Written(head), Some(Self::Written(tail))),
                None => (Self::Written(text), None),
            },
        }
    }
}

fn splices(pieces: Vec<Piece<'_>>, base_len: usize) -> Vec<Splice> {
    let mut splices = Vec::new();
    let (mut kept_to, mut text) = (0, String::new());
    let mut flush = |range: Range<usize>, text: &mut String| {
        if !range.is_empty() || !text.is_empty() {
            splices.push(Splice { range, text: std::mem::take(text) });
        }
    };
    for piece in pieces {
        match piece {
            Piece::Written(written) => text.push_str(written),
            Piece::Kept(range) if range.is_empty() => {}
            Piece::Kept(range) => {
                flush(kept_to..range.start, &mut text);
                kept_to = range.end;
            }
        }
    }
    flush(kept_to..base_len, &mut text);
    splices
}
