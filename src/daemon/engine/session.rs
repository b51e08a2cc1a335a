//! Sessions: their roots, and the limits of their requests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::RwLock;
use tokio::sync::{Mutex, Semaphore};

use crate::config::check_named_places;
use crate::engine::files::access::Surroundings;
use crate::engine::files::locks::Client;
use crate::engine::shares::Requester;
use crate::engine::{Engine, Result, refusal_of};
use editd_disk::{Root, usual_path};
use editd_text::PositionEncoding;
use editd_workspace::rules::{RootRefusal, check_root};
use editd_workspace::{Abilities, Refusal, RefusalKind, Role, SessionId};

/// Maximum number of requests of one session that occupy a thread at the same time: enough to keep the disk
/// busy, too few to block other sessions.
const JOBS_PER_SESSION: usize = 4;

/// A directory that a session may access.
#[derive(Clone, Debug)]
pub struct SessionRoot {
    /// The opened directory.
    pub root: Root,
    /// The only file in the directory that belongs to the session, if the client named a file instead of a
    /// directory.
    pub only: Option<OsString>,
    /// Another path of the directory, by which a mount shows it and by which the client has named it.
    pub(crate) alias: Option<Alias>,
    /// Surroundings of the directory, for access control.
    pub(crate) surroundings: Surroundings,
}

/// A path under which a mount shows a root.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    /// The canonical path.
    pub(crate) path: PathBuf,
    /// Top of the workspace for the path rules, by this path.
    pub(crate) top: PathBuf,
}

impl SessionRoot {
    /// Returns the path of the directory, or of the file if the client named a file.
    pub fn path(&self) -> PathBuf {
        self.only.as_ref().map_or_else(|| self.root.path().to_owned(), |name| self.root.path().join(name))
    }

    /// Converts an absolute path to a path relative to the root. Returns `None` if it is outside the root.
    pub(crate) fn relative(&self, absolute: &Path) -> Option<PathBuf> {
        let root = &self.root;
        let relative = absolute.strip_prefix(root.path()).or_else(|_| absolute.strip_prefix(root.given()));
        let of_alias = || absolute.strip_prefix(&self.alias.as_ref()?.path).ok();
        let relative = relative.ok().or_else(of_alias)?;
        self.admits(relative).then(|| relative.to_owned())
    }

    /// Returns `true` if a relative path belongs to the session.
    pub(crate) fn admits(&self, relative: &Path) -> bool {
        self.only.as_ref().is_none_or(|name| relative == Path::new(name))
    }
}

/// The properties of a session that its requests use. Only the roots of an editor change after `initialize`.
#[derive(Debug)]
pub struct SessionContext {
    /// Id of the session.
    pub id: SessionId,
    /// Id of the connection: that of the session that it began, or would have begun if it had not resumed this
    /// one. A session that is resumed by name can have several connections at a time.
    pub connection: SessionId,
    /// Role of the session, which decides what it may do.
    pub role: Role,
    /// The process of its client, if it is known.
    pub process: Option<i32>,
    /// Author of its changes.
    pub author: String,
    /// Name of the session in the history.
    pub name: Arc<str>,
    /// Opened roots. Only editors change them.
    roots: RwLock<Vec<Arc<SessionRoot>>>,
    /// Unit of character positions on its connection.
    pub encoding: PositionEncoding,
    /// Optional capabilities of its client.
    pub abilities: Abilities,
    /// Held while a request resolves its files and joins their queues, so that the requests of a session join
    /// queues in the order of arrival.
    pub(crate) turn: Arc<Mutex<()>>,
    /// Limits the requests that occupy a thread.
    pub(crate) jobs: Arc<Semaphore>,
    /// `true` if the client had sent nothing after the request that was started last.
    pub(crate) has_no_followers: AtomicBool,
    /// `true` if the client has announced that it may come back right after its goodbye.
    pub(crate) may_return: AtomicBool,
    /// Held during a search. The searches of a session run one after the other, so that other sessions can
    /// search too.
    pub(crate) searching: Arc<Mutex<()>>,
}

impl SessionContext {
    pub(crate) fn new(
        id: SessionId,
        role: Role,
        (author, name): (String, Arc<str>),
        roots: Vec<SessionRoot>,
        encoding: PositionEncoding,
    ) -> Self {
        let jobs = Arc::new(Semaphore::new(JOBS_PER_SESSION));
        let abilities = Abilities::default();
        let roots = RwLock::new(roots.into_iter().map(Arc::new).collect());
        let connection = id;
        let (turn, searching) = (Arc::default(), Arc::default());
        let (has_no_followers, may_return) = (AtomicBool::default(), AtomicBool::default());
        Self {
            id,
            connection,
            role,
            process: None,
            author,
            name,
            roots,
            encoding,
            abilities,
            turn,
            jobs,
            has_no_followers,
            may_return,
            searching,
        }
    }

    /// Returns the client that takes turns with others.
    pub(crate) fn client(&self) -> Client {
        self.process.map_or(Client::Connection(self.connection), Client::Process)
    }

    /// Returns the author and the process for which its requests count.
    pub(crate) fn requester(&self) -> Requester<'_> {
        (&self.author, self.process)
    }

    /// Returns the canonical paths of the roots.
    pub fn root_paths(&self) -> Vec<PathBuf> {
        self.roots.read().iter().map(|root| root.path()).collect()
    }

    /// Returns the roots in order.
    pub fn roots(&self) -> Vec<Arc<SessionRoot>> {
        self.roots.read().clone()
    }

    /// Returns a path relative to the first root if it is below it, as answers of tools show it.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        let inside = self.roots.read().first().and_then(|root| path.strip_prefix(root.path()).ok());
        inside.filter(|inside| !inside.as_os_str().is_empty()).unwrap_or(path)
    }

    /// Removes roots and adds others.
    pub(crate) fn change_roots(&self, removed: &[PathBuf], added: Vec<SessionRoot>) {
        let mut roots = self.roots.write();
        let is_kept = |root: &Arc<SessionRoot>| {
            !removed.iter().any(|removed| *removed == root.path() || *removed == root.root.given())
        };
        roots.retain(is_kept);
        roots.extend(added.into_iter().map(Arc::new));
    }
}

/// Opens a root. With `new_file`, it may be a missing file directly under the home directory.
pub(crate) fn open_root(engine: &Engine, role: Role, path: &Path, new_file: bool) -> Result<SessionRoot> {
    let refuse = |kind| Refusal::at(path, kind);
    let root = match engine.disk.open_root(path) {
        Ok(root) => by_usual_path(engine, root, None),
        Err(error) => single_file(engine, path, new_file).ok_or_else(|| refuse(refusal_of(&error)))?,
    };
    // The check applies to the opened directory, not to the requested path. A single file is never too wide.
    if role == Role::Agent {
        let checked = if root.surroundings.metadata {
            Err(RootRefusal::VersionControl)
        } else {
            let named = root.alias.as_ref().map_or_else(|| root.path(), |alias| alias.path.clone());
            check_root(&named, engine.home.as_deref(), &engine.config.roots)
        };
        checked.map_err(|refusal| refuse(RefusalKind::Root { reason: refusal.into() }))?;
        let top = root.surroundings.names_from.as_path();
        // A home folder under version control holds the user's own settings.
        let is_project = |top: &&Path| top.parent().is_some() && engine.home.as_deref() != Some(top);
        let projects: Vec<_> =
            [root.root.path()].into_iter().chain(Some(top).filter(|top| is_project(top))).collect();
        check_named_places(&projects)
            .map_err(|inside| refuse(RefusalKind::NotPermitted { what: inside.to_string() }))?;
    }
    Ok(root)
}

/// Creates a session root from an opened root, or from a single file in it. If a mount shows the folder under several
/// paths, all sessions have it by the same one: otherwise no reviewer and no lock would be found under the others.
fn by_usual_path(engine: &Engine, root: Root, only: Option<OsString>) -> SessionRoot {
    let opened = usual(engine, root.path()).and_then(|path| engine.disk.open_root(&path).ok());
    let Some(usual) = opened.filter(|usual| usual.is_same_folder(&root)) else {
        return SessionRoot::of(&*engine.disk, root, only);
    };
    let (given, path) = (root.given().to_owned(), root.path().to_owned());
    let top = SessionRoot::of(&*engine.disk, root, None).surroundings.names_from;
    let usual = SessionRoot::of(&*engine.disk, usual.given_as(&given), only);
    SessionRoot { alias: Some(Alias { path, top }), ..usual }
}

/// Returns the path by which a folder is usually known, if it is another one that can be a root.
fn usual(engine: &Engine, folder: &Path) -> Option<PathBuf> {
    usual_path(folder, |path| check_root(path, engine.home.as_deref(), &[]).is_ok())
}

/// Returns the path of a file as sessions know it, whatever mounts show its folder.
pub(crate) fn usual_path_of(engine: &Engine, file: PathBuf) -> PathBuf {
    let folder = file.parent().and_then(|folder| usual(engine, folder));
    folder.and_then(|folder| Some(folder.join(file.file_name()?))).unwrap_or(file)
}

/// Opens a single file as a root; no other file in its directory belongs to the session. In the home
/// directory, which cannot be a root, the file may be missing if `new_file` is set. Without that condition, a
/// typo in the name of a directory would look like an empty project.
fn single_file(engine: &Engine, path: &Path, new_file: bool) -> Option<SessionRoot> {
    let root = engine.disk.open_root(path.parent()?).ok()?;
    let name = path.file_name()?;
    let exists = engine.disk.resolve(&root, Path::new(name)).is_ok_and(|target| target.exists);
    let in_home = new_file && engine.home.as_deref() == Some(root.path());
    (exists || in_home).then(|| by_usual_path(engine, root, Some(name.to_owned())))
}
