//! Steps between the new lines of a request, which show its unit of indentation.

use super::super::NewLine;
use super::super::role::{Role, opens_block};
use super::super::unit::{Unit, gcd, spaces, tabs};
use super::Evidence;

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
        let candidates: Vec<&NewLine<'_>> = evidence.new.iter().filter(levels).collect();
        let (mut plain, mut continued) = (Vec::new(), Vec::new());
        let mut opened = false;
        let mut before: Option<&NewLine<'_>> = None;
        for line in candidates {
            let from = before.map_or(depth, |line| line.indent);
            let step = difference(from, line.indent);
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
        let all = if plain.is_empty() { &continued } else { &plain };
        let unit = common(all)?;
        Some(Self { unit, opened, plain: !plain.is_empty() })
    }
}

/// Returns the part by which two indentations differ, if one is a prefix of the other.
fn difference<'s>(one: &'s str, other: &'s str) -> Option<&'s str> {
    other.strip_prefix(one).or_else(|| one.strip_prefix(other))
}

/// Returns the largest unit of which all steps are multiples.
fn common(steps: &[&str]) -> Option<Unit> {
    if steps.is_empty() {
        return None;
    }
    if steps.iter().all(|step| tabs(step).is_some()) {
        return Some(Unit::Tab);
    }
    let widths: Option<Vec<usize>> = steps.iter().map(|step| spaces(step)).collect();
    widths.map(|widths| Unit::Spaces(widths.into_iter().fold(0, gcd)))
}
