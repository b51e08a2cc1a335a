//! Deciding proposals: committing their accepted hunks, and reopening the rejected ones.

use std::ops::Range;
use std::sync::Arc;
use std::time::SystemTime;

use scopeguard::{ScopeGuard, guard};

use crate::engine::change::check::new_errors;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::{ComputedChange, finish};
use crate::engine::change::draft::{Draft, stays_notebook};
use crate::engine::change::history_recording::{CommitResult, Intent};
use crate::engine::jobs::Job;
use crate::engine::native::{MadeFile, can_be_written_by_client, prepared_file};
use crate::engine::review::view::ProposalView;
use crate::engine::review::{LocatedReview, ReviewFile};
use crate::engine::undo::already_reverted;
use crate::engine::{Engine, Result, SessionContext, collect_all};
use editd_edit::{Labels, Plan, diff_texts};
use editd_workspace::history::{Origin, PathChange};
use editd_workspace::review::{
    Choice, DecidedFile, Decision, FileOutcome, HunkKind, Replacement, Review, ReviewOutcome,
};
use editd_workspace::{
    Action, Coverage, FileContent, OnStale, PlannedFile, Proposal, ProposalState, Refusal, RefusalKind,
    ReviewRefusal, SessionId,
};

/// Maximum size of the texts of a stored outcome, in bytes. A larger one is stored without diffs and snippets.
const STORED_OUTCOME: usize = 256 << 10;

/// A file with the decisions about it.
pub(crate) struct Decided<'a> {
    pub(crate) file: &'a PlannedFile,
    pub(crate) choices: &'a [Choice],
    pub(crate) replacement: Option<&'a Replacement>,
}

impl Engine {
    /// Commits the accepted hunks, in all files or none, and closes the proposal. If the commit fails, the
    /// last decision does not count.
    fn carry_out_review(
        &self,
        session: &SessionContext,
        proposal: &Proposal,
        mut review: Review,
        (context, files): (&SessionContext, Vec<ReviewFile>),
    ) -> Result<()> {
        let id = proposal.id.to_string();
        let revision = proposal.revision;
        self.workspace.update(|w| w.begin_decision(session.id, &id, revision))?;
        // Unless the commit succeeds, the proposal is pending again, also after a panic.
        let attempt = guard((), |()| self.workspace.update(|w| w.decision_failed(&id)));
        let mut decided = self.decided_files(proposal, &review, &files);
        let all = review.choices.iter().all(|choice| *choice == Choice::Accepted);
        let fresh = proposal.files.iter().zip(&files).all(|(file, reviewed)| reviewed.is_fresh(file));
        let landed = proposal.landed.as_ref().map(|landed| &landed.transaction);
        let is_whole = all && fresh && self.is_about_all_files(proposal);
        let undoes = landed.or(proposal.undoes.as_ref()).filter(|_| is_whole).cloned();
        let (mut writes, paths) =
            self.decided_changes((context, proposal), &review, undoes.as_deref(), files)?;
        let mut indexes: Vec<usize> = Vec::new();
        let mut commit_result = CommitResult { files: Vec::new(), transaction: None, undoes: None };
        // A tool that has read the file refuses to write it if the file has changed since.
        let is_handed_over = fresh
            && !writes.is_empty()
            && paths.is_empty()
            && self.prepared.hand_over(&id, |losses| {
                let can_write = writes.iter().all(|write| can_be_written_by_client(&write.computed, losses));
                can_write.then(|| writes.iter_mut().map(prepared_file).collect())
            });
        let is_change = !(writes.is_empty() && paths.is_empty());
        if is_change && !is_handed_over {
            indexes = writes.iter().map(|write| write.index).collect();
            let intent = Intent { undoes, paths, ..intent_of(session, proposal, all) };
            let made = self.prepared.is_rewritten(&id).then(|| MadeFile::of(&writes)).flatten();
            commit_result = self.commit(writes, &intent)?;
            if let Some(made) = made {
                self.prepared.made(&id, made);
            }
        }
        ScopeGuard::into_inner(attempt);
        let CommitResult { files: committed, transaction, undoes } = commit_result;
        let committed: Vec<_> = indexes.into_iter().zip(committed).collect();
        for (index, file) in &committed {
            decided[*index].file = file.file.as_shown();
            decided[*index].written = Some(file.written());
        }
        let mut outcome = ReviewOutcome { undoes, files: decided };
        if outcome.text_len() > STORED_OUTCOME {
            outcome.drop_texts();
        }
        review.outcome = Some(Arc::new(outcome));
        let (moved, observations): (Vec<_>, Vec<_>) =
            committed.iter().map(|(_, file)| file.moved(false)).unzip();
        let is_connected = self.clients.get(proposal.session).is_some();
        let (by, author) = match landed {
            // A person who reverts a landed change makes the change.
            Some(_) => (session.id, &session.author),
            None if is_connected => (proposal.session, &proposal.author),
            None => (SessionId(0), &proposal.author),
        };
        self.workspace.update(|w| {
            w.decided(session.id, &id, review, transaction);
            w.record_decided(by, author, moved);
            w.cache_all(observations);
        });
        Ok(())
    }

    /// Returns the changes of files, links, folders and permissions that the decisions make. `undoes` is the
    /// transaction that all of them together undo, if they do.
    fn decided_changes(
        &self,
        (context, proposal): (&SessionContext, &Proposal),
        review: &Review,
        undoes: Option<&str>,
        files: Vec<ReviewFile>,
    ) -> Result<(Vec<PendingWrite>, Vec<PathChange>)> {
        let paths = self.decided_paths(context, proposal, review, undoes.is_some())?;
        let Some(transaction) = undoes.filter(|_| proposal.landed.is_none()) else {
            return Ok((self.compute_decided_files(proposal, review, files)?, paths));
        };
        let writes = self.compute_reviewed_undo(context, proposal, transaction)?;
        if writes.is_empty() && paths.is_empty() {
            return Err(already_reverted(transaction.to_owned()).into());
        }
        Ok((writes, paths))
    }

    fn compute_decided_files(
        &self,
        proposal: &Proposal,
        review: &Review,
        files: Vec<ReviewFile>,
    ) -> Result<Vec<PendingWrite>> {
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges()).enumerate();
        let writes = of_files.map(|(index, ((file, mut reviewed), range))| {
            let replacement = review.replaced.get(&index);
            let decided = Decided { file, choices: &review.choices[range], replacement };
            let to = reviewed.located.as_mut().ok().and_then(|(_, to)| to.take());
            let computed = match proposal.landed.as_ref().filter(|_| decided.is_exact(&reviewed)) {
                Some(landed) => self.compute_reverted(&landed.transaction, file, reviewed)?,
                None => self.compute_decided(&decided, reviewed).map_err(Refusal::of_proposal)?,
            };
            // A link or a folder is replaced only together with everything else.
            if let Some(path) = computed.as_ref().and_then(|it| it.observed.target.path_in_the_way()) {
                return Err(Refusal::at(&path, RefusalKind::Exists));
            }
            Ok(computed.map(|computed| {
                let to = to.filter(|_| matches!(computed.file.action, Action::Rename { .. }));
                PendingWrite::new(index, computed, to)
            }))
        });
        Ok(collect_all(writes)?.into_iter().flatten().collect())
    }

    /// Computes the rejected part of a closed proposal on the current content.
    pub(crate) fn compute_rejected(
        &self,
        proposal: &Proposal,
        files: Vec<ReviewFile>,
    ) -> Result<Vec<PlannedFile>> {
        let review = proposal.review.clone().unwrap_or_default();
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges());
        let wanted = of_files.map(|((file, reviewed), range)| {
            // The result is reviewed before it is committed, so it may overwrite what was changed since.
            let invert = |choice: &Choice| {
                if *choice == Choice::Rejected { Choice::Taken } else { Choice::Rejected }
            };
            let choices: Vec<_> = review.choices[range].iter().map(invert).collect();
            let is_gone = matches!(reviewed.content, FileContent::Missing);
            if is_gone && choices.contains(&Choice::Taken) && file.before.is_some() {
                return Err(Refusal::at(&file.path, RefusalKind::Missing));
            }
            let decided = Decided { file, choices: &choices, replacement: None };
            let computed = self.compute_decided(&decided, reviewed).map_err(Refusal::of_proposal)?;
            Ok(computed.map(ComputedChange::into_file))
        });
        let wanted: Vec<_> = collect_all(wanted)?.into_iter().flatten().collect();
        if wanted.is_empty() { Err(Refusal::new(RefusalKind::NoChange).into()) } else { Ok(wanted) }
    }

    /// Computes the change of a file after the decisions. Returns `None` if the file stays as it is.
    pub(crate) fn compute_decided(
        &self,
        decided: &Decided<'_>,
        reviewed: ReviewFile,
    ) -> Result<Option<ComputedChange>, Refusal> {
        let Decided { file, choices, replacement } = *decided;
        let about = |kind| Refusal::at(&file.path, kind);
        let display = file.shown.as_ref().map(|shown| shown.display);
        let rules = &self.compute_options(OnStale::Reject, display);
        let version = reviewed.observed_version(file);
        let verdict = version.verdict(choices, replacement, rules.deadline);
        if verdict == FileOutcome::Nothing {
            return Ok(None);
        }
        let (is_fresh, keeps_encoding) = (reviewed.is_fresh(file), version.keeps_encoding(choices));
        let (observed, _) = reviewed.located?;
        if is_fresh && !keeps_encoding && is_as_proposed(&verdict, file, replacement) {
            return ComputedChange::of_planned(file, observed, rules).map(Some);
        }
        let (action, plan) = match verdict {
            FileOutcome::Delete => (Action::Delete, Plan::default()),
            FileOutcome::Rename(plan) => (file.action.clone(), plan),
            FileOutcome::Text(plan) if matches!(observed.content, FileContent::Missing) => {
                (if file.action.creates() { file.action.clone() } else { Action::CREATE }, plan)
            }
            FileOutcome::Text(plan) => (Action::Edit, plan),
            FileOutcome::Nothing => return Ok(None),
        };
        if action != Action::Delete && !plan.is_empty() && observed.exists() {
            observed.content().map_err(about)?;
        }
        let text = observed.text.as_ref().map_or("", |text| text);
        stays_notebook(&file.path, text, &plan).map_err(about)?;
        let current = observed.content.snapshot().map(|now| now.format);
        let proposed_for = file.before.as_ref().map(|before| before.format);
        // If the format of the file has changed since the proposal, the new format stays.
        let is_kept = current != proposed_for || keeps_encoding;
        let format = current.filter(|_| is_kept).unwrap_or(file.format);
        let path = match &action {
            Action::Rename { to, .. } => to,
            _ => &file.path,
        };
        let syntax = new_errors(path, &observed, &plan, rules);
        let draft = Draft {
            plan,
            matches: file.matches.clone(),
            warnings: file.warnings.clone(),
            rebased: file.rebased || !is_fresh,
            since: None,
            original_plan: None,
            renamed: Vec::new(),
            renames: Vec::new(),
        };
        // The author has not seen the other changes since the proposal.
        let coverage = if is_fresh { file.coverage } else { Coverage::Part };
        match finish(observed, action, format, draft, coverage, rules) {
            Ok(mut computed) => {
                computed.file.runs_programs = file.runs_programs;
                computed.file.syntax = syntax;
                Ok(Some(computed))
            }
            Err(RefusalKind::NoChange) => Ok(None),
            Err(kind) => Err(about(kind)),
        }
    }

    /// Returns the files with the line numbers of their hunks and the edits of the user.
    fn decided_files(&self, proposal: &Proposal, review: &Review, files: &[ReviewFile]) -> Vec<DecidedFile> {
        let of_files = proposal.files.iter().zip(files).zip(proposal.hunk_ranges()).enumerate();
        let decided =
            |(index, ((file, reviewed), range)): (usize, ((&PlannedFile, &ReviewFile), Range<usize>))| {
                let mut hunks = file.hunks();
                let lines = reviewed.rebased.lines(&hunks, &review.choices[range]);
                for ((_, hunk), lines) in hunks.iter_mut().zip(lines) {
                    *hunk = lines;
                }
                let replacement = review.replaced.get(&index);
                let is_landed = proposal.landed.is_some();
                let user_edit = replacement
                    .and_then(|replacement| self.user_edit((file, is_landed), reviewed, replacement));
                DecidedFile { file: file.as_shown(), hunks, user_edit, written: None }
            };
        of_files.map(decided).collect()
    }

    /// Returns the diff from the content that the author made to the written content of a file that the user
    /// edited. That content is the proposed one, or the current one if the change has landed.
    fn user_edit(
        &self,
        (file, is_landed): (&PlannedFile, bool),
        reviewed: &ReviewFile,
        replacement: &Replacement,
    ) -> Option<String> {
        let now = reviewed.text().unwrap_or_default();
        let result = replacement.plan(&reviewed.content, reviewed.text(), self.deadline())?.apply(now);
        let choice = if is_landed { Choice::Rejected } else { Choice::Taken };
        let all = vec![choice; reviewed.rebased.hunks.len()];
        let proposed = reviewed.observed_version(file).proposed(&all, None, self.deadline());
        let name = file.path.display().to_string();
        let labels = Labels::same(name.trim_start_matches('/'));
        Some(diff_texts(&proposed, &result, labels, self.deadline()).unified)
    }

    /// Makes the rejected part of a closed proposal a new pending proposal.
    pub(crate) fn reopen(
        &self,
        session: &SessionContext,
        places: LocatedReview,
        job: &Job,
    ) -> Result<ProposalView> {
        let (old, _, files) = self.observe_review(places, self.deadline());
        let id = old.id.to_string();
        let files = match old.state {
            ProposalState::Rejected => old.files.to_vec(),
            _ => self.compute_rejected(&old, files)?,
        };
        job.check()?;
        let at = SystemTime::now();
        let reopened = self.workspace.update(|w| w.reopen(session.id, &id, files, at))?;
        Ok(self.view(session, reopened))
    }

    /// Records a decision. If it is the last one, commits the accepted hunks. `read` reads the
    /// decision.
    pub(crate) fn decide(
        &self,
        session: &SessionContext,
        places: LocatedReview,
        read: impl FnOnce(&Proposal, &[ReviewFile]) -> Result<Decision>,
        job: &Job,
    ) -> Result<ProposalView> {
        let (id, revision) = (places.proposal.id.to_string(), places.proposal.revision);
        // Another request may have decided the proposal while this one waited for the file locks.
        let proposal = self.workspace.update(|w| w.proposal_to_decide(session.id, &id, revision).cloned())?;
        let places = LocatedReview { proposal, ..places };
        let (proposal, context, files) = self.observe_review(places, self.deadline());
        let decision = read(&proposal, &files)?;
        let decision = if proposal.landed.is_some() { decision.inverse() } else { decision };
        let seen: Vec<_> =
            proposal.files.iter().zip(&files).map(|(file, it)| it.observed_version(file)).collect();
        let review = proposal.review.clone().unwrap_or_else(|| Review::open(proposal.hunk_count()));
        let hunks = review.applied_by_rejection(&decision);
        if !hunks.is_empty() {
            let landed = proposal.landed.is_some();
            return Err(
                Refusal::new(RefusalKind::Review(ReviewRefusal::EarlierDecision { hunks, landed })).into()
            );
        }
        let mut review = review.decide(&seen, &decision, self.deadline());
        let is_decided = review.reopen_outdated(&seen, self.deadline());
        drop(seen);
        job.check()?;
        if is_decided {
            self.carry_out_review(session, &proposal, review, (&context, files))?;
            return Ok(ProposalView::Stored(self.known_proposal(session.id, &id)?));
        }
        let proposal = self.workspace.update(|w| w.decide(session.id, &id, revision, review))?;
        Ok(self.rebased_view(session, proposal, files))
    }
}

impl Decided<'_> {
    /// Returns `true` if the decisions make the whole change of a file, and only its recorded content can: the file
    /// is as the change needs it, or it is not text.
    fn is_exact(&self, reviewed: &ReviewFile) -> bool {
        let is_binary = reviewed.rebased.hunks.iter().any(|hunk| hunk.kind == HunkKind::Binary);
        let is_without_text = is_binary || self.file.is_folded();
        let is_whole = self.replacement.is_none() && self.choices.iter().all(|choice| choice.has_effect());
        is_whole && (is_without_text || reviewed.is_fresh(self.file))
    }
}

/// Returns the author and the purpose of the change that a decision makes. `all` is `true` if it makes the whole
/// change of the proposal.
fn intent_of(session: &SessionContext, proposal: &Proposal, all: bool) -> Intent {
    let Some(landed) = &proposal.landed else { return Intent::of(proposal) };
    let label = proposal.label.as_deref().unwrap_or(&landed.transaction);
    Intent {
        author: session.author.clone(),
        role: session.role,
        session: session.name.clone(),
        origin: Origin::default(),
        label: Some(if all { format!("Undo: {label}") } else { format!("Undo a part of: {label}") }),
        ..Intent::of(proposal)
    }
}

/// Returns `true` if the decisions give exactly the proposed change of a file.
fn is_as_proposed(outcome: &FileOutcome, file: &PlannedFile, replacement: Option<&Replacement>) -> bool {
    match (outcome, &file.action) {
        (FileOutcome::Delete, _) => true,
        (FileOutcome::Text(plan), Action::Edit | Action::Create { .. })
        | (FileOutcome::Rename(plan), Action::Rename { .. }) => replacement.is_none() && *plan == *file.plan,
        _ => false,
    }
}
