//! Must be refused: context that matches only partially, or in more than one location.

use editd_edit::Edit;

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change, Part};
use super::super::plain::{bare, indent, lf, words};
use super::super::rng::Rng;
use super::super::sources::{self, File};
use super::super::vocabulary::noun;
use super::drift::{drift, invented, misremembered, with_context};
use super::places::copied;
use super::refused::likeness;
use super::{Draft, draft};

fn refused(file: &File, ask: &Ask) -> Option<Case> {
    let there =
        bare(&file.text()).contains(&bare(&ask.old_text())) || lf(&file.text()).contains(&ask.old_text());
    (!there && ask.old_text() != ask.new_text()).then(|| Case::refused(file.text(), vec![ask.edit()]))
}

/// The first and last lines are those of a block; the lines between are partly from another block and partly
/// invented.
pub(super) fn anchors_only(rng: &mut Rng) -> Option<Case> {
    let file = sources::built(rng, None);
    let (one, other) = file.twins(rng, 7)?;
    let line = |at: usize| file.lines[at].text.clone();
    let mut mixed = file.clone();
    for at in (other.start + 1..other.end - 1).step_by(2) {
        let text = file.statement(rng);
        mixed.lines[at].text = format!("{}{text}", indent(&line(at)));
    }
    let inner = change::draw_at(rng, &mixed, other.start + 1..other.end - 1)?;
    let wrap = |text: String| format!("{}\n{text}\n{}", line(one.start), line(one.end - 1));
    let edit = Edit::new(wrap(inner.old_text()), wrap(inner.new_text()));
    let there = bare(&file.text()).contains(&bare(&edit.old));
    (!there && edit.old != edit.new).then(|| Case::refused(file.text(), vec![edit]))
}

/// Adds a copy of the block with altered kept lines in one or both halves, so that both blocks contain the
/// lines to change.
fn near_copy(rng: &mut Rng, both_halves: bool) -> Option<(Draft, Vec<usize>)> {
    let name = noun(rng);
    let (mut file, change, ask) = copied(rng, 6, |_, line| line.to_owned())?;
    let size = change.lines().len();
    let copy_at = file.lines.len() - 1 - size;
    let kept = |line: &usize| kept_line(&change, *line);
    let lower: Vec<usize> = (0..size / 2).filter(|line| kept(line)).collect();
    let upper: Vec<usize> = (size / 2..size).filter(|line| kept(line)).collect();
    let halves = if both_halves { vec![lower, upper] } else { vec![[lower, upper].concat()] };
    let mut changed = Vec::new();
    for half in halves {
        let line = *rng.any(&half)?;
        file.lines[copy_at + line].text = misremembered(rng, &file.lines[copy_at + line].text, &name)?;
        changed.push(line);
    }
    Some(((file, change, ask), changed))
}

/// Returns `true` if a line of the block (0-based) is kept.
fn kept_line(change: &Change, line: usize) -> bool {
    change
        .steps
        .iter()
        .filter(|step| step.part != Part::Put)
        .nth(line)
        .is_some_and(|step| step.part == Part::Keep)
}

/// Returns the line of a request for a line of the block.
fn ask_line(ask: &Ask, line: usize) -> Option<usize> {
    (0..ask.lines.len()).filter(|&at| ask.lines[at].part != Part::Put).nth(line)
}

/// The first half of one block and the second half of a similar one.
pub(super) fn stitched_twins(rng: &mut Rng) -> Option<Case> {
    let ((file, change, mut ask), changed) = near_copy(rng, true)?;
    let copy_at = file.lines.len() - 1 - change.lines().len();
    let later = *changed.last()?;
    let at = ask_line(&ask, later)?;
    ask.misremember(at, &file.lines[copy_at + later].text);
    refused(&file, &ask)
}

/// Two blocks that differ in one line, and a request that matches neither version of it.
pub(super) fn near_twins_drifted(rng: &mut Rng) -> Option<Case> {
    let ((file, change, mut ask), changed) = near_copy(rng, false)?;
    let line = *changed.first()?;
    let copy_at = file.lines.len() - 1 - change.lines().len();
    let (one, other) = (&file.lines[change.at + line].text, &file.lines[copy_at + line].text);
    let word = words(one).into_iter().zip(words(other)).find(|(one, other)| one.1 != other.1)?.0;
    let third = "x".repeat(word.1.len());
    let text = format!("{}{third}{}", &one[..word.0], &one[word.0 + word.1.len()..]);
    let at = ask_line(&ask, line)?;
    ask.misremember(at, &text);
    refused(&file, &ask)
}

/// Too few lines for a reliable match.
pub(super) fn short_block_drifted(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &(1..=3))?;
    let kept = ask.kept();
    drift(rng, &file, &mut ask, &kept)?;
    Some(refused(&file, &ask)?.meaning(&file, &change))
}

/// An invented line at the edge of the block.
pub(super) fn invented_at_the_edge(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = with_context(rng)?;
    let at = if rng.percent(50) { 0 } else { ask.lines.len() };
    let line = invented(rng, &file, &ask.lines[at.min(ask.lines.len() - 1)].old.clone())?;
    ask.lines.insert(at, line);
    Some(refused(&file, &ask)?.meaning(&file, &change))
}

/// A block that is absent from the file, although a similar one exists: other names in three or more lines.
pub(super) fn other_function(rng: &mut Rng) -> Option<Case> {
    let file = sources::built(rng, None);
    let (one, other) = file.twins(rng, 6)?;
    let change = change::draw_at(rng, &file, one.clone())?;
    let ask = Ask::verbatim(rng, &change);
    let mut rest = file.clone();
    rest.lines.drain(one.clone());
    let names_differ = (0..one.len())
        .filter(|at| bare(&file.lines[one.start + at].text) != bare(&file.lines[other.start + at].text));
    let enough = names_differ.count() >= 3 && likeness(&rest, &ask.old_text()) <= 60;
    refused(&rest, &ask).filter(|_| enough)
}
