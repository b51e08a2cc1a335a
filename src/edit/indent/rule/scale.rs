//! Levels of one unit written as levels of another.

use super::super::Pair;
use super::super::unit::{Unit, greatest_common, spaces, tabs};
use super::{Before, Evidence};

/// Levels of the request in one unit, of the file in another.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Scale {
    pub(super) asked: Unit,
    pub(super) file: Unit,
}

impl Scale {
    /// The units that all pairs agree on, where they have two depths at least.
    pub(super) fn of(evidence: &Evidence<'_, '_>, code: &[Pair<'_>]) -> Option<Self> {
        let depth =
            |indent: &str| tabs(indent).filter(|_| indent.starts_with('\t')).or_else(|| spaces(indent));
        let depths: Vec<(usize, usize)> =
            code.iter().filter_map(|pair| Some((depth(pair.old)?, depth(pair.there)?))).collect();
        let &(old_first, there_first) = depths.iter().min()?;
        let &(old_last, there_last) = depths.iter().max()?;
        let (run, rise) = (old_last - old_first, there_last.checked_sub(there_first)?);
        let even = |&(old, there): &(usize, usize)| {
            there.checked_sub(there_first).is_some_and(|rises| rises * run == (old - old_first) * rise)
        };
        if run == 0 || rise == 0 || !depths.iter().all(even) {
            return None;
        }
        let old = |sign: char| code.iter().any(|pair| pair.old.starts_with(sign));
        let there = |sign: char| code.iter().any(|pair| pair.there.starts_with(sign));
        let (asked_tab, file_tab) = (old('\t'), there('\t'));
        if asked_tab && old(' ') || file_tab && there(' ') {
            return None;
        }
        match (asked_tab, file_tab) {
            (true, true) => None,
            (true, false) => {
                whole(rise, run).map(|width| Self { asked: Unit::Tab, file: Unit::Spaces(width) })
            }
            (false, true) => {
                whole(run, rise).map(|width| Self { asked: Unit::Spaces(width), file: Unit::Tab })
            }
            (false, false) => {
                let by_own = evidence.nearby.width().and_then(|own| Some((whole(own * run, rise)?, own)));
                let steps = |of: fn(&(usize, usize)) -> usize, least: usize| {
                    depths.iter().map(|depth| of(depth) - least).fold(0, greatest_common)
                };
                let seen = (steps(|depth| depth.0, old_first), steps(|depth| depth.1, there_first));
                let (asked, file) = by_own.filter(|(asked, _)| seen.0.is_multiple_of(*asked)).unwrap_or(seen);
                // Nobody indents by one column: more likely the margin clipped some.
                (asked > 1).then_some(Self { asked: Unit::Spaces(asked), file: Unit::Spaces(file) })
            }
        }
    }

    /// Returns whether both units are of a width that people use.
    pub(super) fn is_usual(self) -> bool {
        self.asked.is_usual() && self.file.is_usual()
    }

    /// Returns whether a line that is deeper than the one before it, which opens a block, is one level deeper.
    pub(in super::super) fn nests_by_one(self, indent: &str, before: &Before<'_>) -> bool {
        let deeper = indent.strip_prefix(before.indent).filter(|deeper| before.opens && !deeper.is_empty());
        deeper.is_none_or(|deeper| self.asked.levels(deeper) == Some(1))
    }

    /// `indent` as so many levels from `near` as it is in the request.
    pub(super) fn apply(self, indent: &str, near: Pair<'_>) -> Option<String> {
        let levels = |indent| Some(isize::try_from(self.asked.levels(indent)?).unwrap_or(isize::MAX));
        let apart = match (indent.strip_prefix(near.old), near.old.strip_prefix(indent)) {
            (Some(deeper), _) => levels(deeper)?,
            (None, Some(shed)) => -levels(shed)?,
            (None, None) => levels(indent)? - levels(near.old)?,
        };
        self.file.moved(near.there, apart)
    }
}

/// `one` over `other`, if that is a whole number above nought.
fn whole(one: usize, other: usize) -> Option<usize> {
    (other > 0 && one.is_multiple_of(other)).then(|| one / other).filter(|&whole| whole > 0)
}
