//! Diffs that a person is shown as files.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::daemon::{Core, Daemon, Failure, SessionContext};
use crate::protocol::ProposalParams;
use crate::protocol::plain::diff_of;

/// Below the folder of the sockets, which only this user may enter.
const FOLDER: &str = "diffs";

impl Core {
    /// Where the diff of a proposal is shown. Ids are made here and have no slashes; what is sent is checked by
    /// looking for it before.
    pub(super) fn diff_file(&self, id: &str) -> PathBuf {
        let name: String = id.chars().filter(|at| at.is_ascii_alphanumeric() || *at == '-').collect();
        self.runtime_dir.join(FOLDER).join(format!("{name}.diff"))
    }

    /// The proposals whose diffs are there.
    pub(super) fn shown_diffs(&self) -> Vec<String> {
        // As a rule there is no such folder.
        let entries = std::fs::read_dir(self.runtime_dir.join(FOLDER)).into_iter().flatten().flatten();
        let id =
            |entry: std::fs::DirEntry| Some(entry.file_name().to_str()?.strip_suffix(".diff")?.to_owned());
        entries.filter_map(id).collect()
    }
}

impl Daemon {
    /// What a proposal that waits does to all its files; none if it waits no more.
    pub(super) async fn diff_text(
        &self,
        session: &Arc<SessionContext>,
        id: &str,
    ) -> Result<Option<String>, Failure> {
        let proposal = self.proposal(session, ProposalParams { id: id.to_owned(), wait_ms: None }).await?;
        Ok((proposal.state == "pending").then(|| diff_of(&proposal)))
    }
}

/// Puts a diff there, whole, in place of the one before. Nobody is meant to change it.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let new = path.with_extension("new");
    // One that a killed daemon has left.
    let _ = std::fs::remove_file(&new);
    let mut file = File::options().write(true).create_new(true).mode(0o400).open(&new)?;
    file.write_all(text.as_bytes())?;
    std::fs::rename(&new, path)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes all of them, at the start and the end of a daemon.
pub(crate) fn clear(runtime_dir: &Path) {
    // There may be none.
    let _ = std::fs::remove_dir_all(runtime_dir.join(FOLDER));
}
