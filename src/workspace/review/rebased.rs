use std::ops::Range;

use crate::files::FileContent;
use crate::proposal::PlannedFile;
use editd_edit::{Deadline, Hunk, MappedRange, Plan, Splice, rewrite, without_mark};
use editd_text::{count_lines, floor_char_boundary, lines};

use super::{Choice, HunkKind, Replacement};

/// Bytes of the current text shown for a conflicted hunk, in addition to four times its own size.
const CONFLICT_BYTES: usize = 1 << 10;

/// A hunk rebased onto the current text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RebasedHunk {
    /// The kind of change.
    pub kind: HunkKind,
    /// `true` if its lines were changed since by someone else.
    pub conflicted: bool,
    /// `true` if its result is already present.
    pub done: bool,
    /// Byte range in the current text; approximate for a conflicted hunk.
    range: Range<usize>,
    /// Index of its splice, if it replaces lines.
    splice: Option<usize>,
}

/// A file of a proposal, rebased onto the current content.
#[derive(Clone, Debug)]
pub struct RebasedFile {
    /// Hunks of the file, in order.
    pub hunks: Vec<RebasedHunk>,
    /// The text that the change was made for, if the file had one.
    pub(super) base: Option<String>,
    /// The plan from the base to the current text.
    drift: Plan,
    /// Replacements of the hunks, in positions of the base.
    splices: Vec<Splice>,
    /// Byte offsets of the line starts of the current text, and its end.
    starts: Vec<usize>,
}

impl RebasedFile {
    /// Rebases a file onto its current content and text. Takes a few passes over the text, regardless of the
    /// number of hunks. After the deadline, changed ranges are coarser.
    pub fn of(file: &PlannedFile, content: &FileContent, now: Option<&str>, deadline: Deadline) -> Self {
        let is_fresh = content.hash() == file.hash_before;
        let parts = file.hunks();
        let base = file.before.as_ref().map(|before| before.text.to_string());
        let texts: Vec<Hunk> =
            parts.iter().filter(|(kind, _)| *kind == HunkKind::Text).map(|(_, hunk)| *hunk).collect();
        // The plan of a deleted file does not apply to its text.
        let of_text = base.as_deref().filter(|_| !texts.is_empty());
        let splices = of_text.map(|base| file.plan.by_hunk(base, &texts)).unwrap_or_default();
        let (drift, places) = match (&base, now) {
            (Some(base), Some(now)) if !is_fresh => {
                let drift = Plan::between(base, now, deadline);
                let places = drift.map_splices(&splices);
                (drift, places)
            }
            (base, _) => {
                let length = base.as_ref().map_or(0, String::len);
                let place = |splice: &Splice| MappedRange {
                    range: if is_fresh { splice.range.clone() } else { 0..0 },
                    touched: !is_fresh,
                };
                (Plan::empty(length), splices.iter().map(place).collect())
            }
        };
        let text = now.unwrap_or_default();
        let starts = lines(text).map(|line| line.start).chain([text.len()]).collect();
        let mut rebased = Self { hunks: Vec::new(), base, drift, splices, starts };
        let mut places = places.into_iter().enumerate();
        for (kind, _) in parts {
            let hunk = match kind {
                HunkKind::Text => places.next().map(|(at, place)| rebased.text_hunk(at, place, now)),
                _ => Some(whole(kind, file, content, is_fresh)),
            };
            rebased.hunks.extend(hunk);
        }
        rebased
    }

    fn text_hunk(
        &self,
        at: usize,
        MappedRange { range, touched }: MappedRange,
        now: Option<&str>,
    ) -> RebasedHunk {
        let now = now.unwrap_or_default();
        let range = floor_char_boundary(now, range.start)..floor_char_boundary(now, range.end);
        let splice = &self.splices[at];
        // An insertion replaces no text by which it could be recognized.
        let done = touched && !range.is_empty() && now.get(range.clone()) == Some(&splice.text);
        RebasedHunk { kind: HunkKind::Text, conflicted: touched && !done, done, range, splice: Some(at) }
    }

    /// Returns the current lines that a hunk replaces, and their replacement.
    pub fn texts(&self, hunk: &RebasedHunk, now: &str) -> Option<(String, String)> {
        let splice = self.splices.get(hunk.splice?)?;
        let mut range = self.whole_lines(&hunk.range);
        if hunk.conflicted {
            // The range may lie in a long line that several former lines became.
            let most = CONFLICT_BYTES + splice.text.len() * 4;
            range.start = floor_char_boundary(now, range.start.max(hunk.range.start.saturating_sub(most)));
            range.end = floor_char_boundary(now, range.end.min(hunk.range.end + most));
        }
        Some((now.get(range).unwrap_or_default().to_owned(), splice.text.clone()))
    }

    /// Returns the range of the lines that a hunk replaces, and their replacement.
    pub(super) fn wanted(&self, hunk: &RebasedHunk) -> Option<(Range<usize>, &str)> {
        let splice = self.splices.get(hunk.splice?)?;
        Some((self.whole_lines(&hunk.range), &splice.text))
    }

    /// Returns the line numbers of the text hunks as in a unified diff. Old numbers refer to the current
    /// text, new ones to the text with all hunks applied that are not rejected.
    pub fn lines(&self, proposed: &[(HunkKind, Hunk)], choices: &[Choice]) -> Vec<Hunk> {
        let count = self.starts.len() - 1;
        let before = |offset: usize| self.starts[..count].partition_point(|start| *start < offset);
        let (mut added, mut removed) = (0, 0);
        let number = |((hunk, choice), (_, proposed)): ((&RebasedHunk, &Choice), &(HunkKind, Hunk))| {
            let Some(splice) = hunk.splice.and_then(|at| self.splices.get(at)) else { return *proposed };
            let range = self.whole_lines(&hunk.range);
            let (first, last) = (before(range.start), before(range.end));
            let (old_lines, new_lines) = (last - first, count_lines(&splice.text));
            let start = |line: usize, count: usize| line + usize::from(count > 0);
            let lines = Hunk {
                old_start: start(first, old_lines),
                old_lines,
                new_start: start(first + added - removed, new_lines),
                new_lines,
            };
            if *choice != Choice::Rejected {
                (added, removed) = (added + new_lines, removed + old_lines);
            }
            lines
        };
        self.hunks.iter().zip(choices).zip(proposed).map(number).collect()
    }

    /// Returns the range of whole lines around a range of the current text; empty if that is empty and
    /// between lines.
    fn whole_lines(&self, range: &Range<usize>) -> Range<usize> {
        let begun = |offset: usize| self.starts.partition_point(|start| *start <= offset).max(1) - 1;
        let is_between = range.is_empty() && self.starts.binary_search(&range.start).is_ok();
        if is_between {
            return range.clone();
        }
        let start = self.starts[begun(range.start)];
        let end =
            self.starts[self.starts.partition_point(|start| *start < range.end).min(self.starts.len() - 1)];
        let next = || self.starts[(begun(range.start) + 1).min(self.starts.len() - 1)];
        start..if range.is_empty() { next() } else { end }
    }

    /// Returns the plan that applies the accepted hunks to the current text.
    pub fn plan(&self, file: &PlannedFile, choices: &[Choice]) -> Plan {
        let is_wanted = |(_, choice): &(&RebasedHunk, &Choice)| choice.has_effect();
        let texts = || self.hunks.iter().zip(choices).filter(|(hunk, _)| hunk.splice.is_some());
        if self.drift.is_empty() && texts().all(|it| is_wanted(&it) && !it.0.conflicted) {
            // Exactly the proposed edits, which may be smaller than whole lines.
            return (*file.plan).clone();
        }
        let wanted = texts().filter(is_wanted).filter(|(hunk, _)| !hunk.done);
        let wanted = wanted.filter_map(|(hunk, _)| self.splices.get(hunk.splice?).cloned()).collect();
        let length = self.base.as_ref().map_or(0, String::len);
        let plan = Plan::new(length, wanted).unwrap_or_else(|_| Plan::empty(length));
        plan.rebase_overwriting(&self.drift, self.base.as_deref().unwrap_or_default())
    }
}

impl Replacement {
    /// Returns the plan from the current text to the replacement, or `None` if the file has changed since in
    /// the same lines.
    pub fn plan(&self, content: &FileContent, now: Option<&str>, deadline: Deadline) -> Option<Plan> {
        let is_fresh = content.hash() == self.base.as_ref().map(|base| base.hash);
        let now = now.unwrap_or_default();
        if is_fresh {
            return Some(Plan::between(now, &self.content, deadline));
        }
        let base = self.base.as_ref().map(|base| base.text.to_string()).unwrap_or_default();
        let drift = Plan::between(&base, now, deadline);
        content.snapshot()?;
        Plan::between(&base, &self.content, deadline).rebase_strict(&drift)
    }

    /// Converts a person's text to the line endings of the current text.
    pub(super) fn written(now: &str, content: &str, deadline: Deadline) -> String {
        let content = without_mark(now, content);
        rewrite(now, content, false, deadline).map_or_else(|_| content.to_owned(), |plan| plan.apply(now))
    }
}

/// Rebases a hunk that concerns the file as a whole.
fn whole(kind: HunkKind, file: &PlannedFile, content: &FileContent, is_fresh: bool) -> RebasedHunk {
    let is_result = content.hash() == file.hash_after;
    let is_missing = matches!(content, FileContent::Missing);
    let same_encoding =
        || content.snapshot().zip(file.before.as_ref()).is_some_and(|(now, then)| now.format == then.format);
    let (conflicted, done) = match kind {
        HunkKind::Create | HunkKind::Delete | HunkKind::Binary | HunkKind::Whole => {
            (!is_fresh && !is_result, is_result)
        }
        // A rename applies to any text.
        HunkKind::Rename => (is_missing || (!is_fresh && content.snapshot().is_none()), false),
        // Paths are no files.
        HunkKind::Link | HunkKind::Folder | HunkKind::Permissions => (false, false),
        HunkKind::Encoding | HunkKind::Text => (!is_fresh && !is_result && !same_encoding(), is_result),
    };
    RebasedHunk { kind, conflicted, done, range: 0..0, splice: None }
}
