//! New lines that repeat the lines before or after the range, where the structure of the text proves that
//! they are there only once.

use std::ops::Range;

use super::super::meant;
use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::{File, Grouping};
use super::slips::{MARKS, numbered};
use super::{Case, Draft, Hunk, Place, Put, joined, put, spelled};

/// A block: the line that opens it, its body, and the line that closes it if the language has one.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) opening: usize,
    pub(super) body: Range<usize>,
    pub(super) closing: Option<usize>,
}

/// Returns the blocks of a file: lines that are deeper than the line before them, up to a closing brace in
/// its column.
pub(super) fn blocks(file: &File) -> Vec<Block> {
    (0..file.lines.len()).filter_map(|opening| block(file, opening)).collect()
}

fn block(file: &File, opening: usize) -> Option<Block> {
    let head = file.lines[opening].text.as_str();
    let (braces, mark) = match file.language.grouping {
        Grouping::Braces => (true, '{'),
        Grouping::Indents => (false, ':'),
        Grouping::Neither => return None,
    };
    if !head.trim_end().ends_with(mark) || !head.trim_start().starts_with(char::is_alphabetic) {
        return None;
    }
    let depth = indent(head);
    let deeper =
        |text: &str| text.trim().is_empty() || text.starts_with(depth) && indent(text).len() > depth.len();
    let size = file.lines[opening + 1..].iter().take_while(|line| deeper(&line.text)).count();
    let mut body = opening + 1..opening + 1 + size;
    if !braces {
        while body.end > body.start && file.lines[body.end - 1].text.trim().is_empty() {
            body.end -= 1;
        }
        return (!body.is_empty()).then_some(Block { opening, body, closing: None });
    }
    let closing = file.lines.get(body.end)?;
    let closes = indent(&closing.text) == depth && matches!(closing.text.trim(), "}" | "};" | "})" | "});");
    (closes && !body.is_empty()).then_some(Block { opening, closing: Some(body.end), body })
}

/// Returns `true` if every bracket of these lines is closed within them.
fn is_balanced<'a>(lines: impl IntoIterator<Item = &'a str>) -> bool {
    let mut depth = 0_i32;
    let mut sound = true;
    for character in lines.into_iter().flat_map(str::chars) {
        match character {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
        }
        sound &= depth >= 0;
    }
    sound && depth == 0
}

/// A block and a draft that changes a part of its body.
pub(super) struct Inside {
    pub(super) draft: Draft,
    pub(super) block: Block,
}

impl Inside {
    pub(super) fn line(&self, at: usize) -> String {
        self.draft.file.lines[at].text.clone()
    }

    fn case(&self, rng: &mut Rng, before: &[String], after: &[String]) -> Option<Case> {
        let new = [before, &self.draft.hunk().new, after].concat();
        let put = Put { new: Some(joined(&new)), ..put(rng, self.draft.hunk()) };
        self.draft.case(vec![put])
    }
}

/// The part of the body that is replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Whole,
    Start,
    End,
}

/// Generates a change of the body of a block, or of its start or end, that is balanced and plain.
pub(super) fn inside(rng: &mut Rng, reach: Reach) -> Option<Inside> {
    let file = meant::file(rng);
    let block = rng.any(&blocks(&file))?.clone();
    let mut lines = block.body.clone();
    match reach {
        Reach::Whole => {}
        Reach::Start => lines.end -= rng.below(lines.len()),
        Reach::End => lines.start += rng.below(lines.len()),
    }
    let old: Vec<String> = file.lines[lines.clone()].iter().map(|line| line.text.clone()).collect();
    let filled = |line: Option<&String>| line.is_some_and(|line| !line.trim().is_empty());
    if old.len() > 20 || !filled(old.first()) || !filled(old.last()) {
        return None;
    }
    if !is_balanced(old.iter().map(String::as_str)) {
        return None;
    }
    let mut new = old.clone();
    let at = rng.below(new.len());
    let statement = format!("{}{}", indent(&new[at]), file.statement(rng));
    let opens = |line: &String| line.trim_end().ends_with(['{', ':', '(', '[', ',']);
    match rng.below(3) {
        0 if is_balanced([new[at].as_str()]) && !opens(&new[at]) => new[at] = statement,
        1 if !opens(&new[at]) => new.insert(at + 1, statement),
        _ => new.insert(at, statement),
    }
    let hunk = Hunk::new(lines, &new);
    let draft = Draft { file, hunks: vec![hunk] };
    let (first, last) = (block.body.start, block.body.end - 1);
    // A body that begins or ends like the lines around it may be meant.
    let like = |one: usize, other: Option<usize>| {
        other.is_some_and(|other| draft.text(one).trim() == draft.text(other).trim())
    };
    let plain = draft.is_plain() && !like(first, Some(block.opening)) && !like(last, block.closing);
    (plain && is_balanced(new.iter().map(String::as_str))).then_some(Inside { draft, block })
}

pub(super) fn opening_repeated(rng: &mut Rng) -> Option<Case> {
    let reach = if rng.percent(50) { Reach::Whole } else { Reach::Start };
    let inside = inside(rng, reach).filter(|inside| inside.block.closing.is_some())?;
    inside.case(rng, &[inside.line(inside.block.opening)], &[])
}

pub(super) fn closing_repeated(rng: &mut Rng) -> Option<Case> {
    let reach = if rng.percent(50) { Reach::Whole } else { Reach::End };
    let inside = inside(rng, reach)?;
    let closing = inside.block.closing?;
    inside.case(rng, &[], &[inside.line(closing)])
}

pub(super) fn both_repeated(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole)?;
    let closing = inside.block.closing?;
    inside.case(rng, &[inside.line(inside.block.opening)], &[inside.line(closing)])
}

/// The range includes the opening line, and the new lines include the closing one as well.
pub(super) fn closing_repeated_after_opening(rng: &mut Rng) -> Option<Case> {
    let mut inside = inside(rng, Reach::Whole)?;
    let closing = inside.line(inside.block.closing?);
    let opening = inside.block.opening;
    let head = inside.line(opening);
    let hunk = &mut inside.draft.hunks[0];
    hunk.new.insert(0, head);
    hunk.lines.start = opening;
    inside.case(rng, &[], &[closing])
}

/// The new lines repeat the opening line and the one before it.
pub(super) fn two_lines_repeated(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole).filter(|inside| inside.block.closing.is_some())?;
    let before = inside.line(inside.block.opening.checked_sub(1)?);
    if before.trim().is_empty() || !is_balanced([before.as_str()]) {
        return None;
    }
    inside.case(rng, &[before, inside.line(inside.block.opening)], &[])
}

/// An insertion after an opening line repeats that line.
pub(super) fn anchor_repeated(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole).filter(|inside| inside.block.closing.is_some())?;
    let opening = inside.block.opening;
    let depth = inside.line(opening + 1);
    let statement = format!("{}{}", indent(&depth), inside.draft.file.statement(rng));
    let at = opening + 1;
    let draft =
        Draft { hunks: vec![Hunk::new(at..at, std::slice::from_ref(&statement))], ..inside.draft.clone() };
    let new = Some(joined(&[inside.line(opening), statement]));
    let place = Place::At(editd_edit::LinePlace::After(at));
    draft.case(vec![Put { place, new, first: None, last: None }])
}

/// The header of a block of Python is repeated before its body.
pub(super) fn python_header_repeated(rng: &mut Rng) -> Option<Case> {
    let reach = if rng.percent(50) { Reach::Whole } else { Reach::Start };
    let inside = inside(rng, reach).filter(|inside| inside.block.closing.is_none())?;
    inside.case(rng, &[inside.line(inside.block.opening)], &[])
}

/// Repeated lines around the range, all with their numbers.
pub(super) fn borders_and_numbers(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole)?;
    let (opening, closing) = (inside.block.opening, inside.block.closing?);
    let new = [vec![inside.line(opening)], inside.draft.hunk().new.clone(), vec![inside.line(closing)]];
    let shown = Hunk { lines: opening..closing + 1, new: new.concat() };
    let new = Some(joined(&numbered(rng, &shown, &MARKS)));
    inside.draft.case(vec![Put { place: spelled(&inside.block.body), new, first: None, last: None }])
}

/// A repeated line before or after the range, and all of it without the indentation of that line. Both lines
/// would make a block of their own, which may be meant.
pub(super) fn borders_and_no_indentation(rng: &mut Rng) -> Option<Case> {
    let inside = inside(rng, Reach::Whole)?;
    let (opening, closing) = (inside.block.opening, inside.block.closing?);
    let depth = indent(&inside.draft.file.lines[opening].text).to_owned();
    let mut new = inside.draft.hunk().new.clone();
    if rng.percent(50) {
        new.insert(0, inside.line(opening));
    } else {
        new.push(inside.line(closing));
    }
    let bare = |line: &String| line.strip_prefix(&depth).unwrap_or_default().to_owned();
    let new: Vec<String> = new.iter().map(bare).collect();
    let put = Put { new: Some(joined(&new)), ..put(rng, inside.draft.hunk()) };
    (!depth.is_empty()).then(|| inside.draft.case(vec![put]))?
}
