//! Undoing transactions.

mod in_the_way;
mod judged;
pub(crate) mod paths;
mod reversal;
mod text_after;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use crate::engine::change::commit::PendingWrite;
use crate::engine::change::compute::ComputedChange;
use crate::engine::change::perform::{ChangeOptions, ChangeOutcome};
use crate::engine::change::request::Header;
use crate::engine::files::access::Clearance;
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::{LocatedChange, Purpose};
use crate::engine::jobs::{Job, Located};
use crate::engine::review::ReviewFile;
use crate::engine::undo::reversal::Reversal;
use crate::engine::{Engine, Failure, Result, SessionContext, collect_all};
use editd_disk::Target;
use editd_disk::history::RecordedEntry;
use editd_text::ContentHash;
use editd_workspace::history::{PastAction, PastEntry, PastFile, PathChange};
use editd_workspace::{
    BaseState, Coverage, OnStale, PlannedFile, Proposal, Refusal, RefusalKind, RequestedPath, Role, Since,
    UndoRefusal,
};

/// Maximum number of transactions that one request tries. Each may be undone by another request before this
/// one gets its locks, or may already be reverted by another program.
pub(crate) const MAX_TRIES: usize = 200;

/// The options of an undo.
#[derive(Clone)]
pub(crate) struct UndoOptions {
    pub(crate) preview: bool,
    pub(crate) review: Option<bool>,
    /// Fingerprint of the preview that the undo must match.
    pub(crate) fingerprint: Option<String>,
}

/// The selection of the transaction that a request undoes.
#[derive(Clone)]
pub(crate) enum Selection {
    /// The transaction with this id.
    Id(String),
    /// The newest transaction that matches.
    Newest {
        /// File that the transaction must change.
        path: Option<RequestedPath>,
        /// `true` to select only transactions of this session.
        own_session: bool,
        /// Skipped transactions, which need no undo because they are already reverted.
        skipped: Vec<Arc<str>>,
    },
}

/// A transaction, with its files located again.
pub(crate) struct LocatedTransaction {
    entry: Arc<PastEntry>,
    /// The files. The new path of a rename is the path before the transaction.
    places: Vec<LocatedChange>,
    /// The judgements on its links, folders and permissions.
    clearances: Vec<Clearance>,
}

impl Located for LocatedTransaction {
    fn targets(&self) -> Vec<&Target> {
        self.places.iter().flat_map(LocatedChange::targets).collect()
    }
}

/// The result of an undo.
pub(crate) enum UndoResult {
    Done(ChangeOutcome),
    /// The files as the undo would leave them.
    Preview {
        undoes: Arc<str>,
        files: Vec<PlannedFile>,
        fingerprint: String,
    },
    /// Another request has undone the transaction in the meantime, or another program has reverted it.
    NotNeeded {
        id: Arc<str>,
        refusal: Refusal,
    },
}

impl Engine {
    /// Returns `true` if a path is in the roots of a session, whether it exists or not.
    pub(crate) fn in_roots(&self, session: &SessionContext, path: &Path) -> bool {
        self.root_of(session, path, Purpose::Write).is_some()
    }

    /// Selects a transaction and locates its files.
    pub(crate) fn select(
        &self,
        session: &SessionContext,
        selection: Selection,
    ) -> Result<LocatedTransaction> {
        let is_own = |entry: &PastEntry| {
            session.role == Role::Editor || (entry.author == session.author && !entry.rescued)
        };
        let unknown = |id| Failure::from(Refusal::new(RefusalKind::Undo(UndoRefusal::Unknown { id })));
        let entry = match selection {
            Selection::Id(id) => {
                let found = self.history.find(&id).filter(|recorded| is_own(&recorded.entry));
                let recorded = found.ok_or_else(|| unknown(Some(id)))?;
                require_not_undone(&recorded)?;
                recorded.entry
            }
            Selection::Newest { path, own_session, skipped } => {
                let path = path.map(|path| self.locate(session, &path, Purpose::Read)).transpose()?;
                let is_candidate = |recorded: &RecordedEntry| {
                    let RecordedEntry { entry, undone_by } = recorded;
                    let concerned = |path: &Target| entry.files.iter().any(|file| file.concerns(&path.path));
                    let reached = |file: &PastFile| {
                        self.in_roots(session, &file.path) && self.in_roots(session, file.place())
                    };
                    undone_by.is_none()
                        && !skipped.contains(&entry.id)
                        && entry.undoes.is_none()
                        && !entry.rescued
                        && is_own(entry)
                        && (!own_session || entry.session.as_ref() == Some(&session.name))
                        && path.as_ref().is_none_or(concerned)
                        && entry.files.iter().all(reached)
                        && entry.paths.iter().all(|change| self.in_roots(session, &change.path))
                        && !(entry.files.is_empty() && entry.paths.is_empty())
                };
                let newest = self.history.newest(None, 1, is_candidate).unwrap_or_default().pop();
                let none = || {
                    let id = skipped.first().map(ToString::to_string);
                    id.map_or_else(|| unknown(None), |id| already_reverted(id).into())
                };
                newest.ok_or_else(none)?.entry
            }
        };
        let places =
            collect_all(entry.files.iter().map(|file| self.locate_past_file(session, &entry, file)))?;
        if let Some(change) = entry.paths.iter().find(|change| !self.in_roots(session, &change.path)) {
            let roots = session.root_paths();
            return Err(Refusal::at(&change.path, RefusalKind::OutsideWorkspace { roots }).into());
        }
        let clearances = self.judge_paths(session, &entry, entry.paths.iter().map(PathChange::inverse))?;
        Ok(LocatedTransaction { entry, places, clearances })
    }

    /// Locates a file of a transaction. The path rules apply to the undo as to any change: the undo of a
    /// creation is a deletion, and so on.
    fn locate_past_file(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        file: &PastFile,
    ) -> Result<LocatedChange, Refusal> {
        if file.action == PastAction::Delete
            && let Some(located) = self.locate_beyond(session, entry, &file.path)?
        {
            return Ok(located);
        }
        let (purpose, old) = match file.action {
            PastAction::Create => (Purpose::Delete, None),
            PastAction::Delete => (Purpose::Write, None),
            PastAction::Edit => (Purpose::Edit, None),
            PastAction::Rename(_) => {
                let edited = file.hash_before != file.hash_after;
                (Purpose::RenameFrom { edited }, Some(file.path.as_path()))
            }
        };
        self.locate_change(session, (file.place(), purpose), old, true)
    }

    /// Undoes a transaction.
    pub(crate) fn undo(
        &self,
        session: &SessionContext,
        selected: LocatedTransaction,
        options: &UndoOptions,
        job: &Job,
    ) -> Result<UndoResult> {
        let of_files = selected.places.iter().map(|place| &place.clearance);
        let clearances = of_files.chain(&selected.clearances).enumerate();
        let concerned = selected.targets().into_iter().map(|target| &target.path);
        let concerned = concerned.chain(selected.entry.paths.iter().map(|change| &change.path));
        let review = self.review_by_rules(clearances, concerned, options.review)?;
        let LocatedTransaction { entry, places, .. } = selected;
        let not_needed = |refusal| Ok(UndoResult::NotNeeded { id: entry.id.clone(), refusal });
        if let Some(Err(refusal)) = self.history.find(&entry.id).map(|recorded| require_not_undone(&recorded))
        {
            return not_needed(refusal);
        }
        let writes = self.compute_undo(session, &entry, places)?;
        let paths = self.paths_to_restore(&entry, |_| true)?;
        if writes.is_empty() && paths.is_empty() {
            return not_needed(already_reverted(entry.id.to_string()));
        }
        let actual = fingerprint(&writes);
        if let (Some(shown), Some(first)) = (options.fingerprint.as_deref(), writes.first())
            && *shown != actual
        {
            return Err(changed_since(&first.computed.observed).into());
        }
        if options.preview {
            let files = writes.into_iter().map(|write| write.computed.into_file()).collect();
            return Ok(UndoResult::Preview { undoes: entry.id.clone(), files, fingerprint: actual });
        }
        job.check()?;
        let header = Header {
            author: session.author.clone(),
            origin: editd_workspace::history::Origin::default(),
            label: Some(label(&entry)),
            replaces: None,
            on_stale: OnStale::Reject,
            display: None,
        };
        let options = ChangeOptions { request: None, undoes: Some(entry.id.clone()), paths, review };
        Ok(UndoResult::Done(self.perform(session, &header, writes, options)?))
    }

    /// Computes again the undo of a transaction, to the byte, for an accepted proposal of that undo. Fails if
    /// the result differs from the proposal.
    pub(crate) fn compute_reviewed_undo(
        &self,
        context: &SessionContext,
        proposal: &Proposal,
        transaction: &str,
    ) -> Result<Vec<PendingWrite>> {
        let unknown = || UndoRefusal::Unknown { id: Some(transaction.to_owned()) };
        let recorded =
            self.history.find(transaction).ok_or_else(|| Refusal::new(RefusalKind::Undo(unknown())))?;
        require_not_undone(&recorded)?;
        let entry = &recorded.entry;
        let places = collect_all(entry.files.iter().map(|file| self.locate_past_file(context, entry, file)))?;
        let mut writes = self.compute_undo(context, entry, places)?;
        for (index, write) in writes.iter_mut().enumerate() {
            write.computed.settle();
            let (now, shown) = (&write.computed.file, proposal.files.get(index));
            if shown.is_none_or(|shown| shown.path != now.path || shown.hash_after != now.hash_after) {
                return Err(changed_since(&write.computed.observed).into());
            }
            write.index = index;
        }
        Ok(writes)
    }

    /// Computes the undo of a transaction for one of its files, to the byte.
    pub(crate) fn compute_reverted(
        &self,
        transaction: &str,
        file: &PlannedFile,
        reviewed: ReviewFile,
    ) -> Result<Option<ComputedChange>, Refusal> {
        let (now, _) = reviewed.located?;
        let recorded = self.history.find(transaction).ok_or_else(|| changed_since(&now))?;
        let details = self.history.details(transaction).ok_or_else(|| changed_since(&now))?;
        let past = recorded.entry.file_at(&file.path).ok_or_else(|| changed_since(&now))?;
        let detail = details.get(past.detail).ok_or_else(|| changed_since(&now))?;
        let rules = self.compute_options(OnStale::Reject, None);
        let reversal = Reversal {
            engine: self,
            entry: &recorded.entry,
            file: past,
            detail,
            coverage: Coverage::Part,
            rules: &rules,
        };
        reversal.compute(now, None)
    }

    /// Computes the undo of a transaction for all its files, or the refusals. Omits files that already are as
    /// they were before it.
    fn compute_undo(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        places: Vec<LocatedChange>,
    ) -> Result<Vec<PendingWrite>> {
        let rules = self.compute_options(OnStale::Reject, None);
        let runs_programs: Vec<_> = places.iter().map(|place| place.clearance.runs_programs).collect();
        let observe = |place: LocatedChange| {
            let old = place.to.map(|old| self.observe_to_change(old)).transpose()?;
            Ok((self.observe_to_change(place.target)?, old))
        };
        let observed = collect_all(places.into_iter().map(observe))?;
        let coverage = self.coverage_of(session, &observed);
        let details = self.history.details(&entry.id);
        let files = entry.files.iter().zip(observed).zip(coverage).enumerate();
        let writes = files.map(|(index, ((file, (now, old)), coverage))| {
            let detail = details.as_ref().and_then(|details| details.get(file.detail));
            let detail = detail.ok_or_else(|| changed_since(&now))?;
            let reversal = Reversal { engine: self, entry, file, detail, coverage, rules: &rules };
            let computed = reversal.compute(now, old.as_ref())?;
            Ok(computed.map(|mut computed| {
                computed.file.runs_programs = runs_programs[index];
                PendingWrite::new(index, computed, old.map(|old| old.target))
            }))
        });
        let mut writes = collect_all(writes)?.into_iter().flatten().collect::<Vec<_>>();
        in_the_way::order(entry, &mut writes);
        Ok(writes)
    }

    /// Returns how much of each file the session has read. Only the current content counts.
    fn coverage_of(
        &self,
        session: &SessionContext,
        observed: &[(Observed, Option<Observed>)],
    ) -> Vec<Coverage> {
        let files: Vec<_> = observed.iter().map(|(now, _)| (now.version(), None)).collect();
        let bases = self.base_states(session, &files);
        let coverage = |base| match base {
            BaseState::Fresh(coverage) => coverage,
            BaseState::Unread { .. } | BaseState::Moved { .. } => Coverage::Part,
        };
        bases.into_iter().map(coverage).collect()
    }
}

impl Selection {
    /// Returns a warning that lists the skipped newer transactions, if there are any.
    pub(crate) fn skip_warning(&self) -> Option<String> {
        let Self::Newest { skipped, .. } = self else { return None };
        let ids: Vec<_> = skipped.iter().map(|id| format!("`{id}`")).collect();
        let (verb, files) = match ids.len() {
            0 => return None,
            1 => ("was", "its files are"),
            _ => ("were", "their files are"),
        };
        Some(format!("{} {verb} skipped: {files} already as they were before.", ids.join(", ")))
    }
}

/// Returns the refusal for a file that is not as the undo needs it.
fn changed_since(now: &Observed) -> Refusal {
    let (current, since) = (now.content.hash(), Since::Written { later: None });
    let kind = RefusalKind::Stale { current, diff: None, base_known: false, since };
    Refusal::at(&now.target.path, kind)
}

pub(crate) fn already_reverted(id: String) -> Refusal {
    Refusal::new(RefusalKind::Undo(UndoRefusal::Reverted { id }))
}

fn require_not_undone(recorded: &RecordedEntry) -> Result<(), Refusal> {
    let Some(by) = &recorded.undone_by else { return Ok(()) };
    let (id, by) = (recorded.entry.id.to_string(), by.to_string());
    Err(Refusal::new(RefusalKind::Undo(UndoRefusal::Undone { id, by })))
}

/// Returns the label of an undo.
fn label(entry: &PastEntry) -> String {
    let label = entry.label.as_deref().unwrap_or(&entry.id);
    match (label.strip_prefix("Undo: "), label.strip_prefix("Redo: "), &entry.undoes) {
        (Some(label), _, Some(_)) => format!("Redo: {label}"),
        (_, Some(label), Some(_)) => format!("Undo: {label}"),
        _ => format!("Undo: {label}"),
    }
}

/// Returns a fingerprint of the changes, with which a client can request exactly the undo of a preview.
pub(crate) fn fingerprint(writes: &[PendingWrite]) -> String {
    let hash = |hash: Option<ContentHash>| hash.map(|hash| *hash.as_bytes()).unwrap_or_default();
    let parts = writes.iter().flat_map(|write| {
        let computed = &write.computed;
        let after =
            computed.content.as_ref().map_or(computed.file.hash_after, |content| Some(content.hash()));
        let path = computed.file.path.as_os_str().as_bytes();
        [path.to_vec(), vec![0], hash(computed.file.hash_before).to_vec(), hash(after).to_vec()]
    });
    let parts: Vec<Vec<u8>> = parts.collect();
    ContentHash::of_chunks(parts.iter().map(Vec::as_slice)).to_string()
}
