//! Description of the difference between a region and the old text.

use unicode_normalization::char::canonical_combining_class;

use super::super::fold::plain;
use super::super::typography::is_invisible;
use super::super::unwrap::without_number;
use super::super::whole_lines::{bare, split_indent};

/// Maximum number of differing lines that are listed; more are better seen in the diff.
const MAX_LISTED: usize = 3;

/// Describes the difference between the actual and the requested lines; empty if there is no short
/// description. `first` is the number of the first line.
pub(super) fn of(requested: &[&str], actual: &[&str], first: usize) -> String {
    if requested.len() != actual.len() {
        return String::new();
    }
    let pairs = || requested.iter().copied().zip(actual.iter().copied());
    let differ: Vec<usize> =
        pairs().enumerate().filter(|(_, (old, new))| old != new).map(|(at, _)| at).collect();
    let Some(&at) = differ.first() else { return String::new() };
    let all = |same: fn(&str, &str) -> bool| pairs().all(|(old, new)| same(old, new));
    let line = first + at;
    if all(|old, new| old.trim() == new.trim()) {
        return indentation(requested[at], actual[at], line);
    }
    if all(|old, new| bare(old) == bare(new)) {
        return character_difference(requested[at], actual[at], line);
    }
    if all(|old, new| without_entities(old).trim() == without_entities(new).trim()) {
        return format!(
            "line {line} has characters such as `<` and `&` where the old text has HTML entities, or the \
                        other way round"
        );
    }
    if all(|old, new| without_number(old).is_some_and(|old| old.trim() == new.trim())) {
        return "the old text has line numbers, and the numbers in the new text do not continue them: send \
                both without line numbers"
            .to_owned();
    }
    if all(|old, new| without_whitespace(old) == without_whitespace(new)) {
        return format!("the whitespace inside line {line} differs");
    }
    if all(|old, new| bare(old).to_lowercase() == bare(new).to_lowercase()) {
        return format!("the letter case differs in line {line}");
    }
    all_but(&differ, requested.len(), first)
}

fn indentation(requested: &str, actual: &str, line: usize) -> String {
    let (old, new) = (split_indent(requested).0, split_indent(actual).0);
    if old == new {
        return format!("the trailing whitespace of line {line} differs");
    }
    match (old.contains('\t'), new.contains('\t')) {
        (false, true) => "the file indents with tabs".to_owned(),
        (true, false) => "the file indents with spaces".to_owned(),
        _ => format!(
            "line {line} is indented by {}, not by {}",
            counted_whitespace(new),
            counted_whitespace(old)
        ),
    }
}

fn counted_whitespace(indent: &str) -> String {
    let unit = if indent.contains('\t') { "tab" } else { "space" };
    let count = indent.chars().count();
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// Decodes the five predefined XML entities in a line.
fn without_entities(line: &str) -> String {
    let plain = line.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&apos;", "'").replace("&amp;", "&")
}

/// Describes the first invisible character that only one of the lines has.
fn invisible(requested: &str, actual: &str, line: usize) -> Option<String> {
    let invisible_chars = |text: &str| -> Vec<(usize, char)> {
        text.chars().enumerate().filter(|(_, character)| is_invisible(*character)).collect()
    };
    let (old, new) = (invisible_chars(requested), invisible_chars(actual));
    let alike = |one: &(usize, char), other: &(usize, char)| one.1 == other.1;
    let differing = old.iter().zip(&new).position(|(one, other)| !alike(one, other));
    let at = differing.unwrap_or(old.len().min(new.len()));
    let (has, column, character, has_not) = match (old.get(at), new.get(at)) {
        (_, Some(&(column, character))) if new.len() >= old.len() => {
            ("the file", column, character, "the old text")
        }
        (Some(&(column, character)), _) => ("the old text", column, character, "the file"),
        _ => return None,
    };
    Some(format!(
        "in line {line} {has} has the invisible character U+{:04X} at column {}, {has_not} does not",
        u32::from(character),
        column + 1
    ))
}

/// Describes the first character that differs in the file.
fn character_difference(requested: &str, actual: &str, line: usize) -> String {
    if let Some(description) = invisible(requested, actual, line) {
        return description;
    }
    let (requested, (indent, actual)) = (split_indent(requested).1, split_indent(actual));
    let differing = requested.chars().zip(actual.chars()).position(|(old, new)| old != new);
    let Some((column, character)) = differing.and_then(|at| Some((at, actual.chars().nth(at)?))) else {
        return format!("the trailing whitespace of line {line} differs");
    };
    let name = match &*plain(character.encode_utf8(&mut [0; 4])) {
        "'" | "\"" => "quote",
        "-" => "dash",
        " " => "space",
        _ => "character",
    };
    let marks = actual.chars().skip(column + 1).take_while(|mark| canonical_combining_class(*mark) != 0);
    let points: Vec<_> =
        [character].into_iter().chain(marks).map(|point| format!("U+{:04X}", u32::from(point))).collect();
    let column = indent.chars().count() + column + 1;
    format!("the {name} at column {column} of line {line} is {}", points.join(" "))
}

fn without_whitespace(line: &str) -> String {
    plain(line).chars().filter(|character| !character.is_whitespace()).collect()
}

fn all_but(differ: &[usize], count: usize, first: usize) -> String {
    if differ.len() > MAX_LISTED || differ.len() * 2 > count {
        return String::new();
    }
    let numbers: Vec<String> = differ.iter().map(|at| (first + at).to_string()).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    format!("lines {first}-{} match except for line{plural} {}", first + count - 1, numbers.join(", "))
}
