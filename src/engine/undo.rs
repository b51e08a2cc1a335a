//! Undoing transactions.

mod reversal;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use crate::disk::Target;
use crate::engine::change::commit::PendingWrite;
use crate::engine::change::perform::{ChangeOptions, ChangeOutcome};
use crate::engine::change::request::Header;
use crate::engine::files::access::Clearance;
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::{Placed, Purpose};
use crate::engine::jobs::{Job, Located};
use crate::engine::undo::reversal::Reversal;
use crate::engine::{Engine, Failure, SessionContext, collect_all};
use crate::history::RecordedEntry;
use crate::text::ContentHash;
use crate::workspace::history::{PastAction, PastEntry, PastFile};
use crate::workspace::{
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

/// A transaction that needs no undo.
pub(crate) struct NotNeeded {
    pub(crate) id: Arc<str>,
    pub(crate) refusal: Refusal,
}

/// A transaction, with its files located again.
pub(crate) struct LocatedTransaction {
    entry: Arc<PastEntry>,
    places: Vec<LocatedPastFile>,
}

/// A file of a transaction, located again.
struct LocatedPastFile {
    /// Path after the transaction.
    now: Target,
    /// Path before the transaction, if different.
    old: Option<Target>,
    clearance: Clearance,
}

impl LocatedTransaction {
    /// Returns refusals for the files that need a review, in case no reviewer is available.
    fn to_review(&self) -> Vec<Refusal> {
        let of = |(index, place): (usize, &LocatedPastFile)| {
            Some(place.clearance.review.clone()?.of_change(index))
        };
        self.places.iter().enumerate().filter_map(of).collect()
    }
}

impl Located for LocatedTransaction {
    fn targets(&self) -> Vec<&Target> {
        self.places.iter().flat_map(|place| [Some(&place.now), place.old.as_ref()]).flatten().collect()
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
    ) -> Result<LocatedTransaction, Failure> {
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
                };
                let newest = self.history.newest(None, 1, is_candidate).unwrap_or_default().pop();
                let none = || {
                    let id = skipped.first().map(ToString::to_string);
                    id.map_or_else(|| unknown(None), |id| already_reverted(id).into())
                };
                newest.ok_or_else(none)?.entry
            }
        };
        let places = collect_all(entry.files.iter().map(|file| self.locate_past_file(session, file)))?;
        Ok(LocatedTransaction { entry, places })
    }

    /// Locates a file of a transaction. The path rules apply to the undo as to any change: the undo of a
    /// creation is a deletion, and so on.
    fn locate_past_file(
        &self,
        session: &SessionContext,
        file: &PastFile,
    ) -> Result<LocatedPastFile, Refusal> {
        let find = |path: &Path, purpose| {
            let placed = self.place(session, &RequestedPath::of(path), purpose)?;
            if placed.target.path == path {
                return Ok(placed);
            }
            // The path has become a symbolic link since, and leads to another file.
            let what = format!("reached by a symbolic link; it is `{}`", placed.target.path.display());
            Err(Refusal::at(path, RefusalKind::NotAFile { what }))
        };
        let (purpose, old) = match file.action {
            PastAction::Create => (Purpose::Delete, None),
            PastAction::Delete => (Purpose::Write, None),
            PastAction::Edit => (Purpose::Edit, None),
            PastAction::Rename(_) => {
                let edited = file.hash_before != file.hash_after;
                (Purpose::RenameFrom { edited }, Some(find(&file.path, Purpose::RenameTo)?))
            }
        };
        let Placed { target: now, clearance } = find(file.place(), purpose)?;
        let (old, more) = old.map(|old| (old.target, old.clearance)).unzip();
        Ok(LocatedPastFile { now, old, clearance: clearance.and(more.unwrap_or_default()) })
    }

    /// Undoes a transaction. The inner error says that it needs no undo: another request has undone it in the
    /// meantime, or another program has reverted it.
    pub(crate) fn undo(
        &self,
        session: &SessionContext,
        selected: LocatedTransaction,
        options: &UndoOptions,
        job: &Job,
    ) -> Result<Result<UndoResult, NotNeeded>, Failure> {
        let review = self.review_by_rules(selected.to_review(), &selected.targets(), options.review)?;
        let LocatedTransaction { entry, places } = selected;
        let not_needed = |refusal| Ok(Err(NotNeeded { id: entry.id.clone(), refusal }));
        if let Some(Err(refusal)) = self.history.find(&entry.id).map(|recorded| require_not_undone(&recorded))
        {
            return not_needed(refusal);
        }
        let writes = self.compute_undo(session, &entry, places)?;
        if writes.is_empty() {
            return not_needed(already_reverted(entry.id.to_string()));
        }
        let actual = fingerprint(&writes);
        if let (Some(shown), Some(first)) = (options.fingerprint.as_deref(), writes.first())
            && *shown != actual
        {
            return Err(changed_since(&first.computed.observed).into());
        }
        if options.preview {
            let file = |mut write: PendingWrite| {
                write.computed.settle();
                write.computed.file
            };
            let files = writes.into_iter().map(file).collect();
            return Ok(Ok(UndoResult::Preview { undoes: entry.id.clone(), files, fingerprint: actual }));
        }
        job.check()?;
        let header = Header {
            author: session.author.clone(),
            label: Some(label(&entry)),
            replaces: None,
            on_stale: OnStale::Reject,
            display: None,
        };
        let options = ChangeOptions { request: None, undoes: Some(entry.id.clone()), review };
        Ok(Ok(UndoResult::Done(self.perform(session, &header, writes, options)?)))
    }

    /// Computes again the undo of a transaction, to the byte, for an accepted proposal of that undo. Fails if
    /// the result differs from the proposal.
    pub(crate) fn compute_reviewed_undo(
        &self,
        context: &SessionContext,
        proposal: &Proposal,
        transaction: &str,
    ) -> Result<Vec<PendingWrite>, Failure> {
        let unknown = || UndoRefusal::Unknown { id: Some(transaction.to_owned()) };
        let recorded =
            self.history.find(transaction).ok_or_else(|| Refusal::new(RefusalKind::Undo(unknown())))?;
        require_not_undone(&recorded)?;
        let places =
            collect_all(recorded.entry.files.iter().map(|file| self.locate_past_file(context, file)))?;
        let mut writes = self.compute_undo(context, &recorded.entry, places)?;
        if writes.is_empty() {
            return Err(already_reverted(transaction.to_owned()).into());
        }
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

    /// Computes the undo of a transaction for all its files, or the refusals. Omits files that already are as
    /// they were before it.
    fn compute_undo(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        places: Vec<LocatedPastFile>,
    ) -> Result<Vec<PendingWrite>, Failure> {
        let rules = self.compute_options(OnStale::Reject, None);
        let runs_programs: Vec<_> = places.iter().map(|place| place.clearance.runs_programs).collect();
        let observe = |place: LocatedPastFile| {
            let old = place.old.map(|old| self.observe_to_change(old)).transpose()?;
            Ok((self.observe_to_change(place.now)?, old))
        };
        let observed = collect_all(places.into_iter().map(observe))?;
        let coverage = self.coverage_of(session, &observed);
        let details = self.history.details(&entry.id);
        let (mut writes, mut refusals) = (Vec::new(), Vec::new());
        let files = entry.files.iter().zip(observed).zip(coverage).enumerate();
        for (index, ((file, (now, old)), coverage)) in files {
            let detail = details.as_ref().and_then(|details| details.get(file.detail));
            let Some(detail) = detail else {
                refusals.push(changed_since(&now).of_change(index));
                continue;
            };
            let reversal = Reversal { engine: self, entry, file, detail, coverage, rules: &rules };
            match reversal.compute(now, old.as_ref()) {
                Ok(Some(mut computed)) => {
                    computed.file.runs_programs = runs_programs[index];
                    writes.push(PendingWrite::new(index, computed, old.map(|old| old.target)));
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        if refusals.is_empty() { Ok(writes) } else { Err(Failure::Refused(refusals)) }
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
        Some(format!("{} {verb} passed over: {files} already as they were before.", ids.join(", ")))
    }
}

/// Returns the refusal for a file that is not as the undo needs it.
fn changed_since(now: &Observed) -> Refusal {
    let (current, since) = (now.content.hash(), Since::Written { later: None });
    let kind = RefusalKind::Stale { current, diff: None, base_known: false, since };
    Refusal::at(&now.target.path, kind)
}

fn already_reverted(id: String) -> Refusal {
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
