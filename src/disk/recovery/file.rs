//! Recovery of one file of an interrupted transaction.

use crate::journal::{RecordedChange, Spot};
use crate::{Disk, DiskError, DiskErrorKind, Entry, FileImage, Journal, LossReason, Result};
use std::path::{Path, PathBuf};

/// Result of the recovery at a start.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Files whose old content was restored.
    pub restored: Vec<PathBuf>,
    /// Files that another program has changed since. They were not touched, and their old text was rescued.
    pub left: Vec<PathBuf>,
    /// Files of which a text was rescued.
    pub rescued: Vec<PathBuf>,
    /// Number of staged and displaced files that were removed.
    pub strays: usize,
    /// Errors of steps that could not be completed now and will be retried.
    pub failed: Vec<DiskError>,
    /// Number of invalid journal lines, which were ignored.
    pub damaged: usize,
}

impl Recovery {
    /// Returns `true` if there is nothing to report.
    pub fn is_empty(&self) -> bool {
        let Self { restored, left, rescued, strays, failed, damaged } = self;
        restored.len() + left.len() + rescued.len() + strays + failed.len() + damaged == 0
    }
}

/// The bytes of a file before and after it is written in place.
pub(super) struct Images {
    old: Vec<u8>,
    new: Vec<u8>,
}

/// Recovers from the interrupted transactions of a journal.
pub(super) struct Recoverer<'r> {
    pub(super) disk: &'r dyn Disk,
    pub(super) journal: &'r Journal,
    pub(super) report: Recovery,
}

/// Recovers one file.
pub(super) struct FileRecovery<'a, 'r> {
    run: &'a mut Recoverer<'r>,
    change: &'a RecordedChange,
    images: Option<Images>,
    /// `true` if the name holds a text of another program, which stays.
    left: bool,
}

/// State of a name relative to the transaction.
enum Present {
    Nothing,
    Old,
    /// Content written by the transaction, whole or in part.
    Ours,
    /// Content written by another program.
    Theirs,
}

impl<'r> Recoverer<'r> {
    pub(super) fn new(disk: &'r dyn Disk, journal: &'r Journal) -> Self {
        Self { disk, journal, report: Recovery::default() }
    }

    /// Opens the folder of a recorded name. Returns `None` if it is gone or has been replaced by another folder.
    pub(super) fn open(&self, at: &Spot) -> Result<Option<Entry>> {
        let (Some(folder), Some(name)) = (at.path().parent(), at.path().file_name()) else { return Ok(None) };
        let root = match self.disk.open_root(folder) {
            Ok(root) => root,
            Err(DiskError { kind: DiskErrorKind::NotFound | DiskErrorKind::NotAFile { .. }, .. }) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        // A path that now leads through a symlink is not the recorded one.
        let same_path = root.path() == folder;
        let ino = self.disk.stat_entry(&root.entry("."))?.map(|stat| stat.ino);
        let same_folder = same_path && (at.folder.is_none() || at.folder == ino);
        Ok(same_folder.then(|| root.entry(name)))
    }

    /// Returns `true` if the recorded folder has been replaced. A folder that is missing altogether may come
    /// back, on a disk that is not mounted now.
    fn is_replaced(&self, at: &Spot) -> bool {
        at.path().parent().is_some_and(|folder| self.disk.open_root(folder).is_ok())
    }

    /// Removes a staged or displaced file. If `lost` returns a reason, its text is rescued first, as a text of
    /// the file at `of`.
    pub(super) fn clear(
        &mut self,
        at: &Spot,
        of: Option<&Path>,
        lost: impl Fn(&FileImage) -> Option<LossReason>,
    ) -> Result<()> {
        let Some(entry) = self.open(at)? else { return Ok(()) };
        match self.disk.read_entry(&entry, u64::MAX) {
            Ok(None) => return Ok(()),
            Ok(Some(image)) => {
                if let Some(why) = lost(&image) {
                    let of = of.unwrap_or(&entry.path);
                    self.journal.rescue(of, &image.bytes, why)?;
                    self.report.rescued.push(of.to_owned());
                }
            }
            // Not a stray: editd never creates such an object.
            Err(error) if is_other(&error.kind) => return Ok(()),
            Err(error) => return Err(error),
        }
        self.disk.remove(&entry)?;
        self.report.strays += 1;
        self.disk.sync_dir(&entry.dir, entry.folder())
    }
}

impl<'a, 'r> FileRecovery<'a, 'r> {
    pub(super) fn new(run: &'a mut Recoverer<'r>, change: &'a RecordedChange) -> Self {
        Self { run, change, images: None, left: false }
    }

    /// Returns `true` if the only step of a single-step transaction has happened.
    pub(super) fn has_happened(&self) -> Result<bool> {
        Ok(match (&self.change.origin, &self.change.result) {
            (_, Some(result)) => self.image(&result.spot)?.is_some_and(|image| result.is(&image)),
            (Some(origin), None) => self.image(&origin.spot)?.is_none(),
            (None, None) => true,
        })
    }

    /// Reads the stored bytes of a file that is written in place. Unless both are there, the write was not
    /// begun.
    pub(super) fn load_images(&mut self, id: &str, index: usize) -> Result<()> {
        if self.change.in_place {
            let (old, new) = self.run.journal.images(id, index);
            let read = |at| self.run.disk.read_entry(at, u64::MAX);
            let both = read(&old)?.zip(read(&new)?);
            self.images = both.map(|(old, new)| Images { old: old.bytes, new: new.bytes });
        }
        Ok(())
    }

    /// Restores the file's old content and name, and removes what was not there before.
    pub(super) fn roll_back(&mut self) -> Result<()> {
        if let Some(aside) = &self.change.aside
            && self.run.has_name(aside)?
        {
            return Ok(());
        }
        if let Some(origin) = &self.change.origin {
            self.restore(&origin.spot)?;
        }
        let elsewhere = |spot: &&Spot| self.change.origin.as_ref().is_none_or(|origin| origin.spot != **spot);
        if let Some(result) = self.change.result.as_ref().map(|recorded| &recorded.spot).filter(elsewhere) {
            self.remove_new_file(result)?;
        }
        Ok(())
    }

    fn restore(&mut self, origin: &Spot) -> Result<()> {
        let Some(name) = self.run.open(origin)? else {
            if self.run.is_replaced(origin) {
                // The folder has been replaced, so it contains nothing that the transaction changed.
                return self.leave(origin);
            }
            return Err(DiskError::new(DiskErrorKind::NotFound, "reopen the folder of", origin.path()));
        };
        match self.present(origin)? {
            Present::Old => return Ok(()),
            Present::Theirs => return self.leave(origin),
            Present::Ours if self.change.in_place => self.write_back(&name)?,
            Present::Ours => self.replace(&name)?,
            Present::Nothing => self.move_back(&name)?,
        }
        self.run.disk.sync_dir(&name.dir, name.folder())?;
        self.run.report.restored.push(name.path);
        Ok(())
    }

    /// Leaves a file that another program has written since. Its former content is rescued here, unless it is
    /// in the displaced file, which is rescued when it is removed.
    fn leave(&mut self, origin: &Spot) -> Result<()> {
        self.left = true;
        if let Some(images) = &self.images {
            self.run.journal.rescue(origin.path(), &images.old, LossReason::Interrupted)?;
            self.run.report.rescued.push(origin.path().to_owned());
        }
        if self.images.is_some() || self.old_file()?.is_some() {
            self.run.report.left.push(origin.path().to_owned());
        }
        Ok(())
    }

    /// Leaves a file in a folder whose name another program has taken. Its content is rescued when the displaced
    /// file is removed.
    pub(super) fn leave_inside(&mut self) -> Result<()> {
        self.left = true;
        if self.old_file()?.is_some()
            && let Some(origin) = &self.change.origin
        {
            self.run.report.left.push(origin.spot.path().to_owned());
        }
        Ok(())
    }

    /// Puts the displaced file back in place of the new one.
    fn replace(&mut self, name: &Entry) -> Result<()> {
        let Some(old) = self.old_file()? else { return Err(lost(name)) };
        if !self.run.disk.exchange(&old, name)? {
            return self.run.disk.rename_over(&old, name);
        }
        // The file that came out must be ours; a save at this very moment is swapped back.
        let out = self.run.disk.read_entry(&old, u64::MAX)?;
        if out.is_none_or(|image| self.is_ours(&image)) {
            return Ok(());
        }
        self.run.disk.exchange(&old, name)?;
        Err(DiskError::new(DiskErrorKind::Changed, "restore", &name.path))
    }

    /// Gives the free name back to the displaced file, or to the moved one.
    fn move_back(&mut self, name: &Entry) -> Result<()> {
        let moved = self.change.result.as_ref().map(|result| &result.spot);
        let old = match self.old_file()? {
            Some(old) => Some(old),
            None => moved.map(|spot| self.found_at(spot)).transpose()?.flatten(),
        };
        // Another program has removed the file, so it stays removed.
        let Some(old) = old else { return Ok(()) };
        self.run.disk.rename_new(&old, name)?;
        if self.change.in_place { self.write_back(name) } else { Ok(()) }
    }

    /// Returns the file at a name if it is the old one or was being written in place.
    fn found_at(&self, spot: &Spot) -> Result<Option<Entry>> {
        match self.present(spot)? {
            Present::Ours if !self.change.in_place => Ok(None),
            Present::Old | Present::Ours => self.run.open(spot),
            Present::Nothing | Present::Theirs => Ok(None),
        }
    }

    fn write_back(&self, name: &Entry) -> Result<()> {
        let (Some(images), Some(examined)) = (&self.images, self.run.disk.examine(name, None)?) else {
            return Err(lost(name));
        };
        self.run.disk.overwrite(name, &examined, &images.old)
    }

    /// Removes a file that was not there before.
    fn remove_new_file(&mut self, result: &Spot) -> Result<()> {
        let Some(name) = self.run.open(result)? else { return Ok(()) };
        match self.present(result)? {
            Present::Old if self.is_second_name(&name)? => {
                self.run.disk.remove(&name)?;
                self.run.disk.sync_dir(&name.dir, name.folder())?;
            }
            Present::Nothing | Present::Old => {}
            Present::Theirs => self.run.report.left.push(name.path),
            Present::Ours => {
                self.run.disk.remove(&name)?;
                self.run.disk.sync_dir(&name.dir, name.folder())?;
                self.run.report.restored.push(name.path);
            }
        }
        Ok(())
    }

    /// Returns `true` if a name leads to the file that has its old name, too: a rename made of a link and a removal
    /// was interrupted halfway.
    fn is_second_name(&self, name: &Entry) -> Result<bool> {
        let Some(origin) = &self.change.origin else { return Ok(false) };
        let Some(old) = self.run.open(&origin.spot)? else { return Ok(false) };
        let states = self.run.disk.stat_entry(&old)?.zip(self.run.disk.stat_entry(name)?);
        Ok(states.is_some_and(|(old, new)| old.same_file(&new)))
    }

    /// Returns the displaced file.
    fn old_file(&self) -> Result<Option<Entry>> {
        for spot in self.change.staged.iter().chain(&self.change.kept) {
            if matches!(self.present(spot)?, Present::Old) {
                return self.run.open(spot);
            }
        }
        Ok(None)
    }

    /// Removes the staged and the displaced file.
    pub(super) fn clear_strays(&mut self) -> Result<()> {
        let (change, left) = (self.change, self.left);
        let old = |image: &FileImage| change.origin.as_ref().is_some_and(|origin| origin.is(image));
        let ours = |image: &FileImage| change.result.as_ref().is_some_and(|result| result.is(image));
        let of = change.origin.as_ref().or(change.result.as_ref()).map(|recorded| recorded.spot.path());
        for spot in change.staged.iter().chain(&change.kept) {
            // Another program has overwritten the name since, so this is the only copy of the old text.
            let lost = |image: &FileImage| match (ours(image), old(image)) {
                (true, _) => None,
                (false, true) => left.then_some(LossReason::Interrupted),
                (false, false) => Some(LossReason::Displaced),
            };
            self.run.clear(spot, of, lost)?;
        }
        Ok(())
    }

    /// Removes the folders that the transaction created, as far as they are empty. A failure does no harm.
    pub(super) fn remove_created_folders(&self) {
        for made in self.change.made.iter().rev() {
            let spot = Spot { path: made.clone(), folder: None };
            if let Ok(Some(entry)) = self.run.open(&spot) {
                self.run.disk.remove_dir(&entry).ok();
            }
        }
    }

    fn image(&self, spot: &Spot) -> Result<Option<FileImage>> {
        let Some(entry) = self.run.open(spot)? else { return Ok(None) };
        self.run.disk.read_entry(&entry, u64::MAX)
    }

    fn present(&self, spot: &Spot) -> Result<Present> {
        Ok(match self.image(spot) {
            Ok(None) => Present::Nothing,
            Ok(Some(image)) if self.is_old(&image) => Present::Old,
            Ok(Some(image)) if self.is_ours(&image) => Present::Ours,
            Ok(Some(_)) => Present::Theirs,
            // A folder or a link, put there by another program.
            Err(error) if is_other(&error.kind) => Present::Theirs,
            Err(error) => return Err(error),
        })
    }

    fn is_old(&self, image: &FileImage) -> bool {
        self.change.origin.as_ref().is_some_and(|origin| origin.is(image))
    }

    fn is_ours(&self, image: &FileImage) -> bool {
        let mixed = |images: &Images| is_mixture(&image.bytes, &images.old, &images.new);
        self.change.result.as_ref().is_some_and(|result| result.is(image))
            || self.images.as_ref().is_some_and(mixed)
    }
}

fn is_other(kind: &DiskErrorKind) -> bool {
    matches!(kind, DiskErrorKind::NotAFile { .. } | DiskErrorKind::Changed)
}

fn lost(name: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::NotFound, "find the old content of", &name.path)
}

/// Returns `true` if `present` may be the result of an interrupted write: each byte is the old one, the new
/// one, or zero where the file grew. A change by a user would have other bytes somewhere.
fn is_mixture(present: &[u8], old: &[u8], new: &[u8]) -> bool {
    let (shorter, longer) = (old.len().min(new.len()), old.len().max(new.len()));
    let fits = |(at, byte): (usize, &u8)| {
        old.get(at) == Some(byte) || new.get(at) == Some(byte) || (*byte == 0 && at >= old.len())
    };
    (shorter..=longer).contains(&present.len()) && present.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_interrupted_write_is_distinguished_from_an_edit_by_a_user() {
        let mixed = |present: &str| is_mixture(present.as_bytes(), b"one two three", b"one 2 three four");
        assert!(mixed("one two three") && mixed("one 2 three four"));
        assert!(is_mixture(b"ab\0\0", b"ab", b"abcd"));
        for theirs in ["", "one", "one two THREE", "one two three\n", "zero two three", "one 2 three four!"] {
            assert!(!mixed(theirs), "{theirs}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn every_prefix_of_the_new_over_the_old_is_a_mixture(
            old in proptest::collection::vec(any::<u8>(), 0..20),
            new in proptest::collection::vec(any::<u8>(), 0..20),
            cut in 0_usize..20,
        ) {
            let cut = cut.min(new.len());
            let mut present = new[..cut].to_vec();
            present.extend_from_slice(old.get(cut..).unwrap_or_default());
            prop_assert!(is_mixture(&present, &old, &new));
        }
    }
}
