//! Blanks that are not what they were.

use super::super::ask::{Ask, AskLine, Case};
use super::super::change::{Change, Part};
use super::super::plain::{common_ends, indent};
use super::super::rng::Rng;
use super::super::sources::{self, File};
use super::{ANY, draft, draft_of};

/// The file has blanks at line ends that the request has not.
pub(super) fn trailing_in_file(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    sources::trailing_blanks(rng, &mut file, 40);
    let (file, change, mut ask) = draft_of(rng, file, &ANY)?;
    ask.map_both(|line| line.trim_end().to_owned());
    Case::tolerated(&file, &change, &ask)
}

/// Puts blanks at the ends of some lines of the old text.
pub(super) fn trail(rng: &mut Rng, ask: &mut Ask, also_new: bool) {
    for line in ask.lines.iter_mut().filter(|line| line.part != Part::Put) {
        if rng.percent(40) {
            let blanks = *rng.pick(&[" ", "  ", "\t"]);
            line.old.push_str(blanks);
            if also_new && line.part == Part::Keep {
                line.new.clone_from(&line.old);
            }
        }
    }
}

pub(super) fn trailing_in_old(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    trail(rng, &mut ask, false);
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn trailing_in_both(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    trail(rng, &mut ask, true);
    Case::tolerated(&file, &change, &ask)
}

/// Puts a blank line too many at the head or the tail; at the head of the old text alone two of them, or
/// one of blanks, because the end of the line before would be taken for one.
pub(super) fn surplus(rng: &mut Rng, ask: &mut Ask, at_head: bool, in_both: bool) {
    let part = if in_both { Part::Keep } else { Part::Cut };
    let blank = if rng.percent(85) { String::new() } else { "    ".to_owned() };
    let times = if at_head && blank.is_empty() { 2 } else { 1 };
    let at = if at_head { 0 } else { ask.lines.len() };
    for _ in 0..times {
        ask.lines.insert(at, AskLine { part, old: blank.clone(), new: blank.clone() });
    }
}

fn edge(rng: &mut Rng, at_head: bool, in_both: bool) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    let lines = change.lines();
    let beside = if at_head { lines.start.checked_sub(1) } else { Some(lines.end) };
    // A blank line beside the block could be meant by the one that is too many.
    let blank = |at: usize| file.lines.get(at).is_none_or(|line| line.text.trim().is_empty());
    if beside.is_none_or(blank) || !ask.has_firm_edges() {
        return None;
    }
    surplus(rng, &mut ask, at_head, in_both);
    ask.ended = rng.percent(50);
    Case::tolerated(&file, &change, &ask)
}

pub(super) fn blank_head_in_old(rng: &mut Rng) -> Option<Case> {
    edge(rng, true, false)
}

pub(super) fn blank_tail_in_old(rng: &mut Rng) -> Option<Case> {
    edge(rng, false, false)
}

pub(super) fn blank_head_in_both(rng: &mut Rng) -> Option<Case> {
    edge(rng, true, true)
}

pub(super) fn blank_tail_in_both(rng: &mut Rng) -> Option<Case> {
    edge(rng, false, true)
}

/// A line with every run of blanks inside it made one.
pub(super) fn squeezed(line: &str) -> String {
    let (head, rest) = line.split_at(indent(line).len());
    let mut result = head.to_owned();
    for character in rest.chars() {
        if !(character == ' ' && result.ends_with(' ') && result.len() > head.len()) {
            result.push(character);
        }
    }
    result
}

/// Whether what the change writes is the same in the file's words and in the request's: where a line is
/// replaced, in what lies between its common ends, and where it comes new, as a whole.
pub(super) fn writes_alike(change: &Change, reworded: impl Fn(&str) -> String) -> bool {
    let replaced = change.replaced();
    let middle = |(cut, put): &(usize, usize)| {
        let (cut, put) = (&change.steps[*cut].text, &change.steps[*put].text);
        let (head, tail) = common_ends(cut, put);
        let ends = [reworded(&put[..head]), reworded(&put[put.len() - tail..])];
        let middle = &put[head..put.len() - tail];
        // Blanks or signs at the seam would be seen as changed or not, as one likes.
        let seam = cut[head..cut.len() - tail].chars().chain(middle.chars());
        reworded(put) == format!("{}{middle}{}", ends[0], ends[1])
            && seam.clone().all(|c| c != ' ' && c.is_ascii())
    };
    replaced.iter().all(middle) && change.inserted().all(|step| reworded(&step.text) == step.text)
}

/// As many lines come as go, each in place of one: no other pairing is likely.
pub(super) fn in_place(change: &Change) -> bool {
    change.count(Part::Cut) == change.count(Part::Put) && change.replaced().len() == change.count(Part::Cut)
}

/// The file has columns; the request has one blank between words.
pub(super) fn aligned_in_file(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    ask.map_both(squeezed);
    if change.count(Part::Put) > 0 && !(in_place(&change) && writes_alike(&change, squeezed)) {
        return None;
    }
    Case::tolerated(&file, &change, &ask)
}

/// The request has columns where the file has one blank.
pub(super) fn aligned_in_request(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    let signs: &[&str] = if rng.percent(50) { &[" = ", " -> "] } else { &[": ", ", "] };
    for line in ask.lines.iter_mut().filter(|line| line.part == Part::Keep) {
        for sign in signs {
            line.old = line.old.replacen(sign, &format!("{sign}  "), 1);
        }
        if rng.percent(70) {
            line.new.clone_from(&line.old);
        }
    }
    if ask.lines.iter().any(|line| line.part == Part::Keep && line.old.trim_end() != line.old) {
        return None;
    }
    Case::tolerated(&file, &change, &ask)
}

/// The lines of a block are not to be taken for others of the same words in it.
pub(super) fn has_no_doubles(file: &File, change: &Change) -> bool {
    let mut lines: Vec<&str> = file.lines[change.lines()].iter().map(|line| line.text.trim()).collect();
    lines.retain(|line| line.len() > 3);
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    lines.len() == all
}
