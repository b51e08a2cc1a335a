//! Invisible characters, and text with surplus HTML escaping.

use super::super::ask::{AskLine, Case};
use super::super::change::{Change, Part};
use super::super::plain::{common_ends, indent, is_unseen, seen};
use super::super::rng::Rng;
use super::blanks::{in_place, writes_alike};
use super::draft_of;
use super::shapes::{is_fresh, real};
use super::wrappings::reworded;

const UNSEEN: [char; 18] = [
    '\u{200B}', '\u{200B}', '\u{200C}', '\u{200D}', '\u{2060}', '\u{FEFF}', '\u{200E}', '\u{200F}',
    '\u{202A}', '\u{202B}', '\u{202C}', '\u{202D}', '\u{202E}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}', '\u{AD}',
];

/// Minimum distance in characters between a change and invisible characters.
const APART: usize = 3;

/// Returns positions at which characters can be inserted: after the first letter of `text` and before its
/// last one.
fn inside(text: &str) -> Vec<usize> {
    let head = indent(text).len();
    let places = text.char_indices().map(|(at, _)| at);
    places.filter(|at| *at > head && *at < text.trim_end().len()).collect()
}

/// Returns `text` with one or two invisible characters at some of these positions.
fn sprinkled(rng: &mut Rng, text: &str, places: &[usize]) -> String {
    let mut text = text.to_owned();
    let mut chosen: Vec<usize> = (0..=rng.below(2)).filter_map(|_| rng.any(places).copied()).collect();
    chosen.sort_unstable();
    chosen.dedup();
    for at in chosen.into_iter().rev() {
        text.insert(at, *rng.pick(&UNSEEN));
    }
    text
}

/// Returns `true` if new lines have no invisible characters, and replaced lines only far from the change.
fn is_apart(change: &Change) -> bool {
    let far = |(cut, put): &(usize, usize)| {
        let (cut, put) = (&change.steps[*cut].text, &change.steps[*put].text);
        let (head, tail) = common_ends(cut, put);
        let before = cut[..head].chars().rev().take(APART);
        before.chain(cut[cut.len() - tail..].chars().take(APART)).all(|c| !is_unseen(c))
    };
    change.count(Part::Put) == 0
        || in_place(change) && writes_alike(change, seen) && change.replaced().iter().all(far)
}

/// The file has invisible characters, the request has none.
pub(super) fn unseen_in_file(rng: &mut Rng) -> Option<Case> {
    let mut file = real(rng);
    for line in &mut file.lines {
        let places = inside(&line.text);
        if rng.percent(35) {
            line.text = sprinkled(rng, &line.text, &places);
        }
    }
    let (file, change, mut ask) = draft_of(rng, file, &(1..=20))?;
    ask.map_both(seen);
    let apart =
        is_apart(&change) || change.steps.iter().all(|step| step.part == Part::Keep || !has(&step.text));
    Case::tolerated(&file, &change, &ask).filter(|_| apart && is_fresh(&change))
}

fn has(text: &str) -> bool {
    text.contains(is_unseen)
}

/// The request has invisible characters in kept lines, or in unchanged parts of replaced lines.
pub(super) fn unseen_in_request(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let (file, change, mut ask) = draft_of(rng, file, &(1..=20))?;
    let also_new = rng.percent(70);
    for line in ask.lines.iter_mut().filter(|line| line.part == Part::Keep) {
        if rng.percent(50) {
            line.old = sprinkled(rng, &line.old, &inside(&line.old));
            if also_new {
                line.new.clone_from(&line.old);
            }
        }
    }
    if in_place(&change) {
        for (cut, put) in change.replaced() {
            let (head, _) = common_ends(&ask.lines[cut].old, &ask.lines[put].new);
            sprinkle_head(rng, &mut ask.lines, (cut, put), head);
        }
    }
    Case::tolerated(&file, &change, &ask)
}

/// Inserts the same character into the common head of a replaced line and of its replacement.
fn sprinkle_head(rng: &mut Rng, lines: &mut [AskLine], (cut, put): (usize, usize), head: usize) {
    let old = lines[cut].old.clone();
    let far = |at: &usize| old.get(*at..head).is_some_and(|text| text.chars().count() > APART);
    let places: Vec<usize> = inside(&old).into_iter().filter(far).collect();
    if let Some(at) = rng.any(&places) {
        let character = *rng.pick(&UNSEEN);
        lines[cut].old.insert(*at, character);
        lines[put].new.insert(*at, character);
    }
}

/// Characters and their HTML entities.
const ENTITIES: [(&str, &str); 5] =
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&#39;")];

/// Both texts have surplus escaping of brackets and ampersands, or of quotes as well.
pub(super) fn entities_in_both(rng: &mut Rng) -> Option<Case> {
    let file = real(rng);
    let (file, change, ask) = draft_of(rng, file, &(1..=20))?;
    let entities = &ENTITIES[..if rng.percent(50) { 3 } else { 5 }];
    let (old, new) = (ask.old_text(), ask.new_text());
    // Every character escaped in the new text must also occur in the old one.
    let told = entities.iter().all(|(sign, _)| old.contains(sign) || !new.contains(sign));
    let plain = !ENTITIES.iter().any(|(_, entity)| old.contains(entity) || new.contains(entity));
    let code = !["html", "markdown"].contains(&file.language.name);
    let escaped =
        |text: &str| entities.iter().fold(text.to_owned(), |text, (sign, entity)| text.replace(sign, entity));
    reworded(&file, &change, &ask, escaped).filter(|_| told && plain && code)
}
