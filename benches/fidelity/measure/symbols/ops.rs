//! Operations on functions, and references to them.

use std::ops::Range;

use editd_syntax::{Language, SymbolOp};

use super::super::rng::Rng;
use super::{Case, Drawn, Hunk, declarations, drawn, in_unit, indent, mentions, noun, renamed, texts, verb};

/// Sends all lines of the function, with its comment and attributes.
pub(super) fn replaced_whole(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let new = drawn.with_statement(rng, drawn.one.whole.clone());
    drawn.case(SymbolOp::Replace, &new, Hunk::new(drawn.one.whole.clone(), &new))
}

/// Sends the declaration alone. The comment and the attributes above it stay.
pub(super) fn replaced_declaration(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng).filter(|drawn| drawn.one.whole.start < drawn.one.head)?;
    let new = drawn.with_statement(rng, drawn.declaration());
    drawn.case(SymbolOp::Replace, &new, Hunk::new(drawn.declaration(), &new))
}

pub(super) fn replaced_without_indentation(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng).filter(|drawn| !drawn.depth().is_empty())?;
    let new = drawn.with_statement(rng, drawn.one.whole.clone());
    let hunk = Hunk::new(drawn.one.whole.clone(), &new);
    drawn.case(SymbolOp::Replace, &drawn.bare(&new)?, hunk)
}

/// Sends lines that are indented with tabs instead of spaces, or the reverse.
pub(super) fn replaced_with_other_indentation(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let new = drawn.with_statement(rng, drawn.declaration());
    let (from, to) = (drawn.file.unit, if drawn.file.unit == "\t" { "    " } else { "\t" });
    let whole = |line: &String| indent(line).replace(from, "").is_empty();
    let has_steps = drawn.depth().len() > from.len() || new.iter().any(|line| indent(line) == from);
    if !new.iter().all(whole) || !has_steps {
        return None;
    }
    let sent: Vec<_> = new.iter().map(|line| in_unit(line, from, to)).collect();
    drawn.case(SymbolOp::Replace, &sent, Hunk::new(drawn.declaration(), &new))
}

pub(super) fn replaced_in_crlf(rng: &mut Rng) -> Option<Case> {
    let mut drawn = drawn(rng)?;
    drawn.file.set_ending("\r\n");
    let new = drawn.with_statement(rng, drawn.one.whole.clone());
    drawn.case(SymbolOp::Replace, &new, Hunk::new(drawn.one.whole.clone(), &new))
}

pub(super) fn body_replaced(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let new = drawn.new_body(rng);
    drawn.case(SymbolOp::Body, &new, Hunk::new(drawn.one.body.clone(), &new))
}

pub(super) fn body_without_indentation(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let new = drawn.new_body(rng);
    let depth = indent(&new[0]).to_owned();
    let bare = |line: &String| match line.strip_prefix(&depth) {
        _ if line.trim().is_empty() => Some(line.clone()),
        rest => rest.map(str::to_owned),
    };
    let sent: Option<Vec<_>> = new.iter().map(bare).collect();
    drawn.case(SymbolOp::Body, &sent?, Hunk::new(drawn.one.body.clone(), &new))
}

/// Returns the place beside the function and the lines to put there, with the blank lines between.
fn beside(rng: &mut Rng, drawn: &Drawn, after: bool) -> Option<(Vec<String>, Hunk)> {
    let blank = vec![String::new(); drawn.gap(after)?];
    let (new, whole) = (drawn.other(rng), &drawn.one.whole);
    let hunk = if after {
        Hunk { lines: whole.end..whole.end, new: [blank, new.clone()].concat() }
    } else {
        Hunk { lines: whole.start..whole.start, new: [new.clone(), blank].concat() }
    };
    Some((new, hunk))
}

pub(super) fn inserted_before(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let (new, hunk) = beside(rng, &drawn, false)?;
    drawn.case(SymbolOp::Before, &new, hunk)
}

pub(super) fn inserted_after(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let (new, hunk) = beside(rng, &drawn, true)?;
    drawn.case(SymbolOp::After, &new, hunk)
}

pub(super) fn inserted_without_indentation(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng).filter(|drawn| !drawn.depth().is_empty())?;
    let after = rng.percent(50);
    let (new, hunk) = beside(rng, &drawn, after)?;
    let op = if after { SymbolOp::After } else { SymbolOp::Before };
    drawn.case(op, &drawn.bare(&new)?, hunk)
}

/// Returns the lines that go with the function: its own, and the blank ones to a neighbor, if there are
/// equally many on both sides.
fn with_gap(drawn: &Drawn) -> Option<Range<usize>> {
    let (before, after) = (drawn.gap(false)?, drawn.gap(true)?);
    (before == after).then(|| drawn.one.whole.start..drawn.one.whole.end + after)
}

pub(super) fn deleted(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let lines = with_gap(&drawn)?;
    drawn.case(SymbolOp::Delete, &[], Hunk { lines, new: Vec::new() })
}

pub(super) fn renamed_here(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng).filter(|drawn| !drawn.one.name.contains('.'))?;
    let name = format!("{}_{}", verb(rng), noun(rng));
    let head = drawn.text(drawn.one.head);
    let new = renamed(head, &drawn.one.name, &name);
    let once =
        super::super::plain::words(head).iter().filter(|(_, word)| *word == drawn.one.name).count() == 1;
    let hunk = Hunk::new(drawn.one.head..drawn.one.head + 1, &[new]);
    let case = drawn.case(SymbolOp::RenameHere, std::slice::from_ref(&name), hunk)?;
    let edit = editd_syntax::SymbolEdit { new: name, ..case.edit };
    once.then_some(Case { edit, ..case })
}

/// Replaces the declaration of a function with this reference.
fn named(rng: &mut Rng, drawn: &Drawn) -> Option<Case> {
    let new = drawn.with_statement(rng, drawn.declaration());
    drawn.case(SymbolOp::Replace, &new, Hunk::new(drawn.declaration(), &new))
}

pub(super) fn named_by_path(rng: &mut Rng) -> Option<Case> {
    let mut drawn = drawn(rng)?;
    let owner = drawn.one.owner.clone()?;
    let mark = *rng.pick(&[".", "::", "#"]);
    drawn.reference = format!("{owner}{mark}{}", drawn.one.name);
    named(rng, &drawn)
}

/// Draws one of several functions with a name that occurs only in their declarations.
fn one_of_several(rng: &mut Rng) -> Option<(Drawn, usize)> {
    let text = texts::text(rng);
    let one = rng.pick(&text.functions).clone();
    let lines: Vec<&str> = text.file.lines.iter().map(|line| line.text.as_str()).collect();
    let same: Vec<_> = text.functions.iter().filter(|other| other.name == one.name).collect();
    let at = same.iter().position(|other| other.head == one.head)?;
    let nested = |function: &super::Function| !indent(lines[function.head]).is_empty();
    let alike = same.iter().all(|other| nested(other) == nested(&one));
    let (all, called) = mentions(&lines, &one.name);
    let certain = same.len() > 1 && alike && all == called && declarations(&lines, &one.name) == same.len();
    let reference = one.name.clone();
    let drawn = Drawn {
        language: text.language,
        file: text.file.clone(),
        all: text.functions.clone(),
        one,
        reference,
    };
    certain.then_some((drawn, at))
}

pub(super) fn named_by_line(rng: &mut Rng) -> Option<Case> {
    let mut drawn = if rng.percent(50) { one_of_several(rng)?.0 } else { drawn(rng)? };
    let lines = &drawn.one.whole;
    let line = lines.start + 1 + rng.below(lines.len());
    drawn.reference = format!("{}@{line}", drawn.one.name);
    named(rng, &drawn)
}

pub(super) fn named_by_ordinal(rng: &mut Rng) -> Option<Case> {
    let (mut drawn, at) = one_of_several(rng)?;
    drawn.reference = format!("{}/{}", drawn.one.name, at + 1);
    named(rng, &drawn)
}

/// Names a constructor, which has the name of the class around it, by one of its lines.
pub(super) fn constructor_by_line(rng: &mut Rng) -> Option<Case> {
    let text = texts::text(rng);
    let one = rng.pick(&text.functions).clone();
    let line = one.head + 1 + rng.below(one.whole.end - one.head);
    let reference = format!("{}@{line}", one.name);
    let is_constructor = text.language == Language::Java && one.owner.as_ref() == Some(&one.name);
    let (language, file, all) = (text.language, text.file.clone(), text.functions.clone());
    is_constructor.then(|| named(rng, &Drawn { language, file, all, one, reference }))?
}

fn any_op(rng: &mut Rng) -> SymbolOp {
    *rng.pick(&[SymbolOp::Replace, SymbolOp::Body, SymbolOp::Before, SymbolOp::After, SymbolOp::Delete])
}

pub(super) fn unknown_name(rng: &mut Rng) -> Option<Case> {
    let drawn = drawn(rng)?;
    let name = match rng.below(3) {
        0 => format!("{}_{}", verb(rng), noun(rng)),
        1 => format!("{}s", drawn.one.name),
        _ => format!("Other.{}", drawn.one.name),
    };
    let new = drawn.other(rng);
    let unknown = !drawn.file.text().contains(name.rsplit('.').next()?) || name.starts_with("Other.");
    unknown.then(|| drawn.refused(&name, any_op(rng), &new))
}

pub(super) fn ambiguous_name(rng: &mut Rng) -> Option<Case> {
    let (drawn, _) = one_of_several(rng)?;
    let new = drawn.other(rng);
    Some(drawn.refused(&drawn.reference, any_op(rng), &new))
}

/// The body contains a syntax error, so its end is not certain.
pub(super) fn error_inside(rng: &mut Rng) -> Option<Case> {
    let mut drawn = drawn(rng)?;
    let new = drawn.other(rng);
    let at = drawn.one.body.start;
    let broken = format!("{}{}", indent(drawn.text(at)), rng.pick(&[") = = (", "x = = ;", "] ) ;"]));
    drawn.file.lines[at].text = broken;
    let op = *rng.pick(&[SymbolOp::Replace, SymbolOp::Body, SymbolOp::Delete]);
    Some(drawn.refused(&drawn.reference, op, &new))
}
