//! Units of indentation, the steps that show the unit of a request, and conversions between request and file.

use super::role::{Role, opens_block};
use super::rule::{Before, Evidence};
use super::{NewLine, Pair};
use crate::line_diff::common_tail;

/// Usual widths of a level. Other steps are alignment.
const LEVELS: [usize; 3] = [2, 4, 8];

/// One level of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Tab,
    /// This many spaces, at least one.
    Spaces(usize),
}

impl Unit {
    /// Returns `true` if the unit is in common use.
    pub(super) fn is_usual(self) -> bool {
        match self {
            Self::Tab => true,
            Self::Spaces(width) => LEVELS.contains(&width),
        }
    }

    /// Returns the number of levels in an indentation, or `None` if it is not made of whole levels.
    pub(super) fn levels(self, indent: &str) -> Option<usize> {
        match self {
            Self::Tab => tabs(indent),
            Self::Spaces(width) => {
                spaces(indent).filter(|spaces| spaces.is_multiple_of(width)).map(|n| n / width)
            }
        }
    }

    /// Adds levels to an indentation, or removes them from its end. Returns `None` if there are too few to
    /// remove.
    pub(super) fn moved(self, indent: &str, levels: isize) -> Option<String> {
        let text = match self {
            Self::Tab => "\t".repeat(levels.unsigned_abs()),
            Self::Spaces(width) => " ".repeat(width * levels.unsigned_abs()),
        };
        if levels >= 0 {
            Some(indent.to_owned() + &text)
        } else {
            indent.strip_suffix(&*text).map(str::to_owned)
        }
    }
}

/// Returns the number of spaces in an indentation of spaces only.
pub(super) fn spaces(indent: &str) -> Option<usize> {
    indent.bytes().all(|byte| byte == b' ').then_some(indent.len())
}

/// Returns the number of tabs in an indentation of tabs only.
pub(super) fn tabs(indent: &str) -> Option<usize> {
    indent.bytes().all(|byte| byte == b'\t').then_some(indent.len())
}

/// Returns the width of an indentation in columns; tabs reach to the next multiple of eight.
pub(super) fn columns(indent: &str) -> usize {
    indent.chars().fold(0, |column, sign| if sign == '\t' { column / 8 * 8 + 8 } else { column + 1 })
}

/// Returns the greatest common divisor.
fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// The common step by which new lines are deeper or less deep than those before them.
pub(super) struct Step {
    pub(super) unit: Unit,
    /// `true` if some step follows a line that opens a block.
    pub(super) opened: bool,
    /// `true` if some step is not due to brackets.
    pub(super) plain: bool,
}

impl Step {
    /// Returns the common step of the new lines, starting from `depth`. Returns `None` if there are no steps.
    pub(super) fn of(evidence: &Evidence<'_, '_>, depth: &str) -> Option<Self> {
        let levels = |line: &&NewLine<'_>| !line.body.is_empty() && !line.role.is_aligned();
        let (mut plain, mut continued) = (Vec::new(), Vec::new());
        let mut opened = false;
        let mut before: Option<&NewLine<'_>> = None;
        for line in evidence.new.iter().filter(levels) {
            let from = before.map_or(depth, |line| line.indent);
            // One of the two must be a prefix of the other.
            let step = line.indent.strip_prefix(from).or_else(|| from.strip_prefix(line.indent));
            if let Some(step) = step.filter(|_| line.indent != from) {
                match line.role {
                    Role::Code => {
                        opened |= before.is_some_and(|before| opens_block(before.body));
                        plain.push(step);
                    }
                    _ if line.indent.len() > from.len() => continued.push(step),
                    _ => {}
                }
            }
            if line.role != Role::Continued {
                before = Some(line);
            }
        }
        let unit = common_unit(if plain.is_empty() { &continued } else { &plain })?;
        Some(Self { unit, opened, plain: !plain.is_empty() })
    }
}

/// Returns the largest unit of which all steps are multiples.
fn common_unit(steps: &[&str]) -> Option<Unit> {
    if steps.is_empty() {
        return None;
    }
    if steps.iter().all(|step| tabs(step).is_some()) {
        return Some(Unit::Tab);
    }
    let widths: Option<Vec<usize>> = steps.iter().map(|step| spaces(step)).collect();
    widths.map(|widths| Unit::Spaces(widths.into_iter().fold(0, gcd)))
}

/// The units of the request and of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
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
        let (requested, file) = match (requested_tab, file_tab) {
            (true, true) => return None,
            (true, false) => (Unit::Tab, Unit::Spaces(whole(rise, run)?)),
            (false, true) => (Unit::Spaces(whole(run, rise)?), Unit::Tab),
            (false, false) => {
                let by_file_width =
                    evidence.nearby.width().and_then(|width| Some((whole(width * run, rise)?, width)));
                let old_step = depths.iter().map(|depth| depth.0 - old_first).fold(0, gcd);
                let actual_step = depths.iter().map(|depth| depth.1 - actual_first).fold(0, gcd);
                let (requested, file) = by_file_width
                    .filter(|(requested, _)| old_step.is_multiple_of(*requested))
                    .unwrap_or((old_step, actual_step));
                // One column is not a level: more likely the margin clipped some.
                if requested <= 1 {
                    return None;
                }
                (Unit::Spaces(requested), Unit::Spaces(file))
            }
        };
        Some(Self { requested, file })
    }

    /// Returns `true` if both units are in common use.
    pub(super) fn is_usual(self) -> bool {
        self.requested.is_usual() && self.file.is_usual()
    }

    /// Returns `false` if a line is deeper than the line before it, which opens a block, but not by exactly
    /// one level.
    pub(super) fn nests_by_one(self, indent: &str, before: &Before<'_>) -> bool {
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

/// Replacement of one prefix of indentations by another.
#[derive(Debug, Clone, Copy)]
pub(super) struct PrefixShift<'a> {
    from: &'a str,
    to: &'a str,
    /// `true` if some matched line is indented in the request, which shows its indentation characters.
    shows_unit: bool,
}

impl<'a> PrefixShift<'a> {
    /// Returns the shift that all pairs share, with the shortest possible prefixes.
    pub(super) fn of(pairs: &[Pair<'a>]) -> Option<Self> {
        let first = pairs.iter().min_by_key(|pair| pair.old.len())?;
        let common = common_tail(first.old, first.actual);
        let shows_unit = pairs.iter().any(|pair| !pair.old.is_empty());
        let mut tails = (0..=common).rev().filter(|tail| first.old.is_char_boundary(first.old.len() - tail));
        tails.find_map(|tail| {
            let from = &first.old[..first.old.len() - tail];
            let to = &first.actual[..first.actual.len() - tail];
            let fits = |pair: &Pair<'_>| {
                let rests = (pair.old.strip_prefix(from), pair.actual.strip_prefix(to));
                matches!(rests, (Some(old), Some(actual)) if old == actual)
            };
            pairs.iter().all(fits).then_some(Self { from, to, shows_unit })
        })
    }

    /// Returns `true` if the old and the new prefix consist of the same character.
    pub(super) fn is_of_one_kind(&self) -> bool {
        let kind = |sign: char| self.from.chars().chain(self.to.chars()).all(|other| other == sign);
        kind(' ') || kind('\t')
    }

    /// Returns `true` if only tabs are added or removed.
    pub(super) fn is_of_tabs(&self) -> bool {
        self.from != self.to && self.from.chars().chain(self.to.chars()).all(|sign| sign == '\t')
    }

    /// Shifts `indent`, if it begins with the replaced prefix.
    pub(super) fn exactly(&self, indent: &str) -> Option<String> {
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
