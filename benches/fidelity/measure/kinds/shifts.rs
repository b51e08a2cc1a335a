//! All lines of both texts are shifted by the same number of columns.

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change, Part};
use super::super::plain::column;
use super::super::rng::Rng;
use super::super::sources::File;
use super::shapes::{self, Shape, real, sizes, with_new};

/// Whitespace that is added to every non-blank line, or removed from it.
enum Shift {
    Add(String),
    Take(String),
}

impl Shift {
    /// Returns whole tabs, or spaces before tabs, for a file with tabs; up to eight spaces for any other.
    fn draw(rng: &mut Rng, file: &File) -> Self {
        let blanks = " ".repeat(1 + rng.below(8));
        let tabs = "\t".repeat(1 + rng.below(2));
        match (file.unit == "\t", rng.percent(50), rng.percent(50)) {
            (_, true, _) => Self::Add(blanks),
            (true, false, true) => Self::Add(tabs),
            (true, false, false) => Self::Take(tabs),
            (false, false, _) => Self::Take(blanks),
        }
    }

    fn of(&self, line: &str) -> Option<String> {
        match self {
            _ if line.trim().is_empty() => Some(line.to_owned()),
            Self::Add(blanks) => Some(format!("{blanks}{line}")),
            Self::Take(blanks) => Some(line.strip_prefix(blanks)?.to_owned()),
        }
    }

    /// Shifts both texts. Returns `None` if a line has too little whitespace to remove.
    fn apply(&self, ask: &mut Ask) -> Option<()> {
        for line in &mut ask.lines {
            (line.old, line.new) = (self.of(&line.old)?, self.of(&line.new)?);
        }
        Some(())
    }
}

/// Returns the columns of the non-blank lines.
fn columns(lines: &[&str]) -> Vec<usize> {
    lines.iter().filter(|line| !line.trim().is_empty()).map(|line| column(line)).collect()
}

/// Returns `true` if the request could also be in another unit: the old lines have one depth, which is as
/// many steps of the new lines as the file's lines are levels deep in one of these units.
pub(super) fn may_be_converted(change: &Change, ask: &Ask, units: &[usize]) -> bool {
    let block: Vec<&str> =
        change.steps.iter().filter(|step| step.part != Part::Put).map(|step| step.text.as_str()).collect();
    let (asked, there) = (columns(&ask.old_lines()), columns(&block));
    let (Some(&asked_at), Some(&there_at)) = (asked.first(), there.first()) else { return true };
    if asked.iter().any(|at| *at != asked_at) || there.iter().any(|at| *at != there_at) {
        return false;
    }
    let new = columns(&ask.new_lines());
    let steps = new.iter().zip(new.iter().skip(1).chain([&asked_at])).map(|(one, next)| one.abs_diff(*next));
    let fits = |step: usize| units.iter().any(|unit| *unit != step && asked_at * unit == there_at * step);
    asked_at > 0 && steps.filter(|step| *step > 0).any(fits)
}

/// Returns the case of a change with a shifted request.
fn shifted(rng: &mut Rng, file: &File, change: &Change) -> Option<Case> {
    let mut ask = Ask::verbatim(rng, change);
    Shift::draw(rng, file).apply(&mut ask)?;
    let other_unit = file.unit != "\t" && may_be_converted(change, &ask, &[file.unit.len()]);
    Case::tolerated(file, change, &ask).filter(|_| !other_unit && shapes::is_fresh(change))
}

fn with_shape(rng: &mut Rng, shape: Shape) -> Option<Case> {
    let file = real(rng);
    let change = with_new(rng, &file, 12, shape)?;
    shifted(rng, &file, &change)
}

/// Any change of one line.
pub(super) fn shift_one_line(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = change::draw(rng, &file, &(1..=1))?;
    shifted(rng, &file, &change)
}

/// Any change of many lines.
pub(super) fn shift_many_lines(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = change::draw(rng, &file, &(2..=30))?;
    shifted(rng, &file, &change)
}

pub(super) fn shift_same_depth(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::same_depth)
}

pub(super) fn shift_nested(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::nested)
}

pub(super) fn shift_nested_two_deep(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::two_deep)
}

pub(super) fn shift_odd_depth(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::odd_depth)
}

pub(super) fn shift_aligned_arguments(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::aligned)
}

pub(super) fn shift_hanging_arguments(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::hanging)
}

pub(super) fn shift_nested_then_aligned(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::nested_then_aligned)
}

pub(super) fn shift_continued_string(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::continued_string)
}

pub(super) fn shift_less_deep(rng: &mut Rng) -> Option<Case> {
    with_shape(rng, shapes::less_deep)
}

pub(super) fn shift_wrapped(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = shapes::wrapped(rng, &file)?;
    shifted(rng, &file, &change)
}

/// Deletes lines; the remaining lines keep the file's indentation.
pub(super) fn shift_deleted_line(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let mut change = change::block(rng, &file, &(2..=12))?;
    for _ in 0..=rng.below(2) {
        let at = rng.below(change.steps.len());
        change.steps[at].part = Part::Cut;
    }
    shifted(rng, &file, &change).filter(|_| change.is_sound())
}

/// A file with one column per level, in which any shift is a whole number of levels.
pub(super) fn shift_of_one_column_levels(rng: &mut Rng) -> Option<Case> {
    let file = shapes::built_in(rng, " ");
    let shape = *rng.pick(&[shapes::nested as Shape, shapes::two_deep, shapes::same_depth]);
    let size = *sizes(rng, 12).end();
    let change = with_new(rng, &file, size, shape)?;
    shifted(rng, &file, &change)
}
