//! Indentation that was clipped at column 0, so that equal depths in the request are different ones in the
//! file, and single lines with wrong indentation.

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change, Part};
use super::super::plain::{count, indent, lf};
use super::super::rng::Rng;
use super::super::sources::File;
use super::shapes::{self, is_fresh, real, with_new};

/// Returns `line` without up to `by` leading whitespace characters.
fn clipped(line: &str, by: usize) -> String {
    line[indent(line).len().min(by)..].to_owned()
}

/// Returns `true` if clipping removes whitespace from some lines and finds less in others.
fn is_clipped(change: &Change, by: usize) -> bool {
    let told = |step: &&change::Step| step.part != Part::Put && !step.text.trim().is_empty();
    let depths: Vec<_> = change.steps.iter().filter(told).map(|step| indent(&step.text).len()).collect();
    depths.iter().any(|depth| *depth >= by) && depths.iter().any(|depth| *depth < by)
}

/// Returns the number of clipped columns: a level or another number.
fn loss(rng: &mut Rng, file: &File) -> usize {
    if rng.percent(70) { file.unit.len() } else { 1 + rng.below(file.unit.len() + 2) }
}

fn case(rng: &mut Rng, file: &File, change: &Change, by: usize) -> Option<Case> {
    let mut ask = Ask::verbatim(rng, change);
    ask.map_both(|line| clipped(line, by));
    let fits = is_clipped(change, by) && is_fresh(change);
    Case::tolerated(file, change, &ask).filter(|_| fits).map(Case::or_refused)
}

/// Returns `true` if the lines before and after the new ones have their depth. A line before may be less deep
/// if it opens a block.
fn is_level_with_both(change: &Change) -> bool {
    let new = |step: &change::Step| step.part == Part::Put;
    let first = change.steps.iter().position(new);
    let last = change.steps.iter().rposition(new);
    let (Some(first), Some(last)) = (first, last) else { return false };
    let told = |step: &&change::Step| !step.text.trim().is_empty();
    let deep = |text: &str| indent(text).len();
    let at = deep(&change.steps[first].text);
    let opens = |text: &str| text.trim_end().ends_with(['{', ':', '>']) && deep(text) < at;
    let before = change.steps[..first].iter().rfind(told).map(|step| step.text.as_str());
    let behind = change.steps[last + 1..].iter().find(told).map(|step| step.text.as_str());
    let level_behind = behind.is_some_and(|text| deep(text) == at);
    before.is_none_or(|text| deep(text) == at || level_behind && opens(text))
        && behind.is_none_or(|text| deep(text) == at)
}

/// Inserts lines at the depth of their neighbors.
pub(super) fn clipped_and_inserted(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = with_new(rng, &file, 12, shapes::same_depth)?;
    let by = loss(rng, &file);
    case(rng, &file, &change, by).filter(|_| is_level_with_both(&change))
}

/// Changes words in existing lines.
pub(super) fn clipped_and_replaced(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let mut change = change::block(rng, &file, &(2..=12))?;
    change::words_changed(rng, &file, &mut change.steps);
    let by = loss(rng, &file);
    case(rng, &file, &change, by).filter(|_| change.is_sound())
}

/// Lines of the file are clipped; lines appended at column 0 after the last one are exact.
pub(super) fn clipped_and_appended(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let mut change = change::block(rng, &file, &(2..=20))?;
    let last = change.steps.last()?.text.clone();
    if !indent(&last).is_empty() || !last.starts_with(['}', ')', ']', '<']) {
        return None;
    }
    let mut lines = vec![String::new()];
    lines.extend(shapes::nested(rng, &file, ""));
    change.insert(change.steps.len(), &lines);
    let mut ask = Ask::verbatim(rng, &change);
    let by = file.unit.len();
    for line in ask.lines.iter_mut().filter(|line| line.part == Part::Keep) {
        (line.old, line.new) = (clipped(&line.old, by), clipped(&line.new, by));
    }
    let fits = is_clipped(&change, by) && is_fresh(&change) && lines.len() > 1;
    Case::tolerated(&file, &change, &ask).filter(|_| fits).map(Case::or_refused)
}

/// Returns a block with new lines that are exact in the request.
fn with_exact_new_lines(rng: &mut Rng, file: &File) -> Option<Change> {
    let shape = *rng.pick(&[shapes::same_depth as shapes::Shape, shapes::nested, shapes::aligned]);
    let change = with_new(rng, file, 14, shape)?;
    let told = |step: &&change::Step| step.part == Part::Keep && !step.text.trim().is_empty();
    (change.steps.iter().filter(told).count() >= 4).then_some(change)
}

/// A single kept line is off by a column or two in both texts; all others are exact.
pub(super) fn context_line_misindented(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = with_exact_new_lines(rng, &file)?;
    let mut ask = Ask::verbatim(rng, &change);
    let at = *rng.any(&ask.kept())?;
    let text = ask.lines[at].old.clone();
    let by = 1 + rng.below(2);
    let off = if rng.percent(50) && text.starts_with(' ') {
        clipped(&text, by)
    } else {
        format!("{}{text}", &"  "[..by])
    };
    let fits = !text.trim().is_empty() && off != text;
    ask.misremember(at, &off);
    Case::tolerated(&file, &change, &ask).filter(|_| fits)
}

/// The first line lacks its indentation in both texts.
fn first_line_bare(rng: &mut Rng) -> Option<(File, Change, Ask)> {
    let file = real(rng);
    let change = with_exact_new_lines(rng, &file)?;
    let mut ask = Ask::verbatim(rng, &change);
    let first = &mut ask.lines[0];
    let lost = indent(&first.old).len();
    if first.part != Part::Keep || lost == 0 {
        return None;
    }
    first.old.drain(..lost);
    first.new.drain(..lost);
    Some((file, change, ask))
}

/// The text occurs literally, starting in the middle of a line.
pub(super) fn first_line_bare_literally(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = first_line_bare(rng)?;
    let once = count(&lf(&file.text()), &ask.old_text()) == 1;
    Case::becomes(&file, &[change], vec![ask.edit()]).filter(|_| once)
}

/// Trailing spaces on another line prevent a literal match.
pub(super) fn first_line_bare_tolerated(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = first_line_bare(rng)?;
    let at = *rng.any(&ask.kept())?;
    let fits = at > 0 && !ask.lines[at].old.trim().is_empty();
    let blanks = *rng.pick(&[" ", "  ", "\t"]);
    ask.lines[at].old.push_str(blanks);
    Case::tolerated(&file, &change, &ask).filter(|_| fits)
}
