use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{DiskErrorKind, Target};
use crate::protocol::RequestPath;
use crate::workspace::rules::Operation;
use crate::workspace::{Refusal, RefusalKind, Role};

use super::failure::refusal_of;
use super::guard::Clearance;
use super::{Core, SessionContext, SessionRoot};

/// What a path is looked up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    /// To change the text of a file that is there.
    Edit,
    /// To give it a whole text, whether or not it is there.
    Write,
    Delete,
    /// To give it another name.
    RenameFrom {
        /// And another text.
        edited: bool,
    },
    /// To be that name.
    RenameTo,
}

impl Purpose {
    /// Everything that is done to the file. What was read of a file is told in answers to changes, too, so a
    /// file that may not be read may not be changed either. A rename takes a file away from one place and
    /// makes one at another.
    pub(super) fn operations(self, exists: bool) -> &'static [Operation] {
        use Operation::{Create, Delete, Modify, Read, Rename};
        match self {
            Self::Read => &[Read],
            Self::Write if !exists => &[Create],
            Self::Edit | Self::Write => &[Modify, Read],
            Self::Delete => &[Delete, Read],
            Self::RenameFrom { edited: false } => &[Rename, Delete, Read],
            Self::RenameFrom { edited: true } => &[Rename, Delete, Read, Modify],
            Self::RenameTo => &[Rename, Create],
        }
    }

    pub(super) fn is_change(self) -> bool {
        self != Self::Read
    }
}

/// A place that was found, and not yet judged.
pub(crate) struct Found {
    pub(crate) root: Arc<SessionRoot>,
    /// The path from the root as it was asked for.
    pub(crate) relative: PathBuf,
    pub(crate) target: Target,
}

/// A place that the session may use as it wants to.
pub(crate) struct Placed {
    pub(crate) target: Target,
    pub(crate) clearance: Clearance,
}

impl Core {
    /// The place that a request means by a path, if the session may go there.
    pub(crate) fn locate(
        &self,
        session: &SessionContext,
        path: &RequestPath,
        purpose: Purpose,
    ) -> Result<Target, Refusal> {
        self.place(session, path, purpose).map(|placed| placed.target)
    }

    /// The same, with what the path rules say of it.
    pub(crate) fn place(
        &self,
        session: &SessionContext,
        path: &RequestPath,
        purpose: Purpose,
    ) -> Result<Placed, Refusal> {
        let found = self.find(session, path, purpose)?;
        let clearance = self.judge(session, &found, purpose)?;
        Ok(Placed { target: found.target, clearance })
    }

    /// Refuses an agent what it would be told of a file that it may not read. Other reasons why the file cannot
    /// be had do not matter here.
    pub(crate) fn require_readable(&self, session: &SessionContext, path: &Path) -> Result<(), Refusal> {
        if session.role == Role::Editor {
            return Ok(());
        }
        match self.locate(session, &RequestPath::of(path), Purpose::Read) {
            Err(refusal) if matches!(refusal.kind, RefusalKind::Protected(_)) => Err(refusal),
            _ => Ok(()),
        }
    }

    /// The place that a path means, whether or not the rules allow anything there.
    pub(crate) fn find(
        &self,
        session: &SessionContext,
        path: &RequestPath,
        purpose: Purpose,
    ) -> Result<Found, Refusal> {
        let asked = path.as_path();
        let outside = || Refusal::at(asked, RefusalKind::OutsideWorkspace { roots: session.root_paths() });
        let (root, relative) = self.root_of(session, asked, purpose).ok_or_else(outside)?;
        // What a change left that could not be taken back is no place to start from.
        self.journal.retry(&*self.disk);
        if path.names_folder() || relative.as_os_str().is_empty() {
            return Err(Refusal::at(asked, RefusalKind::NotAFile { what: "a folder".to_owned() }));
        }
        let target = self.disk.resolve(&root.root, &relative).map_err(|error| match error.kind {
            DiskErrorKind::OutsideRoot => outside(),
            _ => Refusal::at(asked, refusal_of(&error)),
        })?;
        Ok(Found { root, relative, target })
    }

    /// The root that a path lies in, and its path from there.
    pub(super) fn root_of(
        &self,
        session: &SessionContext,
        asked: &Path,
        purpose: Purpose,
    ) -> Option<(Arc<SessionRoot>, PathBuf)> {
        let own = session.roots();
        if asked.is_relative() {
            let first = own.into_iter().next().filter(|root| root.admits(asked));
            return first.map(|first| (first, asked.to_owned()));
        }
        let configured: &[Arc<SessionRoot>] = if own.is_empty() { &self.roots } else { &[] };
        let readable: &[Arc<SessionRoot>] = if purpose.is_change() { &[] } else { &self.read_roots };
        let mut roots = own.iter().chain(configured).chain(readable);
        roots.find_map(|root| Some((root.clone(), root.relative(asked)?)))
    }
}
