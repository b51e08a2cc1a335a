//! Recovery of links and folders that gave their names to files of an interrupted transaction.

use super::file::Recoverer;
use crate::commit::remove_aside;
use crate::journal::{RawPath, RecordedAside, RecordedChange, Spot};
use crate::{DiskErrorKind, Entry, Result};

impl RecordedChange {
    /// Returns the change with the names of its displaced files as they are while these folders are renamed.
    pub(super) fn inside(&self, moved: &[RecordedAside]) -> Self {
        let renamed = |spot: &Spot| {
            let inside = |aside: &RecordedAside| {
                let below = spot.path().strip_prefix(aside.name.path()).ok()?;
                Some(Spot { path: RawPath(aside.at.path().join(below)), folder: spot.folder })
            };
            moved.iter().find_map(inside).unwrap_or_else(|| spot.clone())
        };
        Self {
            staged: self.staged.as_ref().map(renamed),
            kept: self.kept.as_ref().map(renamed),
            ..self.clone()
        }
    }
}

impl Recoverer<'_> {
    /// Gives a link or a folder its name back. Returns `false` if another program has taken the name.
    pub(super) fn put_back(&mut self, aside: &RecordedAside) -> Result<bool> {
        let (Some(at), Some(name)) = (self.moved(aside)?, self.open(&aside.name)?) else { return Ok(true) };
        if self.disk.stat_entry(&name)?.is_some() {
            self.report.left.push(name.path);
            return Ok(false);
        }
        self.disk.rename_new(&at, &name)?;
        self.disk.sync_dir(&name.dir, name.folder())?;
        self.report.restored.push(name.path);
        Ok(true)
    }

    /// Removes a link or a folder that is not needed any more. A folder with files of another program stays.
    pub(super) fn remove_aside(&mut self, aside: &RecordedAside) -> Result<()> {
        let Some(at) = self.moved(aside)? else { return Ok(()) };
        let root = self.disk.open_root(at.folder())?;
        match remove_aside(self.disk, &root, &root.entry(at.name.clone())) {
            Err(error) if error.kind == DiskErrorKind::Exists => {
                self.report.left.push(at.path);
                return Ok(());
            }
            removed => removed?,
        }
        self.report.strays += 1;
        self.disk.sync_dir(&at.dir, at.folder())
    }

    /// Returns `true` if a link or a folder still has its name.
    pub(super) fn has_name(&self, aside: &RecordedAside) -> Result<bool> {
        let Some(name) = self.open(&aside.name)? else { return Ok(false) };
        Ok(self.disk.stat_entry(&name)?.is_some_and(|stat| stat.ino == aside.ino))
    }

    /// Returns the temporary name, if the link or the folder has it now.
    fn moved(&self, aside: &RecordedAside) -> Result<Option<Entry>> {
        let Some(at) = self.open(&aside.at)? else { return Ok(None) };
        let is_it = self.disk.stat_entry(&at)?.is_some_and(|stat| stat.ino == aside.ino);
        Ok(is_it.then_some(at))
    }
}
