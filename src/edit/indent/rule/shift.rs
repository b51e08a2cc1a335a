//! All lines moved by the same indentation.

use super::super::super::trim::common_tail;
use super::super::Pair;
use super::super::unit::{Unit, spaces, tabs};
use super::Before;

/// One beginning of indentations replaced by another.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Shift<'a> {
    from: &'a str,
    to: &'a str,
    /// Some matched line is indented in the request, which shows of what its indentation is made.
    shown: bool,
}

impl<'a> Shift<'a> {
    /// The shift that all pairs share, with as little replaced as may be.
    pub(in super::super) fn of(pairs: &[Pair<'a>]) -> Option<Self> {
        let first = pairs.iter().min_by_key(|pair| pair.old.len())?;
        let common = common_tail(first.old, first.there);
        let shown = pairs.iter().any(|pair| !pair.old.is_empty());
        (0..=common).rev().filter(|&tail| first.old.is_char_boundary(first.old.len() - tail)).find_map(
            |tail| {
                let (from, to) =
                    (&first.old[..first.old.len() - tail], &first.there[..first.there.len() - tail]);
                let fits = |pair: &Pair<'_>| {
                    let rests = (pair.old.strip_prefix(from), pair.there.strip_prefix(to));
                    matches!(rests, (Some(old), Some(there)) if old == there)
                };
                pairs.iter().all(fits).then_some(Self { from, to, shown })
            },
        )
    }

    /// Returns whether the old and the new indentation are made of the same sign.
    pub(super) fn is_of_one_kind(&self) -> bool {
        let kind = |sign: char| self.from.chars().chain(self.to.chars()).all(|other| other == sign);
        kind(' ') || kind('\t')
    }

    /// `indent` shifted, where it begins with what is replaced.
    pub(in super::super) fn exactly(&self, indent: &str) -> Option<String> {
        match indent.strip_prefix(self.from) {
            Some(rest) => Some([self.to, rest].concat()),
            None if self.is_of_one_kind() => self.shed(indent),
            None => None,
        }
    }

    /// A line less deep than what is replaced.
    fn shed(&self, indent: &str) -> Option<String> {
        let sign = self.from.chars().next()?;
        let missing = self.from.len().checked_sub(indent.len())?;
        let left = self.to.len().checked_sub(missing)?;
        indent.chars().all(|other| other == sign).then(|| sign.to_string().repeat(left))
    }

    /// `indent` shifted, where it is plain how the file writes it.
    pub(super) fn apply(&self, indent: &str, before: Option<Before<'_>>) -> Option<String> {
        let rest = indent.strip_prefix(self.from);
        let in_kind = match (rest, self.to.chars().next_back()) {
            (Some("") | None, _) | (_, None) => true,
            (Some(rest), Some(last)) => self.is_of_one_kind() && (self.shown || rest.starts_with(last)),
        };
        if in_kind {
            return self.exactly(indent);
        }
        // The request has tabs where the file has spaces, or the other way round. A line below one that opens
        // a block is one level deeper, and the file's tabs are levels.
        let before =
            before.filter(|before| self.to.ends_with('\t') && tabs(self.to).is_some() && before.opens)?;
        let deeper =
            indent.strip_prefix(before.indent).filter(|deeper| spaces(deeper).is_some_and(|n| n > 1))?;
        Unit::Spaces(deeper.len()).is_usual().then(|| before.known.to_owned() + "\t")
    }
}
