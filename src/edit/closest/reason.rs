//! Why a region is not the text asked for, in words.

use unicode_normalization::char::canonical_combining_class;

use super::super::fold::plain;
use super::super::typography::is_invisible;
use super::super::unwrap::without_number;
use super::super::whole_lines::{bare, split_indent};

/// More differing lines than these are better seen in the difference than told.
const TOLD: usize = 3;

/// What sets the lines that are there apart from those asked for; empty if there is no short way to say
/// it. `first` is the number of the first line.
pub(super) fn of(asked: &[&str], there: &[&str], first: usize) -> String {
    if asked.len() != there.len() {
        return String::new();
    }
    let pairs = || asked.iter().copied().zip(there.iter().copied());
    let differ: Vec<usize> =
        pairs().enumerate().filter(|(_, (old, new))| old != new).map(|(at, _)| at).collect();
    let Some(&at) = differ.first() else { return String::new() };
    let all = |same: fn(&str, &str) -> bool| pairs().all(|(old, new)| same(old, new));
    let line = first + at;
    if all(|old, new| old.trim() == new.trim()) {
        return indentation(asked[at], there[at], line);
    }
    if all(|old, new| bare(old) == bare(new)) {
        return sign(asked[at], there[at], line);
    }
    if all(|old, new| without_entities(old).trim() == without_entities(new).trim()) {
        return format!(
            "line {line} has characters such as `<` and `&` where the old text has HTML entities, or the \
                        other way round"
        );
    }
    if all(|old, new| without_number(old).is_some_and(|old| old.trim() == new.trim())) {
        return "the old text has line numbers, and the numbers in the new text do not go on from them: send \
                both without line numbers"
            .to_owned();
    }
    if all(|old, new| squeezed(old) == squeezed(new)) {
        return format!("blanks inside line {line} differ");
    }
    if all(|old, new| bare(old).to_lowercase() == bare(new).to_lowercase()) {
        return format!("the case of letters differs in line {line}");
    }
    all_but(&differ, asked.len(), first)
}

fn indentation(asked: &str, there: &str, line: usize) -> String {
    let (old, new) = (split_indent(asked).0, split_indent(there).0);
    if old == new {
        return format!("blanks at the end of line {line} differ");
    }
    match (old.contains('\t'), new.contains('\t')) {
        (false, true) => "the file indents with tabs".to_owned(),
        (true, false) => "the file indents with spaces".to_owned(),
        _ => format!("line {line} is indented by {}, not by {}", blanks(new), blanks(old)),
    }
}

fn blanks(indent: &str) -> String {
    let unit = if indent.contains('\t') { "tab" } else { "space" };
    let count = indent.chars().count();
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// A line with the five entities that every XML text has written out.
fn without_entities(line: &str) -> String {
    let plain = line.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    plain.replace("&apos;", "'").replace("&amp;", "&")
}

/// Names the first invisible character that one of the lines has and the other has not.
fn invisible(asked: &str, there: &str, line: usize) -> Option<String> {
    let marks = |text: &str| -> Vec<(usize, char)> {
        text.chars().enumerate().filter(|(_, sign)| is_invisible(*sign)).collect()
    };
    let (old, new) = (marks(asked), marks(there));
    let alike = |one: &(usize, char), other: &(usize, char)| one.1 == other.1;
    let differing = old.iter().zip(&new).position(|(one, other)| !alike(one, other));
    let at = differing.unwrap_or(old.len().min(new.len()));
    let (has, column, sign, has_not) = match (old.get(at), new.get(at)) {
        (_, Some(&(column, sign))) if new.len() >= old.len() => ("the file", column, sign, "the old text"),
        (Some(&(column, sign)), _) => ("the old text", column, sign, "the file"),
        _ => return None,
    };
    Some(format!(
        "in line {line} {has} has the invisible character U+{:04X} at column {}, {has_not} has not",
        u32::from(sign),
        column + 1
    ))
}

/// Names the first sign that is another one in the file.
fn sign(asked: &str, there: &str, line: usize) -> String {
    if let Some(said) = invisible(asked, there, line) {
        return said;
    }
    let (asked, (indent, there)) = (split_indent(asked).1, split_indent(there));
    let differing = asked.chars().zip(there.chars()).position(|(old, new)| old != new);
    let Some((column, sign)) = differing.and_then(|at| Some((at, there.chars().nth(at)?))) else {
        return format!("blanks at the end of line {line} differ");
    };
    let name = match &*plain(sign.encode_utf8(&mut [0; 4])) {
        "'" | "\"" => "quote",
        "-" => "dash",
        " " => "space",
        _ => "character",
    };
    let marks = there.chars().skip(column + 1).take_while(|mark| canonical_combining_class(*mark) != 0);
    let points: Vec<_> =
        [sign].into_iter().chain(marks).map(|it| format!("U+{:04X}", u32::from(it))).collect();
    let column = indent.chars().count() + column + 1;
    format!("the {name} at column {column} of line {line} is {}", points.join(" "))
}

fn squeezed(line: &str) -> String {
    plain(line).chars().filter(|character| !character.is_whitespace()).collect()
}

fn all_but(differ: &[usize], count: usize, first: usize) -> String {
    if differ.len() > TOLD || differ.len() * 2 > count {
        return String::new();
    }
    let numbers: Vec<String> = differ.iter().map(|at| (first + at).to_string()).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    format!("lines {first}-{} match but for line{plural} {}", first + count - 1, numbers.join(", "))
}
