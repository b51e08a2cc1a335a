use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::PositionEncoding;
use crate::workspace::rules::{RootRefusal, check_root};
use crate::workspace::{Abilities, Refusal, RefusalKind, Role};

use crate::daemon::failure::refusal_of;
use crate::daemon::job::blocking;
use crate::daemon::{Core, Daemon, Failure, SessionContext, SessionRoot};

/// The properties of a client from its `initialize` request.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// Role that the socket grants.
    pub role: Role,
    /// `clientInfo.name`.
    pub author: String,
    /// The client's name for the session, which a later connection can use again. Without it, the daemon
    /// assigns a name.
    pub session_name: Option<String>,
    /// Requested root directories.
    pub roots: Vec<PathBuf>,
    /// `true` if a missing root directly under the home directory is a file that the client will create.
    pub new_file: bool,
    /// Unit of character positions.
    pub encoding: PositionEncoding,
    /// Optional capabilities of the client.
    pub abilities: Abilities,
}

impl Daemon {
    /// Creates the session of a client and opens its roots. Refuses roots that it may not have.
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
    /// Updates the roots of an editor's session.
    pub fn folders_changed(&self, session: &SessionContext, removed: &[PathBuf], added: &[PathBuf]) {
        let open = |path: &PathBuf| open_root(&self.core, session.role, path, true).ok();
        session.change_roots(removed, added.iter().filter_map(open).collect());
        self.core.workspace.update(|w| w.set_roots(session.id, session.root_paths()));
    }
}

/// Opens a root. With `new_file`, it may be a missing file directly under the home directory.
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
    // The check applies to the opened directory, not to the requested path. A single file is never too wide.
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

/// Opens a single file as a root; no other file in its directory belongs to the session. In the home
/// directory, which cannot be a root, the file may be missing if `new_file` is set. Without that condition, a
/// typo in the name of a directory would look like an empty project.
fn single_file(core: &Core, path: &Path, new_file: bool) -> Option<SessionRoot> {
    let root = core.disk.open_root(path.parent()?).ok()?;
    let name = path.file_name()?;
    let exists = core.disk.resolve(&root, Path::new(name)).is_ok_and(|target| target.exists);
    let in_home = new_file && core.home.as_deref() == Some(root.path());
    (exists || in_home).then(|| SessionRoot::of(&*core.disk, root, Some(name.to_owned())))
}

fn reason(refusal: RootRefusal) -> &'static str {
    match refusal {
        RootRefusal::TooWide => "it is wider than one project",
        RootRefusal::System => "it belongs to the system",
        RootRefusal::VersionControl => "it is version-control metadata",
        RootRefusal::NotConfigured => "it is outside the `roots` that the user configured",
    }
}
