//! Edits at numbers of lines, before and after the file has changed.
//!
//! A case starts with the lines that are meant. The request is derived from them, with its slip, and so is
//! the change that others made between read and edit.

mod as_given;
mod borders;
mod drift;
mod drift_refused;
mod lookalikes;
mod moves;
mod refused;
mod slips;

use std::fmt::Write as _;
use std::ops::Range;

use editd_edit::{
    LineEdit, LineMap, LineOrigin, LinePlace, LineRange, MovedText, Plan, lines_of, locate, parse_range,
    plan_lines,
};

use super::ask::Outcome;
use super::change;
use super::judge::{Judge, named};
use super::kinds::{Kind, kinds};
use super::meant::{self, Hunk};
use super::plain::indent;
use super::rng::Rng;
use super::sources::File;

kinds! {
    Kind<Case>;
    as_given: lines_replaced lines_deleted inserted_after inserted_before inserted_at_the_ends several_edits
        adjacent_edits at_the_end_of_the_file crlf blank_lines_at_edges spellings_of_ranges boundaries_right;
    slips: numbers_copied numbers_with_signs numbers_of_one_line numbers_and_no_indentation
        indentation_omitted indentation_omitted_in_insertion one_line_too_low one_line_too_high
        one_boundary_off numbers_and_off_by_one;
    borders: opening_repeated closing_repeated both_repeated closing_repeated_after_opening
        two_lines_repeated anchor_repeated python_header_repeated borders_and_numbers
        borders_and_no_indentation;
    lookalikes: duplicated_call duplicated_call_replaced rows_with_numbers rows_inserted
        numbers_copied_of_rows nested_equal_block block_before_closing missing_brace_added
        top_level_after_method directives_at_column_0 label_at_column_0 item_between_nested
        first_rows_of_table;
    drift: changed_elsewhere changed_elsewhere_insertion changed_elsewhere_several line_ends_converted
        changed_elsewhere_and_numbers changed_elsewhere_and_borders changed_elsewhere_and_off_by_one
        any_line_drifted block_moved_elsewhere block_moved copy_elsewhere other_twin_removed;
    drift_refused: target_changed target_removed line_inserted_within line_removed_within reindented_meanwhile
        duplicated_meanwhile twin_left_over one_of_equal_lines_removed one_of_several_changed
        anchor_changed reformatted_meanwhile;
    moves: lines_moved lines_copied lines_moved_and_drifted moved_and_reindented copied_into_block;
    refused: beyond_the_end reversed_range line_zero overlapping same_line_twice inserted_within_replaced
        boundary_text_differs boundary_text_two_lines_off boundary_text_at_both_neighbors
        moved_into_itself;
}

/// An edit of a request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    Put(Put),
    /// Moves or copies lines.
    Take {
        lines: LineRange,
        to: LinePlace,
        removes: bool,
        reindents: bool,
    },
}

/// New lines at a place.
#[derive(Clone, Debug)]
pub(crate) struct Put {
    pub(crate) place: Place,
    pub(crate) new: Option<String>,
    pub(crate) first: Option<String>,
    pub(crate) last: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A range as it is written.
    Lines(String),
    At(LinePlace),
}

#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// The version that was shown.
    base: String,
    /// The current text, if it is another one.
    now: Option<String>,
    acts: Vec<Act>,
    outcome: Outcome,
}

impl Judge for Case {
    fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    fn text(&self) -> &str {
        self.now.as_ref().unwrap_or(&self.base)
    }

    fn run(&self) -> Result<Plan, String> {
        let mut edits = Vec::new();
        for (at, act) in self.acts.iter().enumerate() {
            edits.extend(line_edits(act, &self.base)?.into_iter().map(|edit| (at, edit)));
        }
        let located = locate(&self.base, edits).map_err(|refusals| named(&refusals))?;
        let Some(now) = &self.now else {
            return plan_lines(&self.base, &located, Vec::new()).map_err(|error| format!("{error:?}"));
        };
        let map = LineMap::between(&self.base, now);
        let carried: Option<Vec<_>> = located.iter().map(|edit| edit.carried(&map)).collect();
        let carried = carried.ok_or("stale")?;
        plan_lines(now, &carried, Vec::new()).map_err(|error| format!("{error:?}"))
    }

    fn request(&self) -> String {
        let mut text = String::new();
        for act in &self.acts {
            let _ = match act {
                Act::Put(put) => writeln!(
                    text,
                    "---- {:?}, first {:?}, last {:?}\n{}",
                    put.place,
                    put.first,
                    put.last,
                    put.new.as_deref().unwrap_or("(deletes)")
                ),
                Act::Take { .. } => writeln!(text, "---- {act:?}"),
            };
        }
        if self.now.is_some() {
            let _ = writeln!(text, "---- shown\n{}\n---- now", self.base);
        }
        text
    }
}

fn line_edits(act: &Act, base: &str) -> Result<Vec<LineEdit>, String> {
    Ok(match act {
        Act::Put(Put { place, new, first, last }) => {
            let place = match place {
                Place::Lines(text) => {
                    LinePlace::Lines(parse_range(text).map_err(|error| format!("{error:?}"))?)
                }
                Place::At(place) => *place,
            };
            let (new, first, last) = (new.clone(), first.clone(), last.clone());
            vec![LineEdit { place, new, first, last, origin: LineOrigin::Written }]
        }
        Act::Take { lines, to, removes, reindents } => {
            let taken = lines_of(base, *lines);
            let leaves = removes.then_some(*lines);
            let text = if *reindents {
                MovedText::new(taken).indented_at(base, *to, leaves)
            } else {
                taken.to_owned()
            };
            let mut edits = vec![LineEdit::of_moved(*to, text, Vec::new())];
            edits.extend(removes.then(|| LineEdit::removal(*lines)));
            edits
        }
    })
}

/// Returns the range of lines as it is written.
fn spelled(lines: &Range<usize>) -> Place {
    let (first, last) = (lines.start + 1, lines.end);
    Place::Lines(if first == last { first.to_string() } else { format!("{first}-{last}") })
}

/// Returns the request for a hunk, without slips.
fn put(rng: &mut Rng, hunk: &Hunk) -> Put {
    let before = Place::At(LinePlace::Before(hunk.lines.start + 1));
    let place = match (hunk.lines.is_empty(), rng.percent(50)) {
        (false, _) => spelled(&hunk.lines),
        (true, true) if hunk.lines.start > 0 => Place::At(LinePlace::After(hunk.lines.start)),
        (true, _) => before,
    };
    let end = if rng.percent(50) { "\n" } else { "" };
    let is_blank = hunk.new.last().is_some_and(|line| line.trim().is_empty());
    let end = if is_blank { "" } else { end };
    let new = (!hunk.new.is_empty()).then(|| joined(&hunk.new) + end);
    Put { place, new, first: None, last: None }
}

/// Joins new lines. A blank last one needs a line ending to be seen.
fn joined(lines: &[String]) -> String {
    let end = if lines.last().is_some_and(|line| line.trim().is_empty()) { "\n" } else { "" };
    lines.join("\n") + end
}

/// A file with the hunks that are meant.
#[derive(Clone)]
struct Draft {
    file: File,
    hunks: Vec<Hunk>,
}

impl Draft {
    fn hunk(&self) -> &Hunk {
        &self.hunks[0]
    }

    fn text(&self, line: usize) -> &str {
        &self.file.lines[line].text
    }

    /// Returns the case of requests for all hunks.
    fn case(&self, puts: Vec<Put>) -> Option<Case> {
        self.case_of(puts.into_iter().map(Act::Put).collect())
    }

    fn case_of(&self, acts: Vec<Act>) -> Option<Case> {
        let base = self.file.text();
        let outcome = self.becomes()?;
        Some(Case { base, now: None, acts: self.existing(acts), outcome })
    }

    /// Names the last line where an edit goes before the line behind it.
    fn existing(&self, mut acts: Vec<Act>) -> Vec<Act> {
        let total = self.file.lines.len();
        for act in &mut acts {
            if let Act::Put(Put { place: Place::At(place), .. }) = act
                && *place == LinePlace::Before(total + 1)
            {
                *place = LinePlace::After(total);
            }
        }
        acts
    }

    /// Returns the expected text, which must differ.
    fn becomes(&self) -> Option<Outcome> {
        let text = meant::changed(&self.file, &self.hunks)?.text();
        let wide = |hunk: &Hunk| hunk.lines.start.saturating_sub(1)..hunk.lines.end + 1;
        let lines = self.hunks.iter().map(wide).collect();
        (text != self.file.text()).then_some(Outcome::Becomes { text, lines })
    }

    /// Returns the case of a request that must be refused.
    fn refused(&self, acts: Vec<Act>) -> Case {
        Case { base: self.file.text(), now: None, acts, outcome: Outcome::Refused }
    }

    /// Returns `true` if nothing in the requests for the hunks looks like a slip.
    fn is_plain(&self) -> bool {
        self.hunks.iter().all(|hunk| {
            let numbered = hunk.new.iter().any(|line| {
                let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
                rest.len() < line.trim_start().len()
            });
            !numbered && !self.echoes(hunk) && !self.lacks_indentation(hunk)
        })
    }

    /// Returns `true` if the new lines begin or end with the lines around.
    fn echoes(&self, hunk: &Hunk) -> bool {
        let lines: Vec<_> = self.file.lines.iter().map(|line| line.text.trim()).collect();
        let new: Vec<_> = hunk.new.iter().map(|line| line.trim()).collect();
        let (before, after) = (&lines[..hunk.lines.start], &lines[hunk.lines.end..]);
        (1..=new.len()).any(|size| {
            let (head, tail) = (&new[..size], &new[new.len() - size..]);
            before.ends_with(head) && head.concat() != "" || after.starts_with(tail) && tail.concat() != ""
        })
    }

    /// Returns `true` if the new lines are less indented than all lines around.
    fn lacks_indentation(&self, hunk: &Hunk) -> bool {
        let filled = |line: &&str| !line.trim().is_empty();
        let new = hunk.new.iter().map(String::as_str).filter(filled).map(|line| indent(line).len()).min();
        let texts: Vec<_> = self.file.lines.iter().map(|line| line.text.as_str()).collect();
        let before = texts[..hunk.lines.start].iter().rfind(|line| filled(line));
        let after = texts[hunk.lines.end..].iter().find(|line| filled(line));
        let around = [before, after].into_iter().flatten().map(|line| indent(line).len()).max();
        new.zip(around).is_some_and(|(new, around)| new < around)
    }
}

/// Generates a draft with all hunks of a change.
fn draft(rng: &mut Rng) -> Option<Draft> {
    let file = meant::file(rng);
    let size = if rng.percent(60) { 1..=6 } else { 3..=24 };
    let change = change::draw(rng, &file, &size)?;
    let hunks = meant::hunks(&change);
    Some(Draft { file, hunks }).filter(Draft::is_plain)
}

/// Generates a draft with one hunk.
fn single(rng: &mut Rng, wanted: fn(&Hunk) -> bool) -> Option<Draft> {
    let draft = draft(rng)?;
    let fitting: Vec<_> = draft.hunks.iter().filter(|hunk| wanted(hunk)).cloned().collect();
    let hunk = rng.any(&fitting)?.clone();
    Some(Draft { hunks: vec![hunk], ..draft })
}

fn replaces(hunk: &Hunk) -> bool {
    !hunk.lines.is_empty() && !hunk.new.is_empty()
}

fn inserts(hunk: &Hunk) -> bool {
    hunk.lines.is_empty()
}

fn deletes(hunk: &Hunk) -> bool {
    hunk.new.is_empty()
}

fn puts(hunk: &Hunk) -> bool {
    !hunk.new.is_empty()
}

/// Returns the range of lines in the numbers of a request.
fn range(lines: &Range<usize>) -> LineRange {
    LineRange { start: lines.start + 1, end: lines.end }
}
