//! Removal of artifacts from requests: line numbers, one layer of surplus escapes, HTML entities.

mod entities;
mod escapes;
mod prefixes;

use std::borrow::Cow;

use super::needle::Needle;

pub(super) use prefixes::without_number;

/// A request without its artifacts.
pub(super) struct Unwrapped {
    pub(super) needle: Needle<'static>,
    /// Warning for the author that names what was removed.
    pub(super) warning: &'static str,
    /// `true` if another reading that matches at the same location must give the same result.
    pub(super) undecided: bool,
}

/// Removes an artifact from a whole text, if all of the text has it.
type Unwrap = fn(&str) -> Option<String>;

const NUMBERS: &str = "line numbers were removed";
const ESCAPES: &str = "surplus escapes were removed";
const ENTITIES: &str = "HTML entities were decoded";

/// Returns the other readings of a request, likeliest first. An artifact of the old text is removed from the
/// new text too, which may be free of it; if only parts of the new text have it, there is no such reading.
pub(super) fn unwrapped(needle: &Needle<'_>) -> Vec<Unwrapped> {
    let numbered = prefixes::remove_numbers(&needle.old, &needle.new).into_iter();
    let entities = without_entities(needle).into_iter();
    let unescaped = escapes::UNESCAPERS.into_iter().filter_map(|unwrap| unescaped(needle, unwrap, ESCAPES));
    numbered.map(|(old, new)| reading(old, new, NUMBERS)).chain(unescaped).chain(entities).collect()
}

fn unescaped(needle: &Needle<'_>, unwrap: Unwrap, warning: &'static str) -> Option<Unwrapped> {
    let old = unwrap(&needle.old).filter(|old| *old != needle.old)?;
    Some(reading(old, unwrap(&needle.new)?, warning))
}

/// Decodes HTML entities. A new text without any entity stays as it is: it may be free of what was added to
/// the old one.
fn without_entities(needle: &Needle<'_>) -> Option<Unwrapped> {
    let old = entities::decode(&needle.old).filter(|old| *old != needle.old)?;
    let free = !entities::has_one(&needle.new);
    let new = if free { needle.new.to_string() } else { entities::decode(&needle.new)? };
    Some(reading(old, new, ENTITIES))
}

fn reading(old: String, new: String, warning: &'static str) -> Unwrapped {
    let blank = old.trim().is_empty();
    Unwrapped {
        needle: Needle { old: Cow::Owned(old), new: Cow::Owned(new), blank, whole_lines: true },
        warning,
        undecided: warning != NUMBERS,
    }
}
