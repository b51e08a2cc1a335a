//! Requests that carry what was added on the way: line numbers, and one layer of escapes too many.

mod entities;
mod escapes;
mod prefixes;

use std::borrow::Cow;

use super::needle::Needle;

pub(super) use prefixes::without_number;

/// A request without what was added to it.
pub(super) struct Unwrapped {
    pub(super) needle: Needle<'static>,
    /// What was taken off, for the author.
    pub(super) warning: &'static str,
    /// Whether another reading that leads to the same place has to write the same there.
    pub(super) undecided: bool,
}

/// Takes something off a whole text where all of it agrees.
type Take = fn(&str) -> Option<String>;

const NUMBERS: &str = "line numbers were taken off";
const ESCAPES: &str = "surplus escapes were taken off";
const ENTITIES: &str = "HTML entities were written out";

/// The other ways to read a request, likeliest first. What is taken off the old text is taken off the new
/// one, which may be free of it; where the new text has it here and there, there is no such reading.
pub(super) fn unwrapped(needle: &Needle<'_>) -> Vec<Unwrapped> {
    let numbered = prefixes::taken_off(&needle.old, &needle.new).into_iter();
    let entities = without_entities(needle).into_iter();
    let escaped = escapes::WAYS.into_iter().filter_map(|take| escaped(needle, take, ESCAPES));
    numbered.map(|(old, new)| reading(old, new, NUMBERS)).chain(escaped).chain(entities).collect()
}

fn escaped(needle: &Needle<'_>, take: Take, warning: &'static str) -> Option<Unwrapped> {
    let old = take(&needle.old).filter(|old| *old != needle.old)?;
    Some(reading(old, take(&needle.new)?, warning))
}

/// A new text without any entity is taken as it is: it may be free of what was added to the old one.
fn without_entities(needle: &Needle<'_>) -> Option<Unwrapped> {
    let old = entities::written_out(&needle.old).filter(|old| *old != needle.old)?;
    let free = !entities::has_one(&needle.new);
    let new = if free { needle.new.to_string() } else { entities::written_out(&needle.new)? };
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
