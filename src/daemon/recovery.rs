//! What an earlier daemon left behind, and where texts go that nobody would find otherwise.

use std::fs::DirBuilder;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, Journal, Recovery, Rescue};
use crate::text::ContentHash;

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

/// Texts that were displaced, one file each.
pub(super) struct RescueFolder(PathBuf);

impl RescueFolder {
    pub(super) fn new(state_dir: &Path) -> Self {
        Self(state_dir.join("rescued"))
    }
}

impl Rescue for RescueFolder {
    fn keep(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
        let name = self.0.join(ContentHash::of(bytes).to_string());
        tracing::warn!(path = %path.display(), kept = %name.display(), "a displaced text was kept");
        match std::fs::File::options().write(true).create_new(true).mode(0o600).open(&name) {
            Ok(mut file) => file.write_all(bytes),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }
}
