//! The steps that the new lines of a request take, which show by what it indents.

use super::super::NewLine;
use super::super::role::{Role, opens_block};
use super::super::unit::{Unit, greatest_common, spaces, tabs};
use super::Evidence;

/// The step by which new lines go deeper, or less deep, than those before them.
pub(super) struct Step {
    pub(super) unit: Unit,
    /// Some step follows a line that opens a block.
    pub(super) opened: bool,
    /// Some step is no matter of brackets.
    pub(super) plain: bool,
}

impl Step {
    /// The step of which all new lines are made that are not as deep as `depth`. Nothing where there are none.
    pub(super) fn of(evidence: &Evidence<'_, '_>, depth: &str) -> Option<Self> {
        let levels = |line: &&NewLine<'_>| !line.body.is_empty() && !line.role.is_aligned();
        let said: Vec<&NewLine<'_>> = evidence.new.iter().filter(levels).collect();
        let (mut plain, mut continued) = (Vec::new(), Vec::new());
        let mut opened = false;
        let mut before: Option<&NewLine<'_>> = None;
        for line in said {
            let from = before.map_or(depth, |line| line.indent);
            let step = apart(from, line.indent);
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

/// Returns the part by which two indentations differ, if one begins like the other.
fn apart<'s>(one: &'s str, other: &'s str) -> Option<&'s str> {
    other.strip_prefix(one).or_else(|| one.strip_prefix(other))
}

/// The largest unit that all these steps are made of.
fn common(steps: &[&str]) -> Option<Unit> {
    if steps.is_empty() {
        return None;
    }
    if steps.iter().all(|step| tabs(step).is_some()) {
        return Some(Unit::Tab);
    }
    let widths: Option<Vec<usize>> = steps.iter().map(|step| spaces(step)).collect();
    widths.map(|widths| Unit::Spaces(widths.into_iter().fold(0, greatest_common)))
}
