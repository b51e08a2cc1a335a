//! Conversion of levels between units.

use super::super::Pair;
use super::super::unit::{Unit, gcd, spaces, tabs};
use super::{Before, Evidence};

/// The units of the request and of the file.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Scale {
    pub(super) requested: Unit,
    pub(super) file: Unit,
}

impl Scale {
    /// Returns the units that all pairs agree on, if they have at least two depths.
    pub(super) fn of(evidence: &Evidence<'_, '_>, code: &[Pair<'_>]) -> Option<Self> {
        let depth =
            |indent: &str| tabs(indent).filter(|_| indent.starts_with('\t')).or_else(|| spaces(indent));
        let depths: Vec<(usize, usize)> =
            code.iter().filter_map(|pair| Some((depth(pair.old)?, depth(pair.actual)?))).collect();
        let &(old_first, actual_first) = depths.iter().min()?;
        let &(old_last, actual_last) = depths.iter().max()?;
        let (run, rise) = (old_last - old_first, actual_last.checked_sub(actual_first)?);
        let even = |&(old, actual): &(usize, usize)| {
            actual.checked_sub(actual_first).is_some_and(|rises| rises * run == (old - old_first) * rise)
        };
        if run == 0 || rise == 0 || !depths.iter().all(even) {
            return None;
        }
        let old = |sign: char| code.iter().any(|pair| pair.old.starts_with(sign));
        let actual = |sign: char| code.iter().any(|pair| pair.actual.starts_with(sign));
        let (requested_tab, file_tab) = (old('\t'), actual('\t'));
        if requested_tab && old(' ') || file_tab && actual(' ') {
            return None;
        }
        match (requested_tab, file_tab) {
            (true, true) => None,
            (true, false) => {
                whole(rise, run).map(|width| Self { requested: Unit::Tab, file: Unit::Spaces(width) })
            }
            (false, true) => {
                whole(run, rise).map(|width| Self { requested: Unit::Spaces(width), file: Unit::Tab })
            }
            (false, false) => {
                let by_file_width =
                    evidence.nearby.width().and_then(|width| Some((whole(width * run, rise)?, width)));
                let steps = |of: fn(&(usize, usize)) -> usize, least: usize| {
                    depths.iter().map(|depth| of(depth) - least).fold(0, gcd)
                };
                let observed = (steps(|depth| depth.0, old_first), steps(|depth| depth.1, actual_first));
                let (requested, file) = by_file_width
                    .filter(|(requested, _)| observed.0.is_multiple_of(*requested))
                    .unwrap_or(observed);
                // One column is not a level: more likely the margin clipped some.
                (requested > 1)
                    .then_some(Self { requested: Unit::Spaces(requested), file: Unit::Spaces(file) })
            }
        }
    }

    /// Returns `true` if both units are in common use.
    pub(super) fn is_usual(self) -> bool {
        self.requested.is_usual() && self.file.is_usual()
    }

    /// Returns `false` if a line is deeper than the line before it, which opens a block, but not by exactly
    /// one level.
    pub(in super::super) fn nests_by_one(self, indent: &str, before: &Before<'_>) -> bool {
        let deeper = indent.strip_prefix(before.indent).filter(|deeper| before.opens && !deeper.is_empty());
        deeper.is_none_or(|deeper| self.requested.levels(deeper) == Some(1))
    }

    /// Maps `indent` to as many levels from `near` as in the request.
    pub(super) fn apply(self, indent: &str, near: Pair<'_>) -> Option<String> {
        let levels = |indent| Some(isize::try_from(self.requested.levels(indent)?).unwrap_or(isize::MAX));
        let apart = match (indent.strip_prefix(near.old), near.old.strip_prefix(indent)) {
            (Some(deeper), _) => levels(deeper)?,
            (None, Some(shed)) => -levels(shed)?,
            (None, None) => levels(indent)? - levels(near.old)?,
        };
        self.file.moved(near.actual, apart)
    }
}

/// Returns `one / other`, if that is a positive integer.
fn whole(one: usize, other: usize) -> Option<usize> {
    (other > 0 && one.is_multiple_of(other)).then(|| one / other).filter(|&whole| whole > 0)
}
