//! Searches: the files that a session may search, and limits for their number.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::config::Policy;
use crate::engine::files::observe::Observed;
use crate::engine::files::resolve::Purpose;
use crate::engine::jobs::blocking;
use crate::engine::{Engine, Failure, Result, SessionContext, SessionRoot, refusal_of};
use editd_disk::DiskErrorKind;
use editd_disk::search::{FileAccess, OpenText, Scope, Start, StopCondition};
use editd_workspace::rules::{Judge, Operation, Spelling, is_version_control};
use editd_workspace::{Contest, Refusal, RefusalKind, RequestedPath, Role};

/// Access of a session to search results, by the same rules as for reading.
pub(crate) struct SessionAccess<'a> {
    engine: &'a Engine,
    session: &'a SessionContext,
    scopes: &'a [Scope],
    policy: Arc<Policy>,
}

impl<'a> SessionAccess<'a> {
    pub(crate) fn new(engine: &'a Engine, session: &'a SessionContext, scopes: &'a [Scope]) -> Self {
        Self { engine, session, scopes, policy: engine.policy.current() }
    }
}

impl FileAccess for SessionAccess<'_> {
    fn allows(&self, path: &Path) -> bool {
        // Of nested roots, use the inner one.
        let around = self.scopes.iter().rev().find(|scope| path.starts_with(scope.root.path()));
        let top = around.map_or(Path::new("/"), |scope| &scope.top);
        let judge = Judge {
            rules: &self.policy.rules,
            policy: self.engine.policy.path(),
            home: &self.engine.home_names,
            agent: self.session.role == Role::Agent,
        };
        judge.judge(&[Spelling { path, top }], &[Operation::Read]).is_ok()
    }

    fn confirms(&self, path: &Path) -> bool {
        let located = self.engine.locate(self.session, &RequestedPath::of(path), Purpose::Read);
        located.is_ok_and(|target| target.path == path)
    }

    fn shown(&self, path: &Path) -> OpenText {
        let located = self.engine.locate(self.session, &RequestedPath::of(path), Purpose::Read);
        let observed = located.and_then(|target| self.engine.observe(target));
        observed.map_or(OpenText::Disk, |observed| shown(&observed))
    }
}

/// Returns the text to search, consistent with the text and the warnings of `editd/read`.
fn shown(observed: &Observed) -> OpenText {
    let open = observed.open.as_ref();
    if open.is_some_and(|open_documents| open_documents.contest() == Some(Contest::TwoEditors)) {
        return OpenText::Contested;
    }
    if let (true, Some(text)) = (observed.is_unsaved(), &observed.text) {
        return OpenText::Unsaved(text.clone());
    }
    if open.is_some_and(|open_documents| open_documents.unknown().is_some()) {
        OpenText::Unknown
    } else {
        OpenText::Disk
    }
}

/// The locations that a request searches.
pub(crate) struct Locations {
    /// Search scopes, sorted by path.
    pub(crate) scopes: Vec<Scope>,
    /// `true` if the request names version-control metadata, which is not searched.
    pub(crate) metadata: bool,
}

impl Engine {
    /// Returns the locations for a path, or all roots of the session if `path` is `None`.
    pub(crate) fn locations(
        &self,
        session: &SessionContext,
        path: Option<&RequestedPath>,
    ) -> Result<Locations, Refusal> {
        let open = self.maybe_unsaved();
        let Some(path) = path else { return self.everywhere(session, &open) };
        let asked = path.as_path();
        let outside = || Refusal::at(asked, RefusalKind::OutsideWorkspace { roots: session.root_paths() });
        let (root, relative) = self.root_of(session, asked, Purpose::Read).ok_or_else(outside)?;
        let start = match self.disk.folder(&root.root, &relative) {
            Ok(folder) if root.only.is_none() => Start::Folder(folder),
            Err(error) if error.kind == DiskErrorKind::OutsideRoot => return Err(outside()),
            _ => self.file_or_unsaved_folder(session, path, &root, &open)?,
        };
        let (Start::Folder(below) | Start::File(below)) = &start;
        if root.surroundings.metadata || is_version_control(below) {
            return Ok(Locations { scopes: Vec::new(), metadata: true });
        }
        Ok(Locations { scopes: vec![scope(&root, start, Vec::new(), &open)], metadata: false })
    }

    /// Returns a file, or a directory that exists only as part of the path of an open document.
    fn file_or_unsaved_folder(
        &self,
        session: &SessionContext,
        path: &RequestedPath,
        root: &SessionRoot,
        open: &[PathBuf],
    ) -> Result<Start, Refusal> {
        if let Some(folder) = self.unsaved_folder(session, path, root, open) {
            return Ok(Start::Folder(folder));
        }
        let target = self.locate(session, path, Purpose::Read)?;
        let missing = || Refusal::at(&target.path, RefusalKind::Missing);
        let below = target.path.strip_prefix(root.root.path()).map(Path::to_owned).map_err(|_| missing())?;
        if target.exists || open.contains(&target.path) {
            return Ok(Start::File(below));
        }
        Err(missing())
    }

    /// Returns a directory that does not exist yet, but contains a new file that an editor has open.
    fn unsaved_folder(
        &self,
        session: &SessionContext,
        path: &RequestedPath,
        root: &SessionRoot,
        open: &[PathBuf],
    ) -> Option<PathBuf> {
        // Remove a trailing slash, which the path of a missing file may not have.
        let path = RequestedPath::of(&path.as_path().components().collect::<PathBuf>());
        let target = self.locate(session, &path, Purpose::Read).ok().filter(|target| !target.exists)?;
        let is_in = |open: &&PathBuf| **open != target.path && open.starts_with(&target.path);
        open.iter().find(is_in).filter(|_| root.only.is_none())?;
        target.path.strip_prefix(root.root.path()).ok().map(Path::to_owned)
    }

    fn everywhere(&self, session: &SessionContext, open: &[PathBuf]) -> Result<Locations, Refusal> {
        let own = session.roots();
        let mut roots = if own.is_empty() { self.roots.clone() } else { own };
        if roots.is_empty() {
            let none = RefusalKind::OutsideWorkspace { roots: Vec::new() };
            return Err(Refusal::at(Path::new("."), none));
        }
        roots.sort_by_key(|root| root.path());
        roots.dedup_by_key(|root| root.path());
        let metadata = roots.iter().all(|root| root.surroundings.metadata);
        let mut scopes = Vec::new();
        for root in roots.iter().filter(|root| !root.surroundings.metadata) {
            let whole = || {
                let folder = self.disk.folder(&root.root, Path::new(""));
                let refuse = |error| Refusal::at(root.root.path(), refusal_of(&error));
                folder.map(Start::Folder).map_err(refuse)
            };
            let start = root.only.as_ref().map_or_else(whole, |name| Ok(Start::File(name.into())))?;
            // Files that are also in another root are reported once, in that root.
            let inside =
                roots.iter().filter_map(|other| other.root.path().strip_prefix(root.root.path()).ok());
            let others = inside.filter(|path| !path.as_os_str().is_empty()).map(Path::to_owned).collect();
            scopes.push(scope(root, start, others, open));
        }
        Ok(Locations { scopes, metadata })
    }

    /// Returns the files whose open documents may have unsaved text.
    fn maybe_unsaved(&self) -> Vec<PathBuf> {
        let open = self.workspace.update(|w| {
            w.buffers.all().filter(|buffer| buffer.dirty != Some(false)).cloned().collect::<Vec<_>>()
        });
        let may_be = open.into_iter().filter(|buffer| buffer.is_unchanged() != Some(true));
        may_be.map(|buffer| buffer.path).collect()
    }

    /// Runs a search, or another request that may read many or large files, when a search slot is free. It
    /// ends early if no client waits for it anymore, if the daemon stops, and at the deadline of a request.
    pub(crate) async fn searching<T, W>(&self, session: &Arc<SessionContext>, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Self, &SessionContext, &StopCondition<'_>) -> Result<T> + Send + 'static,
    {
        let own = session.searching.clone().lock_owned().await;
        let share = self.searchers.acquire(session.requester(), 1);
        let share = self.when_free(share, "your other searches are in progress").await?;
        let busy = "other searches or reads of very large files are in progress";
        let slot = self.when_free(self.searches.clone().acquire_owned(), busy).await?;
        let slot = slot.map_err(|_| Failure::stopping())?;
        let cancelled = CancellationToken::new();
        let _cancel_when_dropped = cancelled.clone().drop_guard();
        let (engine, of) = (self.clone(), session.clone());
        blocking(move || {
            let _held = (own, share, slot);
            let is_cancelled = || cancelled.is_cancelled() || engine.searches.is_closed();
            let result = work(&engine, &of, &StopCondition::new(&is_cancelled, engine.deadline()));
            if engine.searches.is_closed() { Err(Failure::stopping()) } else { result }
        })
        .await?
    }
}

fn scope(root: &Arc<SessionRoot>, start: Start, others: Vec<PathBuf>, open: &[PathBuf]) -> Scope {
    let below = |path: &PathBuf| path.strip_prefix(root.root.path()).ok().map(Path::to_owned);
    let open: BTreeSet<_> = open.iter().filter_map(below).collect();
    Scope { root: root.root.clone(), start, top: root.surroundings.top.clone(), others, open }
}
