//! Requests without slips: the new lines are written as they are given.

use editd_edit::LinePlace;

use super::super::rng::Rng;
use super::{Case, Draft, Hunk, Place, Put, deletes, draft, inserts, joined, put, puts, replaces, single};

pub(super) fn lines_replaced(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let put = put(rng, draft.hunk());
    draft.case(vec![put])
}

pub(super) fn lines_deleted(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, deletes)?;
    let put = put(rng, draft.hunk());
    draft.case(vec![put])
}

pub(super) fn inserted_after(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, inserts)?;
    let after = draft.hunk().lines.start;
    let put = Put { place: Place::At(LinePlace::After(after)), ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

pub(super) fn inserted_before(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, inserts)?;
    let before = draft.hunk().lines.start + 1;
    let put = Put { place: Place::At(LinePlace::Before(before)), ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

/// Inserts lines at the start or the end of the file.
pub(super) fn inserted_at_the_ends(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, puts)?;
    let (total, at_start) = (draft.file.lines.len(), rng.percent(40));
    let at = if at_start { 0 } else { total };
    let new = vec![draft.file.statement(rng), draft.file.statement(rng)];
    let draft = Draft { hunks: vec![Hunk { lines: at..at, new }], ..draft };
    let place = match (at_start, rng.percent(50)) {
        (true, true) => LinePlace::After(0),
        (true, false) => LinePlace::Before(1),
        (false, true) => LinePlace::End,
        (false, false) => LinePlace::After(total),
    };
    let put = Put { place: Place::At(place), ..put(rng, draft.hunk()) };
    draft.is_plain().then(|| draft.case(vec![put]))?
}

pub(super) fn several_edits(rng: &mut Rng) -> Option<Case> {
    let draft = draft(rng).filter(|draft| draft.hunks.len() > 1)?;
    let mut puts: Vec<_> = draft.hunks.iter().map(|hunk| put(rng, hunk)).collect();
    rng.shuffle(&mut puts);
    draft.case(puts)
}

/// Replaces or deletes lines that follow each other, by an edit for each.
pub(super) fn adjacent_edits(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| replaces(hunk) && hunk.lines.len() > 1)?;
    let (lines, new) = (draft.hunk().lines.clone(), draft.hunk().new.clone());
    let middle = lines.start + 1 + rng.below(lines.len() - 1);
    let cut = rng.below(new.len() + 1);
    let hunks = [Hunk::new(lines.start..middle, &new[..cut]), Hunk::new(middle..lines.end, &new[cut..])];
    let parted = Draft { hunks: hunks.to_vec(), ..draft };
    if !parted.is_plain() {
        return None;
    }
    let mut puts: Vec<_> = parted.hunks.iter().map(|hunk| put(rng, hunk)).collect();
    rng.shuffle(&mut puts);
    parted.case(puts)
}

/// Changes the last lines of a file, often one without a final line ending.
pub(super) fn at_the_end_of_the_file(rng: &mut Rng) -> Option<Case> {
    let mut draft = draft(rng)?;
    let total = draft.file.lines.len();
    let size = (1 + rng.below(3)).min(total.checked_sub(1)?);
    let statement = draft.file.statement(rng);
    let new = if rng.percent(30) { Vec::new() } else { vec![statement] };
    draft.hunks = vec![Hunk { lines: total - size..total, new }];
    if rng.percent(60) {
        draft.file.lines[total - 1].ending = "";
    }
    // An empty last line without a line ending is no line.
    if draft.hunk().new.is_empty() && draft.text(total - size - 1).is_empty() {
        return None;
    }
    let put = put(rng, draft.hunk());
    draft.is_plain().then(|| draft.case(vec![put]))?
}

/// Edits a file with CRLF, with either line ending in the request.
pub(super) fn crlf(rng: &mut Rng) -> Option<Case> {
    let mut draft = single(rng, puts)?;
    draft.file.set_ending("\r\n");
    let mut put = put(rng, draft.hunk());
    if rng.percent(50) {
        put.new = put.new.map(|new| new.replace('\n', "\r\n"));
    }
    draft.case(vec![put])
}

/// New lines begin or end with a blank one.
pub(super) fn blank_lines_at_edges(rng: &mut Rng) -> Option<Case> {
    let mut draft = single(rng, puts)?;
    let hunk = &mut draft.hunks[0];
    if rng.percent(60) {
        hunk.new.insert(0, String::new());
    }
    if rng.percent(60) {
        hunk.new.push(String::new());
    }
    let put = Put { new: Some(joined(&hunk.new)), ..put(rng, &hunk.clone()) };
    draft.case(vec![put])
}

pub(super) fn spellings_of_ranges(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, replaces)?;
    let (first, last) = (draft.hunk().lines.start + 1, draft.hunk().lines.end);
    let text = match rng.below(5) {
        0 => format!("{first}..{last}"),
        1 => format!("{first}:{last}"),
        2 => format!("L{first}-L{last}"),
        3 => format!("{first}-{last}"),
        _ if first == last => first.to_string(),
        _ => format!("L{first}-{last}"),
    };
    let put = Put { place: Place::Lines(text), ..put(rng, draft.hunk()) };
    draft.case(vec![put])
}

/// The boundary lines are stated, with other whitespace.
pub(super) fn boundaries_right(rng: &mut Rng) -> Option<Case> {
    let draft = single(rng, |hunk| !hunk.lines.is_empty())?;
    let lines = draft.hunk().lines.clone();
    let (first, last) = (draft.text(lines.start).to_owned(), draft.text(lines.end - 1).to_owned());
    let loose = |rng: &mut Rng, text: &str| match rng.below(3) {
        0 => text.to_owned(),
        1 => text.trim().to_owned(),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let (first, last) = (loose(rng, &first), loose(rng, &last));
    if first.trim().is_empty() || last.trim().is_empty() {
        return None;
    }
    let put = Put {
        first: rng.percent(70).then_some(first),
        last: rng.percent(70).then_some(last),
        ..put(rng, draft.hunk())
    };
    draft.case(vec![put])
}
