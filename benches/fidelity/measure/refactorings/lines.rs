//! Lines that are moved and copied by their numbers.

use std::ops::Range;

use editd_syntax::Language;
use serde_json::{Value, json};

use super::super::rng::Rng;
use super::certain::{after_move, at_depth, gap, reference};
use super::moves::source;
use super::statements::{Body, body};
use super::texts;
use super::{Case, Tree, joined, spelled};

/// Statements of a body, and the line of the same body before which they are put.
struct Taken {
    body: Body,
    lines: Range<usize>,
    to: usize,
}

fn taken(rng: &mut Rng) -> Option<Taken> {
    let body = body(rng)?;
    let lines = body.run(rng, 3)?;
    let places: Vec<usize> = body
        .statements
        .iter()
        .flat_map(|statement| [statement.start, statement.end])
        .filter(|place| *place < lines.start || lines.end < *place)
        .collect();
    let to = *rng.any(&places)?;
    let is_last = |line: usize| (line..body.function.body.end).all(|line| body.text.is_blank(line));
    // What leaves the function stays at its end, and the value of a Rust function has no semicolon.
    let leaves =
        ["return", "throw", "raise"].iter().any(|word| body.text.lines[lines.start].trim().starts_with(word));
    let behind = body.text.lines[body.function.body.clone()]
        .last()
        .is_some_and(|line| line.trim().starts_with("return"));
    if leaves || is_last(to) && behind || body.statements.iter().any(|one| one.start < to && to < one.end) {
        return None;
    }
    // The only statement of a block of Python cannot leave it.
    Some(Taken { body, lines, to })
}

/// Returns the place in one of the spellings for it.
fn place(rng: &mut Rng, to: usize, total: usize) -> Value {
    if to == total || rng.percent(50) { json!({ "after": to }) } else { json!({ "before": to + 1 }) }
}

fn case(rng: &mut Rng, removes: bool) -> Option<Case> {
    let taken = taken(rng)?;
    let text = taken.body.text;
    let gone = if removes { vec![vec![taken.lines.clone()]] } else { Vec::new() };
    let results = after_move(&text.lines, &gone, taken.to, &text.lines[taken.lines.clone()]);
    let to = place(rng, taken.to, text.lines.len());
    let verb = if removes { "move" } else { "copy" };
    let request = json!({ "path": text.name("one"), "edits": [{ verb: { "lines": spelled(&taken.lines) }, "to": to }] });
    Case::one(text, request, &results).map(|case| case.in_any_ending(rng))
}

pub(super) fn lines_moved(rng: &mut Rng) -> Option<Case> {
    case(rng, true)
}

pub(super) fn lines_copied(rng: &mut Rng) -> Option<Case> {
    case(rng, false)
}

/// Moves statements between two functions of different files, at the same depth.
pub(super) fn lines_moved_to_file(rng: &mut Rng) -> Option<Case> {
    let (one, other) = (body(rng)?, body(rng)?);
    let is_alike = one.text.language == other.text.language && !std::ptr::eq(one.text, other.text);
    let lines = one.run(rng, 3)?;
    let to = rng.any(&other.statements)?.start;
    let same_depth = one.text.depth(lines.start) == other.text.depth(to);
    if !is_alike || !same_depth || one.function.body == lines {
        return None;
    }
    let new = &one.text.lines[lines.clone()];
    let (from, into) = (one.text.name("one"), other.text.name("two"));
    let left = after_move(&one.text.lines, &[vec![lines.clone()]], one.text.lines.len() + 1, &[]).pop()?;
    let result = after_move(&other.text.lines, &[], to, new).pop()?;
    let mut to = place(rng, to, other.text.lines.len());
    to["path"] = json!(into);
    let request = json!({ "path": from, "edits": [{ "move": { "lines": spelled(&lines) }, "to": to }] });
    let tree = |one: &[String], two: &[String]| {
        Tree::from([(from.clone(), joined(one)), (into.clone(), joined(two))])
    };
    Case::of(tree(&one.text.lines, &other.text.lines), request, vec![tree(&left, &result)])
}

/// Returns a range of lines of a text without a grammar for symbols.
fn of_prose(rng: &mut Rng) -> Option<(&'static texts::Text, Range<usize>)> {
    let text = texts::text(rng, &[Language::Markdown])?;
    let size = 1 + rng.below(10);
    let start = rng.below(text.lines.len().checked_sub(size + 1)?);
    Some((text, start..start + size))
}

/// Moves lines to the end of a file of plain text, which has no symbols.
pub(super) fn lines_moved_to_end(rng: &mut Rng) -> Option<Case> {
    let (text, lines) = of_prose(rng)?;
    let notes: Vec<String> = ["Notes", "", "These lines were here before."].map(str::to_owned).to_vec();
    let left = after_move(&text.lines, &[vec![lines.clone()]], text.lines.len() + 1, &[]).pop()?;
    let result = [notes.clone(), text.lines[lines.clone()].to_vec()].concat();
    let name = text.name("one");
    let tree = |one: &[String], two: &[String]| {
        Tree::from([(name.clone(), joined(one)), ("notes.txt".to_owned(), joined(two))])
    };
    let to = if rng.percent(50) {
        json!({ "path": "notes.txt" })
    } else {
        json!({ "path": "notes.txt", "after": notes.len() })
    };
    let request = json!({ "edits": [{ "path": name, "move": { "lines": spelled(&lines) }, "to": to }] });
    Case::of(tree(&text.lines, &notes), request, vec![tree(&left, &result)])
        .map(|case| case.in_any_ending(rng))
}

/// Moves lines to a new file that is empty otherwise.
pub(super) fn lines_moved_to_new_file(rng: &mut Rng) -> Option<Case> {
    let (text, lines) = of_prose(rng)?;
    let left = after_move(&text.lines, &[vec![lines.clone()]], text.lines.len() + 1, &[]).pop()?;
    let name = text.name("one");
    let result = joined(&text.lines[lines.clone()]);
    if result.trim().is_empty() || result.starts_with('\n') || result.ends_with("\n\n") {
        return None;
    }
    let request = json!({ "edits": [{ "path": name, "move": { "lines": spelled(&lines) }, "to": { "path": "new.txt", "create": "" } }] });
    let before = Tree::from([(name.clone(), joined(&text.lines))]);
    let after = Tree::from([(name, joined(&left)), ("new.txt".to_owned(), result)]);
    Case::of(before, request, vec![after])
}

/// Moves statements into another block, with the indentation of that block.
pub(super) fn lines_moved_and_reindented(rng: &mut Rng) -> Option<Case> {
    let body = body(rng)?;
    let (text, lines) = (body.text, body.run(rng, 3)?);
    text.unit.as_ref()?;
    // The first line of a deeper block in another statement of the body.
    let blocks: Vec<&Range<usize>> = body
        .statements
        .iter()
        .filter(|one| one.len() > 2 && (one.end <= lines.start || lines.end <= one.start))
        .collect();
    let block = *rng.any(&blocks)?;
    let opens = body.scanned.code_of(block.start..block.start + 1).trim_end().to_owned();
    let is_block = opens.ends_with('{') && !opens.contains(['=', '('])
        || opens.ends_with(") {") && opens.trim_start().starts_with("if")
        || opens.ends_with("then")
        || opens.ends_with(" do");
    let to = block.start + 2;
    let is_simple = |line: usize| {
        let code = body.scanned.code_of(line..line + 1).trim_end().to_owned();
        code.ends_with(';')
            || text.language == Language::Go
                && code.ends_with(')')
                && body.scanned.is_balanced(line..line + 1)
            || text.language == Language::Lua && code.ends_with(')')
    };
    let depth = text.depth(block.start + 1).to_owned();
    let nested = depth == format!("{}{}", text.depth(block.start), text.unit.as_ref()?);
    let next = text.depth(to) == depth && !text.is_blank(to) && is_simple(to);
    // `match` and `switch` have cases, and a place between lines has the indentation of the line above.
    let word = opens.trim_start().split(' ').next().unwrap_or_default().to_owned();
    if !is_block
        || !nested
        || !next
        || !is_simple(block.start + 1)
        || matches!(word.as_str(), "match" | "switch" | "select")
        || !body.scanned.is_balanced(block.start + 1..block.start + 2)
    {
        return None;
    }
    let new = at_depth(text, body.scanned, &lines, lines.start, &depth)?;
    let leaves = text.lines[lines.start].trim().starts_with("return")
        || text.lines[lines.start].trim().starts_with("raise");
    let results = after_move(&text.lines, &[vec![lines.clone()]], to, &new);
    let place = place(rng, to, text.lines.len());
    let request = json!({ "path": text.name("one"), "edits": [{ "move": { "lines": spelled(&lines) }, "to": place, "reindent": true }] });
    if leaves { None } else { Case::one(text, request, &results) }
}

/// Copies the lines of a function beside another one, where they are treated like a symbol.
pub(super) fn lines_copied_beside_symbol(rng: &mut Rng) -> Option<Case> {
    let source = source(rng)?;
    let target =
        source.other(rng, |other| source.text.depth(other.head) == source.text.depth(source.one.head))?;
    let space = vec![String::new(); gap(source.text, &target)?];
    let after = rng.percent(50);
    let (at, new, place) = if after {
        (target.whole.end, [space, source.lines()].concat(), "afterSymbol")
    } else {
        (target.whole.start, [source.lines(), space].concat(), "beforeSymbol")
    };
    let results = after_move(&source.text.lines, &[], at, &new);
    let to = json!({ place: reference(rng, source.text, &target) });
    let request = json!({ "path": source.text.name("one"), "edits": [{ "copy": { "lines": spelled(&source.one.whole) }, "to": to }] });
    Case::one(source.text, request, &results)
}
