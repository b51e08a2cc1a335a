//! Recovery from an interrupted daemon, and storage for displaced content that would otherwise be lost.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_disk::history::History;
use editd_disk::{Disk, Journal, LossReason, Recovery, Rescue, make_private_folder, replace_private_file};
use editd_text::ContentHash;

/// Opens the journal in the state directory, which recovers interrupted changes, and logs what was recovered.
pub(crate) fn open_journal(
    disk: &dyn Disk,
    state_dir: &Path,
    rescue: Arc<dyn Rescue>,
) -> io::Result<Journal> {
    let folder = state_dir.join("journal");
    make_private_folder(&folder)?;
    let (journal, recovery) = Journal::open(disk, &folder, rescue).map_err(io::Error::other)?;
    if !recovery.is_empty() {
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
    Ok(journal)
}

/// Stores displaced content in the history, or as a file if the history cannot store it.
pub(crate) struct Rescuer {
    pub(crate) history: Arc<History>,
    /// Folder of the files.
    pub(crate) folder: PathBuf,
}

impl Rescuer {
    /// Stores content in a file named by its hash. Replaces an existing file, whatever its content.
    fn store_as_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        let name = self.folder.join(ContentHash::of(bytes).to_string());
        replace_private_file((&name.with_extension("part"), &name), [bytes], true)?;
        tracing::warn!(path = %path.display(), stored = %name.display(), "displaced content was stored");
        Ok(())
    }
}

impl Rescue for Rescuer {
    fn keep(&self, path: &Path, bytes: &[u8], why: LossReason) -> io::Result<()> {
        let label = match why {
            LossReason::Displaced => "written by another program while editd changed the file",
            LossReason::Interrupted => "content of the file before an interrupted change",
        };
        match self.history.rescue(path, &bytes.to_vec().into(), label) {
            Ok(transaction) => {
                tracing::warn!(path = %path.display(), %transaction, "displaced content was stored");
                Ok(())
            }
            Err(_) => self.store_as_file(path, bytes),
        }
    }
}
