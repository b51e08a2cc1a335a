use std::ops::Range;

use crate::files::FileContent;
use crate::proposal::{Action, PlannedFile};
use editd_edit::{Deadline, Labels, Plan, Splice, diff_plan};
use editd_text::ContentHash;

use super::rebased::{RebasedFile, RebasedHunk};
use super::{Choice, Comment, HunkId, HunkKind, Replacement, Review, consecutive};

/// A text that replaces the proposed content of a file.
#[derive(Clone, Debug)]
pub struct Replace {
    /// Index of the file.
    pub file: usize,
    /// The whole text.
    pub content: String,
}

/// A set of decisions made at once.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// Hunks to accept. Conflicted ones stay open, because the person has not seen the current text.
    pub accept: Vec<HunkId>,
    /// Hunks to accept even if their lines were changed since.
    pub take: Vec<HunkId>,
    /// Hunks to reject.
    pub reject: Vec<HunkId>,
    /// Decision about all other open hunks. Conflicted ones are not accepted.
    pub rest: Option<Choice>,
    /// `true` if the person knows that hunks which were decided earlier stay decided.
    pub keeps_earlier: bool,
    /// Texts to write instead.
    pub replace: Vec<Replace>,
    /// Comments for the author.
    pub comments: Vec<Comment>,
}

impl Decision {
    /// Returns `true` if the decision is about this hunk by its name.
    fn names(&self, id: HunkId) -> bool {
        [&self.accept, &self.take, &self.reject].into_iter().any(|ids| ids.contains(&id))
    }
}

/// The final change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// No change.
    Nothing,
    /// Apply this plan to the text and write it in the proposed format. Creates the file if it is missing.
    Text(Plan),
    /// Delete the file.
    Delete,
    /// Rename the file, and apply this plan to its text.
    Rename(Plan),
}

/// The current state of a file of a proposal.
#[derive(Clone, Copy, Debug)]
pub struct CurrentFile<'a> {
    /// The proposed change.
    pub file: &'a PlannedFile,
    /// Current content.
    pub content: &'a FileContent,
    /// Current text; `None` if the content is not text.
    pub now: Option<&'a str>,
    /// The hunks rebased onto the current text.
    pub rebased: &'a RebasedFile,
}

impl Review {
    /// Returns the hunks that were accepted earlier and that a decision against all other hunks would apply. A
    /// person who rejects a whole proposal does not expect that it writes anything.
    pub fn applied_by_rejection(&self, decision: &Decision) -> Vec<HunkId> {
        if decision.rest != Some(Choice::Rejected) || decision.keeps_earlier {
            return Vec::new();
        }
        let accepted = self.choices.iter().enumerate().filter(|(_, choice)| choice.has_effect());
        accepted.map(|(at, _)| HunkId(at + 1)).filter(|id| !decision.names(*id)).collect()
    }

    /// Returns the review with these decisions added. `observed` contains all files in order, and the
    /// decision refers only to hunks of these files. [`reopen_outdated`](Self::reopen_outdated) then reopens accepted hunks that
    /// are in conflict.
    #[must_use]
    pub fn decide(&self, observed: &[CurrentFile<'_>], decision: &Decision, deadline: Deadline) -> Self {
        let mut next = self.clone();
        next.comments.extend(decision.comments.iter().cloned());
        let conflicted: Vec<bool> =
            observed.iter().flat_map(|file| file.rebased.hunks.iter().map(|hunk| hunk.conflicted)).collect();
        let beside = observed.iter().flat_map(|file| {
            let hunks = &file.rebased.hunks;
            hunks.iter().map(|hunk| is_beside_text(hunk, hunks))
        });
        let (ranges, beside) = (ranges(observed), beside.collect::<Vec<_>>());
        let named = [
            (&decision.accept, Choice::Accepted),
            (&decision.take, Choice::Taken),
            (&decision.reject, Choice::Rejected),
        ];
        for (ids, choice) in named {
            for id in ids {
                next.choose(id.0 - 1, choice, (&conflicted, &beside), &ranges);
            }
        }
        for replace in &decision.replace {
            if let (Some(observed), Some(range)) = (observed.get(replace.file), ranges.get(replace.file)) {
                next.replace(replace, *observed, range.clone(), deadline);
            }
        }
        // The hunks of links, folders and permissions follow those of the files.
        let conflicted = conflicted.into_iter().chain(std::iter::repeat(false));
        for (choice, conflicted) in next.choices.iter_mut().zip(conflicted) {
            match decision.rest {
                Some(Choice::Accepted) if conflicted => {}
                Some(rest) if *choice == Choice::Open => *choice = rest,
                _ => {}
            }
        }
        for (at, hash) in
            replaced_hashes(observed).enumerate().filter(|(at, _)| next.choices[*at] == Choice::Taken)
        {
            // A hunk taken earlier keeps its hash, unless this decision takes it again.
            let known = self.choices[at] == Choice::Taken && !decision.take.contains(&HunkId(at + 1));
            if !known {
                next.taken.insert(at, hash);
            }
        }
        next
    }

    fn choose(
        &mut self,
        at: usize,
        wanted: Choice,
        (conflicted, beside): (&[bool], &[bool]),
        ranges: &[Range<usize>],
    ) {
        let is_of_text = !beside.get(at).copied().unwrap_or_default();
        let file = ranges.iter().position(|range| range.contains(&at)).filter(|_| is_of_text);
        if let Some(file) = file.filter(|file| self.replaced.contains_key(file)) {
            // Deciding a single hunk of the text invalidates the replacement text of the whole file.
            self.replaced.remove(&file);
            let edited = |choice: &&mut Choice| **choice == Choice::Edited;
            self.choices[ranges[file].clone()].iter_mut().filter(edited).for_each(|it| *it = Choice::Open);
        }
        let Some(choice) = self.choices.get_mut(at) else { return };
        let is_conflicted = conflicted.get(at).copied().unwrap_or_default();
        *choice = match wanted {
            // Accepting again does not revoke an earlier `Taken`.
            Choice::Accepted if is_conflicted && *choice == Choice::Taken => Choice::Taken,
            Choice::Taken if !is_conflicted => Choice::Accepted,
            wanted => wanted,
        };
    }

    fn replace(
        &mut self,
        replace: &Replace,
        observed: CurrentFile<'_>,
        range: Range<usize>,
        deadline: Deadline,
    ) {
        let now = observed.now.unwrap_or_default();
        let content = Replacement::written(now, &replace.content, deadline);
        self.replaced.remove(&replace.file);
        let from_text = observed.choices_of(now, &content, deadline);
        let choices = &mut self.choices[range];
        for (choice, verdict) in choices.iter_mut().zip(from_text) {
            *choice = verdict.unwrap_or(*choice);
        }
        // A text that the choices alone produce does not have to be stored.
        if choices.contains(&Choice::Edited) || !observed.produces(choices, now, &content, deadline) {
            if !choices.iter().any(|choice| choice.has_effect()) {
                // No proposed hunk was accepted, so the text replaces all of them.
                let both = choices.iter_mut().zip(&observed.rebased.hunks);
                both.filter(|(_, hunk)| !is_beside_text(hunk, &observed.rebased.hunks))
                    .for_each(|(choice, _)| *choice = Choice::Edited);
            }
            let base = observed.content.snapshot().cloned();
            self.replaced.insert(replace.file, Replacement { base, content: content.into() });
        }
    }

    /// Reopens accepted hunks whose lines have changed since, and all hunks of a file whose replacement text
    /// no longer fits. Returns `true` if no hunk is open afterwards.
    pub fn reopen_outdated(&mut self, observed: &[CurrentFile<'_>], deadline: Deadline) -> bool {
        for (file, (observed, range)) in observed.iter().zip(ranges(observed)).enumerate() {
            if let Some(replaced) = self.replaced.get(&file)
                && replaced.plan(observed.content, observed.now, deadline).is_none()
            {
                self.replaced.remove(&file);
                self.choices[range.clone()].fill(Choice::Open);
            }
            for (choice, hunk) in self.choices[range].iter_mut().zip(&observed.rebased.hunks) {
                if hunk.conflicted && *choice == Choice::Accepted {
                    *choice = Choice::Open;
                }
            }
        }
        for (at, hash) in replaced_hashes(observed).enumerate() {
            if self.choices[at] == Choice::Taken && self.taken.get(&at) != Some(&hash) {
                self.choices[at] = Choice::Open;
            }
        }
        self.is_decided()
    }
}

impl CurrentFile<'_> {
    /// Returns the hash of the text that a hunk would replace: its lines, or the whole file.
    fn replaced_hash(&self, hunk: &RebasedHunk) -> ContentHash {
        let now = self.now.unwrap_or_default();
        match self.rebased.wanted(hunk) {
            Some((range, _)) => ContentHash::of(now.get(range).unwrap_or_default().as_bytes()),
            None => self.content.hash().unwrap_or_else(|| ContentHash::of(b"")),
        }
    }

    /// Returns the final change of the file.
    pub fn verdict(
        &self,
        choices: &[Choice],
        replacement: Option<&Replacement>,
        deadline: Deadline,
    ) -> FileOutcome {
        let Self { file, content, now, rebased } = *self;
        let yes = |kind: HunkKind| {
            let mut both = rebased.hunks.iter().zip(choices);
            both.any(|(hunk, choice)| hunk.kind == kind && choice.has_effect())
        };
        let anything = choices.iter().any(|choice| choice.has_effect());
        if !anything {
            return FileOutcome::Nothing;
        }
        // The plan of a deleted file does not apply to its text.
        if file.action == Action::Delete && replacement.is_none() {
            let is_gone = matches!(content, FileContent::Missing);
            return if is_gone { FileOutcome::Nothing } else { FileOutcome::Delete };
        }
        let text = if let Some(replacement) = replacement {
            replacement.plan(content, now, deadline).unwrap_or_else(|| Plan::empty(now.map_or(0, str::len)))
        } else if matches!(content, FileContent::Missing) {
            // The file was deleted in the meantime; accepting any change creates it again.
            let base = rebased.base.as_deref().unwrap_or_default();
            let plan = if yes(HunkKind::Create) { (*file.plan).clone() } else { rebased.plan(file, choices) };
            Plan::between("", &plan.apply(base), deadline)
        } else if yes(HunkKind::Create) {
            let wanted = file.plan.apply("");
            now.map_or_else(|| (*file.plan).clone(), |now| Plan::between(now, &wanted, deadline))
        } else {
            rebased.plan(file, choices)
        };
        match &file.action {
            Action::Rename { .. } if yes(HunkKind::Rename) => FileOutcome::Rename(text),
            Action::Edit if yes(HunkKind::Encoding) || yes(HunkKind::Binary) || yes(HunkKind::Whole) => {
                match content {
                    _ if rebased.hunks.iter().all(|hunk| hunk.done) => FileOutcome::Nothing,
                    _ => FileOutcome::Text(text),
                }
            }
            Action::Create { .. } if matches!(content, FileContent::Missing) => FileOutcome::Text(text),
            _ if text.is_empty() => FileOutcome::Nothing,
            _ => FileOutcome::Text(text),
        }
    }

    /// Returns `true` if the change of the encoding was not accepted, but something else may be.
    pub fn keeps_encoding(&self, choices: &[Choice]) -> bool {
        let mut both = self.rebased.hunks.iter().zip(choices);
        both.any(|(hunk, choice)| hunk.kind == HunkKind::Encoding && !choice.has_effect())
    }

    /// Returns the text that would result if all open hunks were accepted, except those in conflict.
    pub fn proposed(
        &self,
        choices: &[Choice],
        replacement: Option<&Replacement>,
        deadline: Deadline,
    ) -> String {
        let wanted = |(hunk, choice): (&RebasedHunk, &Choice)| match choice {
            Choice::Open if hunk.conflicted => Choice::Rejected,
            Choice::Open => Choice::Accepted,
            decided => *decided,
        };
        let choices: Vec<_> = self.rebased.hunks.iter().zip(choices).map(wanted).collect();
        let now = self.now.unwrap_or_default();
        match self.verdict(&choices, replacement, deadline) {
            FileOutcome::Text(plan) | FileOutcome::Rename(plan) if plan.fits(now) => plan.apply(now),
            FileOutcome::Delete => String::new(),
            FileOutcome::Text(_) | FileOutcome::Rename(_) | FileOutcome::Nothing => now.to_owned(),
        }
    }

    /// Derives the decision about each hunk from a person's text; `None` for a rename.
    fn choices_of(&self, now: &str, content: &str, deadline: Deadline) -> Vec<Option<Choice>> {
        let hunks = &self.rebased.hunks;
        let yes = |conflicted| if conflicted { Choice::Taken } else { Choice::Accepted };
        let all: Vec<Choice> = hunks.iter().map(|hunk| yes(hunk.conflicted)).collect();
        let (nothing, everything) = (now == content, self.produces(&all, now, content, deadline));
        let plan = Plan::between(now, content, deadline);
        let lines = plan.by_hunk(now, &diff_plan(now, &plan, Labels::same(""), deadline).hunks);
        let verdict = |hunk: &RebasedHunk| match (hunk.kind, self.rebased.wanted(hunk)) {
            _ if is_beside_text(hunk, hunks) => None,
            _ if nothing && !hunk.done && hunk.kind != HunkKind::Create => Some(Choice::Rejected),
            _ if everything => Some(yes(hunk.conflicted)),
            (_, Some((range, text))) => Some(match replaces_exactly(&lines, &range, text) {
                Some(true) => yes(hunk.conflicted),
                Some(false) => Choice::Edited,
                None if hunk.done => Choice::Accepted,
                None => Choice::Rejected,
            }),
            _ => Some(Choice::Edited),
        };
        hunks.iter().map(verdict).collect()
    }

    /// Returns `true` if these choices alone produce that text.
    fn produces(&self, choices: &[Choice], now: &str, content: &str, deadline: Deadline) -> bool {
        let hunks = &self.rebased.hunks;
        let of_text = |(choice, hunk)| if is_beside_text(hunk, hunks) { Choice::Rejected } else { choice };
        let choices: Vec<_> = choices.iter().copied().zip(hunks).map(of_text).collect();
        match self.verdict(&choices, None, deadline) {
            FileOutcome::Nothing => now == content && !self.file.action.creates(),
            FileOutcome::Text(plan) | FileOutcome::Rename(plan) => {
                plan.fits(now) && plan.apply(now) == content
            }
            FileOutcome::Delete => false,
        }
    }
}

/// Returns `true` if a hunk does not affect the text of its file: a name, or an encoding beside changed lines.
fn is_beside_text(hunk: &RebasedHunk, hunks: &[RebasedHunk]) -> bool {
    hunk.kind == HunkKind::Rename || hunk.kind == HunkKind::Encoding && hunks.len() > 1
}

/// Returns `Some(true)` if a person's changed lines, in order, replace a range with exactly `text`,
/// `Some(false)` if they replace it with something else, and `None` if they leave it unchanged.
fn replaces_exactly(lines: &[Splice], range: &Range<usize>, text: &str) -> Option<bool> {
    let first = lines.partition_point(|line| line.range.end < range.start);
    let mut near = lines[first..].iter().take_while(|line| line.range.start <= range.end);
    let mut meets = false;
    let exact = near.any(|line| {
        meets |= line.range.start < range.end && range.start < line.range.end || line.range == *range;
        line.range == *range && line.text == text
    });
    if exact { Some(true) } else { meets.then_some(false) }
}

fn ranges(observed: &[CurrentFile<'_>]) -> Vec<Range<usize>> {
    consecutive(observed.iter().map(|file| file.rebased.hunks.len()))
}

/// Returns the hash of the text that each hunk would replace.
fn replaced_hashes<'s>(observed: &'s [CurrentFile<'_>]) -> impl Iterator<Item = ContentHash> + 's {
    observed.iter().flat_map(|file| file.rebased.hunks.iter().map(|hunk| file.replaced_hash(hunk)))
}
