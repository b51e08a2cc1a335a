//! Carries out changes: computes them, and writes them or puts them under review.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::config::ReviewMode;
use crate::engine::change::commit::{PendingWrite, changes};
use crate::engine::change::compute::ComputeOptions;
use crate::engine::change::history_recording::{CommitResult, Intent};
use crate::engine::change::lines::Basis;
use crate::engine::change::moves::fill_moves;
use crate::engine::change::renames::fill_uses;
use crate::engine::change::request::{Call, Header, PatchInfo, Reads};
use crate::engine::change::retried::{refuse_moved_on, take_accepted, take_bases};
use crate::engine::change::spread::{SpreadPart, SpreadPlaces};
use crate::engine::change::{RequestedChange, RequestedEdit};
use crate::engine::concurrent::map_all;
use crate::engine::files::access::Clearance;
use crate::engine::jobs::{Job, Located};
use crate::engine::review::paths_of;
use crate::engine::{Engine, Failure, Result, SessionContext, collect_all};
use editd_disk::Target;
use editd_edit::{EditRefusalKind, renumbered};
use editd_syntax::MAX_CHECK_TIME;
use editd_text::ContentHash;
use editd_workspace::history::PathChange;
use editd_workspace::review::{created_and_deleted, to_decide};
use editd_workspace::{
    Action, BaseState, Coverage, FileKey, NewProposal, ObservedVersion, PlannedFile, Proposal, ProposalState,
    Refusal, RefusalKind, Repeatable, Role, SentBase, ShownLines,
};

/// The options of a request for a computed change.
#[derive(Default)]
pub(crate) struct ChangeOptions {
    /// The `requestId`, if the request has one.
    pub(crate) request: Option<Repeatable>,
    /// The transaction that the change undoes, if any.
    pub(crate) undoes: Option<Arc<str>>,
    /// The links, folders and permissions that the undo restores.
    pub(crate) paths: Vec<PathChange>,
    /// The `review` parameter: `true` if the user must decide.
    pub(crate) review: Option<bool>,
}

/// The outcome of a request for a change.
pub(crate) enum ChangeOutcome {
    Applied(Box<AppliedChange>),
    /// A proposal without a decision, for instance one that waits for a reviewer.
    Undecided(Box<Proposal>),
}

/// A committed change, with the proposal that it applied.
pub(crate) struct AppliedChange {
    pub(crate) proposal: Proposal,
    pub(crate) commit: CommitResult,
}

/// Number of files whose checks for syntax errors may take longer than half of the time that the files take to write.
const MANY: usize = 64;

/// Completes computed changes. The checks of many files together take at most `limit`, because parsing takes many times as
/// long as replacing a text. The files that are left out are counted in a warning.
fn settle_beside(writes: &mut [PendingWrite], limit: Duration) {
    let until = (writes.len() > MANY).then(|| Instant::now() + limit);
    let are_checked = map_all(writes.iter_mut().collect(), |write| write.computed.settle_until(until));
    let left_out = are_checked.iter().filter(|is_checked| !**is_checked).count();
    if let Some(first) = writes.first_mut().filter(|_| left_out > 0) {
        let all = are_checked.len();
        first.computed.file.warnings.push(format!(
            "Too many files to check them all for new syntax errors: {left_out} of {all} were not checked."
        ));
    }
}

/// The file of a change that is being computed.
struct About {
    /// Index of the change in the request.
    index: usize,
    /// The new path of a rename.
    to: Option<Target>,
    key: FileKey,
    version: Option<ContentHash>,
    is_empty: bool,
    /// The old texts of the edits.
    edits: Vec<String>,
    warning: Option<String>,
    part: Option<SpreadPart>,
    /// The number of each edit in its change of the request.
    numbers: Vec<usize>,
}

impl Engine {
    /// Returns `true` if the user must review a change of these files and paths: because the configuration requires it,
    /// because an editor shows reviews for them (mode `auto`), or because the request asks for it. A request
    /// can ask for more than is configured, but not for less. Changes from an editor are the user's own and
    /// need no review.
    pub(crate) fn wants_review(
        &self,
        session: &SessionContext,
        asked: Option<bool>,
        (files, paths): (&[&PlannedFile], &[PathChange]),
    ) -> bool {
        let paths = paths.iter().map(|change| change.path.clone());
        let paths = files.iter().flat_map(|file| paths_of(file)).chain(paths);
        asked == Some(true) || (session.role == Role::Agent && self.reviews_agents(paths))
    }

    /// Returns `true` if a person reviews what agents change in these files.
    pub(crate) fn reviews_agents(&self, paths: impl Iterator<Item = PathBuf>) -> bool {
        match self.config.review {
            ReviewMode::Off => false,
            ReviewMode::Always => true,
            ReviewMode::Auto => self.has_reviewer(paths),
        }
    }

    pub(crate) fn review_for_call(&self, call: &Call<Target>, asked: Option<bool>) -> Result<Option<bool>> {
        let clearances = call.files.iter().map(|file| (file.index, &file.clearance));
        let targets = call.targets();
        let decided = self.review_by_rules(clearances, targets.iter().map(|target| &target.path), asked);
        decided.map_err(|failure| PatchInfo::add_lines(call.patch.as_ref(), failure))
    }

    /// Returns the `review` option of a request, adjusted by the path rules. If the rules require a review
    /// and a reviewer is available, the whole set goes under review. The same holds if the change waits for
    /// review anyway. Otherwise, the request is refused before it reveals anything else about its files.
    /// `clearances` are those of all changes, with their indexes, and `paths` are their paths.
    pub(crate) fn review_by_rules<'c>(
        &self,
        clearances: impl Iterator<Item = (usize, &'c Clearance)>,
        paths: impl Iterator<Item = &'c PathBuf>,
        asked: Option<bool>,
    ) -> Result<Option<bool>> {
        let to_review =
            |(index, clearance): (usize, &Clearance)| Some(clearance.review.clone()?.of_change(index));
        let to_review: Vec<_> = clearances.filter_map(to_review).collect();
        if to_review.is_empty() {
            return Ok(asked);
        }
        // A proposal that waits anyway can be decided at any terminal, now or later.
        let waits = asked == Some(true) || self.config.review == ReviewMode::Always;
        if waits || self.has_reviewer(paths.cloned()) {
            return Ok(Some(true));
        }
        Err(Failure::Refused(to_review))
    }

    fn has_reviewer(&self, paths: impl Iterator<Item = PathBuf>) -> bool {
        let (paths, now): (Vec<_>, _) = (paths.collect(), SystemTime::now());
        let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
        // The other names of a file may lie in the folders of any reviewer.
        let has_several_names = |path: &&Path| {
            std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.nlink() > 1)
        };
        let is_anywhere = self.config.hard_links && paths.iter().any(has_several_names);
        self.workspace.update(|w| w.has_reviewer(&paths, now) || is_anywhere && w.has_any_reviewer(now))
    }

    /// Records a computed change as a proposal, and either applies it at once or puts it under review.
    pub(crate) fn perform(
        &self,
        session: &SessionContext,
        header: &Header,
        mut writes: Vec<PendingWrite>,
        options: ChangeOptions,
    ) -> Result<ChangeOutcome> {
        let files: Vec<_> = writes.iter().map(|write| &write.computed.file).collect();
        if self.wants_review(session, options.review, (&files, &options.paths)) {
            let proposal =
                self.record_proposal(session, header, &mut writes, ProposalState::Pending, options)?;
            return Ok(ChangeOutcome::Undecided(Box::new(proposal)));
        }
        self.route(&mut writes)?;
        let changes = changes(&writes);
        let _staging = self.staging(&changes);
        let paths = options.paths.clone();
        let restoring = self.restore_before_files(&paths, &writes)?;
        // Large contents are hashed while they are staged, and the proposal needs the hashes.
        let begun = Instant::now();
        let staged = self.stage(&changes);
        settle_beside(&mut writes, (begun.elapsed() / 2).max(MAX_CHECK_TIME));
        let undoes = options.undoes.clone();
        let proposal =
            self.record_proposal(session, header, &mut writes, ProposalState::Applying, options)?;
        let intent = Intent { undoes, paths: paths.clone(), ..Intent::of(&proposal) };
        let commit_result = self.commit_staged(staged, writes, &intent);
        drop(changes);
        match commit_result {
            Ok(commit_result) => {
                restoring.succeeded();
                Ok(self.report(session, proposal, commit_result, false))
            }
            Err(refusal) => {
                self.not_applied(session, &proposal, ProposalState::Failed);
                Err(refusal.into())
            }
        }
    }

    /// Records a committed change in the workspace. `carried` means that the files differ from the proposed
    /// ones, because they were rebased.
    pub(crate) fn report(
        &self,
        session: &SessionContext,
        proposal: Proposal,
        mut commit: CommitResult,
        carried: bool,
    ) -> ChangeOutcome {
        let is_own = proposal.session == session.id;
        let (moved, observations): (Vec<_>, Vec<_>) =
            commit.files.iter().map(|committed| committed.moved(is_own)).unzip();
        let files = carried.then(|| commit.files.iter().map(|committed| committed.file.clone()).collect());
        commit.transaction = self.workspace.update(|w| {
            let transaction =
                w.applied(session.id, &proposal.id.to_string(), commit.transaction.take(), files);
            w.record_commit(session.id, &proposal.author, moved);
            w.cache_all(observations);
            transaction
        });
        ChangeOutcome::Applied(Box::new(AppliedChange { proposal, commit }))
    }

    pub(crate) fn not_applied(&self, session: &SessionContext, proposal: &Proposal, state: ProposalState) {
        self.workspace.update(|w| w.not_applied(session.id, &proposal.id.to_string(), state));
    }

    /// Observes all files of a call and computes all changes. If any file cannot be observed, nothing is
    /// computed. Each phase reports all of its refusals.
    pub(crate) fn compute(
        &self,
        session: &SessionContext,
        mut call: Call<Target>,
    ) -> Result<(Header, Vec<PendingWrite>)> {
        let files = std::mem::take(&mut call.files);
        let options = self.compute_options(call.header.on_stale, call.header.display);
        let rules = ComputeOptions { matching: call.matching, ..options };
        match self.compute_files(session, &rules, files, &call) {
            Ok(writes) => Ok((call.header, writes)),
            Err(failure) => Err(PatchInfo::add_lines(call.patch.as_ref(), failure)),
        }
    }

    fn compute_files(
        &self,
        session: &SessionContext,
        rules: &ComputeOptions<'_>,
        files: Vec<RequestedChange<Target>>,
        Call { reads, retried, accepted, seen, spread, notes, .. }: &Call<Target>,
    ) -> Result<Vec<PendingWrite>> {
        let observe = |target| self.observe_to_change(target);
        let observed = map_all(files, |change| {
            let index = change.index;
            change.advance(observe, observe).map_err(|refusal| refusal.of_change(index))
        });
        let mut changes = collect_all(observed.into_iter())?;
        take_bases(&mut changes, retried);
        let bases = self.bases_of(session, &mut changes).map_err(Failure::Refused)?;
        seen.record(&changes, &bases);
        refuse_moved_on(&changes, &bases, retried, rules).map_err(Failure::Refused)?;
        take_accepted(&mut changes, accepted);
        let filled = fill_moves(&mut changes, &bases, rules);
        if let Err(refusals) = filled {
            for (change, basis) in changes.iter().zip(&bases) {
                let path = Some(&change.file.target.path);
                let own = refusals.iter().filter(|refusal| refusal.path.as_ref() == path).cloned();
                let file = (&change.file.target.key, basis.version(&change.file));
                self.record_excerpts(session, file, &own.collect::<Vec<_>>());
            }
            return Err(Failure::Refused(refusals));
        }
        let (changes, left) = fill_uses(changes.into_iter().zip(bases).collect(), spread.as_ref(), rules)
            .map_err(Failure::from)?;
        let has_pending = !self.workspace.waiting.is_empty();
        let (mut writes, mut refusals): (Vec<PendingWrite>, Vec<Refusal>) = (Vec::new(), Vec::new());
        let mut places = SpreadPlaces::new(spread.as_ref());
        let changes = changes.into_iter().filter(|(change, _)| !change.kind.only_reads());
        let uncomputed = changes.map(|(change, basis)| {
            // The edits are needed only to search pending proposals for their texts.
            let edits = if has_pending { change.kind.old_texts() } else { Vec::new() };
            let version = basis.version(&change.file);
            let (state, warning) = reads.relax(basis.state, change.file.exists());
            let (part, state) = places.part_of(&change, state);
            let shown = if places.knows_lines(part.as_ref()) { ShownLines::All } else { basis.shown };
            let file = About {
                index: change.index,
                to: change.new_target().cloned(),
                key: change.file.target.key.clone(),
                version,
                is_empty: change.file.text.as_ref().is_some_and(|text| text.is_empty()),
                edits,
                warning,
                part,
                numbers: change.kind.edits().iter().enumerate().map(number_in_request).collect(),
            };
            (file, change, Basis { state, shown })
        });
        let computed =
            map_all(uncomputed.collect(), |(file, change, basis)| (file, change.compute(&basis, rules)));
        for (file, computed) in computed {
            match computed {
                Ok(mut computed) => {
                    places.add(file.part.as_ref(), &computed.file.matches);
                    name_edits(&mut computed.file, &file.numbers);
                    computed.file.warnings.extend(file.warning);
                    writes.push(PendingWrite::new(file.index, computed, file.to));
                }
                Err(reasons) if SpreadPlaces::is_absent(file.part.as_ref(), &reasons) => {}
                Err(reasons) => {
                    self.record_excerpts(session, (&file.key, file.version), &reasons);
                    let reasons = self.explain_by_pending(session, &file.key, &file.edits, reasons);
                    refusals.extend(reasons.into_iter().map(|reason| refuse_empty(reason, file.is_empty)));
                }
            }
        }
        refusals.extend(duplicate_paths(&writes));
        if !refusals.is_empty() {
            return Err(Failure::Refused(refusals));
        }
        places.check().map_err(Refusal::new)?;
        let notice = spread.as_ref().and_then(|spread| spread.notice.clone());
        let first = writes
            .iter()
            .position(|write| left.as_ref().is_some_and(|left| write.computed.file.path == left.home));
        if let Some(first) = writes.get_mut(first.unwrap_or_default()) {
            first
                .computed
                .file
                .warnings
                .extend(left.map(|left| left.warning).into_iter().chain(notice).chain(notes.iter().cloned()));
        }
        Ok(writes)
    }

    /// Compares files with the content that the session was given.
    pub(crate) fn base_states(
        &self,
        session: &SessionContext,
        files: &[(ObservedVersion, Option<SentBase>)],
    ) -> Vec<BaseState> {
        self.workspace
            .update(|w| files.iter().map(|(seen, sent)| w.base_state(session.id, seen, *sent)).collect())
    }

    /// Stores a proposal in the workspace.
    pub(crate) fn record_proposal(
        &self,
        session: &SessionContext,
        header: &Header,
        writes: &mut [PendingWrite],
        state: ProposalState,
        ChangeOptions { request, undoes, paths, .. }: ChangeOptions,
    ) -> Result<Proposal> {
        map_all(writes.iter_mut().collect(), |write| write.computed.settle());
        let files: Vec<_> = writes.iter().map(|write| write.computed.file.clone()).collect();
        // Paths of a change that is made at once are only in the history.
        let paths = if state == ProposalState::Pending {
            to_decide(&paths, created_and_deleted(&files))
        } else {
            Vec::new()
        };
        let new = NewProposal {
            session: session.id,
            author: header.author.clone(),
            origin: header.origin.clone(),
            label: header.label.clone(),
            replaces: header.replaces.clone(),
            on_stale: header.on_stale,
            at: SystemTime::now(),
            state,
            request,
            undoes,
            files,
            paths,
        };
        Ok(self.workspace.update(|w| w.add_proposal(new))?)
    }

    /// Computes and carries out the change of a call.
    pub(crate) fn edit(
        &self,
        session: &SessionContext,
        call: Call<Target>,
        review: Option<bool>,
        job: &Job,
    ) -> Result<ChangeOutcome> {
        let review = self.review_for_call(&call, review)?;
        let request = call.request.clone();
        let (header, writes) = self.compute(session, call)?;
        job.check()?;
        self.perform(session, &header, writes, ChangeOptions { request, review, ..ChangeOptions::default() })
    }

    /// Computes a change and stores it as a proposal.
    pub(crate) fn propose(&self, session: &SessionContext, call: Call<Target>) -> Result<Proposal> {
        // Only for its refusal: `apply` determines again whether the user must review.
        self.review_for_call(&call, None)?;
        let (header, mut writes) = self.compute(session, call)?;
        let options = ChangeOptions::default();
        self.record_proposal(session, &header, &mut writes, ProposalState::Proposed, options)
    }
}

impl Reads {
    /// Returns the base to compare with if not all reads of the author are known or required, and a warning
    /// for the author.
    fn relax(self, base: BaseState, exists: bool) -> (BaseState, Option<String>) {
        let warning = || Some("This file was changed without having been read in this session.".to_owned());
        match (self, &base) {
            (Self::Unknown, _) if exists => (BaseState::Fresh(Coverage::Whole), None),
            (Self::Advised, BaseState::Unread { .. } | BaseState::Fresh(Coverage::Part)) if exists => {
                let is_unread = matches!(base, BaseState::Unread { .. });
                (BaseState::Fresh(Coverage::Whole), if is_unread { warning() } else { None })
            }
            _ => (base, None),
        }
    }
}

/// Returns the number of an edit in its change of the request. A move is two edits, and an edit can name another file.
fn number_in_request((position, edit): (usize, &RequestedEdit)) -> usize {
    edit.of.map_or(position, |of| of.edit)
}

/// Names the edits in the matches and warnings of a file by their numbers in the request.
fn name_edits(file: &mut PlannedFile, numbers: &[usize]) {
    let number = |position: usize| numbers.get(position).copied().unwrap_or(position);
    for found in &mut file.matches {
        found.edit = number(found.edit);
    }
    for warning in &mut file.warnings {
        *warning = renumbered(std::mem::take(warning), number);
    }
}

/// Replaces a "not found" refusal for an empty file with the refusal for empty files.
fn refuse_empty(refusal: Refusal, is_empty: bool) -> Refusal {
    let not_found = matches!(refusal.kind, RefusalKind::Edit(EditRefusalKind::NotFound { .. }));
    let kind = if is_empty && not_found { RefusalKind::EmptyFile } else { refusal.kind };
    Refusal { kind, ..refusal }
}

/// Returns refusals for changes with the same resulting path as another change of the call.
fn duplicate_paths(writes: &[PendingWrite]) -> Vec<Refusal> {
    let (mut paths, mut refusals) = (HashSet::new(), Vec::new());
    for write in writes.iter().filter(|write| write.computed.file.action != Action::Delete) {
        let path = write.to.as_ref().map_or(&write.computed.file.path, |to| &to.path);
        if !paths.insert(path) {
            refusals.push(Refusal::at(path, RefusalKind::Exists).of_change(write.index));
        }
    }
    refusals
}
