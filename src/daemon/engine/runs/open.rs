//! Open runs, and their files in the state folder, by which a run that a killed daemon has left is known.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::SessionContext;
use crate::engine::runs::{NewRun, RunChanges};
use editd_disk::history::{OriginRecord, PathRecord};
use editd_disk::{make_private_folder, read_private_file, replace_private_file};
use editd_workspace::SessionId;
use editd_workspace::history::{Origin, RunStatus};

/// A run that has begun and not ended.
#[derive(Debug)]
pub(crate) struct OpenRun {
    pub(crate) id: String,
    pub(crate) author: String,
    pub(crate) session: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) command: String,
    /// The connection that ends the run when it ends.
    pub(super) bound_to: Option<SessionId>,
    pub(super) status: Option<RunStatus>,
    pub(super) is_interrupted: bool,
    /// The changes that were recorded so far.
    pub(super) changes: RunChanges,
}

/// The part of an open run by which it is found.
#[derive(Clone, Debug)]
pub(crate) struct RunKey {
    pub(crate) id: String,
    author: String,
    session: Arc<str>,
    /// Id of the call of a tool.
    pub(crate) tool_call: Option<String>,
    pub(super) bound_to: Option<SessionId>,
}

impl RunKey {
    /// Returns `true` if the run belongs to the session.
    pub(crate) fn is_of(&self, session: &SessionContext) -> bool {
        self.author == session.author && self.session == session.name
    }
}

/// A run that an earlier daemon has left open.
pub(crate) struct RunFile {
    pub(super) run: OpenRun,
    pub(super) root: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct RunFileRecord {
    id: String,
    author: String,
    session: String,
    command: String,
    origin: OriginRecord,
    root: PathRecord,
}

impl OpenRun {
    pub(super) fn new(id: String, session: &SessionContext, new: NewRun) -> Self {
        Self {
            id,
            author: session.author.clone(),
            session: session.name.clone(),
            origin: new.origin,
            command: new.command,
            bound_to: new.is_bound.then_some(session.connection),
            status: None,
            is_interrupted: false,
            changes: RunChanges::default(),
        }
    }

    /// Returns `true` if the run ends with its connection, whose client waits for it.
    pub(super) fn is_bound(&self) -> bool {
        self.bound_to.is_some()
    }

    /// Returns the part by which the run is found.
    pub(super) fn key(&self) -> RunKey {
        RunKey {
            id: self.id.clone(),
            author: self.author.clone(),
            session: self.session.clone(),
            tool_call: self.origin.tool_call.clone(),
            bound_to: self.bound_to,
        }
    }

    /// Stores the run, so that the next daemon knows it.
    pub(super) fn store(&self, folder: &Path, root: &Path) -> io::Result<()> {
        let record = RunFileRecord {
            id: self.id.clone(),
            author: self.author.clone(),
            session: self.session.to_string(),
            command: self.command.clone(),
            origin: OriginRecord::new(&self.origin),
            root: PathRecord::new(root),
        };
        make_private_folder(folder)?;
        let text = serde_json::to_vec(&record)?;
        let path = folder.join(&self.id);
        replace_private_file((&path.with_extension("part"), &path), [text.as_slice()], false).map(drop)
    }

    pub(super) fn remove(&self, folder: &Path) {
        if let Err(error) = fs::remove_file(folder.join(&self.id))
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%error, run = self.id, "the file of a run cannot be removed");
        }
    }

    /// Returns the runs that an earlier daemon has stored and not ended.
    pub(super) fn stored(folder: &Path) -> Vec<RunFile> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let read = |path: PathBuf| {
            let record: RunFileRecord = serde_json::from_slice(&read_private_file(&path).ok()?).ok()?;
            let RunFileRecord { id, author, session, command, origin, root } = record;
            let run = Self {
                id,
                author,
                session: session.into(),
                origin: origin.read(),
                command,
                bound_to: None,
                status: None,
                is_interrupted: true,
                changes: RunChanges::default(),
            };
            Some(RunFile { run, root: root.read() })
        };
        entries.filter_map(|entry| read(entry.path())).collect()
    }
}
