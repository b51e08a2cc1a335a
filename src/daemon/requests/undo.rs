mod preview;

use std::path::Path;
use std::sync::Arc;

use crate::disk::Target;
use crate::history::Kept;
use crate::protocol::{ApplyResult, Invalid, RequestPath, UndoParams};
use crate::workspace::history::{PastAction, PastEntry, PastFile};
use crate::workspace::{
    BaseState, Coverage, OnStale, Proposal, Refusal, RefusalKind, Role, Since, UndoRefusal,
};

use crate::daemon::commit::Due;
use crate::daemon::event::Event;
use crate::daemon::guard::Clearance;
use crate::daemon::job::{Job, Located};
use crate::daemon::locate::{Placed, Purpose};
use crate::daemon::observe::Observed;
use crate::daemon::undo::Reversal;
use crate::daemon::work::{Manner, Rules};
use crate::daemon::{Core, Daemon, Failure, SessionContext};

use super::call::Header;
use super::perform::{Order, all};

use preview::{fingerprint, shown_only};

/// The most transactions that one request tries: each may be undone by somebody else between the choice and the
/// turn, or be taken back already by something else.
const CHOICES: usize = 200;

/// How it is to be undone.
#[derive(Clone)]
struct How {
    preview: bool,
    review: Option<bool>,
    /// The fingerprint of what was shown.
    shown: Option<String>,
}

/// Which transaction is to be undone.
#[derive(Clone)]
enum Wish {
    This(String),
    /// The newest of these.
    Newest {
        /// Only of this file.
        path: Option<RequestPath>,
        /// Only of this session.
        own_session: bool,
        /// Those that need no undo: they are taken back already.
        passed: Vec<Arc<str>>,
    },
}

/// A transaction that turned out to need no undo.
struct NotNeeded {
    id: Arc<str>,
    refusal: Refusal,
}

/// A transaction, its files found again.
struct Chosen {
    entry: Arc<PastEntry>,
    places: Vec<PlaceOfPast>,
}

/// A file of a transaction, found again.
struct PlaceOfPast {
    /// Where the transaction left it.
    now: Target,
    /// Where it was before, if that is elsewhere.
    old: Option<Target>,
    clearance: Clearance,
}

impl Chosen {
    /// Refusals for the files about which a person has to decide, for the case that nobody can be asked.
    fn to_review(&self) -> Vec<Refusal> {
        let of =
            |(index, place): (usize, &PlaceOfPast)| Some(place.clearance.review.clone()?.of_change(index));
        self.places.iter().enumerate().filter_map(of).collect()
    }
}

impl Located for Chosen {
    fn targets(&self) -> Vec<&Target> {
        self.places.iter().flat_map(|place| [Some(&place.now), place.old.as_ref()]).flatten().collect()
    }
}

impl Daemon {
    /// `editd/undo`.
    pub async fn undo(
        &self,
        session: &Arc<SessionContext>,
        params: UndoParams,
    ) -> Result<ApplyResult, Failure> {
        let UndoParams { transaction, path, uri, own_session, review, wait_ms, preview, fingerprint } =
            params;
        let how = How { preview, review, shown: fingerprint };
        let path = (path.is_some() || uri.is_some())
            .then(|| RequestPath::from_fields(path, uri, ("path", "uri")))
            .transpose()?;
        let mut wish = match (transaction, path) {
            (Some(_), Some(_)) => return Err(Invalid::new("path", "it goes without `transaction`").into()),
            (Some(id), None) => Wish::This(id),
            (None, path) => Wish::Newest { path, own_session, passed: Vec::new() },
        };
        for _ in 0..CHOICES {
            let (wanted, how) = (wish.clone(), how.clone());
            let choose = move |core: &Core, session: &SessionContext| core.choose(session, wanted);
            let work = move |core: &Core, session: &SessionContext, chosen: Chosen, job: &Job| {
                core.undo(session, chosen, &how, job)
            };
            match (self.core.on_files(session, choose, work).await?, &mut wish) {
                (Ok(mut result), wish) => {
                    wish.note_passed(&mut result);
                    return self.when_settled(session, result, wait_ms).await;
                }
                (Err(NotNeeded { refusal, .. }), Wish::This(_)) => return Err(refusal.into()),
                (Err(NotNeeded { id, .. }), Wish::Newest { passed, .. }) => passed.push(id),
            }
        }
        let what = format!("the newest {CHOICES} transactions are taken back already; name one");
        Err(Refusal::new(RefusalKind::Busy { what }).into())
    }
}

impl Core {
    /// Whether a session may know of a path, whatever is there now.
    pub(crate) fn in_roots(&self, session: &SessionContext, path: &Path) -> bool {
        self.root_of(session, path, Purpose::Write).is_some()
    }

    fn choose(&self, session: &SessionContext, wish: Wish) -> Result<Chosen, Failure> {
        let is_own = |entry: &PastEntry| {
            session.role == Role::Editor || (entry.author == session.author && !entry.rescued)
        };
        let unknown = |id| Failure::from(Refusal::new(RefusalKind::Undo(UndoRefusal::Unknown { id })));
        let entry = match wish {
            Wish::This(id) => {
                let found = self.history.find(&id).filter(|kept| is_own(&kept.entry));
                let kept = found.ok_or_else(|| unknown(Some(id)))?;
                undone(&kept)?;
                kept.entry
            }
            Wish::Newest { path, own_session, passed } => {
                let path = path.map(|path| self.locate(session, &path, Purpose::Read)).transpose()?;
                let can_be = |kept: &Kept| {
                    let Kept { entry, undone_by } = kept;
                    let concerned = |path: &Target| entry.files.iter().any(|file| file.concerns(&path.path));
                    let reached = |file: &PastFile| {
                        self.in_roots(session, &file.path) && self.in_roots(session, file.place())
                    };
                    undone_by.is_none()
                        && !passed.contains(&entry.id)
                        && entry.undoes.is_none()
                        && !entry.rescued
                        && is_own(entry)
                        && (!own_session || entry.session.as_ref() == Some(&session.name))
                        && path.as_ref().is_none_or(concerned)
                        && entry.files.iter().all(reached)
                };
                let newest = self.history.newest(None, 1, can_be).unwrap_or_default().pop();
                let none = || {
                    let id = passed.first().map(ToString::to_string);
                    id.map_or_else(|| unknown(None), |id| taken_back(id).into())
                };
                newest.ok_or_else(none)?.entry
            }
        };
        let places = all(entry.files.iter().map(|file| self.place_of_past(session, file)))?;
        Ok(Chosen { entry, places })
    }

    /// Undoing is judged like the change that it is: what was created is deleted, and so on.
    fn place_of_past(&self, session: &SessionContext, file: &PastFile) -> Result<PlaceOfPast, Refusal> {
        let find = |path: &Path, purpose| {
            let placed = self.place(session, &RequestPath::of(path), purpose)?;
            if placed.target.path == path {
                return Ok(placed);
            }
            // A link stands on the path that was none: what it leads to is another file.
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
        Ok(PlaceOfPast { now, old, clearance: clearance.and(more.unwrap_or_default()) })
    }

    /// The inner error: it was undone meanwhile, or something else took it back.
    fn undo(
        &self,
        session: &SessionContext,
        chosen: Chosen,
        how: &How,
        job: &Job,
    ) -> Result<Result<ApplyResult, NotNeeded>, Failure> {
        let review = self.review_by_rules(chosen.to_review(), &chosen.targets(), how.review)?;
        let Chosen { entry, places } = chosen;
        let not_needed = |refusal| Ok(Err(NotNeeded { id: entry.id.clone(), refusal }));
        if let Some(Err(refusal)) = self.history.find(&entry.id).map(|kept| undone(&kept)) {
            return not_needed(refusal);
        }
        let due = self.work_back(session, &entry, places)?;
        if due.is_empty() {
            return not_needed(taken_back(entry.id.to_string()));
        }
        let print = fingerprint(&due);
        if let (Some(shown), Some(first)) = (how.shown.as_deref(), due.first())
            && *shown != print
        {
            let (current, path) = (first.worked.observed.truth.hash(), &first.worked.file.path);
            let kind = RefusalKind::Stale {
                current,
                diff: None,
                base_known: false,
                since: Since::Written { later: None },
            };
            return Err(Refusal::at(path, kind).into());
        }
        if how.preview {
            return Ok(Ok(shown_only(&entry, &due, print)));
        }
        job.check()?;
        let header = Header {
            author: session.author.clone(),
            label: Some(label(&entry)),
            replaces: None,
            on_stale: OnStale::Reject,
            display: None,
        };
        let order = Order { request: None, undoes: Some(entry.id.clone()), review };
        self.perform(session, &header, due, order, job).map(Ok)
    }

    /// Works out once more what takes a transaction back, to the byte, for a proposal of just that which a
    /// person has accepted. Its files are as they were then.
    pub(crate) fn work_back_reviewed(
        &self,
        context: &SessionContext,
        proposal: &Proposal,
        transaction: &str,
    ) -> Result<Vec<Due>, Failure> {
        let unknown = || UndoRefusal::Unknown { id: Some(transaction.to_owned()) };
        let kept =
            self.history.find(transaction).ok_or_else(|| Refusal::new(RefusalKind::Undo(unknown())))?;
        undone(&kept)?;
        let places = all(kept.entry.files.iter().map(|file| self.place_of_past(context, file)))?;
        let mut due = self.work_back(context, &kept.entry, places)?;
        if due.is_empty() {
            return Err(taken_back(transaction.to_owned()).into());
        }
        for (index, due) in due.iter_mut().enumerate() {
            due.worked.settle();
            let (now, shown) = (&due.worked.file, proposal.files.get(index));
            if shown.is_none_or(|shown| shown.path != now.path || shown.hash_after != now.hash_after) {
                let current = due.worked.observed.truth.hash();
                let kind = RefusalKind::Stale {
                    current,
                    diff: None,
                    base_known: false,
                    since: Since::Written { later: None },
                };
                return Err(Refusal::at(&now.path, kind).into());
            }
            due.index = index;
        }
        Ok(due)
    }

    /// Works out what takes the transaction back, for all of its files, or says of each why not. Nothing for files
    /// that are as they were before it.
    fn work_back(
        &self,
        session: &SessionContext,
        entry: &PastEntry,
        places: Vec<PlaceOfPast>,
    ) -> Result<Vec<Due>, Failure> {
        let rules = Rules {
            indexes: &self.indexes,
            manner: Manner::default(),
            on_stale: OnStale::Reject,
            display: None,
            deadline: self.deadline(),
            file_size: self.config.limits.file_size,
        };
        let tags: Vec<_> = places.iter().map(|place| place.clearance.tags.clone()).collect();
        let observe = |place: PlaceOfPast| {
            let old = place.old.map(|old| self.observe_to_change(old)).transpose()?;
            Ok((self.observe_to_change(place.now)?, old))
        };
        let observed = all(places.into_iter().map(observe))?;
        let known = self.coverage_of(session, &observed)?;
        let details = self.history.details(&entry.id);
        let (mut due, mut refusals) = (Vec::new(), Vec::new());
        let files = entry.files.iter().zip(observed).zip(known).enumerate();
        for (index, ((file, (now, old)), coverage)) in files {
            let detail = details.as_ref().and_then(|details| details.get(file.detail));
            let Some(detail) = detail else {
                let (path, current) = (&now.target.path, now.truth.hash());
                let kind = RefusalKind::Stale {
                    current,
                    diff: None,
                    base_known: false,
                    since: Since::Written { later: None },
                };
                refusals.push(Refusal::at(path, kind).of_change(index));
                continue;
            };
            let reversal = Reversal { core: self, entry, file, detail, coverage, rules: &rules };
            match reversal.work_out(now, old.as_ref()) {
                Ok(Some(mut worked)) => {
                    worked.file.tags.clone_from(&tags[index]);
                    due.push(Due::new(index, worked, old.map(|old| old.target)));
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal.of_change(index)),
            }
        }
        if refusals.is_empty() { Ok(due) } else { Err(Failure::Refused(refusals)) }
    }

    /// How much of each file the session knows: only what it knows as it is now counts.
    fn coverage_of(
        &self,
        session: &SessionContext,
        observed: &[(Observed, Option<Observed>)],
    ) -> Result<Vec<Coverage>, Failure> {
        let files = observed.iter().map(|(now, _)| (now.seen(), None)).collect();
        let bases = self.ask(|reply| Event::Bases { session: session.id, files, reply })?;
        let coverage = |base| match base {
            BaseState::Fresh(coverage) => coverage,
            BaseState::Unread { .. } | BaseState::Moved { .. } => Coverage::Part,
        };
        Ok(bases.into_iter().map(coverage).collect())
    }
}

impl Wish {
    /// Tells which newer transactions were passed over.
    fn note_passed(&self, result: &mut ApplyResult) {
        let Self::Newest { passed, .. } = self else { return };
        let Some(file) = result.files.first_mut().filter(|_| !passed.is_empty()) else { return };
        let ids: Vec<_> = passed.iter().map(|id| format!("`{id}`")).collect();
        let (verb, files) =
            if ids.len() == 1 { ("was", "its files are") } else { ("were", "their files are") };
        let note = format!("{} {verb} passed over: {files} as they were before already.", ids.join(", "));
        file.entry.warnings.push(note);
    }
}

fn taken_back(id: String) -> Refusal {
    Refusal::new(RefusalKind::Undo(UndoRefusal::TakenBack { id }))
}

fn undone(kept: &Kept) -> Result<(), Refusal> {
    let Some(by) = &kept.undone_by else { return Ok(()) };
    let (id, by) = (kept.entry.id.to_string(), by.to_string());
    Err(Refusal::new(RefusalKind::Undo(UndoRefusal::Undone { id, by })))
}

/// What an undo is for.
fn label(entry: &PastEntry) -> String {
    let label = entry.label.as_deref().unwrap_or(&entry.id);
    match (label.strip_prefix("Undo: "), label.strip_prefix("Redo: "), &entry.undoes) {
        (Some(label), _, Some(_)) => format!("Redo: {label}"),
        (_, Some(label), Some(_)) => format!("Undo: {label}"),
        _ => format!("Undo: {label}"),
    }
}
