//! Differences in whitespace.

use super::super::ask::{Ask, AskLine, Case};
use super::super::change::{Change, Part};
use super::super::plain::{common_ends, indent};
use super::super::rng::Rng;
use super::super::sources::{self, File};
use super::{ANY, draft, draft_of};

/// The file has trailing whitespace that the request lacks.
pub(super) fn trailing_in_file(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    sources::trailing_blanks(rng, &mut file, 40);
    let (file, change, mut ask) = draft_of(rng, file, &ANY)?;
    ask.map_both(|line| line.trim_end().to_owned());
    Case::tolerated(&file, &change, &ask)
}

/// Adds trailing spaces to some lines of the old text.
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

/// Adds a surplus blank line at the start or the end. At the start of only the old text it adds two, or one
/// with spaces, because a single empty line could match the end of the previous line.
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
    // The surplus blank line could refer to a blank line next to the block.
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

/// Returns a line with every inner run of spaces replaced with one space.
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

/// Returns `true` if the change writes the same text with and without the distortion: in a replaced line, the
/// part between the common ends; in a new line, all of it.
pub(super) fn writes_alike(change: &Change, reworded: impl Fn(&str) -> String) -> bool {
    let replaced = change.replaced();
    let middle = |(cut, put): &(usize, usize)| {
        let (cut, put) = (&change.steps[*cut].text, &change.steps[*put].text);
        let (head, tail) = common_ends(cut, put);
        let ends = [reworded(&put[..head]), reworded(&put[put.len() - tail..])];
        let middle = &put[head..put.len() - tail];
        // Spaces or special characters at the boundary could count as changed or as unchanged.
        let seam = cut[head..cut.len() - tail].chars().chain(middle.chars());
        reworded(put) == format!("{}{middle}{}", ends[0], ends[1])
            && seam.clone().all(|c| c != ' ' && c.is_ascii())
    };
    replaced.iter().all(middle) && change.inserted().all(|step| reworded(&step.text) == step.text)
}

/// Returns `true` if each removed line is replaced by exactly one new line.
pub(super) fn in_place(change: &Change) -> bool {
    change.count(Part::Cut) == change.count(Part::Put) && change.replaced().len() == change.count(Part::Cut)
}

/// The file is aligned in columns; the request has single spaces.
pub(super) fn aligned_in_file(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    ask.map_both(squeezed);
    if change.count(Part::Put) > 0 && !(in_place(&change) && writes_alike(&change, squeezed)) {
        return None;
    }
    Case::tolerated(&file, &change, &ask)
}

/// The request is aligned in columns; the file has single spaces.
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

/// Returns `true` if no two lines of a block have the same words.
pub(super) fn has_no_doubles(file: &File, change: &Change) -> bool {
    let mut lines: Vec<&str> = file.lines[change.lines()].iter().map(|line| line.text.trim()).collect();
    lines.retain(|line| line.len() > 3);
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    lines.len() == all
}
