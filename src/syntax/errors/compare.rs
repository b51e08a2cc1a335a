//! Tells new errors from those that a text had before.
//!
//! Three observations decide. An error with the kind and the lines of an old one is the old one. The old errors are
//! in certain lines, which are followed over the change. And the declarations around the change may be free of
//! errors, however wrong the rest of the text is to its grammar. Where these do not suffice, nothing is new: a
//! grammar may read a wrong text in several ways, and a small change may make it choose another one.

use std::collections::HashMap;
use std::ops::Range;

use super::Found;
use crate::lines::Lines;
use crate::nearby::Nearby;
use editd_edit::{Deadline, Run, line_runs};
use editd_text::lines;

/// Number of lines by which an error may grow and still be the old one, if it was shorter than that.
const GROWTH: usize = 3;

/// The errors of a text before and after a change.
pub(super) struct Comparison<'t> {
    before: (&'t str, &'t [Found]),
    after: (&'t str, &'t [Found]),
    /// Lines of the old errors, by their numbers in the new text, from 0.
    known: Vec<Range<usize>>,
    /// Changed lines of the new text.
    changed: Vec<Range<usize>>,
}

impl<'t> Comparison<'t> {
    pub(super) fn new(
        before: (&'t str, &'t [Found]),
        after: (&'t str, &'t [Found]),
        deadline: Deadline,
    ) -> Self {
        let content = |text: &'t str| -> Vec<&str> { lines(text).map(|line| line.content).collect() };
        let runs = line_runs(&content(before.0), &content(after.0), deadline);
        let known = lines_of(before.0, before.1).into_iter().map(|lines| followed(&lines, &runs)).collect();
        // A deletion changes what the line after it stands below.
        let changed = runs.iter().map(|(_, new)| new.start..new.end.max(new.start + 1)).collect();
        Self { before, after, known, changed }
    }

    /// Returns the new errors. `nearby` parses the declarations around the change.
    pub(super) fn new_errors(&self, nearby: impl FnOnce() -> Nearby) -> Vec<&'t Found> {
        let unknown = self.without_known();
        if unknown.is_empty() || self.before.1.is_empty() {
            return unknown.into_iter().map(|(error, _)| error).collect();
        }
        let nearby = nearby();
        if nearby == Nearby::Free {
            return Vec::new();
        }
        let is_new = |lines: &Range<usize>| {
            let known = self.known.iter().filter(|known| overlap(known, lines));
            let known: Vec<_> = known.cloned().collect();
            let is_changed = self.changed.iter().any(|changed| overlap(changed, lines));
            known.is_empty() || (nearby == Nearby::Broken && is_changed) || self.has_grown(lines, &known)
        };
        unknown.into_iter().filter(|(_, lines)| is_new(lines)).map(|(error, _)| error).collect()
    }

    /// Returns the errors, with their lines, that no old one is identical to. Of identical errors, those in the
    /// lines of old ones are the old ones.
    fn without_known(&self) -> Vec<(&'t Found, Range<usize>)> {
        let mut counts: HashMap<(&str, String), usize> = HashMap::new();
        for error in self.before.1 {
            *counts.entry(error.identity(self.before.0)).or_default() += 1;
        }
        let found = self.after.1.iter().zip(lines_of(self.after.0, self.after.1));
        let mut found: Vec<_> = found
            .map(|(error, lines)| (error, self.known.iter().any(|known| overlap(known, &lines)), lines))
            .collect();
        found.sort_by_key(|(_, stays, _)| !stays);
        found.retain(|(error, ..)| match counts.get_mut(&error.identity(self.after.0)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        found.sort_by_key(|(error, ..)| error.range.start);
        found.into_iter().map(|(error, _, lines)| (error, lines)).collect()
    }

    /// Returns `true` if an error is much longer than the old ones in its lines, without the changed lines.
    fn has_grown(&self, lines: &Range<usize>, known: &[Range<usize>]) -> bool {
        let is_in = |ranges: &[Range<usize>], line: usize| ranges.iter().any(|range| range.contains(&line));
        let old = lines.clone().filter(|line| is_in(known, *line)).count();
        let more = lines.clone().filter(|line| !is_in(known, *line) && !is_in(&self.changed, *line));
        more.count() > old.max(GROWTH)
    }
}

/// Returns the lines of errors, from 0. A missing token belongs to the line that it would end.
fn lines_of(text: &str, errors: &[Found]) -> Vec<Range<usize>> {
    let lines = Lines::new(text);
    let of = |error: &Found| {
        let place = error.place(text);
        // The last character that is not whitespace.
        let last = text[..error.range.end].trim_end().len().saturating_sub(1).max(place);
        lines.of(place)..lines.of(last) + 1
    };
    errors.iter().map(of).collect()
}

/// Returns the range of the new lines that stand where old lines were.
fn followed(lines: &Range<usize>, runs: &[Run]) -> Range<usize> {
    let (mut start, mut end) = (lines.start, lines.end);
    for (old, new) in runs {
        if old.end <= lines.start {
            start = new.end + (lines.start - old.end);
        } else if old.start <= lines.start {
            start = new.start;
        }
        if old.end < lines.end {
            end = new.end + (lines.end - old.end);
        } else if old.start < lines.end {
            end = new.end;
        }
    }
    start..end
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}
