use std::path::{Path, PathBuf};

use crate::disk::Root;
use crate::text::PositionEncoding;
use crate::workspace::rules::{RootRefusal, check_root};
use crate::workspace::{Refusal, RefusalKind, Role};

use crate::daemon::failure::refusal_of;
use crate::daemon::job::blocking;
use crate::daemon::{Daemon, Failure, SessionContext};

/// What a client says of itself in `initialize`.
#[derive(Clone, Debug)]
pub struct Introduction {
    /// What the socket allows it.
    pub role: Role,
    /// `clientInfo.name`.
    pub author: String,
    /// The folders that it wants to work in.
    pub roots: Vec<PathBuf>,
    /// How it counts positions.
    pub encoding: PositionEncoding,
}

impl Daemon {
    /// Opens a client's roots, if it may have them.
    pub async fn introduce(&self, introduction: Introduction) -> Result<SessionContext, Failure> {
        let id = self.next_session();
        let core = self.core.clone();
        blocking(move || {
            let Introduction { role, author, roots, encoding } = introduction;
            let open = |root: &PathBuf| open_root(&core, role, root);
            let roots = roots.iter().map(open).collect::<Result<Vec<_>, _>>()?;
            Ok(SessionContext::new(id, role, author, roots, encoding))
        })
        .await?
    }
}

fn open_root(core: &crate::daemon::Core, role: Role, path: &Path) -> Result<Root, Failure> {
    let root = core.disk.open_root(path).map_err(|error| Refusal::at(path, refusal_of(&error)))?;
    // The check is on what was opened, not on how it was called.
    if role == Role::Agent {
        let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
        check_root(root.path(), home.as_deref(), &core.config.roots)
            .map_err(|refusal| Refusal::at(path, RefusalKind::Root { reason: reason(refusal) }))?;
    }
    Ok(root)
}

fn reason(refusal: RootRefusal) -> &'static str {
    match refusal {
        RootRefusal::TooWide => "it holds too much that is not one project's",
        RootRefusal::System => "it belongs to the system",
        RootRefusal::VersionControl => "it is version-control metadata",
        RootRefusal::NotConfigured => "it lies in none of the `roots` that the user configured",
    }
}
