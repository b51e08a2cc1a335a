//! Combinations of two distortions.

use editd_edit::Edit;

use super::super::ask::{Ask, Case};
use super::super::change::Part;
use super::super::plain::{count, folded, lf};
use super::super::rng::Rng;
use super::super::sources;
use super::blanks::{in_place, squeezed, surplus, trail, writes_alike};
use super::drift::{comments, drift, has_context};
use super::elisions::with_elision;
use super::indents::{dedent, deepen, draft_in, in_other_unit};
use super::plainly::apart;
use super::wrappings::{escaped, number, reworded};
use super::{ANY, Draft, draft, draft_of};

/// Returns a draft whose request has different indentation, in one of several ways.
pub(super) fn indented_otherwise(rng: &mut Rng) -> Option<Draft> {
    match rng.below(6) {
        0 => in_other_unit(rng, "\t", "    "),
        1 => in_other_unit(rng, "    ", "\t"),
        2 => in_other_unit(rng, "    ", "  "),
        3 => in_other_unit(rng, "  ", "    "),
        4 => {
            let (file, change, mut ask) = draft_in(rng, "    ", 2)?;
            dedent(&mut ask, 20).then_some((file, change, ask))
        }
        _ => {
            let (file, change, mut ask) = draft_in(rng, "    ", 1)?;
            deepen(&mut ask, "    ");
            Some((file, change, ask))
        }
    }
}

pub(super) fn drift_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = indented_otherwise(rng)?;
    if !has_context(&file, &change, &ask) {
        return None;
    }
    let comments = comments(&file, &ask);
    drift(rng, &file, &mut ask, &comments)?;
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn trailing_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = indented_otherwise(rng)?;
    trail(rng, &mut ask, false);
    let trailing = ask.old_lines().iter().any(|line| line.ends_with([' ', '\t']));
    Case::tolerated(&file, &change, &ask).filter(|_| trailing)
}

pub(super) fn signs_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = indented_otherwise(rng)?;
    ask.map_both(folded);
    let signs = change.old_text() != folded(&change.old_text());
    let fits = change.count(Part::Put) == 0 || in_place(&change) && writes_alike(&change, folded);
    Case::tolerated(&file, &change, &ask).filter(|_| signs && fits)
}

pub(super) fn numbers_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = indented_otherwise(rng)?;
    let in_both = rng.percent(50);
    number(rng, &change, &mut ask, in_both);
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn numbers_and_trailing(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    sources::trailing_blanks(rng, &mut file, 40);
    let (file, change, mut ask) = draft_of(rng, file, &ANY)?;
    ask.map_both(|line| line.trim_end().to_owned());
    let in_both = rng.percent(50);
    number(rng, &change, &mut ask, in_both);
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn escapes_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = indented_otherwise(rng)?;
    let several = ask.old_lines().len() > 1;
    reworded(&file, &change, &ask, escaped).filter(|_| several)
}

pub(super) fn edges_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = indented_otherwise(rng)?;
    let lines = change.lines();
    let at_head = rng.percent(50);
    let beside = if at_head { lines.start.checked_sub(1)? } else { lines.end };
    if file.lines.get(beside)?.text.trim().is_empty() || !ask.has_firm_edges() {
        return None;
    }
    let in_both = rng.percent(50);
    surplus(rng, &mut ask, at_head, in_both);
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn signs_and_trailing(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    ask.map_both(folded);
    trail(rng, &mut ask, false);
    let signs = change.old_text() != folded(&change.old_text());
    let fits = change.count(Part::Put) == 0 || in_place(&change) && writes_alike(&change, folded);
    Case::tolerated(&file, &change, &ask).filter(|_| signs && fits)
}

pub(super) fn inner_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = indented_otherwise(rng)?;
    let before = ask.old_text();
    ask.map_both(squeezed);
    let fits = change.count(Part::Put) == 0 || in_place(&change) && writes_alike(&change, squeezed);
    Case::tolerated(&file, &change, &ask).filter(|_| fits && ask.old_text() != before)
}

pub(super) fn elision_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = with_elision(rng, false)?;
    let done = dedent(&mut ask, file.unit.len());
    Case::tolerated(&file, &change, &ask).filter(|_| done)
}

/// Every edit of a call has a different whitespace distortion.
pub(super) fn several_tolerated(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let changes = apart(rng, &file)?;
    let mut edits: Vec<Edit> = Vec::new();
    for change in &changes {
        let mut ask = Ask::verbatim(rng, change);
        if rng.percent(50) {
            trail(rng, &mut ask, false);
        } else {
            deepen(&mut ask, file.unit);
        }
        let there = count(&lf(&file.text()), &lf(&ask.old_text())) > 0;
        if there || !super::super::change::is_unique(&file, change) {
            return None;
        }
        edits.push(ask.edit());
    }
    rng.shuffle(&mut edits);
    Case::becomes(&file, &changes, edits)
}

pub(super) fn crlf_and_indentation(rng: &mut Rng) -> Option<Case> {
    let (mut file, change, ask) = indented_otherwise(rng)?;
    file.set_ending("\r\n");
    Case::tolerated(&file, &change, &ask)
}
