use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::history::Kept;
use crate::protocol::{
    HistoryParams, HistoryResult, Invalid, RequestPath, TransactionEntry, TransactionFile, uri_of,
};
use crate::workspace::history::{PastAction, PastEntry, PastFile};
use crate::workspace::{Refusal, RefusalKind, Role, UndoRefusal};

use crate::daemon::answer::system_time;
use crate::daemon::job::blocking;
use crate::daemon::locate::Purpose;
use crate::daemon::{Core, Daemon, Failure, SessionContext};

/// Transactions in an answer, unless another number is asked for.
const USUAL: usize = 50;
/// The most that one answer carries.
const MOST: usize = 1000;

impl Daemon {
    /// `editd/history`.
    pub async fn history(
        &self,
        session: &Arc<SessionContext>,
        params: HistoryParams,
    ) -> Result<HistoryResult, Failure> {
        let HistoryParams { path, uri, limit, before } = params;
        if limit == Some(0) {
            return Err(Invalid::new("limit", "it is 0").into());
        }
        let path = (path.is_some() || uri.is_some())
            .then(|| RequestPath::from_fields(path, uri, ("path", "uri")))
            .transpose()?;
        let limit = limit.unwrap_or(USUAL).min(MOST);
        let (core, session) = (self.core.clone(), session.clone());
        blocking(move || core.history(&session, path.as_ref(), before.as_deref(), limit)).await?
    }
}

impl Core {
    fn history(
        &self,
        session: &SessionContext,
        path: Option<&RequestPath>,
        before: Option<&str>,
        limit: usize,
    ) -> Result<HistoryResult, Failure> {
        let path = path.map(|path| self.locate(session, path, Purpose::Read)).transpose()?;
        let path = path.map(|target| target.path);
        let view = View { core: self, session, hidden: RefCell::default() };
        let is_wanted = |Kept { entry, .. }: &Kept| {
            view.files(entry).any(|file| path.as_ref().is_none_or(|path| file.concerns(path)))
        };
        let found = self.history.newest(before, limit, is_wanted).ok_or_else(|| {
            let id = before.unwrap_or_default().to_owned();
            Failure::from(Refusal::new(RefusalKind::Undo(UndoRefusal::NotListed { id })))
        })?;
        Ok(HistoryResult { transactions: found.iter().map(|kept| view.transaction(kept)).collect() })
    }
}

/// What a session may know of.
struct View<'a> {
    core: &'a Core,
    session: &'a SessionContext,
    /// Whether the path rules hide a file, once that was found out.
    hidden: RefCell<HashMap<PathBuf, bool>>,
}

impl View<'_> {
    /// The files of a transaction: for an agent those in its roots that it may read.
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

    fn transaction(&self, kept: &Kept) -> TransactionEntry {
        let Kept { entry, undone_by } = kept;
        TransactionEntry {
            transaction: entry.id.to_string(),
            at: system_time(entry.at),
            author: entry.author.clone(),
            label: entry.label.clone(),
            files: self.files(entry).map(file_entry).collect(),
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
    }
}
