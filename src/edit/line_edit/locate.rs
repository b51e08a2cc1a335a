//! Checks of edits at lines against the version of the text that their numbers refer to.

use std::ops::Range;

use super::border::{self, Around};
use super::carry::LineMap;
use super::{LineEdit, LineOrigin, LinePlace, LineRefusal, indentation, splice};
use crate::unwrap::numbered_from;
use crate::whole_lines::eq_ignoring_whitespace;
use crate::{EditRefusal, EditRefusalKind, LineRange, Plan, PlanError, Splice, snippet};
use editd_text::{LineIndex, lines};

/// Number of lines around a place that are compared with new lines.
const NEIGHBORS: usize = 8;
/// Number of lines around the excerpt of a refusal.
const CONTEXT: usize = 2;

/// An edit at lines that exist, with its slips mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedLines {
    /// Index of the edit in its call, from 0.
    pub edit: usize,
    /// Lines to replace, or the place of an insertion.
    pub place: LinePlace,
    /// New lines; `None` to delete the lines.
    pub new: Option<String>,
    /// Warnings for the author.
    pub warnings: Vec<String>,
}

impl LocatedLines {
    /// Returns the edit for the current version of the text, or `None` if its lines have changed or cannot be
    /// found with certainty.
    pub fn carried(&self, map: &LineMap) -> Option<Self> {
        let place = match (self.place, self.place.anchors()) {
            (place, None) => place,
            (place, Some(lines)) => {
                let lines = map.get(lines)?;
                match place {
                    LinePlace::Lines(_) => LinePlace::Lines(lines),
                    LinePlace::After(_) => LinePlace::After(lines.start),
                    LinePlace::Before(_) => LinePlace::Before(lines.start),
                    LinePlace::End => place,
                }
            }
        };
        Some(Self { place, ..self.clone() })
    }
}

/// Locates the edits of a call in the version of the text whose numbers they use. Each comes with its index
/// in the call. Returns a refusal for each edit whose lines do not exist, or are not those that it expects,
/// or overlap those of another edit.
///
/// ```
/// use editd_edit::{LineEdit, LineOrigin, LinePlace, LineRange, locate, plan_lines};
///
/// let base = "fn main() {\n    one();\n    two();\n}\n";
/// let place = LinePlace::Lines(LineRange { start: 2, end: 2 });
/// let new = Some("2\tone(1);".to_owned());
/// let edit = LineEdit { place, new, first: None, last: None, origin: LineOrigin::Written };
/// let located = locate(base, vec![(0, edit)]).unwrap();
/// // The copied line number is removed, and the missing indentation is added.
/// let plan = plan_lines(base, &located, Vec::new()).unwrap();
/// assert_eq!(plan.apply(base), "fn main() {\n    one(1);\n    two();\n}\n");
/// ```
pub fn locate(base: &str, edits: Vec<(usize, LineEdit)>) -> Result<Vec<LocatedLines>, Vec<EditRefusal>> {
    let text = Numbered { text: base, lines: LineIndex::of(base) };
    let (mut located, mut refused) = (Vec::new(), Vec::new());
    let gaps: Vec<_> = edits.iter().map(|(_, requested)| text.gap(requested.place)).collect();
    for (at, (edit, requested)) in edits.into_iter().enumerate() {
        let touches = |other: &(usize, usize)| other.0 <= gaps[at].1 && gaps[at].0 <= other.1;
        let alone = gaps.iter().enumerate().all(|(other, gap)| other == at || !touches(gap));
        match text.locate(edit, requested, alone) {
            Ok(found) => located.push(found),
            Err(refusal) => refused.push(EditRefusal { edit, kind: EditRefusalKind::Lines(refusal) }),
        }
    }
    refused.extend(overlaps(&located));
    refused.sort_by_key(|refusal| refusal.edit);
    if refused.is_empty() { Ok(located) } else { Err(refused) }
}

/// Returns the plan of located edits, together with `others`, splices of the same text.
pub fn plan_lines(text: &str, located: &[LocatedLines], others: Vec<Splice>) -> Result<Plan, PlanError> {
    let base = LineIndex::of(text);
    let edits = located.iter().map(|located| (located.place, located.new.as_deref()));
    splice::plan(text, &base, edits, others)
}

/// Returns a refusal for each edit that concerns lines which another edit of the call replaces.
fn overlaps(located: &[LocatedLines]) -> Vec<EditRefusal> {
    let mut sorted: Vec<_> = located.iter().map(Extent::of).collect();
    sorted.sort_by_key(|extent| (extent.start, extent.end));
    let mut refused = Vec::new();
    // The edit so far that reaches furthest.
    let mut reached: Option<Extent> = None;
    for extent in sorted {
        let other = reached.filter(|other| extent.start <= other.end && !(extent.inserts && other.inserts));
        refused.extend(other.map(|other| extent.overlap(other)));
        reached = reached.filter(|other| other.end > extent.end).or(Some(extent));
    }
    refused
}

/// The lines of an edit as doubled numbers, so that places between lines have numbers, too.
#[derive(Clone, Copy)]
struct Extent {
    edit: usize,
    start: usize,
    end: usize,
    inserts: bool,
}

impl Extent {
    fn of(located: &LocatedLines) -> Self {
        let (start, end, inserts) = match located.place {
            LinePlace::Lines(LineRange { start, end }) => (2 * start, 2 * end, false),
            LinePlace::After(line) => (2 * line + 1, 2 * line + 1, true),
            LinePlace::Before(line) => (2 * line - 1, 2 * line - 1, true),
            LinePlace::End => (usize::MAX, usize::MAX, true),
        };
        Self { edit: located.edit, start, end, inserts }
    }

    fn lines(self) -> LineRange {
        LineRange { start: self.start / 2, end: self.end / 2 }
    }

    fn overlap(self, other: Self) -> EditRefusal {
        let (first, second) = if self.edit < other.edit { (self, other) } else { (other, self) };
        let (lines, other_lines) = (second.lines(), first.lines());
        let kind = EditRefusalKind::Overlap { other_edit: first.edit, lines, other_lines };
        EditRefusal { edit: second.edit, kind }
    }
}

/// A text, and its lines.
struct Numbered<'a> {
    text: &'a str,
    lines: LineIndex<'a>,
}

impl Numbered<'_> {
    fn content(&self, line: usize) -> Option<&str> {
        Some(self.lines.get(line.checked_sub(1)?)?.content)
    }

    /// Returns the number of lines before a place, and before the lines after it.
    fn gap(&self, place: LinePlace) -> (usize, usize) {
        match place {
            LinePlace::Lines(LineRange { start, end }) => (start.saturating_sub(1), end),
            LinePlace::After(line) => (line, line),
            LinePlace::Before(line) => (line.saturating_sub(1), line.saturating_sub(1)),
            LinePlace::End => (self.lines.len(), self.lines.len()),
        }
    }

    /// Locates an edit. Unless it is `alone`, another edit of the call changes the lines beside it, which then
    /// prove nothing about the new lines.
    fn locate(&self, edit: usize, requested: LineEdit, alone: bool) -> Result<LocatedLines, LineRefusal> {
        let LineEdit { place, new, first, last, origin } = requested;
        let mut warnings = Vec::new();
        let place = self.checked(place, first.as_deref(), last.as_deref(), &mut warnings)?;
        let new = match origin {
            LineOrigin::Written => new.map(|new| self.mended(place, &new, alone, &mut warnings)),
            LineOrigin::Moved { warnings: of_move } => {
                warnings.extend(of_move);
                new
            }
        };
        Ok(LocatedLines { edit, place, new, warnings })
    }

    /// Returns the place, moved by one line if `first` and `last` show that it is off by one.
    fn checked(
        &self,
        place: LinePlace,
        first: Option<&str>,
        last: Option<&str>,
        warnings: &mut Vec<String>,
    ) -> Result<LinePlace, LineRefusal> {
        let total = self.lines.len();
        let outside = |line: usize| Err(LineRefusal::NoSuchLine { line, total });
        let (first, last) = (first.map(|text| (text, "first")), last.map(|text| (text, "last")));
        let checked = match place {
            LinePlace::After(0) | LinePlace::End => place,
            // An empty text is shown as one empty line by some tools.
            LinePlace::Before(1) if total == 0 => LinePlace::After(0),
            LinePlace::Lines(LineRange { start, end }) if start == end => {
                let line = self.line_with(start, first.or(last))?;
                self.line_with(line, last)?;
                LinePlace::Lines(LineRange { start: line, end: line })
            }
            LinePlace::Lines(LineRange { start, end }) => {
                let lines =
                    LineRange { start: self.line_with(start, first)?, end: self.line_with(end, last)? };
                // With one of the texts only, it is unclear whether the other end is off too.
                let unproven = (lines.start != start && last.is_none(), lines.end != end && first.is_none());
                match (unproven, first.or(last)) {
                    ((true, _), Some(text)) => return Err(self.other_text(start, text)),
                    ((_, true), Some(text)) => return Err(self.other_text(end, text)),
                    _ if lines.start > lines.end => return outside(end),
                    _ => LinePlace::Lines(lines),
                }
            }
            LinePlace::After(line) => LinePlace::After(self.line_with(line, first.or(last))?),
            LinePlace::Before(line) => LinePlace::Before(self.line_with(line, first.or(last))?),
        };
        match checked.anchors() {
            Some(LineRange { start: 0, .. }) => return outside(0),
            Some(lines) if lines.end > total => return outside(lines.end),
            _ => {}
        }
        if checked != place {
            warnings.push(format!("the lines were off by one: {} was meant", shown(checked)));
        }
        Ok(checked)
    }

    /// Returns the line with the expected text: this one, or else the only neighbor that has it.
    fn line_with(&self, line: usize, expected: Option<(&str, &'static str)>) -> Result<usize, LineRefusal> {
        let Some((text, parameter)) = expected.filter(|(text, _)| !text.trim().is_empty()) else {
            return Ok(line);
        };
        let wanted = if parameter == "first" { lines(text).next() } else { lines(text).last() };
        let wanted = wanted.map_or("", |line| line.content);
        let has =
            |line: usize| self.content(line).is_some_and(|actual| eq_ignoring_whitespace(wanted, actual));
        if has(line) {
            return Ok(line);
        }
        match (has(line.saturating_sub(1)), has(line.saturating_add(1))) {
            (true, false) => Ok(line - 1),
            (false, true) => Ok(line + 1),
            _ if line > self.lines.len() => Err(LineRefusal::NoSuchLine { line, total: self.lines.len() }),
            _ => Err(self.other_text(line, (text, parameter))),
        }
    }

    fn other_text(&self, line: usize, (_, parameter): (&str, &'static str)) -> LineRefusal {
        LineRefusal::OtherText { line, parameter, excerpt: snippet(self.text, line, line, CONTEXT) }
    }

    /// Returns the new lines without slips that the text proves.
    fn mended(&self, place: LinePlace, new: &str, alone: bool, warnings: &mut Vec<String>) -> String {
        let (head, tail) = self.gap(place);
        let contents = |indexes: Range<usize>| -> Vec<&str> {
            self.lines.starting_at(indexes.start).take(indexes.len()).map(|line| line.content).collect()
        };
        let before = contents(head.saturating_sub(NEIGHBORS)..head);
        let (replaced, after) = (contents(head..tail), contents(tail..tail + NEIGHBORS));
        let around = Around { before: &before, replaced: &replaced, after: &after };
        let numbers = head.max(1)..=tail.max(head) + 1;
        let unnumbered = numbered_from(new, numbers, &[&before[..], &replaced, &after].concat(), &replaced);
        if unnumbered.is_some() {
            warnings.push("line numbers were removed from the new text".to_owned());
        }
        let new = unnumbered.as_deref().unwrap_or(new);
        if !alone {
            return new.to_owned();
        }
        let given: Vec<&str> = lines(new).map(|line| line.content).collect();
        let shifted = border::shifted(&given, &around);
        let all = match &shifted {
            Some(shifted) => shifted.iter().map(String::as_str).collect(),
            None => given,
        };
        let (first, last) = border::repeated(&all, &around);
        let kept = &all[first..all.len() - last];
        for (count, line) in [(first, (head + 1).saturating_sub(first)), (last, tail + 1)] {
            if count > 0 {
                let lines = shown(LinePlace::Lines(LineRange { start: line, end: line + count - 1 }));
                warnings.push(format!("the new text repeated {lines}, which was dropped from it"));
            }
        }
        let missing = indentation::missing(kept, &around);
        if shifted.is_some() || missing.is_some() {
            warnings.push("the new lines were indented like the lines around them".to_owned());
        }
        match missing {
            Some(indent) => joined(&indentation::indented(kept, indent)),
            None if first + last == 0 => new.to_owned(),
            None => joined(kept),
        }
    }
}

/// Joins lines, so that an empty last line counts.
fn joined<S: AsRef<str>>(lines: &[S]) -> String {
    lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect()
}

/// Names lines within a sentence.
pub(super) fn shown(place: LinePlace) -> String {
    match place {
        LinePlace::Lines(LineRange { start, end }) if start < end => format!("lines {start}-{end}"),
        LinePlace::Lines(LineRange { start: line, .. })
        | LinePlace::After(line)
        | LinePlace::Before(line) => {
            format!("line {line}")
        }
        LinePlace::End => "the end".to_owned(),
    }
}
