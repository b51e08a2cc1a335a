//! Indentation of new text, from how the file indents what was matched.

use super::base::Base;
use super::blend::blend;
use super::whole_lines::split_indent;
use crate::text::{IndentKind, Line};

/// Wider steps are alignment, not levels.
const WIDEST: usize = 8;
const USUAL: usize = 4;

/// Maps the indentation of a request to that of the file.
pub(super) struct Indenter<'a> {
    /// Old line's indentation and the file's, for every old line that is not blank.
    pairs: Vec<Option<Pair<'a>>>,
    /// Only the first line's indentation was wrong, as when a text is copied from its first letter on: it
    /// says nothing of the other lines.
    first_alone: bool,
    asked: Unit,
    file: Unit,
}

#[derive(Debug, Clone, Copy)]
struct Pair<'a> {
    old: &'a str,
    there: &'a str,
}

/// One level of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tab,
    Spaces(usize),
}

impl<'a> Indenter<'a> {
    /// From the lines that are there for the old ones. Nothing where all are indented as the request has
    /// it: then the new text is right as it is.
    pub(super) fn new<'l>(
        base: &Base<'_>,
        there: impl Iterator<Item = Option<&'l Line<'a>>>,
        old: &[Line<'a>],
        new: &[Line<'a>],
    ) -> Option<Self>
    where
        'a: 'l,
    {
        let pair = |(old, there): (&Line<'a>, Option<&Line<'a>>)| {
            let (old, rest) = split_indent(old.content);
            let (there, _) = split_indent(there?.content);
            (!rest.is_empty()).then_some(Pair { old, there })
        };
        let pairs: Vec<_> = old.iter().zip(there).map(pair).collect();
        if pairs.iter().flatten().all(|pair| pair.old == pair.there) {
            return None;
        }
        let first_alone = first_alone(&pairs);
        let trusted = &pairs[usize::from(first_alone)..];
        let indents = |lines: &[Line<'a>]| -> Vec<&'a str> {
            let split = lines.iter().skip(usize::from(first_alone)).map(|line| split_indent(line.content));
            split.filter(|(_, rest)| !rest.is_empty()).map(|(indent, _)| indent).collect()
        };
        let asked_indents = [indents(old), indents(new)];
        // What agrees as it stands needs no other unit.
        let agrees = |pair: &Pair<'_>| !pair.there.is_empty();
        let same_unit = first_alone && trusted.iter().flatten().any(agrees);
        let (asked, file) =
            if same_unit { (Unit::Tab, Unit::Tab) } else { units(base, trusted, &asked_indents) };
        Some(Self { pairs, first_alone, asked, file })
    }

    /// Appends a new line (index and content) with the indentation it has to have. `partner` is the old
    /// line it replaces, with the file's and the old content; `reached` the old line it stands at.
    pub(super) fn push(
        &self,
        text: &mut String,
        (line, new): (usize, &str),
        partner: Option<(usize, (&str, &str))>,
        reached: usize,
    ) {
        let (indent, body) = split_indent(new);
        if body.is_empty() {
            return;
        }
        text.push_str(&self.map(indent, line == 0, partner.map(|(at, _)| at), reached));
        match partner {
            Some((_, (there, old))) => {
                text.push_str(&blend(split_indent(there).1, split_indent(old).1, body));
            }
            None => text.push_str(body),
        }
    }

    fn map(&self, indent: &str, first: bool, partner: Option<usize>, reached: usize) -> String {
        let own = partner.and_then(|at| self.pairs[at]).filter(|pair| pair.old == indent);
        let same = || self.nearest(reached, first, |pair| pair.old == indent);
        if let Some(pair) = own.or_else(same) {
            return pair.there.to_owned();
        }
        if let (Some(level), 1) = (indent.strip_suffix(' '), self.asked.levels(indent).1) {
            // One space more than a level aligns, as the star of a comment.
            return self.map(level, first, None, reached) + " ";
        }
        // A line that is aligned so is no measure for others.
        let level = || self.nearest(reached, false, |pair| self.is_level(pair.old, indent));
        match level().or_else(|| self.nearest(reached, false, |_| true)) {
            Some(pair) => self.shift(indent, pair),
            None => indent.to_owned(),
        }
    }

    /// Whether two indentations are whole levels apart.
    fn is_level(&self, one: &str, other: &str) -> bool {
        let apart = one.strip_prefix(other).or_else(|| other.strip_prefix(one));
        apart.is_some_and(|apart| self.asked.levels(apart).1 == 0)
    }

    /// The pair nearest to `reached` that is wanted; of two as near, the one before.
    fn nearest(&self, reached: usize, first: bool, wanted: impl Fn(&Pair<'a>) -> bool) -> Option<Pair<'a>> {
        let skipped = usize::from(self.first_alone && !first);
        let pairs = self.pairs.iter().enumerate().skip(skipped).filter_map(|(at, pair)| Some((at, (*pair)?)));
        let distance = |at: usize| if at < reached { (reached - at) * 2 - 2 } else { (at - reached) * 2 + 1 };
        pairs.filter(|(_, pair)| wanted(pair)).min_by_key(|&(at, _)| distance(at)).map(|(_, pair)| pair)
    }

    /// `indent`, as far from the file's indentation as it is from the old line's.
    fn shift(&self, indent: &str, pair: Pair<'_>) -> String {
        if let Some(deeper) = indent.strip_prefix(pair.old) {
            return [pair.there, &self.translate(deeper)].concat();
        }
        if let Some(shed) = pair.old.strip_prefix(indent) {
            let (levels, rest) = self.asked.levels(shed);
            let kept = self.file.shed(pair.there, levels);
            // What is less than a level is taken off as it is.
            return kept[..kept.len() - rest.min(trailing_spaces(kept))].to_owned();
        }
        // Tabs here and spaces there in the same request: only the depths can be compared.
        let ((new, rest), (old, _)) = (self.asked.levels(indent), self.asked.levels(pair.old));
        let kept = self.file.shed(pair.there, old.saturating_sub(new));
        format!("{kept}{}{:rest$}", self.file.repeat(new.saturating_sub(old)), "")
    }

    fn translate(&self, extra: &str) -> String {
        if self.asked == self.file {
            return extra.to_owned();
        }
        let (levels, rest) = self.asked.levels(extra);
        format!("{}{:rest$}", self.file.repeat(levels), "")
    }
}

impl Unit {
    /// Whole levels in an indentation, and the blanks left over.
    fn levels(self, indent: &str) -> (usize, usize) {
        let tabs = indent.matches('\t').count();
        let spaces = indent.chars().count() - tabs;
        match self {
            Self::Tab => (tabs, spaces),
            Self::Spaces(width) => (tabs + spaces / width, spaces % width),
        }
    }

    fn repeat(self, levels: usize) -> String {
        match self {
            Self::Tab => "\t".repeat(levels),
            Self::Spaces(width) => " ".repeat(width * levels),
        }
    }

    /// An indentation with some levels less.
    fn shed(self, indent: &str, levels: usize) -> &str {
        let mut kept = indent;
        for _ in 0..levels {
            kept = match (kept.strip_suffix('\t'), self) {
                (Some(shorter), _) => shorter,
                (None, Self::Tab) => kept.strip_suffix("    ").unwrap_or_default(),
                (None, Self::Spaces(width)) => &kept[..kept.len() - width.min(trailing_spaces(kept))],
            };
        }
        kept
    }
}

fn trailing_spaces(indent: &str) -> usize {
    indent.len() - indent.trim_end_matches(' ').len()
}

fn first_alone(pairs: &[Option<Pair<'_>>]) -> bool {
    let Some((Some(first), rest)) = pairs.split_first() else { return false };
    let mut rest = rest.iter().flatten().peekable();
    let others = rest.peek().is_some() && rest.clone().all(|pair| pair.old == pair.there);
    // Lines at the margin agree whatever the unit is.
    let telling = first.old.is_empty() || rest.any(|pair| !pair.there.is_empty());
    first.old != first.there && others && telling
}

/// The unit of the request and that of the file.
fn units(base: &Base<'_>, pairs: &[Option<Pair<'_>>], asked: &[Vec<&str>; 2]) -> (Unit, Unit) {
    let style = base.indent_style();
    let asked_tabs = asked.iter().flatten().any(|indent| indent.contains('\t'));
    // A single space aligns, as the stars of a comment; it is no level.
    let indented = || pairs.iter().flatten().filter(|pair| !matches!(pair.there, "" | " "));
    let file_tabs = match indented().next() {
        Some(_) => indented().any(|pair| pair.there.contains('\t')),
        None if style.kind == IndentKind::None => asked_tabs,
        None => style.kind == IndentKind::Tabs,
    };
    let width = style.width.map(usize::from);
    let slope = slope(pairs);
    let asked_width = || match (slope, width) {
        (Some((old, there)), _) if file_tabs => old.checked_div(there),
        (Some((old, there)), Some(width)) if (width * old).is_multiple_of(there) => Some(width * old / there),
        (Some((old, there)), _) if old == there => width,
        _ => None,
    };
    let asked_unit = if asked_tabs {
        Unit::Tab
    } else {
        let guessed = || step(asked, &likely_steps(pairs, width.filter(|_| !file_tabs)));
        Unit::Spaces(asked_width().filter(|&width| width > 0).unwrap_or_else(guessed))
    };
    let file_unit = match (file_tabs, asked_unit, slope) {
        (true, ..) => Unit::Tab,
        (false, Unit::Tab, Some((old, there))) if there >= old => Unit::Spaces(there / old),
        (false, Unit::Tab, _) => Unit::Spaces(width.unwrap_or(USUAL)),
        (false, Unit::Spaces(_), Some((old, there))) if old == there => asked_unit,
        (false, Unit::Spaces(step), slope) => {
            let sloped = slope.map(|(old, there)| step * there / old).filter(|&width| width > 0);
            Unit::Spaces(width.or(sloped).unwrap_or(step))
        }
    };
    (asked_unit, file_unit)
}

/// How a step in the request's indentation shows in the file's: the smallest step that both take.
fn slope(pairs: &[Option<Pair<'_>>]) -> Option<(usize, usize)> {
    let pairs: Vec<_> = pairs.iter().flatten().collect();
    let steps = pairs.windows(2).filter_map(|two| {
        let ((old, there), (old_next, there_next)) = ((two[0].old, two[0].there), (two[1].old, two[1].there));
        let same_way = (width(old) < width(old_next)) == (width(there) < width(there_next));
        let step = (width(old).abs_diff(width(old_next)), width(there).abs_diff(width(there_next)));
        let level = same_way && step.0 > 0 && step.1 > 0;
        (level && !aligns(old, old_next) && !aligns(there, there_next)).then_some(step)
    });
    steps.min()
}

/// Whether two indentations are a single space apart: alignment, as of the stars of a comment.
fn aligns(one: &str, other: &str) -> bool {
    let (shorter, longer) = if width(one) < width(other) { (one, other) } else { (other, one) };
    longer.strip_prefix(shorter) == Some(" ")
}

fn width(indent: &str) -> usize {
    indent.chars().count()
}

/// Columns that one level of the request has if it is indented like the file, or as deep in units of its own.
fn likely_steps(pairs: &[Option<Pair<'_>>], file: Option<usize>) -> Vec<usize> {
    let scaled = |pair: &Pair<'_>| {
        let (old, there) = (width(pair.old) * file?, width(pair.there));
        (there > 0 && old.is_multiple_of(there)).then(|| old / there)
    };
    file.into_iter().chain(pairs.iter().flatten().filter_map(scaled)).collect()
}

/// Columns of one level in a request that indents with spaces: the most that all its steps are made of among
/// the likely ones and what its depths have in common, else what there is.
fn step(asked: &[Vec<&str>; 2], likely: &[usize]) -> usize {
    let widths = || asked.iter().flatten().map(|indent| width(indent));
    let steps = || {
        let within =
            asked.iter().flat_map(|text| text.windows(2).map(|two| width(two[0]).abs_diff(width(two[1]))));
        let between = asked[0].last().zip(asked[1].last()).map(|(old, new)| width(old).abs_diff(width(new)));
        within.chain(between).filter(|&step| step > 1)
    };
    let plausible = |step: &usize| (2..=WIDEST).contains(step);
    let common = |numbers: &mut dyn Iterator<Item = usize>| numbers.fold(0, greatest_common);
    let stepped = common(&mut steps());
    let made_of = |likely: &usize| stepped > 0 && stepped.is_multiple_of(*likely);
    let deep = common(&mut widths());
    let likely = likely.iter().copied().chain([deep]).filter(plausible).filter(made_of).max();
    likely
        .or_else(|| Some(deep).filter(plausible))
        .or_else(|| Some(stepped).filter(plausible))
        .or_else(|| steps().filter(plausible).min())
        .unwrap_or(USUAL)
}

fn greatest_common(one: usize, other: usize) -> usize {
    if other == 0 { one } else { greatest_common(other, one % other) }
}

#[cfg(test)]
mod tests;
