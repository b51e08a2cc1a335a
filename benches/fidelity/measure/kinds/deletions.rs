//! Deletions: whole lines are deleted with their line endings, parts of lines without.

use editd_edit::Edit;

use super::super::ask::{Ask, Case, Outcome};
use super::super::change::{self, Change, Part, is_unique};
use super::super::plain::{count, lf, words};
use super::super::rng::Rng;
use super::super::sources::File;
use super::shapes::{real, sizes};

/// Deletes a whole block, and returns its request without the last line ending.
fn all_cut(change: &mut Change, rng: &mut Rng) -> Ask {
    change.steps.iter_mut().for_each(|step| step.part = Part::Cut);
    let mut ask = Ask::verbatim(rng, change);
    ask.ended = false;
    ask
}

fn block(rng: &mut Rng) -> Option<(File, Change, Ask)> {
    let file = real(rng);
    let size = sizes(rng, 8);
    let mut change = change::block(rng, &file, &size)?;
    let ask = all_cut(&mut change, rng);
    Some((file, change, ask))
}

/// Copied exactly, except for the last line ending.
pub(super) fn whole_lines_deleted(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = block(rng)?;
    let once = count(&lf(&file.text()), &ask.old_text()) == 1;
    Case::becomes(&file, &[change], vec![ask.edit()]).filter(|_| once)
}

/// With different trailing whitespace, or shifted.
pub(super) fn whole_lines_deleted_tolerated(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = block(rng)?;
    if rng.percent(50) {
        super::blanks::trail(rng, &mut ask, false);
    } else {
        let blanks = " ".repeat(1 + rng.below(6));
        ask.map_old(|line| if line.trim().is_empty() { String::new() } else { format!("{blanks}{line}") });
    }
    let unique = is_unique(&file, &change);
    Case::tolerated(&file, &change, &ask).filter(|_| unique)
}

/// The last lines of a file without a final line ending: the previous line loses its ending too.
pub(super) fn last_lines_deleted(rng: &mut Rng) -> Option<Case> {
    let mut file = real(rng);
    file.lines.last_mut()?.ending = "";
    let (end, size) = (file.lines.len(), 1 + rng.below(4));
    let start = end.checked_sub(size).filter(|start| *start > 0)?;
    let mut change = change::keep(&file, start..end)?;
    let ask = all_cut(&mut change, rng);
    let once = count(&lf(&file.text()), &ask.old_text()) == 1;
    let mut rest = file.clone();
    rest.lines.truncate(start);
    rest.lines.last_mut()?.ending = "";
    let blank = rest.lines.last()?.text.trim().is_empty();
    let lines = std::iter::once(start - 1..end).collect();
    let outcome = Outcome::BecomesOrRefused { text: rest.text(), lines };
    let case = Case { outcome, ..Case::refused(file.text(), vec![ask.edit()]) };
    (once && !blank).then_some(case)
}

/// Deletes from or up to the middle of a line: the rest of the line and its ending remain.
pub(super) fn part_of_line_deleted(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let change = change::block(rng, &file, &(1..=3))?;
    let text = change.old_text();
    let first = &change.steps[0].text;
    let last_starts = text.len() - change.steps.last()?.text.len();
    let ends = |at: &usize| *at > last_starts && text[*at..].chars().any(|c| !c.is_whitespace() && c != '\n');
    let (heads, tails): (Vec<usize>, Vec<usize>) = (
        words(first).into_iter().map(|(at, _)| at).filter(|at| !first[..*at].trim().is_empty()).collect(),
        words(&text).into_iter().map(|(at, word)| at + word.len()).filter(ends).collect(),
    );
    let (start, end) = match rng.below(3) {
        0 => (*rng.any(&heads)?, text.len()),
        1 => (first.len() - first.trim_start().len(), *rng.any(&tails)?),
        _ => (*rng.any(&heads)?, *rng.any(&tails)?),
    };
    let old = text.get(start..end).filter(|old| old.trim().len() >= 4)?;
    let once =
        count(&lf(&file.text()), old) == 1 && file.lines[change.lines()].iter().all(|l| l.ending == "\n");
    let base = file.text();
    let at = base.find(old).filter(|_| once)?;
    let expected = [&base[..at], &base[at + old.len()..]].concat();
    let lines = std::iter::once(change.lines()).collect();
    let outcome = Outcome::Becomes { text: expected, lines };
    Some(Case { outcome, ..Case::refused(base.clone(), vec![Edit::new(old, "")]) })
}
