//! Requests with exact text, in all variants.

use editd_edit::{Count, Edit};

use super::super::ask::{Ask, Case, Outcome};
use super::super::change::{self, Change, Part};
use super::super::plain::{count, lf, words};
use super::super::rng::Rng;
use super::super::sources::{self, File};
use super::super::vocabulary::{noun, sentence};
use super::{ANY, Draft, draft, draft_of};

/// Returns `true` if the old text occurs literally exactly once. Tolerance must not find more matches.
pub(super) fn stands_once(file: &File, ask: &Ask) -> bool {
    count(&lf(&file.text()), &lf(&ask.old_text())) == 1
}

fn literal((file, change, ask): &Draft) -> Option<Case> {
    let case = Case::becomes(file, std::slice::from_ref(change), vec![ask.edit()]);
    case.filter(|_| stands_once(file, ask) && ask.old_text() != ask.new_text())
}

pub(super) fn verbatim(rng: &mut Rng) -> Option<Case> {
    literal(&draft(rng, &ANY)?)
}

/// Returns a case that replaces a unique single-line text in the file's bytes.
fn spliced(file: &File, old: &str, new: &str) -> Option<Case> {
    let base = file.text();
    let at = base.find(old).filter(|_| count(&base, old) == 1)?;
    let line = file.text()[..at].matches('\n').count();
    let text = [&base[..at], new, &base[at + old.len()..]].concat();
    let outcome = Outcome::Becomes { text, lines: std::iter::once(line..line + 1).collect() };
    Some(Case { outcome, ..Case::refused(base, vec![Edit::new(old, new)]) })
}

/// Returns a part of a line, from one word to another.
fn stretch<'a>(rng: &mut Rng, file: &'a File) -> Option<&'a str> {
    let line = &rng.pick(&file.lines).text;
    let words = words(line);
    let (first, last) = (rng.below(words.len()), rng.below(words.len()));
    let (first, last) = (first.min(last), first.max(last));
    let end = words.get(last)?.0 + words[last].1.len();
    line.get(words[first].0..end).filter(|text| text.len() >= 4)
}

pub(super) fn part_of_a_line(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let old = stretch(rng, &file)?;
    let new = if rng.percent(20) { String::new() } else { format!("{}.{}", noun(rng), noun(rng)) };
    // Replacing a whole line with an empty text is not a change of a part of a line.
    if new.is_empty() && file.lines.iter().any(|line| line.text == old) {
        return None;
    }
    spliced(&file, old, &new)
}

/// Changes text from the middle of one line to the middle of a later one.
pub(super) fn parts_of_lines(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &(2..=8))?;
    let (old, new) = (ask.old_text(), ask.new_text());
    if ask.ended || change.steps.first()?.text != change.steps.first()?.text.trim_end() {
        return None;
    }
    let (head, tail) = super::super::plain::common_ends(&old, &new);
    let words = words(&old);
    // Use as little common text as makes the old text unique.
    let starts = words.iter().map(|(at, _)| *at).filter(|&at| at < head);
    let ends = words.iter().map(|(at, word)| at + word.len()).filter(|&at| at > old.len() - tail);
    let (start, end) = (starts.max()?, ends.min()?);
    let ask = [old.get(start..end)?, new.get(start..new.len() - (old.len() - end))?];
    if !ask[0].contains('\n') || count(&lf(&file.text()), ask[0]) != 1 {
        return None;
    }
    Case::becomes(&file, &[change], vec![Edit::new(ask[0], ask[1])])
}

pub(super) fn crlf_file(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    file.set_ending("\r\n");
    literal(&draft_of(rng, file, &ANY)?)
}

pub(super) fn crlf_request(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &ANY)?;
    let mut case = literal(&(file, change, ask))?;
    let edit = &mut case.edits[0];
    if !edit.old.contains('\n') {
        return None;
    }
    edit.old = edit.old.replace('\n', "\r\n");
    if rng.percent(70) {
        edit.new = edit.new.replace('\n', "\r\n");
    }
    Some(case)
}

/// Mixed line endings; the requested lines have equal ones.
pub(super) fn mixed_line_ends(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    let mut ending = "\n";
    for line in &mut file.lines {
        if rng.percent(10) {
            let before = ending;
            ending = *rng.pick(&["\n", "\r\n", "\r"]);
            if before == "\r" && ending == "\n" && line.text.is_empty() {
                // The two would form one line ending.
                ending = before;
            }
        }
        line.ending = ending;
    }
    literal(&draft_of(rng, file, &ANY)?)
}

pub(super) fn bom_in_request(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    file.bom = rng.percent(70);
    let mut case = literal(&draft_of(rng, file, &ANY)?)?;
    let edit = &mut case.edits[0];
    edit.old.insert(0, '\u{FEFF}');
    edit.new.insert(0, '\u{FEFF}');
    Some(case)
}

/// The end of the file matches the line ending of the request.
pub(super) fn no_final_line_end(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    file.lines.last_mut()?.ending = "";
    let (end, size) = (file.lines.len(), 1 + rng.below(8));
    let change = change::draw_at(rng, &file, end.checked_sub(size)?..end)?;
    let mut ask = Ask::verbatim(rng, &change);
    ask.ended = true;
    let stands = count(&(lf(&file.text()) + "\n"), &ask.old_text()) == 1;
    Case::becomes(&file, &[change], vec![ask.edit()]).filter(|_| stands && !ask.new_text().is_empty())
}

/// Generates changes of one file that do not touch each other.
pub(super) fn apart(rng: &mut Rng, file: &File) -> Option<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for _ in 0..12 {
        let Some(change) = change::draw(rng, file, &(1..=8)) else { continue };
        let lines = change.lines();
        let free = |other: &Change| other.lines().end < lines.start || lines.end < other.lines().start;
        if changes.iter().all(free) {
            changes.push(change);
        }
    }
    changes.truncate(2 + rng.below(4));
    (changes.len() >= 2).then_some(changes)
}

pub(super) fn several_edits(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let changes = apart(rng, &file)?;
    let asks: Vec<Ask> = changes.iter().map(|change| Ask::verbatim(rng, change)).collect();
    if !asks.iter().all(|ask| stands_once(&file, ask) && ask.old_text() != ask.new_text()) {
        return None;
    }
    let mut edits: Vec<Edit> = asks.iter().map(Ask::edit).collect();
    rng.shuffle(&mut edits);
    Case::becomes(&file, &changes, edits)
}

/// The second edit changes the result of the first one.
pub(super) fn sequential_edits(rng: &mut Rng) -> Option<Case> {
    let draft = draft(rng, &(1..=10))?;
    let mut case = literal(&draft)?;
    let after = change::result(&draft.0, &[draft.1])?;
    let written = lf(&case.edits[0].new);
    let again = [written.as_str(), &format!("{}\n", sentence(rng))].concat();
    if !written.ends_with('\n') || count(&lf(&after), &written) != 1 || after.contains('\r') {
        return None;
    }
    case.outcome = match case.outcome {
        Outcome::Becomes { lines, .. } => {
            Outcome::Becomes { text: after.replacen(&written, &again, 1), lines }
        }
        Outcome::BecomesOrRefused { .. } | Outcome::Refused => return None,
    };
    case.edits.push(Edit::new(written, again));
    case.options.sequential = true;
    Some(case)
}

/// Returns a name that occurs more than once, a new name, and the number of occurrences.
pub(super) fn name_of_many(rng: &mut Rng, file: &File) -> Option<(String, String, usize)> {
    let words = words(&rng.pick(&file.lines).text);
    let (_, old) = *rng.any(&words)?;
    let places = count(&file.text(), old);
    // An old name inside the new one would match again.
    let new = format!("{}9", noun(rng));
    let telling = old.len() >= 4 && places >= 2 && !new.contains(old);
    telling.then(|| (old.to_owned(), new, places))
}

fn many(rng: &mut Rng, to_count: fn(usize) -> Count) -> Option<Case> {
    let file = sources::file(rng, None);
    let (old, new, places) = name_of_many(rng, &file)?;
    let base = file.text();
    let text = base.replace(&old, &new);
    let edit = Edit { count: to_count(places), ..Edit::new(&old, new) };
    // Overlapping matches would be ambiguous.
    let outcome = Outcome::Becomes { text, lines: std::iter::once(0..file.lines.len()).collect() };
    (base.matches(&old).count() == places).then_some(Case { outcome, ..Case::refused(base, vec![edit]) })
}

pub(super) fn every_place(rng: &mut Rng) -> Option<Case> {
    many(rng, |_| Count::All)
}

pub(super) fn counted_places(rng: &mut Rng) -> Option<Case> {
    many(rng, |places| Count::Exactly(places as u32))
}

/// Trailing spaces in new lines are intended, as in Markdown.
pub(super) fn blanks_in_new_text(rng: &mut Rng) -> Option<Case> {
    let (file, mut change, _) = draft(rng, &ANY)?;
    let fresh = change.steps.iter_mut().filter(|step| step.part == Part::Put);
    fresh.for_each(|step| step.text.push_str("  "));
    let ask = Ask::verbatim(rng, &change);
    let any = change.count(Part::Put) > 0;
    literal(&(file, change, ask)).filter(|_| any)
}

/// Text that looks like templates, patterns, escapes or patch markers is written literally.
pub(super) fn new_text_is_data(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let old = stretch(rng, &file)?;
    let odd = [
        "$&",
        "$1 \\1",
        "${0}",
        "\\n\\t\\\"",
        "%s\\0",
        "<<<<<<< SEARCH",
        "12\tvalue",
        "&quot;&amp;",
        "a/* … */",
    ];
    let new = format!("{old}{}", rng.pick(&odd));
    spliced(&file, old, &new)
}
