//! Similar-looking quotes, dashes and spaces.

use super::super::ask::Case;
use super::super::change::{Change, Part};
use super::super::plain::{SIGNS, folded};
use super::super::rng::Rng;
use super::super::sources::{self, File};
use super::blanks::{in_place, writes_alike};
use super::{ANY, draft, draft_of};

/// Converts `text` like a word processor: to curly quotes, dashes or non-breaking spaces.
fn typeset(text: &str, fashion: usize) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        let opens = result.ends_with([' ', '(', '[', '=', '{', '\t']) || result.is_empty();
        result.push(match (character, fashion) {
            ('"', 0 | 1) if opens => '“',
            ('"', 0 | 1) => '”',
            ('\'', 0 | 2) if opens => '‘',
            ('\'', 0 | 2) => '’',
            ('-', 3) => '–',
            (' ', 4) if !opens || result.ends_with(|c: char| c.is_alphanumeric()) => '\u{A0}',
            _ => character,
        });
    }
    result
}

fn fits(change: &Change, reworded: impl Fn(&str) -> String) -> bool {
    change.count(Part::Put) == 0 || in_place(change) && writes_alike(change, reworded)
}

fn with_typeset_lines(rng: &mut Rng, mut file: File) -> File {
    let fashion = rng.below(5);
    for line in &mut file.lines {
        if rng.percent(40) {
            line.text = typeset(&line.text, fashion);
        }
    }
    file
}

/// The file has typographic characters, the request has ASCII.
pub(super) fn signs_in_file(rng: &mut Rng) -> Option<Case> {
    let file = sources::file(rng, None);
    let file = with_typeset_lines(rng, file);
    let (file, change, mut ask) = draft_of(rng, file, &ANY)?;
    ask.map_both(folded);
    Case::tolerated(&file, &change, &ask).filter(|_| fits(&change, folded))
}

/// The request has typographic characters, the file has ASCII.
pub(super) fn signs_in_request(rng: &mut Rng) -> Option<Case> {
    let (file, change, mut ask) = draft(rng, &ANY)?;
    let fashion = rng.below(5);
    let reword = |line: &str| typeset(line, fashion);
    // Both ends of a replaced line must be converted equally, so the whole line is.
    ask.map_both(reword);
    Case::tolerated(&file, &change, &ask).filter(|_| fits(&change, reword))
}

/// Ligatures, full-width digits, ellipsis characters, letters with combining accents.
pub(super) fn compatibility_forms(rng: &mut Rng) -> Option<Case> {
    let mut file = sources::file(rng, None);
    let forms = [("...", "…"), ("fi", "ﬁ"), ("é", "e\u{301}"), ("0", "０")];
    let in_file = rng.percent(60);
    let compose =
        |text: &str| forms.iter().fold(text.to_owned(), |text, (long, short)| text.replace(long, short));
    if in_file {
        for line in &mut file.lines {
            line.text = compose(&line.text);
        }
    }
    let (file, change, mut ask) = draft_of(rng, file, &ANY)?;
    let long = |text: &str| {
        let long = |text: String, (long, short): &(&str, &str)| text.replace(short, long);
        forms.iter().fold(text.to_owned(), long)
    };
    let reword = |text: &str| if in_file { long(text) } else { compose(text) };
    ask.map_both(reword);
    debug_assert!(SIGNS.len() > forms.len(), "the second opinion knows all forms");
    // All differing characters are in kept lines or in the common ends of replaced ones.
    Case::tolerated(&file, &change, &ask).filter(|_| fits(&change, reword))
}
