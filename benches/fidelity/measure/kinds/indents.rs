//! Differences in indentation.

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change};
use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::{self, File, LANGUAGES, in_unit};
use super::plainly::stands_once;
use super::{ANY, Draft};

/// Returns a draft for a file indented with `unit`.
pub(super) fn draft_in(rng: &mut Rng, unit: &str, least: usize) -> Option<Draft> {
    let languages: Vec<_> =
        LANGUAGES.iter().filter(|language| !["markdown", "make"].contains(&language.name)).collect();
    let language = *rng.pick(&languages);
    let file = sources::file(rng, Some(language));
    if file.unit != unit {
        return None;
    }
    let most = if rng.percent(60) { 9 } else { *ANY.end() };
    let change = change::draw(rng, &file, &(least..=most))?;
    let ask = Ask::verbatim(rng, &change);
    Some((file, change, ask))
}

/// Returns the common indentation of all lines of a request.
pub(super) fn common_indent(ask: &Ask) -> String {
    let lines = ask.old_lines().into_iter().chain(ask.new_lines());
    let mut indents = lines.filter(|line| !line.trim().is_empty()).map(indent);
    let first = indents.next().unwrap_or_default();
    indents
        .fold(first, |one, other| &one[..one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count()])
        .to_owned()
}

/// Returns `true` if the old text shows its indentation unit: it contains an indented line.
fn shows_indentation(ask: &Ask, unit: &str) -> bool {
    ask.old_lines().iter().any(|line| !line.trim().is_empty() && line.starts_with(unit))
}

/// Returns a draft in another unit. The old text determines the level: it has two depths, or one that new
/// lines share.
pub(super) fn in_other_unit(rng: &mut Rng, from: &str, to: &str) -> Option<Draft> {
    let (file, change, mut ask) = draft_in(rng, from, 1)?;
    // Aligned lines of real files have no levels to translate.
    let level = |step: &change::Step| change::is_indented(&file, indent(&step.text));
    let clear = !file.blocks.is_empty() || change.steps.iter().all(level);
    if !shows_indentation(&ask, from) || !clear {
        return None;
    }
    ask.map_both(|line| in_unit(line, from, to));
    Some((file, change, ask))
}

fn case((file, change, ask): &Draft) -> Option<Case> {
    Case::tolerated(file, change, ask)
}

pub(super) fn tabs_to_spaces(rng: &mut Rng) -> Option<Case> {
    let to = *rng.pick(&["    ", "    ", "  ", "        "]);
    case(&in_other_unit(rng, "\t", to)?)
}

pub(super) fn spaces_to_tabs(rng: &mut Rng) -> Option<Case> {
    let from = *rng.pick(&["    ", "  "]);
    case(&in_other_unit(rng, from, "\t")?)
}

pub(super) fn four_to_two(rng: &mut Rng) -> Option<Case> {
    case(&in_other_unit(rng, "    ", "  ")?)
}

pub(super) fn two_to_four(rng: &mut Rng) -> Option<Case> {
    case(&in_other_unit(rng, "  ", "    ")?)
}

/// The first line lacks its indentation in both texts: the text matches literally from the middle of a line.
pub(super) fn first_line_dedented(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = super::draft(rng, &(2..=30))?;
    let lost = indent(ask.old_lines().first()?).to_owned();
    let kept = ask.new_lines().first().is_some_and(|line| indent(line) == lost);
    if lost.is_empty() || !kept || !stands_once(&file, &ask) {
        return None;
    }
    let mut edit = ask.edit();
    for text in [&mut edit.old, &mut edit.new] {
        *text = text[lost.len()..].to_owned();
    }
    let once = super::super::plain::count(&super::super::plain::lf(&file.text()), &edit.old) == 1;
    Case::becomes(&file, &[change], vec![edit]).filter(|_| once)
}

/// Removes the common indentation of all lines, up to `most` bytes.
pub(super) fn dedent(ask: &mut Ask, most: usize) -> bool {
    let common = common_indent(ask);
    let off = common.len().min(most);
    ask.map_both(|line| line.get(off..).unwrap_or_default().to_owned());
    off > 0
}

fn dedented(rng: &mut Rng, levels: usize) -> Option<Case> {
    let unit = *rng.pick(&["    ", "\t", "  "]);
    let (file, change, mut ask) = draft_in(rng, unit, 2)?;
    let done = dedent(&mut ask, unit.len() * levels);
    Case::tolerated(&file, &change, &ask).filter(|_| done)
}

pub(super) fn block_dedented(rng: &mut Rng) -> Option<Case> {
    dedented(rng, 20)
}

pub(super) fn one_level_less(rng: &mut Rng) -> Option<Case> {
    dedented(rng, 1)
}

/// Adds indentation to every non-blank line.
pub(super) fn deepen(ask: &mut Ask, by: &str) {
    ask.map_both(|line| if line.trim().is_empty() { line.to_owned() } else { format!("{by}{line}") });
}

pub(super) fn over_indented(rng: &mut Rng) -> Option<Case> {
    let unit = *rng.pick(&["    ", "\t", "  "]);
    let (file, change, mut ask): (File, Change, Ask) = draft_in(rng, unit, 1)?;
    let by = if unit == "\t" || rng.percent(60) { unit } else { *rng.pick(&[" ", "   ", "  ", "        "]) };
    deepen(&mut ask, by);
    Case::tolerated(&file, &change, &ask)
}
