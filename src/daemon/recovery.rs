//! What an earlier daemon left behind, and where texts go that nobody would find otherwise.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, Journal, Lost, Recovery, Rescue};
use crate::history::History;
use crate::text::ContentHash;

/// What the history says of a text that was kept.
fn label(why: Lost) -> &'static str {
    match why {
        Lost::Displaced => "written by another program while editd changed the file",
        Lost::Interrupted => "what the file was before a change that was interrupted",
    }
}

/// Opens the journal in the state folder, which puts right what was interrupted.
pub(super) fn open_journal(
    disk: &dyn Disk,
    state_dir: &Path,
    rescue: Arc<dyn Rescue>,
) -> io::Result<(Journal, Recovery)> {
    let folder = state_dir.join("journal");
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Journal::open(disk, &folder, rescue).map_err(io::Error::other)
}

/// Says what a start found.
pub(super) fn tell(recovery: &Recovery) {
    if recovery.is_eventless() {
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

/// Keeps texts that were displaced: in the history, and where that keeps none, as one file each.
pub(super) struct Rescuer {
    history: Arc<History>,
    folder: PathBuf,
}

impl Rescuer {
    pub(super) fn new(history: Arc<History>, state_dir: &Path) -> Self {
        Self { history, folder: state_dir.join("rescued") }
    }

    /// Writes beside and renames: what has the name is whole, also after a full disk or a kill. What is there
    /// already is replaced, whatever it holds.
    fn keep_as_file(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let name = self.folder.join(ContentHash::of(bytes).to_string());
        let part = name.with_extension("part");
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
        file.write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&part, &name))
            .inspect_err(|_| {
                fs::remove_file(&part).ok();
            })?;
        File::open(&self.folder)?.sync_all()?;
        tracing::warn!(path = %path.display(), kept = %name.display(), "a displaced text was kept");
        Ok(())
    }
}

impl Rescue for Rescuer {
    fn keep(&self, path: &Path, bytes: &[u8], why: Lost) -> io::Result<()> {
        match self.history.rescue(path, &bytes.to_vec().into(), label(why)) {
            Ok(transaction) => {
                tracing::warn!(path = %path.display(), %transaction, "a displaced text was kept");
                Ok(())
            }
            Err(_) => self.keep_as_file(path, bytes),
        }
    }
}
