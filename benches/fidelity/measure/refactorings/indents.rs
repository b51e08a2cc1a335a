//! Lines that are indented by levels, and files whose levels get another width.

use std::ops::Range;

use editd_syntax::Language;
use serde_json::json;

use super::super::plain::indent;
use super::super::rng::Rng;
use super::certain::{is_clean, is_plain, reference, stays, text};
use super::scan::Scanned;
use super::texts::{self, CODE, Text};
use super::{Case, spelled};

/// Languages of data and prose, in which no line begins inside a string.
const FLAT: [Language; 4] = [Language::Css, Language::Json, Language::Markdown, Language::Html];

/// Draws a text with a certain unit, and with its scanned form if it is a program.
fn any_text(rng: &mut Rng) -> Option<(&'static Text, Option<&'static Scanned>)> {
    let all: Vec<Language> = CODE.iter().chain(&FLAT).copied().collect();
    let text = texts::text(rng, &all)?;
    text.unit.as_ref()?;
    if FLAT.contains(&text.language) {
        return Some((text, None));
    }
    Some((text, Some(text.scanned()?)))
}

/// Returns `true` for lines that a change of the indentation could give another meaning.
fn is_odd(text: &Text, line: usize) -> bool {
    let content = text.lines[line].trim();
    match text.language {
        Language::C => content.starts_with('#') || content.ends_with('\\'),
        Language::Html => {
            !content.starts_with('<')
                || !content.ends_with('>')
                || ["<pre", "<script", "<style", "<textarea", "<!--"].iter().any(|tag| content.contains(tag))
        }
        Language::Bash => content.ends_with('\\'),
        _ => false,
    }
}

/// Returns the lines moved by levels. Returns `None` if one cannot move, or if that is not certain.
fn moved(text: &Text, scanned: Option<&Scanned>, lines: &Range<usize>, levels: i32) -> Option<Vec<String>> {
    let unit = text.unit.as_deref()?.repeat(levels.unsigned_abs() as usize);
    let mut result = text.lines.clone();
    for line in lines.clone() {
        if is_odd(text, line) {
            return None;
        }
        if !stays(text, scanned, line)? {
            result[line] = if levels > 0 {
                unit.clone() + &text.lines[line]
            } else {
                text.lines[line].strip_prefix(&unit)?.to_owned()
            };
        }
    }
    Some(result)
}

fn by_lines(rng: &mut Rng, sign: i32) -> Option<Case> {
    let (text, scanned) = any_text(rng)?;
    let size = 1 + rng.below(14);
    let start = rng.below(text.lines.len().checked_sub(size)?);
    let lines = start..start + size;
    let levels = sign * if rng.percent(75) { 1 } else { 2 };
    if !is_clean(&text.lines[lines.clone()])
        || text.lines[start].is_empty()
        || text.lines[lines.end - 1].is_empty()
    {
        return None;
    }
    let result = moved(text, scanned, &lines, levels)?;
    let request =
        json!({ "path": text.name("one"), "edits": [{ "lines": spelled(&lines), "indent": levels }] });
    Case::one(text, request, &[result]).map(|case| case.in_any_ending(rng))
}

pub(super) fn lines_indented(rng: &mut Rng) -> Option<Case> {
    by_lines(rng, 1)
}

pub(super) fn lines_outdented(rng: &mut Rng) -> Option<Case> {
    by_lines(rng, -1)
}

/// Indents a whole function with its comment and attributes.
pub(super) fn symbol_indented(rng: &mut Rng) -> Option<Case> {
    let text = text(rng)?;
    let function = rng.any(text.functions())?.clone();
    let scanned = text.scanned()?;
    let lines = function.whole.clone();
    let levels = if rng.percent(70) { 1 } else { -1 };
    if !is_plain(scanned, &function) || !is_clean(&text.lines[lines.clone()]) {
        return None;
    }
    let result = moved(text, Some(scanned), &lines, levels)?;
    let request = json!({ "path": text.name("one"), "edits": [{ "symbol": reference(rng, text, &function), "indent": levels }] });
    Case::one(text, request, &[result]).map(|case| case.in_any_ending(rng))
}

/// Replaces each level of the lines. Spaces that are no whole level stay.
fn with_width(
    text: &Text,
    scanned: Option<&Scanned>,
    lines: &Range<usize>,
    from: usize,
    to: usize,
) -> Option<Vec<String>> {
    let mut result = text.lines.clone();
    for line in lines.clone() {
        let content = &text.lines[line];
        if indent(content).contains('\t')
            || content.ends_with('\\')
            || !content.is_empty() && content.trim().is_empty()
        {
            return None;
        }
        if !stays(text, scanned, line)? {
            let width = indent(content).len();
            result[line] = " ".repeat(width / from * to + width % from) + content.trim_start();
        }
    }
    Some(result)
}

/// Languages whose lines have their meaning without the width of the levels.
const REINDENTED: [Language; 9] = [
    Language::Rust,
    Language::Python,
    Language::TypeScript,
    Language::JavaScript,
    Language::Java,
    Language::C,
    Language::Lua,
    Language::Css,
    Language::Json,
];

fn reindented(rng: &mut Rng, whole: bool) -> Option<Case> {
    let text = texts::text(rng, &REINDENTED)?;
    let unit = text.unit.as_deref().filter(|unit| *unit != "\t")?;
    let flat = FLAT.contains(&text.language);
    let scanned = if flat { None } else { Some(text.scanned()?) };
    let from = unit.len();
    let to = *rng.pick(&[2, 3, 4, 8]);
    let lines = if whole {
        0..text.lines.len()
    } else if flat || text.language == Language::Python {
        // Half of a Python file has no common levels with the rest.
        return None;
    } else {
        rng.any(text.functions())?.body.clone()
    };
    if from == to {
        return None;
    }
    let result = with_width(text, scanned, &lines, from, to)?;
    let mut edit = json!({ "indentFrom": from, "indentTo": to });
    if !whole {
        edit["lines"] = spelled(&lines);
    }
    let request = json!({ "path": text.name("one"), "edits": [edit] });
    Case::one(text, request, &[result]).map(|case| case.in_any_ending(rng))
}

pub(super) fn file_reindented(rng: &mut Rng) -> Option<Case> {
    reindented(rng, true)
}

pub(super) fn lines_with_other_levels(rng: &mut Rng) -> Option<Case> {
    reindented(rng, false)
}
