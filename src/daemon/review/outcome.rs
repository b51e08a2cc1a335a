//! What was accepted happens.

use std::sync::Arc;

use crate::edit::{Labels, Plan, diff_texts};
use crate::protocol::{AppliedFile, ApplyResult, UserEdit};
use crate::workspace::review::{Choice, Replacement, Review, Verdict};
use crate::workspace::{
    Action, Coverage, OnStale, PlannedFile, Proposal, Refusal, RefusalKind, SessionId, Truth,
};

use crate::daemon::commit::{Due, Landed};
use crate::daemon::draft::{Drafted, stays_notebook};
use crate::daemon::event::ReviewEvent;
use crate::daemon::past::{Intent, Landing};
use crate::daemon::work::{Manner, Rules, Worked, finish};
use crate::daemon::{Core, Failure, SessionContext, answer};

use super::ReviewFile;
use super::shown::comments;

/// Bytes of an outcome that are kept; of a longer one the diffs and snippets are not.
const KEPT_OUTCOME: usize = 256 << 10;

/// A file with what was decided about it.
pub(super) struct Decided<'a> {
    pub(super) file: &'a PlannedFile,
    pub(super) choices: &'a [Choice],
    pub(super) replacement: Option<&'a Replacement>,
}

/// A proposal that happens. However that ends, in a panic too, it is free again afterwards.
struct Attempt<'a> {
    core: &'a Core,
    id: &'a str,
    settled: bool,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.core.books.send(ReviewEvent::NotDecided { id: self.id.to_owned() }.into());
        }
    }
}

impl Core {
    /// Does what was accepted, in all files or in none, and closes the proposal. If it cannot be done, the last
    /// decision counts as not made.
    pub(crate) fn carry_out_review(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        mut review: Review,
        (context, files): (&SessionContext, Vec<ReviewFile>),
    ) -> Result<(), Failure> {
        let id = proposal.id.to_string();
        let revision = proposal.revision;
        self.ask(|reply| ReviewEvent::BeginDecided {
            session: session.id,
            id: id.clone(),
            revision,
            reply,
        })??;
        let mut attempt = Attempt { core: self, id: &id, settled: false };
        let edits = self.user_edits(proposal, &review, &files);
        let lines = lines_of(proposal, &review, &files);
        let all = review.choices.iter().all(|choice| *choice == Choice::Accepted);
        let fresh = proposal.files.iter().zip(&files).all(|(file, looked)| looked.is_fresh(file));
        let undoes = proposal.undoes.clone().filter(|_| all && fresh);
        let due = match &undoes {
            Some(transaction) => self.work_back_reviewed(context, proposal, transaction)?,
            None => self.work_all(proposal, &review, files)?,
        };
        let places: Vec<usize> = due.iter().map(|due| due.index).collect();
        let mut landing = Landing { files: Vec::new(), transaction: None, undoes: None };
        if !due.is_empty() {
            let intent = Intent { undoes, ..Intent::of(proposal) };
            landing = self.commit(due, &intent)?;
        }
        attempt.settled = true;
        let landed: Vec<_> = places.into_iter().zip(landing.files).collect();
        let mut result = super::shown::undecided(proposal);
        result.revision = revision + 1;
        review.verdict().name().clone_into(&mut result.state);
        result.transaction = landing.transaction.as_ref().map(ToString::to_string);
        result.undoes = landing.undoes.as_ref().map(ToString::to_string);
        (result.user_edits, result.comments) = (edits, comments(Some(&review)));
        tell_hunks(&mut result, &lines);
        for (at, landed) in &landed {
            let hunks = std::mem::take(&mut result.files[*at].entry.hunks);
            let entry = answer::entry(&landed.file, hunks);
            result.files[*at] = AppliedFile { entry, landed: Some(answer::landed_file(landed)) };
        }
        review.outcome = written(&mut result);
        let moved = landed.iter().map(|(_, landed): &(usize, Landed)| landed.moved(false)).collect();
        let is_there = |session: SessionId| self.clients.knows(session);
        let by = if is_there(proposal.session) { proposal.session } else { SessionId(0) };
        self.ask(|reply| ReviewEvent::Decided {
            session: session.id,
            by: (by, proposal.author.clone()),
            id: id.clone(),
            review,
            transaction: landing.transaction,
            moved,
            reply,
        })
    }

    fn work_all(
        &self,
        proposal: &Proposal,
        review: &Review,
        files: Vec<ReviewFile>,
    ) -> Result<Vec<Due>, Failure> {
        let (mut due, mut refusals) = (Vec::new(), Vec::new());
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        for (index, ((file, mut looked), range)) in of_files.enumerate() {
            let replacement = review.replaced.get(&index);
            let decided = Decided { file, choices: &review.choices[range], replacement };
            let to = looked.place.as_mut().ok().and_then(|(_, to)| to.take());
            match self.work_decided(&decided, looked) {
                Ok(Some(worked)) => {
                    let to = to.filter(|_| matches!(worked.file.action, Action::Rename { .. }));
                    due.push(Due::new(index, worked, to));
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal.of_change(index).of_proposal()),
            }
        }
        if refusals.is_empty() { Ok(due) } else { Err(Failure::Refused(refusals)) }
    }

    /// What a person rejected of a proposal of which the rest has happened, over what is there now.
    pub(crate) fn work_rejected(
        &self,
        proposal: &Proposal,
        files: Vec<ReviewFile>,
    ) -> Result<Vec<PlannedFile>, Failure> {
        let review = proposal.review.clone().unwrap_or_default();
        let (mut wanted, mut refusals) = (Vec::new(), Vec::new());
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        for (index, ((file, looked), range)) in of_files.enumerate() {
            // It is shown before anything happens, so it may be over what was changed there since.
            let again = |choice: &Choice| {
                if *choice == Choice::Rejected { Choice::Taken } else { Choice::Rejected }
            };
            let choices: Vec<_> = review.choices[range].iter().map(again).collect();
            let is_gone = matches!(looked.truth(), Truth::Missing);
            if is_gone && choices.contains(&Choice::Taken) && file.before.is_some() {
                refusals.push(Refusal::at(&file.path, RefusalKind::Missing).of_change(index).of_proposal());
                continue;
            }
            match self.work_decided(&Decided { file, choices: &choices, replacement: None }, looked) {
                Ok(Some(mut worked)) => {
                    worked.settle();
                    wanted.push(worked.file);
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal.of_change(index).of_proposal()),
            }
        }
        match wanted.is_empty() {
            _ if !refusals.is_empty() => Err(Failure::Refused(refusals)),
            true => Err(Refusal::new(RefusalKind::NoChange).into()),
            false => Ok(wanted),
        }
    }

    /// What happens to a file; nothing if it stays as it is.
    pub(super) fn work_decided(
        &self,
        decided: &Decided<'_>,
        looked: ReviewFile,
    ) -> Result<Option<Worked>, Refusal> {
        let Decided { file, choices, replacement } = *decided;
        let about = |kind| Refusal::at(&file.path, kind);
        let rules = &Rules {
            indexes: &self.indexes,
            manner: Manner::default(),
            on_stale: OnStale::Reject,
            display: file.shown.as_ref().map(|shown| shown.display),
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        let seen = (looked.truth(), looked.now());
        let verdict = looked.look.verdict(file, choices, replacement, seen, rules.deadline);
        if verdict == Verdict::Nothing {
            return Ok(None);
        }
        let is_fresh = looked.is_fresh(file);
        let (observed, _) = looked.place?;
        let as_proposed = is_fresh
            && match (&verdict, &file.action) {
                (Verdict::Text(plan), Action::Edit | Action::Create { .. })
                | (Verdict::Rename(plan), Action::Rename { .. }) => *plan == *file.plan,
                _ => false,
            };
        if (as_proposed && replacement.is_none()) || (verdict == Verdict::Delete && is_fresh) {
            return Worked::again(file, observed, rules).map(Some);
        }
        let (action, plan) = match verdict {
            Verdict::Delete => (Action::Delete, Plan::default()),
            Verdict::Rename(plan) => (file.action.clone(), plan),
            Verdict::Text(plan) if matches!(observed.truth, Truth::Missing) => {
                (if file.action.creates() { file.action.clone() } else { Action::CREATE }, plan)
            }
            Verdict::Text(plan) => (Action::Edit, plan),
            Verdict::Nothing => return Ok(None),
        };
        if action != Action::Delete && !plan.is_empty() && observed.exists() {
            observed.content().map_err(about)?;
        }
        let text = observed.text.as_ref().map_or("", |text| text);
        stays_notebook(&file.path, text, &plan).map_err(about)?;
        let was = observed.truth.snapshot().map(|now| now.format);
        let then = file.before.as_ref().map(|before| before.format);
        // Another encoding was wanted of what it was then; what it has become since is nobody's wish.
        let format = was.filter(|_| was != then).unwrap_or(file.format);
        let drafted = Drafted {
            plan,
            matches: file.matches.clone(),
            warnings: file.warnings.clone(),
            rebased: file.rebased || !is_fresh,
            alone: None,
        };
        // What else has changed since its author has not seen.
        let coverage = if is_fresh { file.coverage } else { Coverage::Part };
        match finish(observed, action, format, drafted, coverage, rules) {
            Ok(mut worked) => {
                worked.file.tags.clone_from(&file.tags);
                Ok(Some(worked))
            }
            Err(RefusalKind::NoChange) => Ok(None),
            Err(kind) => Err(about(kind)),
        }
    }

    /// From what the author wanted to what is written, where the person wrote something else.
    fn user_edits(&self, proposal: &Proposal, review: &Review, files: &[ReviewFile]) -> Vec<UserEdit> {
        let of_files = proposal.files.iter().zip(files).enumerate();
        let edit = |(index, (file, looked)): (usize, (&PlannedFile, &ReviewFile))| {
            let replacement = review.replaced.get(&index)?;
            let now = looked.now().unwrap_or_default();
            let written = replacement.plan(looked.truth(), looked.now(), self.deadline())?.apply(now);
            let all = vec![Choice::Taken; looked.look.hunks.len()];
            let seen = (looked.truth(), looked.now());
            let wanted = match looked.look.verdict(file, &all, None, seen, self.deadline()) {
                Verdict::Text(plan) | Verdict::Rename(plan) if plan.fits(now) => plan.apply(now),
                Verdict::Delete => String::new(),
                _ => now.to_owned(),
            };
            let name = file.path.display().to_string();
            let label = name.trim_start_matches('/');
            let diff = diff_texts(&wanted, &written, Labels::same(label), self.deadline()).unified;
            Some(UserEdit { path: name, diff })
        };
        of_files.filter_map(edit).collect()
    }
}

/// The lines and states of all hunks as they are decided.
fn lines_of(
    proposal: &Proposal,
    review: &Review,
    files: &[ReviewFile],
) -> Vec<Vec<(crate::edit::Hunk, &'static str)>> {
    let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
    let of_file = |((file, looked), range): ((&PlannedFile, &ReviewFile), std::ops::Range<usize>)| {
        let choices = &review.choices[range];
        let lines = looked.look.lines(&file.hunks(), choices);
        lines.into_iter().zip(choices).map(|(lines, choice)| (lines, choice.name(false))).collect()
    };
    of_files.map(of_file).collect()
}

fn tell_hunks(result: &mut ApplyResult, lines: &[Vec<(crate::edit::Hunk, &'static str)>]) {
    for (file, lines) in result.files.iter_mut().zip(lines) {
        for (hunk, (lines, state)) in file.entry.hunks.iter_mut().zip(lines) {
            (hunk.old_start, hunk.old_lines) = (lines.old_start, lines.old_lines);
            (hunk.new_start, hunk.new_lines) = (lines.new_start, lines.new_lines);
            (*state).clone_into(&mut hunk.state);
        }
    }
}

fn written(result: &mut ApplyResult) -> Option<Arc<str>> {
    let json = serde_json::to_string(result).ok()?;
    if json.len() <= KEPT_OUTCOME {
        return Some(json.into());
    }
    for file in &mut result.files {
        file.entry.diff.clear();
        file.entry.display = None;
        file.entry.matches.clear();
        file.entry.warnings.push("The diff of this closed proposal was too long to be kept.".to_owned());
        if let Some(landed) = &mut file.landed {
            landed.snippet.clear();
        }
    }
    serde_json::to_string(result).ok().map(Into::into)
}
