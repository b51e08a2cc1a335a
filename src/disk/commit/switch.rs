//! The third phase: gives the staged files their final names, and checks and keeps the files that they
//! displace.
//!
//! Each step is pushed onto the undo log before it is attempted, because an error may be reported after the
//! effect; the rollback checks what has happened.

use super::aside::Aside;
use super::plan::{Original, PlannedChange, Strategy};
use super::rollback::{self, UndoStep};
use crate::{CommitError, Disk, DiskError, DiskErrorKind, Entry, Handle, Lease, Result, Stat, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// Maximum number of times another program that wants to write the file goes first. A program that writes
/// without a pause must not block the commit forever.
const MAX_WAITS: usize = 8;
/// Time that such a program gets to begin.
const WAIT: Duration = Duration::from_micros(500);

/// Carries out every change, then flushes the folders if the durability requires it.
pub(super) fn switch(
    disk: &dyn Disk,
    changes: &mut [PlannedChange<'_>],
    flush: bool,
    undo: &mut Vec<UndoStep>,
) -> std::result::Result<(), CommitError> {
    let strays = changes.iter().filter_map(|change| Some(change.kept_at.as_ref()?.name.clone())).collect();
    let mut switch = Switch { disk, undo, flush, touched: BTreeMap::new(), strays };
    for (index, change) in changes.iter_mut().enumerate() {
        switch.carry_out(change).map_err(|error| CommitError::new(index, error))?;
    }
    let flushed = switch.touched.iter().try_for_each(|(path, dir)| disk.sync_dir(dir, path));
    flushed.map_err(|error| CommitError::new(changes.len().saturating_sub(1), error))
}

struct Switch<'s> {
    disk: &'s dyn Disk,
    undo: &'s mut Vec<UndoStep>,
    flush: bool,
    /// Folders whose entries have changed and must be flushed, by path.
    touched: BTreeMap<PathBuf, Handle>,
    /// Names of the displaced files of the set.
    strays: BTreeSet<OsString>,
}

impl Switch<'_> {
    fn carry_out(&mut self, change: &mut PlannedChange<'_>) -> Result<()> {
        match change.strategy {
            Strategy::Exchange | Strategy::Linked => self.exchange(change),
            Strategy::InPlace => self.overwrite(change),
            Strategy::Install => self.install(change),
            Strategy::Remove => self.remove(change),
            Strategy::Move => self.rename(change),
            Strategy::MoveEdited => self.remove(change).and_then(|()| self.install(change)),
            Strategy::MoveInPlace => self.overwrite(change).and_then(|()| self.rename(change)),
        }
    }

    /// Exchanges the staged file and the old one. A program that opens the old file for writing from now on
    /// would write into a file without a name. The lease makes it wait until the exchange is over; if a
    /// program is waiting, the old file gets its name back and that program goes first.
    fn exchange(&mut self, change: &mut PlannedChange<'_>) -> Result<()> {
        for _ in 0..MAX_WAITS {
            let lease = self.disk.lease(&change.require_original()?.examined.handle);
            self.exchange_once(change, lease.as_ref())?;
            let is_wanted = lease.as_ref().is_some_and(Lease::is_wanted);
            if change.strategy == Strategy::Linked || !is_wanted {
                return Ok(());
            }
            let (staged_at, ours) = change.require_staged()?;
            rollback::exchange_back(self.disk, &change.require_original()?.entry, staged_at, &ours)?;
            self.undo.pop();
            drop(lease);
            sleep(WAIT);
        }
        self.exchange_once(change, None)
    }

    fn exchange_once(&mut self, change: &mut PlannedChange<'_>, lease: Option<&Lease>) -> Result<()> {
        let (original, (staged_at, ours)) = (change.require_original()?, change.require_staged()?);
        let present = self.require_expected(original)?;
        self.touch(&original.entry);
        self.undo.push(UndoStep::Exchanged { name: original.entry.clone(), at: staged_at.clone(), ours });
        if !self.disk.exchange(staged_at, &original.entry)? {
            self.undo.pop();
            self.replace_linked(change, &present)?;
            change.strategy = Strategy::Linked;
            return Ok(());
        }
        // The lease was taken before the last check, so no program can have written to the file since, and it
        // need not be read again. If a program is waiting to write, the old file gets its name back anyway.
        if lease.is_some() {
            let displaced = self.disk.stat_entry(staged_at)?;
            return require(displaced.is_some_and(|stat| stat.same_content(&present)), staged_at);
        }
        self.require_displaced(staged_at, &present, original)
    }

    /// Replaces without an exchange: the old file gets a second hard link, and the new file is renamed over
    /// its first. Weaker, because a save between the last check and the rename is lost.
    fn replace_linked(&mut self, change: &PlannedChange<'_>, present: &Stat) -> Result<()> {
        let (original, (staged_at, ours)) = (change.require_original()?, change.require_staged()?);
        let kept_at = change.require_kept_at()?;
        let (name, kept) = (original.entry.clone(), kept_at.clone());
        self.undo.push(UndoStep::Kept { at: kept.clone(), of: name.path.clone() });
        self.undo.push(UndoStep::Linked { name: name.clone(), kept, ours });
        let is_linked = self.disk.link(&original.entry, kept_at).map_err(|error| match error.kind {
            // Another program has replaced the file at this very moment.
            DiskErrorKind::NotFound => changed(&original.entry),
            _ => error,
        })?;
        if is_linked {
            let linked = self.disk.stat_entry(&original.entry)?;
            require(linked.is_some_and(|stat| stat.same_content(present)), &original.entry)?;
            return self.disk.rename_over(staged_at, &original.entry);
        }
        self.undo.pop();
        self.move_original(original, kept_at)?;
        self.require_displaced(kept_at, present, original)?;
        self.undo.push(UndoStep::Installed { name, at: staged_at.clone(), ours });
        self.disk.rename_new(staged_at, &original.entry)
    }

    fn overwrite(&mut self, change: &mut PlannedChange<'_>) -> Result<()> {
        let original = change.require_original()?;
        self.require_expected(original)?;
        // The bytes to restore. If they are not the bytes that the change was made for, the file is not
        // touched.
        let image = self.disk.read_entry(&original.entry, original.expect.stat.size)?;
        let image = image.filter(|image| image.stat.same_file(&original.examined.stat));
        let old = image.ok_or_else(|| changed(&original.entry))?.bytes;
        require(original.expect.bytes == *old, &original.entry)?;
        let new: Arc<[u8]> = change.content.clone().unwrap_or_default().to_vec().into();
        self.undo.push(UndoStep::Overwritten {
            name: original.entry.clone(),
            original: original.examined.clone(),
            old: old.into(),
            new: new.clone(),
            done: false,
        });
        self.disk.overwrite(&original.entry, &original.examined, &new)?;
        if let Some(UndoStep::Overwritten { done, .. }) = self.undo.last_mut() {
            *done = true;
        }
        change.installed_at = Some(original.entry.clone());
        Ok(())
    }

    fn install(&mut self, change: &mut PlannedChange<'_>) -> Result<()> {
        if let Some(aside) = &change.aside {
            self.move_aside(aside)?;
        }
        let name = self.make_folders(change.destination())?;
        let (staged_at, ours) = change.require_staged()?;
        self.touch(&name);
        self.undo.push(UndoStep::Installed { name: name.clone(), at: staged_at.clone(), ours });
        self.disk.rename_new(staged_at, &name)?;
        change.installed_at = Some(name);
        Ok(())
    }

    fn move_aside(&mut self, aside: &Aside) -> Result<()> {
        aside.require_expected(self.disk)?;
        self.touch(&aside.name);
        self.undo.push(UndoStep::Moved { from: aside.name.clone(), to: aside.at.clone(), file: aside.stat });
        self.disk.rename_new(&aside.name, &aside.at)?;
        if !aside.has_moved(self.disk)? {
            // Another program has taken the name since the last check: it gets it back.
            self.undo.pop();
            self.disk.rename_new(&aside.at, &aside.name)?;
            return Err(changed(&aside.name));
        }
        require(aside.is_emptied(self.disk, &self.strays)?, &aside.name)
    }

    fn remove(&mut self, change: &PlannedChange<'_>) -> Result<()> {
        let (original, kept_at) = (change.require_original()?, change.require_kept_at()?);
        let present = self.require_expected(original)?;
        self.touch(&original.entry);
        self.undo.push(UndoStep::Kept { at: kept_at.clone(), of: original.entry.path.clone() });
        self.move_original(original, kept_at)?;
        self.require_displaced(kept_at, &present, original)
    }

    /// Renames the old file to a free name.
    fn move_original(&mut self, original: &Original<'_>, to: &Entry) -> Result<()> {
        let (from, file) = (original.entry.clone(), original.examined.stat);
        self.undo.push(UndoStep::Moved { from, to: to.clone(), file });
        self.disk.rename_new(&original.entry, to)?;
        let moved = self.disk.stat_entry(to)?;
        if moved.is_some_and(|moved| !moved.same_file(&file)) {
            // Another program has given the name to something else since the last check: that gets it back.
            self.disk.rename_new(to, &original.entry)?;
            self.undo.pop();
            return Err(changed(&original.entry));
        }
        Ok(())
    }

    fn rename(&mut self, change: &mut PlannedChange<'_>) -> Result<()> {
        let name = self.make_folders(change.destination())?;
        let original = change.require_original()?;
        let edited = change.strategy == Strategy::MoveInPlace;
        let present = if edited { None } else { Some(self.require_expected(original)?) };
        self.touch(&original.entry);
        self.touch(&name);
        self.move_original(original, &name)?;
        if let Some(present) = present {
            self.require_displaced(&name, &present, original)?;
        }
        change.installed_at = Some(name);
        Ok(())
    }

    /// Creates the folders missing on a target's path and returns the file's entry in the innermost one.
    fn make_folders(&mut self, target: &Target) -> Result<Entry> {
        let mut dir = target.parent.clone();
        let mut path = target.opened_dir();
        for name in &target.missing_dirs {
            path.push(name);
            let folder = Entry { dir, name: name.clone(), path: path.clone() };
            match self.disk.make_dir(&folder) {
                // Another change of the set, or another program, has just created it.
                Err(error) if error.kind == DiskErrorKind::Exists => {}
                made => {
                    self.undo.push(UndoStep::MadeDir { at: folder.clone() });
                    made?;
                    self.touch(&folder);
                }
            }
            dir = self.disk.open_dir(&folder)?;
        }
        Ok(Entry { dir, name: target.name.clone(), path: target.path.clone() })
    }

    fn touch(&mut self, entry: &Entry) {
        if self.flush {
            self.touched.entry(entry.folder().to_owned()).or_insert_with(|| entry.dir.clone());
        }
    }

    /// The last check before a switch.
    fn require_expected(&self, original: &Original<'_>) -> Result<Stat> {
        let Some(present) = self.disk.stat_entry(&original.entry)? else {
            return Err(changed(&original.entry));
        };
        // The strategy and the attributes come from the inode that was examined.
        require(present.same_file(&original.examined.stat), &original.entry)?;
        let expect = original.expect;
        let proven = present.same_version(&expect.stat) && !expect.stat.racy;
        require(proven || self.holds_expected(&original.entry, &present, original)?, &original.entry)?;
        Ok(present)
    }

    /// The check after a switch: confirms that the displaced file is the expected one. A rename changes the
    /// ctime, so the ctime is not compared. A file too young for its timestamps to prove anything is read
    /// again.
    fn require_displaced(&self, at: &Entry, present: &Stat, original: &Original<'_>) -> Result<()> {
        let Some(displaced) = self.disk.stat_entry(at)? else { return Err(changed(at)) };
        let proven = displaced.same_content(present) && !present.racy && !original.expect.stat.racy;
        require(proven || self.holds_expected(at, &displaced, original)?, at)
    }

    fn holds_expected(&self, at: &Entry, stat: &Stat, original: &Original<'_>) -> Result<bool> {
        use DiskErrorKind::{Changed, NotAFile, TooLarge, Unstable};
        let expect = original.expect;
        if stat.size != expect.stat.size {
            return Ok(false);
        }
        // The examined file is already open.
        let holds = if stat.same_file(&original.examined.stat) {
            self.disk.holds_held(&original.examined.handle, &at.path, &expect.bytes)
        } else {
            self.disk.holds(at, &expect.bytes)
        };
        match holds {
            // The file grew, is no longer a regular file, or keeps changing.
            Err(error) if matches!(error.kind, TooLarge { .. } | NotAFile { .. } | Changed | Unstable) => {
                Ok(false)
            }
            result => result,
        }
    }
}

fn require(holds: bool, entry: &Entry) -> Result<()> {
    if holds { Ok(()) } else { Err(changed(entry)) }
}

fn changed(entry: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::Changed, "change", &entry.path)
}
