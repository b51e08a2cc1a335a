use std::ops::Range;

use crate::edit::{Deadline, Labels, Plan, Splice, diff_plan};
use crate::text::ContentHash;
use crate::workspace::{PlannedFile, Truth};

use super::{Choice, Comment, HunkId, HunkKind, Look, LookedHunk, Replacement, Review, Verdict};

/// Which hunks are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// These.
    Hunks(Vec<HunkId>),
    /// All that are open and not named otherwise.
    All,
}

impl Pick {
    /// Those that are named.
    pub fn named(&self) -> &[HunkId] {
        match self {
            Self::Hunks(ids) => ids,
            Self::All => &[],
        }
    }
}

impl Default for Pick {
    fn default() -> Self {
        Self::Hunks(Vec::new())
    }
}

/// A text that takes the place of what was proposed for a file.
#[derive(Clone, Debug)]
pub struct Replace {
    /// Index of the file.
    pub file: usize,
    /// The whole text.
    pub content: String,
}

/// What a person decides in one go.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// What is to happen. Of these, hunks that are in conflict stay open: what is there now was not seen.
    pub accept: Pick,
    /// What is to happen even over what was changed there since.
    pub take: Vec<HunkId>,
    /// What is not.
    pub reject: Pick,
    /// What happens instead.
    pub replace: Vec<Replace>,
    /// What is to be said to the author.
    pub comments: Vec<Comment>,
}

/// A file of a proposal as it is now.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// What was proposed for it.
    pub file: &'a PlannedFile,
    /// Its content.
    pub truth: &'a Truth,
    /// Its text, if it is one.
    pub now: Option<&'a str>,
    /// How the hunks lie on that.
    pub look: &'a Look,
}

impl Review {
    /// The same with these decisions. `seen` are all files in order; the hunks of the decision are some of
    /// theirs. [`settle`](Self::settle) then opens what was accepted and is in conflict.
    #[must_use]
    pub fn decide(&self, seen: &[Seen<'_>], decision: &Decision, deadline: Deadline) -> Self {
        let mut next = self.clone();
        next.comments.extend(decision.comments.iter().cloned());
        let conflicted: Vec<bool> =
            seen.iter().flat_map(|seen| seen.look.hunks.iter().map(|hunk| hunk.conflicted)).collect();
        let ranges = ranges(seen);
        let named = [
            (decision.accept.named(), Choice::Accepted),
            (&decision.take, Choice::Taken),
            (decision.reject.named(), Choice::Rejected),
        ];
        for (ids, choice) in named {
            for id in ids {
                next.choose(id.0 - 1, choice, &conflicted, &ranges);
            }
        }
        for replace in &decision.replace {
            if let (Some(seen), Some(range)) = (seen.get(replace.file), ranges.get(replace.file)) {
                next.replace(replace, *seen, range.clone(), deadline);
            }
        }
        for (choice, conflicted) in next.choices.iter_mut().zip(conflicted) {
            match (&decision.accept, &decision.reject) {
                _ if *choice != Choice::Open => {}
                (Pick::All, _) if !conflicted => *choice = Choice::Accepted,
                (_, Pick::All) => *choice = Choice::Rejected,
                _ => {}
            }
        }
        for (at, place) in places(seen).enumerate().filter(|(at, _)| next.choices[*at] == Choice::Taken) {
            let known = self.choices[at] == Choice::Taken && !decision.take.contains(&HunkId(at + 1));
            if !known {
                next.taken.insert(at, place);
            }
        }
        next
    }

    fn choose(&mut self, at: usize, wanted: Choice, conflicted: &[bool], ranges: &[Range<usize>]) {
        let file = ranges.iter().position(|range| range.contains(&at));
        if let Some(file) = file.filter(|file| self.replaced.contains_key(file)) {
            // A hunk is decided by itself again, so the whole text that stood for it is none any more.
            self.take_back(file, &ranges[file]);
        }
        let Some(choice) = self.choices.get_mut(at) else { return };
        let is_conflicted = conflicted.get(at).copied().unwrap_or_default();
        *choice = match wanted {
            // To say yes again takes nothing back.
            Choice::Accepted if is_conflicted && *choice == Choice::Taken => Choice::Taken,
            Choice::Taken if !is_conflicted => Choice::Accepted,
            wanted => wanted,
        };
    }

    fn take_back(&mut self, file: usize, range: &Range<usize>) {
        self.replaced.remove(&file);
        for choice in &mut self.choices[range.clone()] {
            if *choice == Choice::Edited {
                *choice = Choice::Open;
            }
        }
    }

    fn replace(&mut self, replace: &Replace, seen: Seen<'_>, range: Range<usize>, deadline: Deadline) {
        let now = seen.now.unwrap_or_default();
        let content = Replacement::written(now, &replace.content, deadline);
        self.replaced.remove(&replace.file);
        let verdicts = seen.verdicts(now, &content, deadline);
        let choices = &mut self.choices[range];
        for (choice, verdict) in choices.iter_mut().zip(verdicts) {
            *choice = verdict.unwrap_or(*choice);
        }
        // What is just what was proposed, or just what is there, needs no text of its own.
        if choices.contains(&Choice::Edited) || !seen.gives(choices, now, &content, deadline) {
            if !choices.iter().any(|choice| choice.is_yes()) {
                // None of what was wanted, but something else: that stands in its place.
                let both = choices.iter_mut().zip(&seen.look.hunks);
                both.filter(|(_, hunk)| hunk.kind != HunkKind::Rename)
                    .for_each(|(choice, _)| *choice = Choice::Edited);
            }
            let base = seen.truth.snapshot().cloned();
            self.replaced.insert(replace.file, Replacement { base, content: content.into() });
        }
    }

    /// Opens again what was decided on another text than is there now. Whether nothing is open then.
    pub fn settle(&mut self, seen: &[Seen<'_>], deadline: Deadline) -> bool {
        for (file, (seen, range)) in seen.iter().zip(ranges(seen)).enumerate() {
            if let Some(replaced) = self.replaced.get(&file)
                && replaced.plan(seen.truth, seen.now, deadline).is_none()
            {
                self.replaced.remove(&file);
                self.choices[range.clone()].fill(Choice::Open);
            }
            for (choice, hunk) in self.choices[range].iter_mut().zip(&seen.look.hunks) {
                if hunk.conflicted && *choice == Choice::Accepted {
                    *choice = Choice::Open;
                }
            }
        }
        for (at, place) in places(seen).enumerate() {
            if self.choices[at] == Choice::Taken && self.taken.get(&at) != Some(&place) {
                self.choices[at] = Choice::Open;
            }
        }
        self.is_decided()
    }
}

impl Seen<'_> {
    /// What stands where a hunk would do something: its lines, or the whole file.
    fn place(&self, hunk: &LookedHunk) -> ContentHash {
        let now = self.now.unwrap_or_default();
        match self.look.wanted(hunk) {
            Some((range, _)) => ContentHash::of(now.get(range).unwrap_or_default().as_bytes()),
            None => self.truth.hash().unwrap_or_else(|| ContentHash::of(b"")),
        }
    }

    /// The text with all that is open or decided so. What is in conflict stays as it is.
    pub fn proposed(
        &self,
        choices: &[Choice],
        replacement: Option<&Replacement>,
        deadline: Deadline,
    ) -> String {
        let wanted = |(hunk, choice): (&LookedHunk, &Choice)| match choice {
            Choice::Open if hunk.conflicted => Choice::Rejected,
            Choice::Open => Choice::Accepted,
            decided => *decided,
        };
        let choices: Vec<_> = self.look.hunks.iter().zip(choices).map(wanted).collect();
        let now = self.now.unwrap_or_default();
        match self.look.verdict(self.file, &choices, replacement, (self.truth, self.now), deadline) {
            Verdict::Text(plan) | Verdict::Rename(plan) if plan.fits(now) => plan.apply(now),
            Verdict::Delete => String::new(),
            Verdict::Text(_) | Verdict::Rename(_) | Verdict::Nothing => now.to_owned(),
        }
    }

    /// What a person's text says of each hunk; nothing of a new name.
    fn verdicts(&self, now: &str, content: &str, deadline: Deadline) -> Vec<Option<Choice>> {
        let hunks = &self.look.hunks;
        let yes = |conflicted| if conflicted { Choice::Taken } else { Choice::Accepted };
        let all: Vec<Choice> = hunks.iter().map(|hunk| yes(hunk.conflicted)).collect();
        let (nothing, everything) = (now == content, self.gives(&all, now, content, deadline));
        let plan = Plan::between(now, content, deadline);
        let lines = plan.by_hunk(now, &diff_plan(now, &plan, Labels::same(""), deadline).hunks);
        let verdict = |hunk: &LookedHunk| match (hunk.kind, self.look.wanted(hunk)) {
            (HunkKind::Rename, _) => None,
            _ if nothing && !hunk.done && hunk.kind != HunkKind::Create => Some(Choice::Rejected),
            _ if everything => Some(yes(hunk.conflicted)),
            (_, Some((range, text))) => Some(match written_at(&lines, &range, text) {
                Some(true) => yes(hunk.conflicted),
                Some(false) => Choice::Edited,
                None if hunk.done => Choice::Accepted,
                None => Choice::Rejected,
            }),
            _ => Some(Choice::Edited),
        };
        hunks.iter().map(verdict).collect()
    }

    /// Whether these choices alone give that text.
    fn gives(&self, choices: &[Choice], now: &str, content: &str, deadline: Deadline) -> bool {
        // A file's new name says nothing of its text.
        let is_name = |hunk: &LookedHunk| hunk.kind == HunkKind::Rename;
        let of_text = |(choice, hunk)| if is_name(hunk) { Choice::Rejected } else { choice };
        let choices: Vec<_> = choices.iter().copied().zip(&self.look.hunks).map(of_text).collect();
        let seen = (self.truth, self.now);
        match self.look.verdict(self.file, &choices, None, seen, deadline) {
            Verdict::Nothing => now == content && !self.file.action.creates(),
            Verdict::Text(plan) | Verdict::Rename(plan) => plan.fits(now) && plan.apply(now) == content,
            Verdict::Delete => false,
        }
    }
}

/// Whether a person's changed lines, in order, do at a place just what is wanted there, or something else; none
/// if nothing is done there.
fn written_at(lines: &[Splice], range: &Range<usize>, text: &str) -> Option<bool> {
    let first = lines.partition_point(|line| line.range.end < range.start);
    let mut near = lines[first..].iter().take_while(|line| line.range.start <= range.end);
    let mut meets = false;
    let exact = near.any(|line| {
        meets |= line.range.start < range.end && range.start < line.range.end || line.range == *range;
        line.range == *range && line.text == text
    });
    if exact { Some(true) } else { meets.then_some(false) }
}

fn ranges(seen: &[Seen<'_>]) -> Vec<Range<usize>> {
    let mut start = 0;
    let range = |seen: &Seen<'_>| {
        let end = start + seen.look.hunks.len();
        std::mem::replace(&mut start, end)..end
    };
    seen.iter().map(range).collect()
}

/// What stands at the place of each hunk.
fn places<'s>(seen: &'s [Seen<'_>]) -> impl Iterator<Item = ContentHash> + 's {
    seen.iter().flat_map(|seen| seen.look.hunks.iter().map(|hunk| seen.place(hunk)))
}
