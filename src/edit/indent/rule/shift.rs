//! A common shift of all lines.

use super::super::super::trim::common_tail;
use super::super::Pair;
use super::super::unit::{Unit, spaces, tabs};
use super::Before;

/// Replacement of one prefix of indentations by another.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Shift<'a> {
    from: &'a str,
    to: &'a str,
    /// `true` if some matched line is indented in the request, which shows its indentation characters.
    shows_unit: bool,
}

impl<'a> Shift<'a> {
    /// Returns the shift that all pairs share, with the shortest possible prefixes.
    pub(in super::super) fn of(pairs: &[Pair<'a>]) -> Option<Self> {
        let first = pairs.iter().min_by_key(|pair| pair.old.len())?;
        let common = common_tail(first.old, first.actual);
        let shows_unit = pairs.iter().any(|pair| !pair.old.is_empty());
        (0..=common).rev().filter(|&tail| first.old.is_char_boundary(first.old.len() - tail)).find_map(
            |tail| {
                let (from, to) =
                    (&first.old[..first.old.len() - tail], &first.actual[..first.actual.len() - tail]);
                let fits = |pair: &Pair<'_>| {
                    let rests = (pair.old.strip_prefix(from), pair.actual.strip_prefix(to));
                    matches!(rests, (Some(old), Some(actual)) if old == actual)
                };
                pairs.iter().all(fits).then_some(Self { from, to, shows_unit })
            },
        )
    }

    /// Returns `true` if the old and the new prefix consist of the same character.
    pub(super) fn is_of_one_kind(&self) -> bool {
        let kind = |sign: char| self.from.chars().chain(self.to.chars()).all(|other| other == sign);
        kind(' ') || kind('\t')
    }

    /// Shifts `indent`, if it begins with the replaced prefix.
    pub(in super::super) fn exactly(&self, indent: &str) -> Option<String> {
        match indent.strip_prefix(self.from) {
            Some(rest) => Some([self.to, rest].concat()),
            None if self.is_of_one_kind() => self.shed(indent),
            None => None,
        }
    }

    /// Shifts the indentation of a line that is less deep than the replaced prefix.
    fn shed(&self, indent: &str) -> Option<String> {
        let sign = self.from.chars().next()?;
        let missing = self.from.len().checked_sub(indent.len())?;
        let left = self.to.len().checked_sub(missing)?;
        indent.chars().all(|other| other == sign).then(|| sign.to_string().repeat(left))
    }

    /// Shifts `indent`, if it is clear how the file writes the result.
    pub(super) fn apply(&self, indent: &str, before: Option<Before<'_>>) -> Option<String> {
        let rest = indent.strip_prefix(self.from);
        let is_consistent = match (rest, self.to.chars().next_back()) {
            (Some("") | None, _) | (_, None) => true,
            (Some(rest), Some(last)) => self.is_of_one_kind() && (self.shows_unit || rest.starts_with(last)),
        };
        if is_consistent {
            return self.exactly(indent);
        }
        // The request has tabs where the file has spaces, or the reverse. A line after one that opens a block
        // is one level deeper, and the file's tabs are levels.
        let before =
            before.filter(|before| self.to.ends_with('\t') && tabs(self.to).is_some() && before.opens)?;
        let deeper =
            indent.strip_prefix(before.indent).filter(|deeper| spaces(deeper).is_some_and(|n| n > 1))?;
        Unit::Spaces(deeper.len()).is_usual().then(|| before.known.to_owned() + "\t")
    }
}
