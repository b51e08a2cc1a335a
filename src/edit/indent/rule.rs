//! The rule by which a request's indentation becomes the file's, as far as the matched lines prove one.

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

/// A rule by which an indentation of the request becomes one of the file.
#[derive(Debug)]
pub(super) enum Rule<'a> {
    /// As it is: one line or few are off where the others are exact. `telling` of these are indented. `scale`
    /// is another unit that all of them agree with as well.
    Exact { telling: usize, scale: Option<Scale> },
    /// Moved by as much as every matched line is.
    Shift(Shift<'a>),
    /// Level by level in another unit.
    Scale(Scale),
    /// To the same column, moved by as much as every matched line is, as the file writes that column.
    Columns(Columns),
    /// By its neighbours alone.
    Nearest,
    /// As lines of the same depth; of other depths nothing is known.
    SameDepth,
}

/// The lines that a rule is chosen by.
pub(super) struct Evidence<'e, 'a> {
    pub(super) pairs: &'e [Option<Pair<'a>>],
    pub(super) roles: &'e [Role],
    pub(super) new: &'e [NewLine<'a>],
    pub(super) nearby: Nearby<'e>,
}

/// The line before a new one: as the request indents it, as the file will, and whether it opens a block.
pub(super) struct Before<'k> {
    pub(super) indent: &'k str,
    pub(super) known: &'k str,
    pub(super) opens: bool,
}

/// The rule, and whether the first line is the only one without its indentation.
pub(super) fn choose<'a>(evidence: &Evidence<'_, 'a>) -> (Rule<'a>, bool) {
    let all = evidence.known(0);
    if let (true, true) = evidence.nearby.kinds()
        && let Some(columns) = Columns::of(evidence, &all)
    {
        return (Rule::Columns(columns), false);
    }
    if let Some(telling) = nearly_exact(&all) {
        let first = evidence.pairs.first().copied().flatten();
        let code: Vec<_> = all.iter().filter(|(_, role)| !role.is_aligned()).map(|(pair, _)| *pair).collect();
        let first_alone = first.is_some_and(|first| first.old != first.there);
        let scale = Scale::of(evidence, &code).filter(|scale| scale.is_usual() && !first_alone);
        return (Rule::Exact { telling, scale }, first_alone);
    }
    if let Some(rule) = proved(evidence, &all) {
        return (rule, false);
    }
    let first = evidence.pairs.first().copied().flatten();
    let alone = all.iter().skip(1).all(|(pair, _)| !pair.old.is_empty() || pair.there.is_empty());
    let bare_first = first.filter(|first| alone && first.old.is_empty() && !first.there.is_empty());
    let rest = bare_first.and_then(|_| without_first(evidence));
    rest.map_or_else(|| (fallback(&all), false), |rule| (rule, true))
}

/// The rule that the lines behind the first prove, if some of them are lines of blocks.
fn without_first<'a>(evidence: &Evidence<'_, 'a>) -> Option<Rule<'a>> {
    let rest = evidence.known(1);
    if !rest.iter().any(|(_, role)| matches!(role, Role::Code | Role::Hanging)) {
        return None;
    }
    if rest.iter().any(|(pair, _)| pair.old != pair.there) {
        return proved(evidence, &rest);
    }
    let telling = rest.iter().filter(|(pair, _)| !pair.there.is_empty()).count();
    Some(Rule::Exact { telling, scale: None })
}

type Known<'a> = (Pair<'a>, Role);

impl<'a> Evidence<'_, 'a> {
    /// The matched lines from one on, with the part that each plays.
    fn known(&self, from: usize) -> Vec<Known<'a>> {
        let lines = self.pairs.iter().zip(self.roles).skip(from);
        lines.filter_map(|(pair, role)| Some(((*pair)?, *role))).collect()
    }
}

/// Returns how many lines are indented as the file is, where few are off: one, or at most one in four. Lines at the margin agree in any
/// unit; they count beside one that the request indents though it stands at the margin, which no unit does.
fn nearly_exact(known: &[Known<'_>]) -> Option<usize> {
    let off = known.iter().filter(|(pair, _)| pair.old != pair.there).count();
    let at_margin = known.iter().all(|(pair, _)| pair.there.is_empty());
    let exact = |(pair, role): &&Known<'_>| {
        pair.old == pair.there && (at_margin || !pair.there.is_empty() && !role.is_aligned())
    };
    let telling = known.iter().filter(exact).count();
    (telling > 0 && (off == 1 || off * 3 <= telling)).then_some(telling)
}

/// Where no rule is proved: equal depths that stand for several leave it to the neighbours.
fn fallback<'a>(known: &[Known<'a>]) -> Rule<'a> {
    let several = known
        .iter()
        .any(|(one, _)| known.iter().any(|(other, _)| one.old == other.old && one.there != other.there));
    if several { Rule::Nearest } else { Rule::SameDepth }
}

fn proved<'a>(evidence: &Evidence<'_, 'a>, known: &[Known<'a>]) -> Option<Rule<'a>> {
    let shift = Shift::of(&known.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
    // Lines of blocks prove more than lines behind brackets, and these more than lines laid out by taste.
    let proofs: [fn(Role) -> bool; 3] =
        [|role| role == Role::Code, |role| matches!(role, Role::Code | Role::Hanging), |_| true];
    let mut one_depth = None;
    for proof in proofs {
        let told: Vec<Pair<'a>> =
            known.iter().filter(|(_, role)| proof(*role)).map(|(pair, _)| *pair).collect();
        let Some(first) = told.first() else { continue };
        if told.iter().any(|pair| pair.old != first.old) {
            return shift.map(Rule::Shift).or_else(|| Scale::of(evidence, &told).map(Rule::Scale));
        }
        if one_depth.is_some() {
            break;
        }
        one_depth = Some(*first);
    }
    of_one_depth(evidence, one_depth?, shift)
}

/// The rule for lines of one depth: the steps of the new lines tell whether another unit is meant.
fn of_one_depth<'a>(
    evidence: &Evidence<'_, 'a>,
    pair: Pair<'a>,
    shift: Option<Shift<'a>>,
) -> Option<Rule<'a>> {
    let shift = shift?;
    let Some(step) = Step::of(evidence, pair.old) else { return Some(Rule::Shift(shift)) };
    let asked = step.unit;
    let file = match (tabs(pair.there), spaces(pair.there)) {
        (Some(1..), _) => Some(Unit::Tab),
        (_, Some(1..)) => evidence.nearby.width().map(Unit::Spaces),
        _ => None,
    };
    let converts = (asked.is_usual() || step.opened)
        && file.is_some_and(|file| {
            let levels = asked.levels(pair.old).filter(|&levels| levels > 0);
            file != asked && levels.is_some() && levels == file.levels(pair.there)
        });
    let used = match asked {
        Unit::Tab => tabs(pair.there).is_some() && shift.is_of_one_kind(),
        Unit::Spaces(width) => spaces(pair.there).is_some() && evidence.nearby.steps_by(width),
    };
    // A request that starts at the margin does not show its unit, nor does a block that it opens.
    let unproved = step.opened || pair.old.is_empty();
    match (converts, used, file) {
        (true, false, Some(file)) if step.plain && asked != Unit::Spaces(1) => {
            Some(Rule::Scale(Scale { asked, file }))
        }
        (true, ..) => Some(Rule::SameDepth),
        (false, false, Some(Unit::Spaces(own))) if unproved && asked.is_usual() && own > 1 => {
            Some(Rule::SameDepth)
        }
        _ => Some(Rule::Shift(shift)),
    }
}

impl Rule<'_> {
    /// `indent` as the file has it, near a matched line and behind a new one.
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
