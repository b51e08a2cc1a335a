//! Resolving the paths of requests to files that a session may use.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::files::access::Clearance;
use crate::engine::{Engine, SessionContext, SessionRoot, refusal_of};
use editd_disk::{DiskErrorKind, Target};
use editd_workspace::rules::Operation;
use editd_workspace::{Action, PlannedFile, Refusal, RefusalKind, RequestedPath, Role};

/// The purpose for which a path is resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Read,
    /// Change the text of an existing file.
    Edit,
    /// Write the whole content of a file that may or may not exist.
    Write,
    Delete,
    /// Rename the file.
    RenameFrom {
        /// `true` if the rename also changes the text.
        edited: bool,
    },
    /// Be the new path of a rename.
    RenameTo,
}

impl Purpose {
    /// Returns all operations on the file. Answers to changes contain text of the file, so a file that may
    /// not be read may not be changed either. A rename deletes the file at one path and creates it at
    /// another.
    pub(crate) fn operations(self, exists: bool) -> &'static [Operation] {
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

    pub(crate) fn is_change(self) -> bool {
        self != Self::Read
    }
}

/// A resolved path to which the path rules were not applied yet.
pub(crate) struct Found {
    pub(crate) root: Arc<SessionRoot>,
    /// The requested path, relative to the root.
    pub(crate) relative: PathBuf,
    pub(crate) target: Target,
}

/// The file of a change and, for a rename, its new path, both resolved.
pub(crate) struct LocatedChange {
    pub(crate) target: Target,
    pub(crate) to: Option<Target>,
    pub(crate) clearance: Clearance,
}

impl LocatedChange {
    pub(crate) fn targets(&self) -> impl Iterator<Item = &Target> {
        std::iter::once(&self.target).chain(&self.to)
    }
}

impl Engine {
    /// Resolves a path of a request, if the session may use it.
    pub(crate) fn locate(
        &self,
        session: &SessionContext,
        path: &RequestedPath,
        purpose: Purpose,
    ) -> Result<Target, Refusal> {
        self.place(session, path, purpose).map(|(target, _)| target)
    }

    /// Like [`locate`](Self::locate), with the judgement of the path rules.
    pub(crate) fn place(
        &self,
        session: &SessionContext,
        path: &RequestedPath,
        purpose: Purpose,
    ) -> Result<(Target, Clearance), Refusal> {
        let found = self.find(session, path, purpose)?;
        let clearance = self.judge(session, &found, purpose)?;
        Ok((found.target, clearance))
    }

    /// Locates the file of a change and, for a rename, its new path. With `as_named`, refuses a path that has
    /// become a symbolic link since it was named, because the link leads to another file.
    pub(crate) fn locate_change(
        &self,
        session: &SessionContext,
        (path, purpose): (&Path, Purpose),
        to: Option<&Path>,
        as_named: bool,
    ) -> Result<LocatedChange, Refusal> {
        let place = |path: &Path, purpose| {
            let (target, clearance) = self.place(session, &RequestedPath::of(path), purpose)?;
            if as_named && target.path != path { Err(linked(path, &target)) } else { Ok((target, clearance)) }
        };
        let (to, more) = to.map(|to| place(to, Purpose::RenameTo)).transpose()?.unzip();
        let (target, clearance) = place(path, purpose)?;
        Ok(LocatedChange { target, to, clearance: clearance.and(more.unwrap_or_default()) })
    }

    /// Locates the files of a planned change.
    pub(crate) fn locate_planned(
        &self,
        session: &SessionContext,
        file: &PlannedFile,
        as_named: bool,
    ) -> Result<LocatedChange, Refusal> {
        let (purpose, to) = match &file.action {
            Action::Rename { to, .. } => {
                (Purpose::RenameFrom { edited: !file.plan.is_empty() }, Some(to.as_path()))
            }
            Action::Delete => (Purpose::Delete, None),
            Action::Create { .. } => (Purpose::Write, None),
            Action::Edit => (Purpose::Edit, None),
        };
        self.locate_change(session, (&file.path, purpose), to, as_named)
    }

    /// Refuses to show an agent information about a file that it may not read. Ignores other reasons why the
    /// file cannot be read.
    pub(crate) fn require_readable(&self, session: &SessionContext, path: &Path) -> Result<(), Refusal> {
        if session.role == Role::Editor {
            return Ok(());
        }
        match self.locate(session, &RequestedPath::of(path), Purpose::Read) {
            Err(refusal) if matches!(refusal.kind, RefusalKind::Protected(_)) => Err(refusal),
            _ => Ok(()),
        }
    }

    /// Resolves a path without applying the path rules.
    pub(crate) fn find(
        &self,
        session: &SessionContext,
        path: &RequestedPath,
        purpose: Purpose,
    ) -> Result<Found, Refusal> {
        let asked = path.as_path();
        let outside = || Refusal::at(asked, RefusalKind::OutsideWorkspace { roots: session.root_paths() });
        let (root, relative) = self.root_of(session, asked, purpose).ok_or_else(outside)?;
        // A change that could not be rolled back yet may affect this path, so try again first.
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

    /// Returns the root that contains a path, and the path relative to it.
    pub(crate) fn root_of(
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

/// Returns the refusal for a path that is a symbolic link.
pub(crate) fn linked(path: &Path, target: &Target) -> Refusal {
    let what = format!("reached by a symbolic link; it is `{}`", target.path.display());
    Refusal::at(path, RefusalKind::NotAFile { what })
}
