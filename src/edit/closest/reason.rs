//! Why a region is not the text asked for, in words.

use super::super::fold::plain;
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

/// Names the first sign that is another one in the file.
fn sign(asked: &str, there: &str, line: usize) -> String {
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
    let column = indent.chars().count() + column + 1;
    format!("the {name} at column {column} of line {line} is U+{:04X}", u32::from(sign))
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
