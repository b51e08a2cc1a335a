//! Rules that map a request's indentation to the file's, as far as the matched lines and the file's indentation
//! around them prove one.

use std::collections::BTreeMap;

use super::role::{Role, roles};
use super::units::{PrefixShift, Scale, Step, Unit, columns, spaces, tabs};
use super::{NewLine, Pair};
use crate::base::Base;
use crate::whole_lines::split_indent;
use editd_text::IndentStyle;

/// Numbers of lines that are read before and after a match, nearest first.
const REACHES: [usize; 3] = [10, 40, 200];
/// Minimum number of lines that establish a habit.
const HABIT: usize = 2;

/// A rule that maps an indentation of the request to one of the file.
#[derive(Debug)]
pub(super) enum Rule<'a> {
    /// Unchanged: one or few lines differ and the others are equal. `matching` is the number of equal lines
    /// that are indented. `scale` is another unit that all of them agree with too.
    Exact { matching: usize, scale: Option<Scale> },
    /// Shifted like every matched line.
    Shift(PrefixShift<'a>),
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
    if evidence.nearby.mixes_tabs_and_spaces()
        && let Some(columns) = Columns::of(evidence, &all)
    {
        // After a shift by whole tabs, spaces are still those of the file, unless they are levels, of which eight
        // columns make a tab.
        let pairs: Vec<_> = all.iter().map(|(pair, _)| *pair).collect();
        let has_levels = |(pair, role): &Known<'_>| *role == Role::Code && tabs(pair.actual).is_none();
        let fills_tabs = evidence.nearby.fills_tabs() && all.iter().any(has_levels);
        let shift = PrefixShift::of(&pairs).filter(|shift| shift.is_of_tabs() && !fills_tabs);
        return (shift.map_or(Rule::Columns(columns), Rule::Shift), false);
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

/// A matched line with its role.
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
    let shift = PrefixShift::of(&known.iter().map(|(pair, _)| *pair).collect::<Vec<_>>());
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
    shift: Option<PrefixShift<'a>>,
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

/// The columns of the request shifted by a constant, as a file of tabs and spaces writes them.
#[derive(Debug)]
pub(super) struct Columns {
    by: isize,
    /// Indentation that the file uses for each column that new lines need.
    written: Vec<(usize, Option<String>)>,
}

impl Columns {
    pub(super) fn of(evidence: &Evidence<'_, '_>, known: &[Known<'_>]) -> Option<Self> {
        let by = |(pair, _): &Known<'_>| columns(pair.actual).cast_signed() - columns(pair.old).cast_signed();
        let first = known.first().map(by)?;
        if !known.iter().all(|one| by(one) == first) {
            return None;
        }
        let mut wanted: Vec<usize> =
            evidence.new.iter().filter_map(|line| column_of(line.indent, first)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let written =
            wanted.into_iter().map(|column| (column, evidence.nearby.indent_at_column(column))).collect();
        Some(Self { by: first, written })
    }

    /// Maps `indent` to its shifted column, as the file writes it.
    pub(super) fn apply(&self, indent: &str) -> Option<String> {
        let column = column_of(indent, self.by)?;
        self.written.iter().find(|(known, _)| *known == column)?.1.clone()
    }
}

fn column_of(indent: &str, by: isize) -> Option<usize> {
    columns(indent).checked_add_signed(by)
}

/// The lines around a match.
pub(super) struct Nearby<'b> {
    /// The non-blank lines within the farthest reach, each with its number.
    lines: Vec<(usize, &'b str)>,
    line: usize,
    style: IndentStyle,
}

impl<'b> Nearby<'b> {
    /// Creates the view of the lines around byte `at`.
    pub(super) fn new(base: &Base<'b>, at: usize) -> Self {
        let line = base.lines_between(0, at);
        let farthest = REACHES[REACHES.len() - 1];
        let first = line.saturating_sub(farthest);
        let numbered = (first..).zip(base.lines_from(first).map(|line| line.content));
        let lines = numbered.take(farthest * 2).filter(|(_, content)| !split_indent(content).1.is_empty());
        Self { lines: lines.collect(), line, style: base.indent_style() }
    }

    /// Returns the non-blank lines within `reach` lines of the match.
    fn lines(&self, reach: usize) -> Vec<&'b str> {
        let first = self.line.saturating_sub(reach);
        let within = self.lines.iter().filter(|(number, _)| (first..first + reach * 2).contains(number));
        within.map(|(_, content)| *content).collect()
    }

    fn all(&self) -> Vec<&'b str> {
        self.lines.iter().map(|(_, content)| *content).collect()
    }

    /// Returns `true` if some nearby lines begin with tabs and some with spaces that are not part of a comment.
    fn mixes_tabs_and_spaces(&self) -> bool {
        let lines = self.all();
        let tabs = lines.iter().filter(|content| content.starts_with('\t')).count();
        let spaced = |content: &&&str| content.starts_with("  ") && !split_indent(content).1.starts_with('*');
        tabs >= HABIT && lines.iter().filter(spaced).count() >= HABIT
    }

    /// Returns `true` if some line is `step` spaces deeper than the line before it, as a block is.
    pub(super) fn steps_by(&self, step: usize) -> bool {
        let lines = self.all();
        let roles = roles(&lines);
        let depths: Vec<_> = lines.iter().map(|content| spaces(split_indent(content).0)).collect();
        depths.windows(2).zip(&roles[1.min(roles.len())..]).any(|(two, role)| {
            let (Some(before), Some(depth)) = (two[0], two[1]) else { return false };
            *role == Role::Code && depth.checked_sub(before) == Some(step)
        })
    }

    /// Returns the width of a level in columns, if it can be detected. Lines after brackets make the style of
    /// a file coarser than its blocks, and markup makes the blocks coarser, so the smaller one is used.
    pub(super) fn width(&self) -> Option<usize> {
        [self.step(), self.style.width.map(usize::from)].into_iter().flatten().min()
    }

    /// Returns the step that most nearby blocks have.
    fn step(&self) -> Option<usize> {
        let lines = self.all();
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        let mut before = None;
        for (content, role) in lines.iter().zip(roles(&lines)) {
            let depth = spaces(split_indent(content).0);
            if role == Role::Code {
                if let (Some(before), Some(depth)) = (before, depth)
                    && depth > before
                {
                    *steps.entry(depth - before).or_default() += 1;
                }
                before = depth;
            }
        }
        let most = steps.values().max().copied()?;
        // Of two equally frequent ones the smaller: the other may be two levels.
        steps.into_iter().find(|(_, count)| *count == most).map(|(step, _)| step)
    }

    /// Returns the indentation that nearby lines use for a column, if there is only one; tabs reach to
    /// multiples of eight.
    pub(super) fn indent_at_column(&self, column: usize) -> Option<String> {
        for reach in REACHES {
            let lines = self.lines(reach);
            let mut indents = lines.iter().map(|content| split_indent(content).0);
            let Some(first) = indents.by_ref().find(|indent| columns(indent) == column) else { continue };
            let same = indents.all(|indent| columns(indent) != column || indent == first);
            return same.then(|| first.to_owned());
        }
        self.tabs_then_spaces(column)
    }

    /// Returns as many tabs as fit followed by spaces, if all deep lines nearby are indented that way.
    fn tabs_then_spaces(&self, column: usize) -> Option<String> {
        let is_shallow = || column < 8 && self.deep_indents().is_empty();
        (is_shallow() || self.fills_tabs()).then(|| filled(column))
    }

    /// Returns `true` if some lines nearby reach the first tab, and all of these have as many tabs as fit.
    fn fills_tabs(&self) -> bool {
        let deep = self.deep_indents();
        deep.len() > HABIT && deep.iter().all(|indent| *indent == filled(columns(indent)))
    }

    fn deep_indents(&self) -> Vec<&'b str> {
        let indents = self.all().into_iter().map(|content| split_indent(content).0);
        indents.filter(|indent| columns(indent) >= 8).collect()
    }
}

/// Returns the indentation to a column with as many tabs as fit.
fn filled(column: usize) -> String {
    "\t".repeat(column / 8) + &" ".repeat(column % 8)
}
