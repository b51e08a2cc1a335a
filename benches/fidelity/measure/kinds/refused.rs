//! Must be refused: the requested text is absent, or the request is ambiguous.

use editd_edit::Edit;

use super::super::ask::{Ask, AskLine, Case};
use super::super::change::{self, Change, Part, is_unique};
use super::super::plain::{bare, folded, indent, lf, words};
use super::super::rng::Rng;
use super::super::sources::{self, File};
use super::super::vocabulary::{capital, number};
use super::elisions::{hidden, leave_out, mark};
use super::places::copied;
use super::plainly::stands_once;
use super::{ANY, LONG, draft};

/// Returns the case of a text that is absent from the file under every tolerance.
fn absent_text(file: &File, edit: Edit) -> Option<Case> {
    let old = bare(&edit.old);
    let there = bare(&file.text()).contains(&old) || lf(&file.text()).contains(&edit.old);
    (!there && old.len() >= 4 && edit.old != edit.new).then(|| Case::refused(file.text(), vec![edit]))
}

pub(super) fn absent(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let lines: Vec<String> = (0..=rng.below(5)).map(|_| file.statement(rng)).collect();
    absent_text(&file, Edit::new(lines.join("\n"), file.statement(rng)))
}

/// Returns the maximum share of a block's lines that any region of the file has in the same positions, in
/// percent.
pub(super) fn likeness(file: &File, old: &str) -> usize {
    let block: Vec<String> = old.lines().map(bare).collect();
    let lines: Vec<String> = file.lines.iter().map(|line| bare(&line.text)).collect();
    let told = block.iter().filter(|line| !line.is_empty()).count().max(1);
    let common = lines.windows(block.len().max(1)).map(|window| {
        window.iter().zip(&block).filter(|(one, other)| one == other && !one.is_empty()).count()
    });
    common.max().unwrap_or(0) * 100 / told
}

pub(super) fn text_of_another_file(rng: &mut Rng) -> Option<Case> {
    let other = sources::file(rng, None);
    let file = sources::file(rng, Some(other.language));
    let change = change::draw(rng, &other, &ANY)?;
    let ask = Ask::verbatim(rng, &change);
    absent_text(&file, ask.edit()).filter(|_| likeness(&file, &ask.old_text()) <= 50)
}

/// Alters a replaced line, in the old text only.
fn reword_replaced(
    rng: &mut Rng,
    change: &Change,
    ask: &mut Ask,
    to: impl Fn(&mut Rng, &str) -> Option<String>,
) -> Option<()> {
    let replaced = change.replaced();
    let (cut, _) = *rng.any(&replaced)?;
    let text = to(rng, &ask.lines[cut].old)?;
    // If the line also occurs in the new text, the edit could count as already applied.
    let comes = |line: &AskLine| [bare(&text), bare(&ask.lines[cut].old)].contains(&bare(&line.new));
    if text == ask.lines[cut].old || ask.lines.iter().any(|line| line.part == Part::Put && comes(line)) {
        return None;
    }
    ask.lines[cut].old = text;
    Some(())
}

/// The value in the file is not the one that the request replaces.
pub(super) fn value_differs(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    reword_replaced(rng, &change, &mut ask, other_number)?;
    Some(absent_text(&file, ask.edit())?.meaning(&file, &change))
}

fn other_number(rng: &mut Rng, line: &str) -> Option<String> {
    let numbers: Vec<_> =
        words(line).into_iter().filter(|(_, word)| word.bytes().all(|byte| byte.is_ascii_digit())).collect();
    let (at, word) = *rng.any(&numbers)?;
    let other = Some(number(rng)).filter(|other| other != word)?;
    Some(format!("{}{other}{}", &line[..at], &line[at + word.len()..]))
}

pub(super) fn case_differs(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    reword_replaced(rng, &change, &mut ask, |rng, line| {
        let names: Vec<_> = words(line).into_iter().filter(|(_, word)| word.len() > 2).collect();
        let (at, word) = *rng.any(&names)?;
        let other = if rng.percent(50) { capital(word) } else { word.to_uppercase() };
        (other != word).then(|| format!("{}{other}{}", &line[..at], &line[at + word.len()..]))
    })?;
    Some(absent_text(&file, ask.edit())?.meaning(&file, &change))
}

/// The request adds a space that the file lacks, or lacks one that the file has.
pub(super) fn blank_or_none(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    reword_replaced(rng, &change, &mut ask, |rng, line| {
        let (head, body) = line.split_at(indent(line).len());
        let pairs = [("(", " ("), (" = ", "="), (", ", ","), (" {", "{"), (":", " :"), (".", " . ")];
        let (from, to) = *rng.pick(&pairs);
        (body.contains(from) && !body.contains(to)).then(|| format!("{head}{}", body.replacen(from, to, 1)))
    })?;
    // Bare texts have no spaces, so this compares the text without its indentation.
    let flat = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let once = is_unique(&file, &change);
    let there = flat(&folded(&lf(&file.text()))).contains(&flat(&folded(&ask.old_text())));
    (once && !there).then(|| Case::refused(file.text(), vec![ask.edit()]).meaning(&file, &change))
}

pub(super) fn quotes_of_another_kind(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    reword_replaced(rng, &change, &mut ask, |_, line| {
        let other = if line.contains('"') { line.replace('"', "'") } else { line.replace('\'', "\"") };
        (other != line).then_some(other)
    })?;
    Some(absent_text(&file, ask.edit())?.meaning(&file, &change))
}

pub(super) fn already_applied(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = draft(rng, &ANY)?;
    let done = change::result(&file, std::slice::from_ref(&change))?;
    let there = bare(&done).contains(&bare(&ask.old_text()));
    let removes =
        change.count(Part::Cut) > 0 && is_unique(&file, &change) && !ask.new_text().trim().is_empty();
    (removes && !there).then(|| Case::refused(done, vec![ask.edit()]))
}

/// Another author changed a line that the request replaces.
pub(super) fn changed_meanwhile(rng: &mut Rng) -> Option<Case> {
    let (mut file, change, ask) = draft(rng, &ANY)?;
    let mut line = change.at;
    let mut cut = Vec::new();
    for (at, step) in change.steps.iter().enumerate() {
        if step.part == Part::Cut && !step.text.trim().is_empty() {
            cut.push((line, at));
        }
        line += usize::from(step.part != Part::Put);
    }
    let (line, at) = *rng.any(&cut)?;
    let names: Vec<_> =
        words(&change.steps[at].text).into_iter().filter(|(_, word)| word.len() > 2).collect();
    let (start, word) = *rng.any(&names)?;
    let text = &change.steps[at].text;
    let other = format!("{}{}_{}{}", &text[..start], word, number(rng), &text[start + word.len()..]);
    let wanted = change.steps.iter().any(|step| step.part == Part::Put && bare(&step.text) == bare(&other));
    file.lines[line].text = other;
    absent_text(&file, ask.edit()).filter(|_| !wanted)
}

/// The new text contains a placeholder for omitted code; the old text is complete.
pub(super) fn placeholder(rng: &mut Rng) -> Option<Case> {
    let (file, _, mut ask) = draft(rng, &LONG)?;
    if !stands_once(&file, &ask) {
        return None;
    }
    let lines = hidden(rng, &ask, 3)?;
    let (before, behind) = file.language.comment;
    let words = [
        "... existing code ...",
        "rest of the code unchanged",
        "... rest of the code ...",
        "rest of the function remains unchanged",
        "(existing code unchanged)",
    ];
    let deep = indent(&ask.lines[lines.start].old).to_owned();
    let note = format!("{deep}{before}{}{behind}", rng.pick(&words));
    for line in &mut ask.lines[lines.clone()] {
        line.part = Part::Cut;
    }
    ask.lines.insert(lines.end, AskLine { part: Part::Put, old: String::new(), new: note });
    Some(Case::refused(file.text(), vec![ask.edit()]))
}

/// Returns the positions of these lines of an old text in the file.
fn places(file: &File, part: &[AskLine]) -> Vec<usize> {
    let old: Vec<String> =
        part.iter().filter(|line| line.part != Part::Put).map(|line| bare(&line.old)).collect();
    let lines: Vec<String> = file.lines.iter().map(|line| bare(&line.text)).collect();
    lines
        .windows(old.len().max(1))
        .enumerate()
        .filter(|(_, window)| *window == old)
        .map(|(at, _)| at)
        .collect()
}

/// The part to change is before or after the omitted lines, and matches twice.
pub(super) fn elision_ends_twice(rng: &mut Rng) -> Option<Case> {
    let (file, _, mut ask) =
        if rng.percent(50) { copied(rng, 6, |_, line| line.to_owned())? } else { draft(rng, &LONG)? };
    let lines = hidden(rng, &ask, 2)?;
    let (head, tail) = (&ask.lines[..lines.start], &ask.lines[lines.end..]);
    let changes = |part: &[AskLine]| part.iter().any(|line| line.part != Part::Keep);
    let (heads, tails) = (places(&file, head), places(&file, tail));
    // The tail of the text has to follow its head.
    let behind = tails.iter().filter(|&&at| Some(&at) > heads.first()).count();
    let before = heads.iter().filter(|&&at| Some(&at) < tails.last()).count();
    let open = changes(tail) && behind > 1 || changes(head) && before > 1;
    let open = open && !heads.is_empty() && !tails.is_empty();
    let sign = mark(rng, &file, &ask.lines[lines.start].old.clone(), false);
    leave_out(&mut ask, lines, &sign);
    absent_text(&file, ask.edit()).filter(|_| open)
}

/// The old text omits lines but the new text has no marker, so it is unclear whether they remain.
pub(super) fn elision_in_old_only(rng: &mut Rng) -> Option<Case> {
    let (file, _, mut ask) = draft(rng, &LONG)?;
    let lines = hidden(rng, &ask, 2)?;
    let sign = mark(rng, &file, &ask.lines[lines.start].old.clone(), false);
    let at = lines.start;
    leave_out(&mut ask, lines, &sign);
    ask.lines[at].part = Part::Cut;
    absent_text(&file, ask.edit())
}
