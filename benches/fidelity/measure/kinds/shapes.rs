//! New lines in typical shapes of code, and blocks that contain them.

use std::ops::RangeInclusive;

use super::super::change::{self, Change, Part};
use super::super::plain::indent;
use super::super::rng::Rng;
use super::super::sources::{self, File, Grouping, LANGUAGES};
use super::super::stored::{self, Fashion};
use super::super::vocabulary::{noun, verb};

/// Generates new lines next to lines with the indentation `outer`; none if that is impossible.
pub(super) type Shape = fn(&mut Rng, &File, &str) -> Vec<String>;

/// Returns a file with levels of any common unit.
pub(super) fn real(rng: &mut Rng) -> File {
    if stored::is_asked_for() || rng.percent(55) {
        let mut file = stored::file(rng, Fashion::Levels);
        if rng.percent(10) {
            file.set_ending("\r\n");
        }
        return file;
    }
    let unit = *rng.pick(&["\t", "  ", "   ", "    ", "    ", "        ", " "]);
    built_in(rng, unit)
}

/// Generates a file with this unit, in a language that allows any unit.
pub(super) fn built_in(rng: &mut Rng, unit: &'static str) -> File {
    let fits = |name: &str| !["markdown", "make", "toml"].contains(&name);
    let languages: Vec<_> = LANGUAGES.iter().filter(|language| fits(language.name)).collect();
    let language = *rng.pick(&languages);
    sources::built_in(rng, language, unit)
}

/// Generates a block with new lines of a shape, none of which equals an existing line.
pub(super) fn with_new(rng: &mut Rng, file: &File, most: usize, shape: Shape) -> Option<Change> {
    let size = sizes(rng, most);
    let mut change = change::block(rng, file, &size)?;
    let (gap, outer) = change::gap(rng, file, &change.steps)?;
    let lines = shape(rng, file, &outer);
    change.insert(gap, &lines);
    (is_fresh(&change) && !lines.is_empty()).then_some(change)
}

/// Returns a range of block sizes: often a single line.
pub(super) fn sizes(rng: &mut Rng, most: usize) -> RangeInclusive<usize> {
    if rng.percent(40) { 1..=1 } else { 2..=most.max(2) }
}

/// Returns `true` if no inserted line equals an existing line, except for bracket lines.
pub(super) fn is_fresh(change: &Change) -> bool {
    let old = |step: &&change::Step| step.part != Part::Put;
    let said = |text: &str| change.steps.iter().filter(old).any(|step| step.text.trim() == text);
    let telling = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() > 2;
    change.inserted().all(|step| !telling(step.text.trim()) || !said(step.text.trim()))
}

/// Returns a header that opens a block, and its footer.
fn opener(rng: &mut Rng, file: &File) -> Option<(String, Option<&'static str>)> {
    let (header, footer) = change::frame(rng, file);
    let opens = header.ends_with(['{', ':', '>']);
    let (verb, noun) = (verb(rng), noun(rng));
    // In a language without blocks, use a heading that ends like a block header.
    let neither = file.language.grouping == Grouping::Neither;
    match (opens, neither, file.language.name) {
        (true, ..) => Some((header, footer)),
        (_, true, "toml") => Some((format!("{verb} {noun}"), None)),
        (_, true, "markdown") => Some((format!("- {verb} the {noun}:"), None)),
        _ => None,
    }
}

fn framed(rng: &mut Rng, file: &File, outer: &str, body: Vec<String>) -> Vec<String> {
    let Some((header, footer)) = opener(rng, file).filter(|_| !body.is_empty()) else { return Vec::new() };
    let mut lines = vec![format!("{outer}{header}")];
    lines.extend(body);
    lines.extend(footer.map(|footer| format!("{outer}{footer}")));
    lines
}

pub(super) fn same_depth(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    (0..=rng.below(3)).map(|_| format!("{outer}{}", file.statement(rng))).collect()
}

pub(super) fn nested(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let body = same_depth(rng, file, &format!("{outer}{}", file.unit));
    framed(rng, file, outer, body)
}

pub(super) fn two_deep(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let body = nested(rng, file, &format!("{outer}{}", file.unit));
    framed(rng, file, outer, body)
}

/// Two lines, the second deeper by an odd number of columns that is not a level of the file.
pub(super) fn odd_depth(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let by: usize = *rng.pick(&[1, 3, 5, 7]);
    let level = file.unit != "\t" && by.is_multiple_of(file.unit.len());
    let blanks = " ".repeat(by);
    let (one, other) = (file.statement(rng), file.statement(rng));
    if level { Vec::new() } else { vec![format!("{outer}{one}"), format!("{outer}{blanks}{other}")] }
}

/// Returns a function call up to its opening bracket.
fn call(rng: &mut Rng) -> String {
    format!("{}_{}(", verb(rng), noun(rng))
}

pub(super) fn aligned(rng: &mut Rng, _: &File, outer: &str) -> Vec<String> {
    let call = call(rng);
    let deep = format!("{outer}{}", " ".repeat(call.len()));
    let mut lines = vec![format!("{outer}{call}{},", noun(rng))];
    lines.extend((0..rng.below(2)).map(|_| format!("{deep}{},", noun(rng))));
    lines.push(format!("{deep}{})", noun(rng)));
    lines
}

pub(super) fn hanging(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let mut lines = vec![format!("{outer}{}", call(rng))];
    lines.extend((0..=rng.below(3)).map(|_| format!("{outer}{}{},", file.unit, noun(rng))));
    lines.push(format!("{outer})"));
    lines
}

pub(super) fn nested_then_aligned(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let body = aligned(rng, file, &format!("{outer}{}", file.unit));
    framed(rng, file, outer, body)
}

/// A string that continues on the next line, at an independent depth.
pub(super) fn continued_string(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let (name, one, other) = (noun(rng), verb(rng), noun(rng));
    let blanks = " ".repeat(2 + rng.below(7));
    let lines = match file.language.name {
        "python" => [format!("{name} = \"\"\"{one}"), format!("{other} it"), "\"\"\"".to_owned()],
        "rust" | "c" => [format!("{name} = \"{one} \\"), other, format!("{one} again\";")],
        "go" | "typescript" => [format!("{name} = `{one}"), other, format!("{one} again`")],
        "java" => [format!("{name} = \"{one} \""), format!("+ \"{other} \""), format!("+ {one};")],
        _ => return Vec::new(),
    };
    let closes = lines[2] == "\"\"\"";
    let [first, second, third] = lines;
    let third = if closes { format!("{outer}{third}") } else { format!("{outer}{blanks}{third}") };
    vec![format!("{outer}{first}"), format!("{outer}{blanks}{second}"), third]
}

/// Lines that are one or more levels less deep than their neighbors.
pub(super) fn less_deep(rng: &mut Rng, file: &File, outer: &str) -> Vec<String> {
    let levels = 1 + rng.below(2);
    let Some(less) = outer.strip_suffix(file.unit.repeat(levels).as_str()) else { return Vec::new() };
    (0..=rng.below(2)).map(|_| format!("{less}{}", file.statement(rng))).collect()
}

/// Wraps a few lines of a block, which indents them.
pub(super) fn wrapped(rng: &mut Rng, file: &File) -> Option<Change> {
    let size = sizes(rng, 9);
    let mut change = change::block(rng, file, &size)?;
    let from = rng.below(change.steps.len());
    let outer = indent(&change.steps[from].text).to_owned();
    let inside = |step: &&change::Step| !step.text.trim().is_empty() && step.text.starts_with(&outer);
    let most = 1 + rng.below(4);
    let length = change.steps[from..].iter().take(most).take_while(inside).count();
    if length == 0 || !change::is_indented(file, &outer) {
        return None;
    }
    let deep = |step: &change::Step| format!("{}{}", file.unit, step.text);
    let body = change.steps[from..from + length].iter().map(deep).collect();
    let lines = framed(rng, file, &outer, body);
    if lines.is_empty() {
        return None;
    }
    change.steps[from..from + length].iter_mut().for_each(|step| step.part = Part::Cut);
    change.insert(from + length, &lines);
    Some(change)
}
