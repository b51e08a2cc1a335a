//! Files whose lines begin with numbers, and line numbers that a reader has added.

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change, Part};
use super::super::plain::words;
use super::super::rng::Rng;
use super::super::sources::{File, LANGUAGES, Line};
use super::super::stored::{self, Fashion};
use super::super::vocabulary::{capital, noun, verb};
use super::plainly::stands_once;
use super::shapes::{is_fresh, real};
use super::wrappings::number;
use super::{Draft, draft_of};

/// Returns the start, the end and the value of the number at the beginning of a line.
fn key(line: &str) -> Option<(usize, usize, usize)> {
    let start = line.len() - line.trim_start().len();
    let digits = line[start..].bytes().take_while(u8::is_ascii_digit).count();
    Some((start, start + digits, line[start..start + digits].parse().ok()?))
}

/// Generates a table row: its key in the style of the table, and words.
fn row(rng: &mut Rng, fashion: usize, key: usize) -> String {
    let (one, two, three) = (verb(rng), noun(rng), noun(rng));
    match fashion {
        0 => format!("{key}\t{two}\t{one}"),
        1 => format!("{key:>5}\t{} {}", capital(&one), capital(&three)),
        2 => format!("{}:{}: {one} the {two}", 1 + key / 20, 1 + key % 20),
        3 => format!("{key}: {two}-{one}"),
        4 => format!("{key} | {one} {two} | {three}"),
        _ => format!("{key}. {} the {two} of the {three}", capital(&one)),
    }
}

/// Generates a table with ordered or unordered keys, starting at 1 or elsewhere.
fn table(rng: &mut Rng) -> File {
    let fashion = rng.below(6);
    let (first, ordered) = (*rng.pick(&[1, 1, 2, 10, 70, 101, 2000]), rng.percent(70));
    let mut keys: Vec<usize> = (0..20 + rng.below(60)).map(|at| first + at).collect();
    if !ordered {
        rng.shuffle(&mut keys);
    }
    let mut lines: Vec<Line> = Vec::new();
    if rng.percent(30) {
        lines.push(Line { text: "# key and what it stands for".to_owned(), ending: "\n" });
    }
    lines.extend(keys.into_iter().map(|key| Line { text: row(rng, fashion, key), ending: "\n" }));
    let language = LANGUAGES.iter().find(|language| language.name == "toml").unwrap_or(&LANGUAGES[0]);
    File { language, unit: "  ", bom: false, lines, blocks: Vec::new() }
}

/// Returns a line with one of its later words replaced.
fn reworded(rng: &mut Rng, line: &str) -> Option<String> {
    let (_, end, _) = key(line)?;
    let wanted = |(at, word): &(usize, &str)| *at > end && word.len() > 3 && word.is_ascii();
    let names: Vec<_> = words(line).into_iter().filter(wanted).collect();
    let (at, word) = *rng.any(&names)?;
    Some(format!("{}{}{}", &line[..at], noun(rng), &line[at + word.len()..]))
}

/// Returns a row similar to another one, with a unique key.
fn row_like(rng: &mut Rng, file: &File, line: &str) -> Option<String> {
    let (start, end, value) = key(line)?;
    let free = value + 1 + rng.below(9000);
    let taken = file.lines.iter().any(|line| key(&line.text).is_some_and(|(_, _, other)| other == free));
    let text = reworded(rng, &format!("{}{free}{}", &line[..start], &line[end..]))?;
    (!taken).then_some(text)
}

/// Generates a draft with a few rows, some of them changed, inserted or deleted.
fn drawn(rng: &mut Rng) -> Option<Draft> {
    let mut file = if rng.percent(60) { table(rng) } else { stored::file(rng, Fashion::Numbers) };
    if rng.percent(15) {
        file.set_ending("\r\n");
    }
    let size = if rng.percent(35) { 1..=1 } else { 2..=9 };
    let mut change = change::block(rng, &file, &size)?;
    for _ in 0..=rng.below(2) {
        let at = rng.below(change.steps.len());
        let text = change.steps[at].text.clone();
        match (change.steps[at].part, rng.below(5)) {
            (Part::Keep, 0..=2) => change.replace(at, &reworded(rng, &text)?),
            (Part::Keep, 3) => change.insert(at + rng.below(2), &[row_like(rng, &file, &text)?]),
            (Part::Keep, _) if change.steps.len() > 2 => change.steps[at].part = Part::Cut,
            _ => return None,
        }
    }
    let ask = Ask::verbatim(rng, &change);
    let keyed = change.steps.iter().all(|step| key(&step.text).is_some());
    (keyed && change.is_sound() && is_fresh(&change)).then_some((file, change, ask))
}

/// Returns `true` if a line of the new text begins with a number that could be a printed line number.
fn may_be_printed(ask: &Ask) -> bool {
    let value = |line: &str| key(line).map(|(_, _, value)| value);
    let printed: Vec<_> = ask.old_lines().into_iter().filter_map(value).collect();
    let Some(first) = printed.first().copied() else { return true };
    let range = first..first + printed.len().max(ask.new_lines().len());
    ask.new_lines().into_iter().filter_map(value).any(|value| range.contains(&value))
}

fn numbered(rng: &mut Rng, in_both: bool) -> Option<Case> {
    let (file, change, mut ask) = drawn(rng)?;
    number(rng, &change, &mut ask, in_both);
    let open = !in_both && may_be_printed(&ask);
    Case::tolerated(&file, &change, &ask).filter(|_| !open)
}

/// The old text has printed line numbers; the new text has only its own keys.
pub(super) fn keys_numbered_in_old(rng: &mut Rng) -> Option<Case> {
    numbered(rng, false)
}

pub(super) fn keys_numbered_in_both(rng: &mut Rng) -> Option<Case> {
    numbered(rng, true)
}

/// No printed line numbers: the keys are content.
pub(super) fn keys_as_they_are(rng: &mut Rng) -> Option<Case> {
    let (file, change, ask) = drawn(rng)?;
    let once = stands_once(&file, &ask);
    Case::becomes(&file, &[change], vec![ask.edit()]).filter(|_| once)
}

/// No printed line numbers, but trailing spaces that prevent a literal match.
pub(super) fn keys_with_trailing_blanks(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = drawn(rng)?;
    super::blanks::trail(rng, &mut ask, false);
    Case::tolerated(&file, &change, &ask)
}

/// Any file: line numbers before the old lines and before the kept lines of the new text.
pub(super) fn numbers_on_kept_lines(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let (file, change, mut ask): (File, Change, Ask) = draft_of(rng, file, &(2..=20))?;
    number(rng, &change, &mut ask, false);
    for line in ask.lines.iter_mut().filter(|line| line.part == Part::Keep) {
        line.new.clone_from(&line.old);
    }
    let mixed = change.count(Part::Keep) > 0 && change.inserted().next().is_some();
    Case::tolerated(&file, &change, &ask).filter(|_| mixed).map(Case::or_refused)
}

/// Any file: line numbers before all lines, or before the old ones.
pub(super) fn numbers_of_lines(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let (file, change, mut ask): (File, Change, Ask) = draft_of(rng, file, &(1..=20))?;
    let in_both = rng.percent(50);
    number(rng, &change, &mut ask, in_both);
    let open = !in_both && ask.new_lines().iter().any(|line| key(line).is_some());
    Case::tolerated(&file, &change, &ask).filter(|_| !open)
}
