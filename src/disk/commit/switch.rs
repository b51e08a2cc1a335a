//! The third phase: gives the staged files their final names, and checks and keeps the files that they
//! displace.
//!
//! Each step is pushed onto the rollback before it is attempted, because an error may be reported after the
//! effect; the rollback checks what has happened.

use super::plan::{Original, Part, Strategy};
use super::rollback::{self, Step, Undo};
use super::{Phase, of_change};
use crate::disk::error::{DiskError, DiskErrorKind, Result};
use crate::disk::place::{Entry, Handle, Target};
use crate::disk::stat::Stat;
use crate::disk::{Disk, Lease};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// Maximum number of times another program that wants to write the file goes first. A program that writes
/// without a pause must not block the commit forever.
const MAX_WAITS: usize = 8;
/// Time that such a program gets to begin.
const WAIT: Duration = Duration::from_micros(500);

/// Folders whose entries have changed, by path.
type TouchedDirs = BTreeMap<PathBuf, Handle>;

/// Carries out every part, then flushes the folders if the durability requires it.
pub(super) fn switch(disk: &dyn Disk, parts: &mut [Part<'_>], flush: bool, undo: &mut Undo) -> Phase<()> {
    let mut touched = TouchedDirs::new();
    for (index, part) in parts.iter_mut().enumerate() {
        let mut switch = Switch { disk, undo: &mut *undo, touched: &mut touched, flush };
        of_change(index, switch.carry_out(part))?;
    }
    if flush {
        let last = parts.len().saturating_sub(1);
        for (path, dir) in &touched {
            of_change(last, disk.sync_dir(dir, path))?;
        }
    }
    Ok(())
}

/// State shared by the steps of one part.
struct Switch<'s> {
    disk: &'s dyn Disk,
    undo: &'s mut Undo,
    touched: &'s mut TouchedDirs,
    flush: bool,
}

impl Switch<'_> {
    fn carry_out(&mut self, part: &mut Part<'_>) -> Result<()> {
        match part.strategy {
            Strategy::Exchange | Strategy::Linked => self.exchange(part),
            Strategy::InPlace => self.overwrite(part),
            Strategy::Install => self.install(part),
            Strategy::Remove => self.remove(part),
            Strategy::Move => self.rename(part),
            Strategy::MoveEdited => self.remove(part).and_then(|()| self.install(part)),
            Strategy::MoveInPlace => self.overwrite(part).and_then(|()| self.rename(part)),
        }
    }

    /// Exchanges the staged file and the old one. A program that opens the old file for writing from now on
    /// would write into a file without a name. The lease makes it wait until the exchange is over; if a
    /// program is waiting, the old file gets its name back and that program goes first.
    fn exchange(&mut self, part: &mut Part<'_>) -> Result<()> {
        for _ in 0..MAX_WAITS {
            let (original, ..) = staged_parts(part)?;
            let lease = self.disk.lease(&original.examined.handle);
            self.exchange_once(part, lease.as_ref())?;
            let is_wanted = lease.as_ref().is_some_and(Lease::is_wanted);
            if part.strategy == Strategy::Linked || !is_wanted {
                return Ok(());
            }
            let (original, staged_at, ours) = staged_parts(part)?;
            rollback::exchange_back(self.disk, &original.entry, staged_at, &ours)?;
            self.undo.forget_last();
            drop(lease);
            sleep(WAIT);
        }
        self.exchange_once(part, None)
    }

    fn exchange_once(&mut self, part: &mut Part<'_>, lease: Option<&Lease>) -> Result<()> {
        let (original, staged_at, ours) = staged_parts(part)?;
        let present = self.require_expected(original)?;
        self.touch(&original.entry);
        self.undo.push(Step::Exchanged { name: original.entry.clone(), at: staged_at.clone(), ours });
        if !self.disk.exchange(staged_at, &original.entry)? {
            self.undo.forget_last();
            return self.replace_linked(part, &present);
        }
        // Since before the last check no program could write into the file, so it need not be read again. If
        // a program is waiting to write, the old file gets its name back anyway.
        if lease.is_some() {
            let displaced = self.disk.stat_entry(staged_at)?;
            return require(displaced.is_some_and(|stat| stat.same_content(&present)), staged_at);
        }
        self.require_displaced(staged_at, &present, original)
    }

    /// Replaces without an exchange: the old file keeps a second name while the new one is renamed over its
    /// first. Weaker, because a save between the last check and the rename is lost.
    fn replace_linked(&mut self, part: &mut Part<'_>, present: &Stat) -> Result<()> {
        let (original, staged_at, ours) = staged_parts(part)?;
        let kept_at = part.kept_at.clone().ok_or_else(|| unplanned(&original.entry))?;
        self.undo.push(Step::Kept { at: kept_at.clone(), of: original.entry.path.clone() });
        self.undo.push(Step::Linked { name: original.entry.clone(), kept: kept_at.clone(), ours });
        if !self.disk.link(&original.entry, &kept_at)? {
            self.undo.forget_last();
            self.keep_away(original, &kept_at)?;
            self.require_displaced(&kept_at, present, original)?;
            self.undo.push(Step::Installed { name: original.entry.clone(), at: staged_at.clone(), ours });
            self.disk.rename_new(staged_at, &original.entry)?;
            part.strategy = Strategy::Linked;
            return Ok(());
        }
        let linked = self.disk.stat_entry(&original.entry)?;
        require(linked.is_some_and(|stat| stat.same_content(present)), &original.entry)?;
        self.disk.rename_over(staged_at, &original.entry)?;
        part.strategy = Strategy::Linked;
        Ok(())
    }

    fn overwrite(&mut self, part: &mut Part<'_>) -> Result<()> {
        let original = part.original.as_ref().ok_or_else(|| unplanned_path(part.final_path()))?;
        let content = part.content.clone().unwrap_or_default();
        self.require_expected(original)?;
        let old = self.old_bytes(original)?;
        let new: Arc<[u8]> = content.to_vec().into();
        self.undo.push(Step::Overwritten {
            name: original.entry.clone(),
            original: original.examined.clone(),
            old,
            new: new.clone(),
            done: false,
        });
        self.disk.overwrite(&original.entry, &original.examined, &new)?;
        self.undo.mark_overwritten();
        part.installed_at = Some(original.entry.clone());
        Ok(())
    }

    /// Reads the bytes to restore. If they are not the bytes that the change was made for, the file is not
    /// touched.
    fn old_bytes(&self, original: &Original<'_>) -> Result<Arc<[u8]>> {
        let image = self.disk.read_entry(&original.entry, original.expect.stat.size)?;
        let image = image.filter(|image| image.stat.same_file(&original.examined.stat));
        let image = image.ok_or_else(|| changed(&original.entry))?;
        require(original.expect.bytes == *image.bytes, &original.entry)?;
        Ok(image.bytes.into())
    }

    fn install(&mut self, part: &mut Part<'_>) -> Result<()> {
        let name = self.make_folders(part.destination())?;
        let (Some(staged_at), Some((ours, _))) = (&part.staged_at, &part.staged) else {
            return Err(unplanned(&name));
        };
        self.touch(&name);
        self.undo.push(Step::Installed { name: name.clone(), at: staged_at.clone(), ours: *ours });
        self.disk.rename_new(staged_at, &name)?;
        part.installed_at = Some(name);
        Ok(())
    }

    fn remove(&mut self, part: &mut Part<'_>) -> Result<()> {
        let original = part.original.as_ref().ok_or_else(|| unplanned_path(part.final_path()))?;
        let kept_at = part.kept_at.as_ref().ok_or_else(|| unplanned(&original.entry))?;
        let present = self.require_expected(original)?;
        self.touch(&original.entry);
        self.undo.push(Step::Kept { at: kept_at.clone(), of: original.entry.path.clone() });
        self.keep_away(original, kept_at)?;
        self.require_displaced(kept_at, &present, original)
    }

    /// Renames the old file away; it is kept until the commit is done.
    fn keep_away(&mut self, original: &Original<'_>, kept_at: &Entry) -> Result<()> {
        self.undo.push(moved(original, kept_at));
        self.disk.rename_new(&original.entry, kept_at)
    }

    fn rename(&mut self, part: &mut Part<'_>) -> Result<()> {
        let name = self.make_folders(part.destination())?;
        let original = part.original.as_ref().ok_or_else(|| unplanned(&name))?;
        let edited = part.strategy == Strategy::MoveInPlace;
        let present = if edited { None } else { Some(self.require_expected(original)?) };
        self.touch(&original.entry);
        self.touch(&name);
        self.undo.push(moved(original, &name));
        self.disk.rename_new(&original.entry, &name)?;
        if let Some(present) = present {
            self.require_displaced(&name, &present, original)?;
        }
        part.installed_at = Some(name);
        Ok(())
    }

    /// Creates the folders missing on a target's path and returns the file's entry in the innermost one.
    fn make_folders(&mut self, target: &Target) -> Result<Entry> {
        let mut dir = target.parent.clone();
        let mut path = target.opened_dir();
        for name in &target.missing_dirs {
            path.push(name);
            let folder = Entry { dir, name: name.clone(), path: path.clone() };
            self.make_folder(&folder)?;
            dir = self.disk.open_dir(&folder)?;
        }
        Ok(Entry { dir, name: target.name.clone(), path: target.path.clone() })
    }

    /// Creates a folder, or uses it if another change of the set, or another program, has just created it.
    fn make_folder(&mut self, folder: &Entry) -> Result<()> {
        match self.disk.make_dir(folder) {
            Ok(()) => {
                self.touch(folder);
                self.undo.push(Step::MadeDir { at: folder.clone() });
                Ok(())
            }
            Err(error) if error.kind == DiskErrorKind::Exists => Ok(()),
            Err(error) => {
                self.undo.push(Step::MadeDir { at: folder.clone() });
                Err(error)
            }
        }
    }

    fn touch(&mut self, entry: &Entry) {
        if !self.flush {
            return;
        }
        let folder = entry.path.parent().unwrap_or(Path::new("/"));
        self.touched.entry(folder.to_owned()).or_insert_with(|| entry.dir.clone());
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
            Ok(holds) => Ok(holds),
            // The file grew, is no longer a regular file, or keeps changing.
            Err(error) if is_change(&error.kind) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

fn moved(original: &Original<'_>, to: &Entry) -> Step {
    Step::Moved { from: original.entry.clone(), to: to.clone(), file: original.examined.stat }
}

fn is_change(kind: &DiskErrorKind) -> bool {
    use DiskErrorKind as Kind;
    matches!(kind, Kind::TooLarge { .. } | Kind::NotAFile { .. } | Kind::Changed | Kind::Unstable)
}

fn staged_parts<'p, 'a>(part: &'p Part<'a>) -> Result<(&'p Original<'a>, &'p Entry, Stat)> {
    match (&part.original, &part.staged_at, &part.staged) {
        (Some(original), Some(staged_at), Some((ours, _))) => Ok((original, staged_at, *ours)),
        _ => Err(unplanned_path(part.final_path())),
    }
}

fn require(holds: bool, entry: &Entry) -> Result<()> {
    if holds { Ok(()) } else { Err(changed(entry)) }
}

fn changed(entry: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::Changed, "change", &entry.path)
}

/// The error for a part that lacks what its strategy needs. This is a bug in the plan; it fails the set like
/// any other error.
fn unplanned(entry: &Entry) -> DiskError {
    unplanned_path(&entry.path)
}

fn unplanned_path(path: &Path) -> DiskError {
    DiskError::new(DiskErrorKind::Io, "apply the plan for", path)
}
