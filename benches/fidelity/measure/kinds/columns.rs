//! Files whose tabs and spaces represent columns: C in GNU style, old Python.

use std::ops::Range;

use super::super::ask::{Ask, Case};
use super::super::change::{self, Change, Part};
use super::super::plain::{column, indent};
use super::super::rng::Rng;
use super::super::sources::File;
use super::super::stored::{self, Fashion};
use super::super::vocabulary::{noun, verb};
use super::shapes::{is_fresh, sizes};
use super::shifts::may_be_converted;

/// Number of lines before and after a block that determine how a column is written.
const NEARBY: usize = 12;

/// Returns the indentation of nearby lines at this column, if all have the same.
fn written(file: &File, near: &Range<usize>, at: usize) -> Option<String> {
    if at == 0 {
        return Some(String::new());
    }
    let told = file.lines[near.clone()].iter().map(|line| line.text.as_str());
    let mut blanks = told.filter(|line| !line.trim().is_empty() && column(line) == at).map(indent);
    let first = blanks.next()?;
    blanks.all(|other| other == first).then(|| first.to_owned())
}

/// Returns the indentation for a column, with as many tabs as possible.
fn with_tabs(at: usize) -> String {
    "\t".repeat(at / 8) + &" ".repeat(at % 8)
}

/// Returns a line with its indentation changed by this many columns.
fn moved(line: &str, by: isize, tabs: bool) -> Option<String> {
    if line.trim().is_empty() {
        return Some(line.to_owned());
    }
    let at = column(line).checked_add_signed(by)?;
    let blanks = if tabs { with_tabs(at) } else { " ".repeat(at) };
    Some(blanks + &line[indent(line).len()..])
}

/// Returns new lines next to a line at this column: statements, or a block of the language.
fn fresh(rng: &mut Rng, file: &File, at: usize) -> Vec<(usize, String)> {
    let (verb, noun) = (verb(rng), noun(rng));
    let statement = file.statement(rng);
    match (rng.below(3), file.language.name) {
        (0, _) => vec![(at, statement)],
        (1, "python") => vec![(at, format!("if {verb}_{noun}:")), (at + 4, statement)],
        (1, _) => vec![(at, format!("if ({verb}_{noun})")), (at + 2, statement)],
        (_, "python") => {
            let inner = format!("for each in {noun}:");
            vec![(at, format!("if {verb}_{noun}:")), (at + 4, inner), (at + 8, statement)]
        }
        _ => {
            let lines = [format!("while ({verb}_{noun})"), "{".to_owned(), statement, "}".to_owned()];
            [at, at + 2, at + 4, at + 2].into_iter().zip(lines).collect()
        }
    }
}

/// Generates a change with new lines at columns whose form nearby lines determine, or with changed words.
fn drawn(rng: &mut Rng, language: fn(&str) -> bool) -> Option<(File, Change)> {
    let file = stored::file_of(rng, Fashion::Columns, language);
    let size = sizes(rng, 9);
    let mut change = change::block(rng, &file, &size)?;
    let lines = change.lines();
    let near = lines.start.saturating_sub(NEARBY)..(lines.end + NEARBY).min(file.lines.len());
    if rng.percent(25) {
        change::words_changed(rng, &file, &mut change.steps);
    } else {
        let beside = rng.below(change.steps.len());
        let text = &change.steps[beside].text;
        if text.trim().is_empty() || text.trim_end().ends_with([',', '(', ':']) {
            return None;
        }
        let mut new = Vec::new();
        for (at, text) in fresh(rng, &file, column(text)) {
            new.push(written(&file, &near, at)? + &text);
        }
        change.insert(beside + usize::from(rng.percent(50)), &new);
    }
    // If nearby lines write the column of a kept line in two ways, they do not determine the form of new
    // lines.
    let sure = |line: &str| line.trim().is_empty() || written(&file, &near, column(line)).is_some();
    let sure = file.lines[lines].iter().all(|line| sure(&line.text));
    (sure && change.is_sound() && is_fresh(&change)).then_some((file, change))
}

fn columns(rng: &mut Rng, language: fn(&str) -> bool, by: isize, tabs: bool) -> Option<Case> {
    let (file, change) = drawn(rng, language)?;
    let mut ask = Ask::verbatim(rng, &change);
    for line in &mut ask.lines {
        (line.old, line.new) = (moved(&line.old, by, tabs)?, moved(&line.new, by, tabs)?);
    }
    let other_unit = by != 0 && may_be_converted(&change, &ask, &[2, 4, 8]);
    let changes = change.count(Part::Put) + change.count(Part::Cut) > 0;
    Case::tolerated(&file, &change, &ask).filter(|_| !other_unit && changes)
}

fn is_python(language: &str) -> bool {
    language == "python"
}

fn is_other(language: &str) -> bool {
    !is_python(language)
}

/// Returns a random shift in columns, to the right or to the left.
fn shift(rng: &mut Rng) -> isize {
    let by = 1 + rng.below(8).cast_signed();
    if rng.percent(50) { by } else { -by }
}

pub(super) fn gnu_style_shifted(rng: &mut Rng) -> Option<Case> {
    let by = shift(rng);
    columns(rng, is_other, by, true)
}

pub(super) fn gnu_style_expanded(rng: &mut Rng) -> Option<Case> {
    columns(rng, is_other, 0, false)
}

pub(super) fn gnu_style_expanded_and_shifted(rng: &mut Rng) -> Option<Case> {
    let by = shift(rng);
    columns(rng, is_other, by, false)
}

pub(super) fn old_python_shifted(rng: &mut Rng) -> Option<Case> {
    let by = shift(rng);
    columns(rng, is_python, by, true)
}

pub(super) fn old_python_expanded(rng: &mut Rng) -> Option<Case> {
    columns(rng, is_python, 0, false)
}
