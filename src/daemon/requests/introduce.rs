use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::PositionEncoding;
use crate::workspace::rules::{RootRefusal, check_root};
use crate::workspace::{Abilities, Refusal, RefusalKind, Role};

use crate::daemon::editors::EditorsEvent;
use crate::daemon::event::Event;
use crate::daemon::failure::refusal_of;
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext, SessionRoot};

/// What a client says of itself in `initialize`.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// What the socket allows it.
    pub role: Role,
    /// `clientInfo.name`.
    pub author: String,
    /// Its name for this session, under which a later connection may go on. Without one the daemon gives it a name.
    pub session_name: Option<String>,
    /// The folders that it wants to work in.
    pub roots: Vec<PathBuf>,
    /// Whether a root directly below home that is not there is a file that it means to make.
    pub new_file: bool,
    /// How it counts positions.
    pub encoding: PositionEncoding,
    /// What else it can do.
    pub abilities: Abilities,
}

impl Daemon {
    /// Opens a client's roots, if it may have them.
    pub async fn introduce(&self, introduction: Introduction) -> Result<SessionContext, Failure> {
        let id = self.next_session();
        let core = self.core.clone();
        blocking(move || {
            let Introduction { role, author, session_name, roots, new_file, encoding, abilities } =
                introduction;
            let open = |root: &PathBuf| open_root(&core, role, root, new_file || role == Role::Editor);
            let roots = roots.iter().map(open).collect::<Result<Vec<_>, _>>()?;
            let name = session_name.map_or_else(|| core.history.session_name(id.0), Arc::from);
            Ok(SessionContext::new(id, role, (author, name), roots, encoding).with_abilities(abilities))
        })
        .await?
    }
}

impl Daemon {
    /// An editor has other folders open.
    pub fn folders_changed(&self, session: &SessionContext, gone: &[PathBuf], added: &[PathBuf]) {
        let open = |path: &PathBuf| open_root(&self.core, session.role, path, true).ok();
        session.change_roots(gone, added.iter().filter_map(open).collect());
        let (id, roots) = (session.id, session.root_paths());
        self.core.books.send(Event::Editors(EditorsEvent::Folders { session: id, roots }));
    }
}

/// Opens a root. With `new_file` it may be a file directly below home that is not there.
pub(crate) fn open_root(
    core: &Core,
    role: Role,
    path: &Path,
    new_file: bool,
) -> Result<SessionRoot, Failure> {
    let refuse = |kind| Refusal::at(path, kind);
    let root = match core.disk.open_root(path) {
        Ok(root) => SessionRoot::of(&*core.disk, root, None),
        Err(error) => single_file(core, path, new_file).ok_or_else(|| refuse(refusal_of(&error)))?,
    };
    // The check is on what was opened, not on how it was called. A single file is never too much.
    if role == Role::Agent {
        let checked = if root.surroundings.metadata {
            Err(RootRefusal::VersionControl)
        } else {
            check_root(&root.path(), core.home.as_deref(), &core.config.roots)
        };
        checked.map_err(|refusal| refuse(RefusalKind::Root { reason: reason(refusal) }))?;
    }
    Ok(root)
}

/// A file that stands for itself: the folder it is in is opened for nothing else. In the home folder, which
/// cannot be a root, that holds for new files too, where they are meant: else a slip in a folder's name would
/// look like an empty project.
fn single_file(core: &Core, path: &Path, new_file: bool) -> Option<SessionRoot> {
    let root = core.disk.open_root(path.parent()?).ok()?;
    let name = path.file_name()?;
    let exists = core.disk.resolve(&root, Path::new(name)).is_ok_and(|target| target.exists);
    let in_home = new_file && core.home.as_deref() == Some(root.path());
    (exists || in_home).then(|| SessionRoot::of(&*core.disk, root, Some(name.to_owned())))
}

fn reason(refusal: RootRefusal) -> &'static str {
    match refusal {
        RootRefusal::TooWide => "it holds too much that is not one project's",
        RootRefusal::System => "it belongs to the system",
        RootRefusal::VersionControl => "it is version-control metadata",
        RootRefusal::NotConfigured => "it lies in none of the `roots` that the user configured",
    }
}
