//! Recovery from an interrupted daemon, and storage for displaced content that would otherwise be lost.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, Journal, LossReason, Recovery, Rescue, replace_private_file};
use crate::history::History;
use crate::text::ContentHash;

/// Returns the label in the history for rescued content.
fn label(why: LossReason) -> &'static str {
    match why {
        LossReason::Displaced => "written by another program while editd changed the file",
        LossReason::Interrupted => "content of the file before an interrupted change",
    }
}

/// Opens the journal in the state directory, which recovers interrupted changes.
pub(crate) fn open_journal(
    disk: &dyn Disk,
    state_dir: &Path,
    rescue: Arc<dyn Rescue>,
) -> io::Result<(Journal, Recovery)> {
    let folder = state_dir.join("journal");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Journal::open(disk, &folder, rescue).map_err(io::Error::other)
}

/// Logs the result of the recovery, unless nothing was recovered.
pub(crate) fn log_recovery(recovery: &Recovery) {
    if recovery.is_empty() {
        return;
    }
    let Recovery { restored, left, rescued, strays, failed, damaged } = recovery;
    tracing::warn!(
        ?restored,
        ?left,
        ?rescued,
        strays,
        ?failed,
        damaged,
        "an earlier daemon was interrupted while it changed files"
    );
}

/// Stores displaced content in the history, or as a file if the history cannot store it.
pub(crate) struct Rescuer {
    history: Arc<History>,
    folder: PathBuf,
}

impl Rescuer {
    pub(crate) fn new(history: Arc<History>, state_dir: &Path) -> Self {
        Self { history, folder: state_dir.join("rescued") }
    }

    /// Stores content in a file named by its hash. Writes a temporary file and renames it, so that the named
    /// file is complete even if the disk is full or the daemon is killed. Replaces an existing file, whatever
    /// its content.
    fn store_as_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let name = self.folder.join(ContentHash::of(bytes).to_string());
        replace_private_file((&name.with_extension("part"), &name), [bytes], true)?;
        tracing::warn!(path = %path.display(), stored = %name.display(), "displaced content was stored");
        Ok(())
    }
}

impl Rescue for Rescuer {
    fn keep(&self, path: &Path, bytes: &[u8], why: LossReason) -> io::Result<()> {
        match self.history.rescue(path, &bytes.to_vec().into(), label(why)) {
            Ok(transaction) => {
                tracing::warn!(path = %path.display(), %transaction, "displaced content was stored");
                Ok(())
            }
            Err(_) => self.store_as_file(path, bytes),
        }
    }
}
