//! The history of files: blame, and the transactions that a session may see.

mod blame;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::engine::files::resolve::Purpose;
use crate::engine::{Engine, Failure, Result, SessionContext};
use editd_disk::history::RecordedEntry;
use editd_workspace::history::{PastEntry, PastFile, PastRun, PathChange};
use editd_workspace::{Refusal, RefusalKind, RequestedPath, Role, UndoRefusal};

pub(crate) use blame::BlamedFile;

/// A transaction as a session sees it.
pub(crate) struct VisibleTransaction {
    pub(crate) recorded: RecordedEntry,
    /// The visible files.
    pub(crate) files: Vec<VisibleFile>,
    /// The visible changes of links, folders and permissions.
    pub(crate) paths: Vec<PathChange>,
    /// The run that made it, with its visible omitted files.
    pub(crate) run: Option<PastRun>,
}

/// A file of a transaction as a session sees it.
pub(crate) struct VisibleFile {
    pub(crate) file: PastFile,
    /// The diff, if the request asks for it and it is known.
    pub(crate) diff: Option<String>,
    /// `true` if the history has removed the old content to make room.
    pub(crate) is_content_gone: bool,
}

/// The filter of a history request.
pub(crate) struct HistoryFilter {
    pub(crate) path: Option<RequestedPath>,
    pub(crate) transaction: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) turn: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) since: Option<SystemTime>,
    pub(crate) before: Option<String>,
    pub(crate) limit: usize,
    pub(crate) diff: bool,
}

/// The part of the history that a session may see.
struct View<'a> {
    engine: &'a Engine,
    session: &'a SessionContext,
    /// Cached checks: `true` if the path rules hide the file.
    hidden: RefCell<HashMap<PathBuf, bool>>,
}

impl View<'_> {
    /// Returns the visible files of a transaction. An agent sees those in its roots that it may read.
    fn files<'e>(&'e self, entry: &'e PastEntry) -> impl Iterator<Item = &'e PastFile> {
        let is_reached = |path: &Path| self.engine.in_roots(self.session, path);
        let is_shown = move |file: &&PastFile| {
            let (old, new) = (&*file.path, file.place());
            self.session.role == Role::Editor
                || ((is_reached(old) || is_reached(new)) && !self.hides(old) && !self.hides(new))
        };
        entry.files.iter().filter(is_shown)
    }

    /// Returns the paths that are not among the files: changed links, folders and permissions, and omitted files.
    fn other_paths<'e>(&'e self, entry: &'e PastEntry) -> impl Iterator<Item = &'e Path> {
        let omitted = entry.run.iter().flat_map(|run| &run.omitted).map(|(path, _)| path.as_path());
        let paths = entry.paths.iter().map(|change| change.path.as_path()).chain(omitted);
        paths.filter(|path| self.shows(path))
    }

    fn shows(&self, path: &Path) -> bool {
        self.session.role == Role::Editor || self.engine.in_roots(self.session, path) && !self.hides(path)
    }

    fn hides(&self, path: &Path) -> bool {
        if let Some(hidden) = self.hidden.borrow().get(path) {
            return *hidden;
        }
        let hidden = self.engine.require_readable(self.session, path).is_err();
        self.hidden.borrow_mut().insert(path.to_owned(), hidden);
        hidden
    }

    fn transaction(&self, recorded: RecordedEntry, diff: bool) -> VisibleTransaction {
        let details =
            diff.then(|| self.engine.history.details(&recorded.entry.id)).flatten().unwrap_or_default();
        let diff = |file: &PastFile| {
            let detail = details.get(file.detail)?;
            let computed = || self.engine.past_diff(self.session, (&recorded.entry, file), detail);
            detail.diff.clone().or_else(computed)
        };
        let gone = self.engine.history.without_content(&recorded.entry);
        let file = |file: &PastFile| VisibleFile {
            file: file.clone(),
            diff: diff(file),
            is_content_gone: gone.contains(&file.detail),
        };
        let files = self.files(&recorded.entry).map(file).collect();
        let entry = &recorded.entry;
        let paths = entry.paths.iter().filter(|change| self.shows(&change.path)).cloned().collect();
        let run = entry.run.clone().map(|mut run| {
            run.omitted.retain(|(path, _)| self.shows(path));
            run
        });
        VisibleTransaction { recorded, files, paths, run }
    }
}

impl Engine {
    /// Returns the canonical path of a file or directory, which need not exist anymore.
    fn file_or_folder(&self, session: &SessionContext, path: &RequestedPath) -> Result<PathBuf, Refusal> {
        let root = self.root_of(session, path.as_path(), Purpose::Read);
        let folder = root.filter(|(root, _)| root.only.is_none()).and_then(|(root, relative)| {
            Some(root.root.path().join(self.disk.folder(&root.root, &relative).ok()?))
        });
        folder.map_or_else(|| Ok(self.locate(session, path, Purpose::Read)?.path), Ok)
    }

    /// Returns the transactions that match a filter, newest first.
    pub(crate) fn past(
        &self,
        session: &SessionContext,
        filter: &HistoryFilter,
    ) -> Result<Vec<VisibleTransaction>> {
        let path = filter.path.as_ref().map(|path| self.file_or_folder(session, path)).transpose()?;
        let view = View { engine: self, session, hidden: RefCell::default() };
        let concerned = |file: &PastFile| {
            let inside = |path: &PathBuf| file.path.starts_with(path) || file.place().starts_with(path);
            path.as_ref().is_none_or(inside)
        };
        let is_wanted = |RecordedEntry { entry, .. }: &RecordedEntry| {
            let is_inside = |other: &Path| path.as_ref().is_none_or(|path| other.starts_with(path));
            filter.matches(entry)
                && (view.files(entry).any(concerned) || view.other_paths(entry).any(is_inside))
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
        Ok(found.into_iter().map(|recorded| view.transaction(recorded, filter.diff)).collect())
    }
}

impl HistoryFilter {
    fn matches(&self, entry: &PastEntry) -> bool {
        let is_one = |wanted: &Option<String>, known: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| known == Some(wanted))
        };
        is_one(&self.author, Some(&entry.author))
            && is_one(&self.session, entry.session.as_deref())
            && is_one(&self.turn, entry.origin.turn.as_deref())
            && is_one(&self.agent, entry.origin.agent.as_deref())
            && self.since.is_none_or(|since| entry.at >= since)
    }
}
