use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use crate::history::RecordedEntry;
use crate::protocol::{
    HistoryParams, HistoryResult, Invalid, RequestPath, TransactionEntry, TransactionFile, uri_of,
};
use crate::workspace::history::{PastAction, PastEntry, PastFile};
use crate::workspace::{Refusal, RefusalKind, Role, UndoRefusal};

use crate::daemon::answer::system_time;
use crate::daemon::files::resolve::Purpose;
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// Default number of transactions in an answer.
const DEFAULT_LIMIT: usize = 50;
/// Maximum number of transactions in an answer.
const MAX_LIMIT: usize = 1000;

/// The filter of a history request.
struct Filter {
    path: Option<RequestPath>,
    transaction: Option<String>,
    session: Option<String>,
    since: Option<SystemTime>,
    before: Option<String>,
    limit: usize,
    diff: bool,
}

impl Filter {
    fn read(params: HistoryParams) -> Result<Self, Failure> {
        let HistoryParams { path, uri, transaction, diff, session, since, limit, before } = params;
        if limit == Some(0) {
            return Err(Invalid::new("limit", "it is 0").into());
        }
        let since = since.map(|since| since.parse::<jiff::Timestamp>()).transpose();
        let since =
            since.map_err(|error| Invalid::new("since", format!("it is not an RFC 3339 time: {error}")))?;
        let named = path.is_some() || uri.is_some();
        let path = named.then(|| RequestPath::from_fields(path, uri, ("path", "uri"))).transpose()?;
        let limit = limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
        Ok(Self { path, transaction, session, since: since.map(SystemTime::from), before, limit, diff })
    }

    fn matches(&self, entry: &PastEntry) -> bool {
        self.session.as_deref().is_none_or(|session| entry.session.as_deref() == Some(session))
            && self.since.is_none_or(|since| entry.at >= since)
    }
}

impl Daemon {
    /// `editd/history`.
    pub async fn history(
        &self,
        session: &Arc<SessionContext>,
        params: HistoryParams,
    ) -> Result<HistoryResult, Failure> {
        let filter = Filter::read(params)?;
        let (core, session) = (self.core.clone(), session.clone());
        blocking(move || core.history(&session, &filter)).await?
    }
}

impl Core {
    /// Returns the canonical path of a file or directory, which need not exist anymore.
    fn file_or_folder(&self, session: &SessionContext, path: &RequestPath) -> Result<PathBuf, Refusal> {
        let root = self.root_of(session, path.as_path(), Purpose::Read);
        let folder = root.filter(|(root, _)| root.only.is_none()).and_then(|(root, relative)| {
            Some(root.root.path().join(self.disk.folder(&root.root, &relative).ok()?))
        });
        folder.map_or_else(|| Ok(self.locate(session, path, Purpose::Read)?.path), Ok)
    }

    fn history(&self, session: &SessionContext, filter: &Filter) -> Result<HistoryResult, Failure> {
        let path = filter.path.as_ref().map(|path| self.file_or_folder(session, path)).transpose()?;
        let view = View { core: self, session, hidden: RefCell::default() };
        let concerned = |file: &PastFile| {
            let inside = |path: &PathBuf| file.path.starts_with(path) || file.place().starts_with(path);
            path.as_ref().is_none_or(inside)
        };
        let is_wanted = |RecordedEntry { entry, .. }: &RecordedEntry| {
            filter.matches(entry) && view.files(entry).any(concerned)
        };
        let not_listed = |id: &str| {
            Failure::from(Refusal::new(RefusalKind::Undo(UndoRefusal::NotListed { id: id.to_owned() })))
        };
        let found = if let Some(id) = &filter.transaction {
            vec![self.history.find(id).filter(is_wanted).ok_or_else(|| not_listed(id))?]
        } else {
            let before = filter.before.as_deref();
            let found = self.history.newest(before, filter.limit, is_wanted);
            found.ok_or_else(|| not_listed(before.unwrap_or_default()))?
        };
        let transactions = found.iter().map(|recorded| view.transaction(recorded, filter.diff)).collect();
        Ok(HistoryResult { transactions })
    }
}

/// The part of the history that a session may see.
struct View<'a> {
    core: &'a Core,
    session: &'a SessionContext,
    /// Cached checks: `true` if the path rules hide the file.
    hidden: RefCell<HashMap<PathBuf, bool>>,
}

impl View<'_> {
    /// Returns the visible files of a transaction. An agent sees those in its roots that it may read.
    fn files<'e>(&'e self, entry: &'e PastEntry) -> impl Iterator<Item = &'e PastFile> {
        let is_reached = |path: &Path| self.core.in_roots(self.session, path);
        let is_shown = move |file: &&PastFile| {
            let (old, new) = (&*file.path, file.place());
            self.session.role == Role::Editor
                || ((is_reached(old) || is_reached(new)) && !self.hides(old) && !self.hides(new))
        };
        entry.files.iter().filter(is_shown)
    }

    fn hides(&self, path: &Path) -> bool {
        if let Some(hidden) = self.hidden.borrow().get(path) {
            return *hidden;
        }
        let hidden = self.core.require_readable(self.session, path).is_err();
        self.hidden.borrow_mut().insert(path.to_owned(), hidden);
        hidden
    }

    fn transaction(&self, recorded: &RecordedEntry, diff: bool) -> TransactionEntry {
        let RecordedEntry { entry, undone_by } = recorded;
        let details = diff.then(|| self.core.history.details(&entry.id)).flatten().unwrap_or_default();
        let file = |file: &PastFile| {
            let diff = details.get(file.detail).and_then(|detail| detail.diff.clone());
            TransactionFile { diff, ..file_entry(file) }
        };
        TransactionEntry {
            transaction: entry.id.to_string(),
            at: system_time(entry.at),
            author: entry.author.clone(),
            session: entry.session.as_deref().map(str::to_owned),
            label: entry.label.clone(),
            files: self.files(entry).map(file).collect(),
            undone: undone_by.is_some(),
            undone_by: undone_by.as_ref().map(ToString::to_string),
            undoes: entry.undoes.as_ref().map(ToString::to_string),
            rescued: entry.rescued,
        }
    }
}

fn file_entry(file: &PastFile) -> TransactionFile {
    let shown = |path: &PathBuf| path.display().to_string();
    TransactionFile {
        uri: uri_of(&file.path),
        path: shown(&file.path),
        action: file.action.name().to_owned(),
        new_path: match &file.action {
            PastAction::Rename(to) => Some(shown(to)),
            _ => None,
        },
        hash_before: file.hash_before.map(|hash| hash.to_string()),
        hash_after: file.hash_after.map(|hash| hash.to_string()),
        added: file.added,
        removed: file.removed,
        tags: file.tags.clone(),
        diff: None,
    }
}
