//! Rules that map a request's indentation to the file's, as far as the matched lines prove one.

mod columns;
mod scale;
mod shift;
mod step;

use super::nearby::Nearby;
use super::role::Role;
use super::unit::{Unit, spaces, tabs};
use super::{NewLine, Pair};

use columns::Columns;
use scale::Scale;
use step::Step;

pub(super) use shift::Shift;

/// A rule that maps an indentation of the request to one of the file.
#[derive(Debug)]
pub(super) enum Rule<'a> {
    /// Unchanged: one or few lines differ and the others are equal. `matching` is the number of equal lines
    /// that are indented. `scale` is another unit that all of them agree with too.
    Exact { matching: usize, scale: Option<Scale> },
    /// Shifted like every matched line.
    Shift(Shift<'a>),
    /// Converted level by level to another unit.
    Scale(Scale),
    /// Moved to a column, shifted like every matched line, and written as the file writes that column.
    Columns(Columns),
    /// Derived from the neighbors only.
    Nearest,
    /// Like lines of the same depth; unknown for other depths.
    SameDepth,
}

/// The lines from which a rule is chosen.
pub(super) struct Evidence<'e, 'a> {
    pub(super) pairs: &'e [Option<Pair<'a>>],
    pub(super) roles: &'e [Role],
    pub(super) new: &'e [NewLine<'a>],
    pub(super) nearby: Nearby<'e>,
}

/// The line before a new one: its indentation in the request and in the file, and `true` if it opens a block.
pub(super) struct Before<'k> {
    pub(super) indent: &'k str,
    pub(super) known: &'k str,
    pub(super) opens: bool,
}

/// Chooses the rule. Returns `true` with it if only the first line lost its indentation.
pub(super) fn choose<'a>(evidence: &Evidence<'_, 'a>) -> (Rule<'a>, bool) {
    let all = evidence.known(0);
    if let (true, true) = evidence.nearby.kinds()
        && let Some(columns) = Columns::of(evidence, &all)
    {
        return (Rule::Columns(columns), false);
    }
    if let Some(matching) = nearly_exact(&all) {
        let first = evidence.pairs.first().copied().flatten();
        let code: Vec<_> = all.iter().filter(|(_, role)| !role.is_aligned()).map(|(pair, _)| *pair).collect();
        let only_first_lost = first.is_some_and(|first| first.old != first.actual);
        let scale = Scale::of(evidence, &code).filter(|scale| scale.is_usual() && !only_first_lost);
        return (Rule::Exact { matching, scale }, only_first_lost);
    }
    if let Some(rule) = proved(evidence, &all) {
        return (rule, false);
    }
    let first = evidence.pairs.first().copied().flatten();
    let alone = all.iter().skip(1).all(|(pair, _)| !pair.old.is_empty() || pair.actual.is_empty());
    let bare_first = first.filter(|first| alone && first.old.is_empty() && !first.actual.is_empty());
    let rest = bare_first.and_then(|_| without_first(evidence));
    rest.map_or_else(|| (fallback(&all), false), |rule| (rule, true))
}

/// Returns the rule that the lines after the first prove, if some of them are lines of blocks.
fn without_first<'a>(evidence: &Evidence<'_, 'a>) -> Option<Rule<'a>> {
    let rest = evidence.known(1);
    if !rest.iter().any(|(_, role)| matches!(role, Role::Code | Role::Hanging)) {
        return None;
    }
    if rest.iter().any(|(pair, _)| pair.old != pair.actual) {
        return proved(evidence, &rest);
    }
    let matching = rest.iter().filter(|(pair, _)| !pair.actual.is_empty()).count();
    Some(Rule::Exact { matching, scale: None })
}

type Known<'a> = (Pair<'a>, Role);

impl<'a> Evidence<'_, 'a> {
    /// Returns the matched lines from line `from` on, with their roles.
    fn known(&self, from: usize) -> Vec<Known<'a>> {
        let lines = self.pairs.iter().zip(self.roles).skip(from);
        lines.filter_map(|(pair, role)| Some(((*pair)?, *role))).collect()
    }
}

/// Returns the number of equally indented lines, if few differ: one, or at most one in four. Lines at the
/// margin agree in any unit; they count only if all lines of the file are at the margin, where a line that
/// the request indents fits no unit.
fn nearly_exact(known: &[Known<'_>]) -> Option<usize> {
    let off = known.iter().filter(|(pair, _)| pair.old != pair.actual).count();
    let all_at_margin = known.iter().all(|(pair, _)| pair.actual.is_empty());
    let exact = |(pair, role): &&Known<'_>| {
        pair.old == pair.actual && (all_at_margin || !pair.actual.is_empty() && !role.is_aligned())
    };
    let matching = known.iter().filter(exact).count();
    (matching > 0 && (off == 1 || off * 3 <= matching)).then_some(matching)
}

/// Returns the rule if none is proved: if equal depths correspond to several, the neighbors decide.
fn fallback<'a>(known: &[Known<'a>]) -> Rule<'a> {
    let several = known
        .iter()
        .any(|(one, _)| known.iter().any(|(other, _)| one.old == other.old && one.actual != other.actual));
    if several { Rule::Nearest } else { Rule::SameDepth }
}

fn proved<'a>(evidence: &Evidence<'_, 'a>, known: &[Known<'a>]) -> Option<Rule<'a>> {
    let shift = Shift::of(&known.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
    // Lines of blocks are better evidence than lines after brackets, and these than aligned lines.
    let proofs: [fn(Role) -> bool; 3] =
        [|role| role == Role::Code, |role| matches!(role, Role::Code | Role::Hanging), |_| true];
    let mut one_depth = None;
    for proof in proofs {
        let evident: Vec<Pair<'a>> =
            known.iter().filter(|(_, role)| proof(*role)).map(|(pair, _)| *pair).collect();
        let Some(first) = evident.first() else { continue };
        if evident.iter().any(|pair| pair.old != first.old) {
            return shift.map(Rule::Shift).or_else(|| Scale::of(evidence, &evident).map(Rule::Scale));
        }
        if one_depth.is_some() {
            break;
        }
        one_depth = Some(*first);
    }
    of_one_depth(evidence, one_depth?, shift)
}

/// Returns the rule for lines of one depth: the steps of the new lines determine whether the request has
/// another unit.
fn of_one_depth<'a>(
    evidence: &Evidence<'_, 'a>,
    pair: Pair<'a>,
    shift: Option<Shift<'a>>,
) -> Option<Rule<'a>> {
    let shift = shift?;
    let Some(step) = Step::of(evidence, pair.old) else { return Some(Rule::Shift(shift)) };
    let requested = step.unit;
    let file = match (tabs(pair.actual), spaces(pair.actual)) {
        (Some(1..), _) => Some(Unit::Tab),
        (_, Some(1..)) => evidence.nearby.width().map(Unit::Spaces),
        _ => None,
    };
    let converts = (requested.is_usual() || step.opened)
        && file.is_some_and(|file| {
            let levels = requested.levels(pair.old).filter(|&levels| levels > 0);
            file != requested && levels.is_some() && levels == file.levels(pair.actual)
        });
    let used = match requested {
        Unit::Tab => tabs(pair.actual).is_some() && shift.is_of_one_kind(),
        Unit::Spaces(width) => spaces(pair.actual).is_some() && evidence.nearby.steps_by(width),
    };
    // A request that starts at the margin does not show its unit, nor does a block that it opens.
    let unproved = step.opened || pair.old.is_empty();
    match (converts, used, file) {
        (true, false, Some(file)) if step.plain && requested != Unit::Spaces(1) => {
            Some(Rule::Scale(Scale { requested, file }))
        }
        (true, ..) => Some(Rule::SameDepth),
        (false, false, Some(Unit::Spaces(own))) if unproved && requested.is_usual() && own > 1 => {
            Some(Rule::SameDepth)
        }
        _ => Some(Rule::Shift(shift)),
    }
}

impl Rule<'_> {
    /// Maps `indent`, using the nearest matched line and the line before.
    pub(super) fn apply(
        &self,
        indent: &str,
        near: Option<Pair<'_>>,
        before: Option<Before<'_>>,
    ) -> Option<String> {
        match self {
            Self::Exact { scale: None, .. } => Some(indent.to_owned()),
            Self::Exact { scale: Some(scale), .. } => {
                scale.apply(indent, near?).filter(|scaled| scaled == indent)
            }
            Self::Shift(shift) => shift.apply(indent, before),
            Self::Scale(scale) => scale.apply(indent, near?),
            Self::Columns(columns) => columns.apply(indent),
            Self::Nearest | Self::SameDepth => None,
        }
    }
}
