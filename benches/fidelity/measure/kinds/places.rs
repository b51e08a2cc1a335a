//! Must be refused: ambiguous matches, or conflicting edits.

use editd_edit::{Count, Edit};

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change};
use super::super::plain::{bare, count, indent, lf};
use super::super::rng::Rng;
use super::super::sources::{self, File, Line};
use super::super::vocabulary::noun;
use super::plainly::{name_of_many, stands_once};
use super::{Draft, draft};

/// Returns a draft with a second copy of its block elsewhere in the file. `to` transforms each copied line.
pub(super) fn copied(rng: &mut Rng, least: usize, to: impl Fn(usize, &str) -> String) -> Option<Draft> {
    let (mut file, change, ask) = draft(rng, &(least..=12))?;
    let copy = |(at, line): (usize, &Line)| Line { text: to(at, &line.text), ending: "\n" };
    let mut lines: Vec<Line> = file.lines[change.lines()].iter().enumerate().map(copy).collect();
    lines.insert(0, Line { text: String::new(), ending: "\n" });
    lines.push(Line { text: String::new(), ending: "\n" });
    file.set_ending("\n");
    if let Some(last) = file.lines.last_mut() {
        last.ending = "\n";
    }
    file.lines.extend(lines);
    Some((file, change, ask))
}

fn refused(file: &File, ask: &Ask) -> Option<Case> {
    let idle = ask.old_text() == ask.new_text();
    (!idle).then(|| Case::refused(file.text(), vec![ask.edit()]))
}

pub(super) fn twins_exact(rng: &mut Rng) -> Option<Case> {
    let (file, _, ask) =
        if rng.percent(50) { copied(rng, 1, |_, line| line.to_owned())? } else { draft(rng, &(1..=3))? };
    refused(&file, &ask).filter(|_| count(&lf(&file.text()), &ask.old_text()) > 1)
}

/// Two copies at different depths, and a request at a third depth.
pub(super) fn twins_but_for_indentation(rng: &mut Rng) -> Option<Case> {
    let deeper = |_: usize, line: &str| if line.is_empty() { String::new() } else { format!("    {line}") };
    let (file, _, mut ask) = copied(rng, 1, deeper)?;
    let by = *rng.pick(&["  ", "\t\t", "            "]);
    super::indents::deepen(&mut ask, by);
    refused(&file, &ask).filter(|_| count(&lf(&file.text()), &ask.old_text()) == 0)
}

/// Two copies with trailing spaces on different lines, and a request with trailing spaces on others.
pub(super) fn twins_but_for_trailing(rng: &mut Rng) -> Option<Case> {
    let (file, _, mut ask) =
        copied(rng, 2, |at, line| if at == 0 { format!("{line} ") } else { line.to_owned() })?;
    let mut first = true;
    ask.map_old(|line| {
        let blanks = if std::mem::take(&mut first) { "\t " } else { "" };
        format!("{}{blanks}", line.trim_end())
    });
    refused(&file, &ask).filter(|_| count(&lf(&file.text()), &ask.old_text()) == 0)
}

/// A name that is also a part of other names, or occurs again.
pub(super) fn word_in_a_word(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let (old, new, _) = name_of_many(rng, &file)?;
    Some(Case::refused(file.text(), vec![Edit::new(old, new)]))
}

pub(super) fn count_mismatch(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let (old, new, places) = name_of_many(rng, &file)?;
    let expected = if rng.percent(50) { places + 1 + rng.below(3) } else { places - 1 };
    let edit = Edit { count: Count::Exactly(expected as u32), ..Edit::new(old, new) };
    Some(Case::refused(file.text(), vec![edit]))
}

/// Two changes of blocks that have lines in common.
pub(super) fn overlapping(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let one = change::draw(rng, &file, &(2..=8))?;
    let shift = 1 + rng.below(one.lines().len() - 1);
    let start = one.lines().start + shift;
    let end = start + 1 + rng.below(8);
    let other = change::draw_at(rng, &file, start..end)?;
    let asks: Vec<Ask> = [&one, &other].map(|change: &Change| Ask::verbatim(rng, change)).into();
    let good = asks.iter().all(|ask| stands_once(&file, ask) && ask.old_text() != ask.new_text());
    let disjoint = other.lines().end <= one.lines().start || one.lines().end <= other.lines().start;
    let edits: Vec<Edit> = asks.iter().map(Ask::edit).collect();
    (good && !disjoint).then(|| Case::refused(file.text(), edits))
}

/// Two different changes of the same block.
pub(super) fn contradicting(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &(1..=10))?;
    let other = change::draw_at(rng, &file, change.lines())?;
    let mut other = Ask::verbatim(rng, &other);
    other.ended = ask.ended;
    let good = [&ask, &other].iter().all(|ask| stands_once(&file, ask) && ask.old_text() != ask.new_text());
    let apart = ask.new_text() != other.new_text();
    (good && apart).then(|| Case::refused(file.text(), vec![ask.edit(), other.edit()]))
}

/// The second edit changes the result of the first one, although both apply to the original file.
pub(super) fn dependent(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &(1..=8))?;
    let written = change.inserted().next()?.text.clone();
    let after = format!("{}{}", indent(&written), noun(rng));
    let there = bare(&file.text()).contains(&bare(&written));
    let edits = vec![ask.edit(), Edit::new(&written, after)];
    let good = stands_once(&file, &ask) && !there && bare(&written).len() > 4;
    good.then(|| Case::refused(file.text(), edits))
}

pub(super) fn no_change(rng: &mut Rng) -> Option<Case> {
    let (file, _, ask) = draft(rng, &(1..=10))?;
    Some(Case::refused(file.text(), vec![Edit::new(ask.old_text(), ask.old_text())]))
}

pub(super) fn empty_old(rng: &mut Rng) -> Option<Case> {
    let (file, _, ask) = draft(rng, &(1..=10))?;
    Some(Case::refused(file.text(), vec![Edit::new("", ask.new_text())]))
}
