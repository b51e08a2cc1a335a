//! Another indentation unit, determined by two depths or by the steps of the new text, and undecidable
//! depths.

use editd_edit::Edit;

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change, Part};
use super::super::plain::{bare, column, count, indent};
use super::super::rng::Rng;
use super::super::sources::{File, in_unit};
use super::super::vocabulary::{noun, verb};
use super::shapes::{self, built_in, with_new};

const UNITS: [&str; 5] = ["\t", "  ", "   ", "    ", "        "];

/// Returns the unit of a file and a different one for the request.
fn units(rng: &mut Rng) -> Option<(&'static str, &'static str)> {
    let (file, asked) = (*rng.pick(&UNITS), *rng.pick(&UNITS));
    (file != asked).then_some((file, asked))
}

/// Returns `true` if all lines of a change are at whole levels of the file.
fn is_level(file: &File, change: &Change) -> bool {
    change.steps.iter().all(|step| change::is_indented(file, indent(&step.text)))
}

/// Returns the distinct depths of the existing lines.
fn depths(change: &Change) -> Vec<usize> {
    let told = |step: &&change::Step| step.part != Part::Put && !step.text.trim().is_empty();
    let mut depths: Vec<_> = change.steps.iter().filter(told).map(|step| indent(&step.text).len()).collect();
    depths.sort_unstable();
    depths.dedup();
    depths
}

/// Two or more depths, with equal levels in request and file.
pub(super) fn converted_by_two_depths(rng: &mut Rng) -> Option<Case> {
    let (unit, asked) = units(rng)?;
    let file = built_in(rng, unit);
    let change = change::draw(rng, &file, &(2..=20))?;
    let mut ask = Ask::verbatim(rng, &change);
    ask.map_both(|line| in_unit(line, unit, asked));
    let proved = depths(&change).len() > 1 && is_level(&file, &change);
    Case::tolerated(&file, &change, &ask).filter(|_| proved)
}

/// Returns `true` if a line of the file is deeper than the previous one by this unit.
fn has_step(file: &File, unit: &str) -> bool {
    let told = file.lines.iter().map(|line| line.text.as_str()).filter(|text| !text.trim().is_empty());
    let columns: Vec<_> = told.map(column).collect();
    columns.windows(2).any(|two| two[0].abs_diff(two[1]) == column(unit))
}

/// A single depth, with nested new lines whose unit does not occur in the file.
pub(super) fn converted_by_a_new_step(rng: &mut Rng) -> Option<Case> {
    let (unit, asked) = units(rng)?;
    let file = built_in(rng, unit);
    let change = with_new(rng, &file, 6, shapes::nested)?;
    let mut ask = Ask::verbatim(rng, &change);
    ask.map_both(|line| in_unit(line, unit, asked));
    let opened = |line: &str| line.trim_end().ends_with(['(', '[', ',']);
    let plain = ask.lines.iter().all(|line| !opened(&line.old));
    let one = depths(&change).len() == 1 && depths(&change)[0] > 0 && is_level(&file, &change);
    Case::tolerated(&file, &change, &ask).filter(|_| one && plain && !has_step(&file, asked))
}

/// Generates a function in which some blocks are indented by two spaces and others by four, with two lines of
/// equal depth at its end.
fn of_two_minds(rng: &mut Rng) -> Vec<String> {
    let (name, one, other) = (noun(rng), verb(rng), verb(rng));
    let (narrow, wide) = (format!("{one}_narrow(3)"), format!("{other}_wide(4)"));
    let mut lines = vec![format!("def {one}_{name}():")];
    let mut blocks = [("  ", &narrow), ("    ", &wide), ("  ", &wide), ("    ", &narrow)];
    rng.shuffle(&mut blocks);
    for (blanks, call) in blocks {
        lines.push(format!("    if {name}_{}:", verb(rng)));
        lines.push(format!("    {blanks}{call}"));
    }
    lines.extend([(one, 1), (other, 2)].map(|(verb, number)| format!("    {verb}_{name}({number})")));
    lines.push(String::new());
    lines
}

/// The request is half as deep as the file and nested by half a level: it is undecidable whether it is
/// shifted by two columns or uses another unit. Both steps occur in the same function and in all others.
pub(super) fn depth_undecided(rng: &mut Rng) -> Option<Case> {
    let functions: Vec<Vec<String>> = (0..3 + rng.below(4)).map(|_| of_two_minds(rng)).collect();
    let function = rng.pick(&functions);
    let said = &function[function.len() - 3..function.len() - 1];
    let old = said.iter().map(|line| &line[2..]).collect::<Vec<_>>().join("\n");
    let new = format!("{old}\n  if {}_{}:\n    {}_{}(5)", verb(rng), noun(rng), verb(rng), noun(rng));
    let text = functions.concat().join("\n");
    let unique = count(&bare(&text), &bare(&old)) == 1 && count(&text, &old) == 0;
    unique.then(|| Case::refused(text, vec![Edit::new(old.as_str(), new)]))
}
