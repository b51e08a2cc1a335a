use std::ops::Range;

use crate::edit::{Deadline, Hunk, Moved, Plan, Splice, rewrite};
use crate::text::{count_lines, lines};
use crate::workspace::{Action, PlannedFile, Truth};

use super::{Choice, HunkKind, Replacement};

/// Bytes of what is there now that are shown of a conflicted hunk, beside four times as many as it has itself.
const CONFLICT_BYTES: usize = 1 << 10;

/// A hunk over what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookedHunk {
    /// What it does.
    pub kind: HunkKind,
    /// Its place was changed since by somebody else.
    pub conflicted: bool,
    /// What it wants is there already.
    pub done: bool,
    /// Bytes of the text as it is now; of a conflicted one, about its place.
    range: Range<usize>,
    /// Index among the splices, of one that replaces lines.
    splice: Option<usize>,
}

/// A file of a proposal, held against what is there now.
#[derive(Clone, Debug)]
pub struct Look {
    /// Its hunks, in order.
    pub hunks: Vec<LookedHunk>,
    /// What the text was made for, if another is there now.
    base: Option<String>,
    /// From the one to the other.
    drift: Plan,
    /// What each hunk makes of which lines of the base.
    splices: Vec<Splice>,
    /// Where the lines of the text as it is now begin, and its end.
    starts: Vec<usize>,
}

/// What happens to a file in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Nothing,
    /// Its text, which may be none yet, is changed by this plan, and it is written as was proposed.
    Text(Plan),
    /// It goes.
    Delete,
    /// It gets its new name, and its text is changed by this plan.
    Rename(Plan),
}

impl Look {
    /// Looks at a file whose content is `truth`, and its text if it is one. Costs a few passes over the text,
    /// whatever the number of hunks. Once the deadline has passed, changed places are coarser.
    pub fn of(file: &PlannedFile, truth: &Truth, now: Option<&str>, deadline: Deadline) -> Self {
        let is_fresh = truth.hash() == file.hash_before;
        let parts = file.hunks();
        let base = file.before.as_ref().map(|before| before.text.to_string());
        let texts: Vec<Hunk> =
            parts.iter().filter(|(kind, _)| *kind == HunkKind::Text).map(|(_, hunk)| *hunk).collect();
        // The plan of a file that goes is none over its text.
        let of_text = base.as_deref().filter(|_| !texts.is_empty());
        let splices = of_text.map(|base| file.plan.by_hunk(base, &texts)).unwrap_or_default();
        let (drift, places) = match (&base, now) {
            (Some(base), Some(now)) if !is_fresh => {
                let drift = Plan::between(base, now, deadline);
                let places = drift.places_of(&splices);
                (drift, places)
            }
            (base, _) => {
                let length = base.as_ref().map_or(0, String::len);
                let place = |splice: &Splice| Moved {
                    range: if is_fresh { splice.range.clone() } else { 0..0 },
                    touched: !is_fresh,
                };
                (Plan::empty(length), splices.iter().map(place).collect())
            }
        };
        let text = now.unwrap_or_default();
        let starts = lines(text).map(|line| line.start).chain([text.len()]).collect();
        let mut look = Self { hunks: Vec::new(), base, drift, splices, starts };
        let mut places = places.into_iter().enumerate();
        for (kind, _) in parts {
            let hunk = match kind {
                HunkKind::Text => places.next().map(|(at, place)| look.text_hunk(at, place, now)),
                _ => Some(whole(kind, file, truth, is_fresh)),
            };
            look.hunks.extend(hunk);
        }
        look
    }

    fn text_hunk(&self, at: usize, Moved { range, touched }: Moved, now: Option<&str>) -> LookedHunk {
        let now = now.unwrap_or_default();
        let range = floor(now, range.start)..floor(now, range.end);
        let splice = &self.splices[at];
        // An insertion has no place of its own in the text by which it could be known.
        let done = touched && !range.is_empty() && now.get(range.clone()) == Some(&splice.text);
        LookedHunk { kind: HunkKind::Text, conflicted: touched && !done, done, range, splice: Some(at) }
    }

    /// What a hunk that replaces lines puts in place of what, as it is now.
    pub fn texts(&self, hunk: &LookedHunk, now: &str) -> Option<(String, String)> {
        let splice = self.splices.get(hunk.splice?)?;
        let mut range = self.whole_lines(&hunk.range);
        if hunk.conflicted {
            // Many may lie in what has become one long line.
            let most = CONFLICT_BYTES + splice.text.len() * 4;
            range.start = floor(now, range.start.max(hunk.range.start.saturating_sub(most)));
            range.end = floor(now, range.end.min(hunk.range.end + most));
        }
        Some((now.get(range).unwrap_or_default().to_owned(), splice.text.clone()))
    }

    /// The lines that a hunk replaces, and what it puts there.
    pub(super) fn wanted(&self, hunk: &LookedHunk) -> Option<(Range<usize>, &str)> {
        let splice = self.splices.get(hunk.splice?)?;
        Some((self.whole_lines(&hunk.range), &splice.text))
    }

    /// The lines of the text hunks as unified diffs number them: old ones of what is there now, new ones of
    /// what there will be if everything happens that is not rejected.
    pub fn lines(&self, proposed: &[(HunkKind, Hunk)], choices: &[Choice]) -> Vec<Hunk> {
        let count = self.starts.len() - 1;
        let before = |offset: usize| self.starts[..count].partition_point(|start| *start < offset);
        let (mut added, mut removed) = (0, 0);
        let number = |((hunk, choice), (_, proposed)): ((&LookedHunk, &Choice), &(HunkKind, Hunk))| {
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

    /// The lines that a range of the text as it is now lies in; none if it is empty and between lines.
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

    /// The change of the text as it is now that makes these hunks of it, by their choices.
    pub fn plan(&self, file: &PlannedFile, choices: &[Choice]) -> Plan {
        let is_wanted = |(_, choice): &(&LookedHunk, &Choice)| choice.is_yes();
        let texts = || self.hunks.iter().zip(choices).filter(|(hunk, _)| hunk.splice.is_some());
        if self.drift.is_empty() && texts().all(|it| is_wanted(&it) && !it.0.conflicted) {
            // To the byte what was proposed, which may be less than whole lines.
            return (*file.plan).clone();
        }
        let wanted = texts().filter(is_wanted).filter(|(hunk, _)| !hunk.done);
        let wanted = wanted.filter_map(|(hunk, _)| self.splices.get(hunk.splice?).cloned()).collect();
        let length = self.base.as_ref().map_or(0, String::len);
        let plan = Plan::new(length, wanted).unwrap_or_else(|_| Plan::empty(length));
        plan.over(&self.drift, self.base.as_deref().unwrap_or_default())
    }

    /// What happens to the file in the end. `truth` and `now` are what was looked at.
    pub fn verdict(
        &self,
        file: &PlannedFile,
        choices: &[Choice],
        replacement: Option<&Replacement>,
        (truth, now): (&Truth, Option<&str>),
        deadline: Deadline,
    ) -> Verdict {
        let yes = |kind: HunkKind| {
            let mut both = self.hunks.iter().zip(choices);
            both.any(|(hunk, choice)| hunk.kind == kind && choice.is_yes())
        };
        let text = if let Some(replacement) = replacement {
            replacement.plan(truth, now, deadline).unwrap_or_else(|| Plan::empty(now.map_or(0, str::len)))
        } else if matches!(truth, Truth::Missing) {
            // Whoever accepts what is gone wants the file back.
            let base = self.base.as_deref().unwrap_or_default();
            let plan = if yes(HunkKind::Create) { (*file.plan).clone() } else { self.plan(file, choices) };
            Plan::between("", &plan.apply(base), deadline)
        } else if yes(HunkKind::Create) {
            let wanted = file.plan.apply("");
            now.map_or_else(|| (*file.plan).clone(), |now| Plan::between(now, &wanted, deadline))
        } else {
            self.plan(file, choices)
        };
        let anything = choices.iter().any(|choice| choice.is_yes());
        match &file.action {
            _ if !anything => Verdict::Nothing,
            Action::Delete if replacement.is_none() => match truth {
                Truth::Missing => Verdict::Nothing,
                _ => Verdict::Delete,
            },
            Action::Rename { .. } if yes(HunkKind::Rename) => Verdict::Rename(text),
            Action::Edit if yes(HunkKind::Encoding) => match truth {
                _ if self.hunks.iter().all(|hunk| hunk.done) => Verdict::Nothing,
                _ => Verdict::Text(text),
            },
            Action::Create { .. } if matches!(truth, Truth::Missing) => Verdict::Text(text),
            _ if text.is_empty() => Verdict::Nothing,
            _ => Verdict::Text(text),
        }
    }
}

impl Replacement {
    /// The change that makes it of what is there now; nothing if that has changed since in the same places.
    pub fn plan(&self, truth: &Truth, now: Option<&str>, deadline: Deadline) -> Option<Plan> {
        let is_fresh = truth.hash() == self.base.as_ref().map(|base| base.hash);
        let now = now.unwrap_or_default();
        if is_fresh {
            return Some(Plan::between(now, &self.content, deadline));
        }
        let base = self.base.as_ref().map(|base| base.text.to_string()).unwrap_or_default();
        let drift = Plan::between(&base, now, deadline);
        truth.snapshot()?;
        Plan::between(&base, &self.content, deadline).map_through(&drift)
    }

    /// What a person sent for a file whose text is `now`, with the line ends of that.
    pub(super) fn written(now: &str, content: &str, deadline: Deadline) -> String {
        rewrite(now, content, false, deadline).map_or_else(|_| content.to_owned(), |plan| plan.apply(now))
    }
}

/// A hunk that is about the file as a whole.
fn whole(kind: HunkKind, file: &PlannedFile, truth: &Truth, is_fresh: bool) -> LookedHunk {
    let is_result = truth.hash() == file.hash_after;
    let is_missing = matches!(truth, Truth::Missing);
    let same_encoding =
        || truth.snapshot().zip(file.before.as_ref()).is_some_and(|(now, then)| now.format == then.format);
    let (conflicted, done) = match kind {
        HunkKind::Create | HunkKind::Delete => (!is_fresh && !is_result, is_result),
        // A rename takes along whatever text there is.
        HunkKind::Rename => (is_missing || (!is_fresh && truth.snapshot().is_none()), false),
        HunkKind::Encoding | HunkKind::Text => (!is_fresh && !is_result && !same_encoding(), is_result),
    };
    LookedHunk { kind, conflicted, done, range: 0..0, splice: None }
}

/// The start of the character that an offset lies in.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}
