//! Rollback: restores everything in reverse order, but only where the disk still holds what the commit put
//! there.

use crate::interface::MAX_TRIES;
use crate::{
    Disk, DiskError, DiskErrorKind, Entry, Examined, FileBytes, Journal, Kind, LossReason, Result, Stat,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// Number of attempts to give a link its name back while another program exchanges it.
const LINK_TRIES: usize = 64;
/// Time between two attempts.
const LINK_WAIT: Duration = Duration::from_micros(100);

/// An attempted step, with the data needed to undo it.
pub(super) enum UndoStep {
    /// Wrote the staged file for the file at path `of`.
    Staged { at: Entry, content: FileBytes, of: PathBuf },
    /// Set out to keep the old file of path `of` under the name `at`.
    Kept { at: Entry, of: PathBuf },
    /// Swapped the staged file and the named one.
    Exchanged { name: Entry, at: Entry, ours: Stat },
    /// Gave the named file a second name; the staged file may have taken its first name.
    Linked { name: Entry, kept: Entry, ours: Stat },
    /// Gave the staged file a free name.
    Installed { name: Entry, at: Entry, ours: Stat },
    /// Renamed a file.
    Moved { from: Entry, to: Entry, file: Stat },
    /// Overwrote a file, completely if `done`.
    Overwritten { name: Entry, original: Examined, old: Arc<[u8]>, new: Arc<[u8]>, done: bool },
    /// Created a folder.
    MadeDir { at: Entry },
}

/// Undoes all steps, the last one first; returns the errors of those that could not be undone.
pub(super) fn roll_back(disk: &dyn Disk, journal: &Journal, steps: Vec<UndoStep>) -> Vec<DiskError> {
    let rollback = Rollback { disk, journal };
    steps.into_iter().rev().filter_map(|step| rollback.undo(step).err()).collect()
}

struct Rollback<'r> {
    disk: &'r dyn Disk,
    journal: &'r Journal,
}

impl Rollback<'_> {
    fn undo(&self, step: UndoStep) -> Result<()> {
        match step {
            UndoStep::Staged { at, content, of } => self.clear_stray(&at, Some(&content), &of),
            UndoStep::Kept { at, of } => self.clear_stray(&at, None, &of),
            UndoStep::Exchanged { name, at, ours } => exchange_back(self.disk, &name, &at, &ours),
            UndoStep::Linked { name, kept, ours } => self.rename_back(&name, &kept, &ours),
            UndoStep::Installed { name, at, ours } => self.uninstall(&name, &at, &ours),
            UndoStep::Moved { from, to, file } => self.move_back(&from, &to, &file),
            UndoStep::Overwritten { name, original, old, new, done } => {
                self.write_back(&name, &original, (&old, &new), done)
            }
            UndoStep::MadeDir { at } => match self.disk.remove_dir(&at) {
                // A folder into which another program has put something belongs to that program and stays.
                Err(error) if matches!(error.kind, DiskErrorKind::Exists | DiskErrorKind::NotFound) => Ok(()),
                result => result,
            },
        }
    }

    /// Removes a staged or displaced file. Everything that could be restored has been restored by now. A file
    /// found here whose content is not editd's was either displaced by a later save of another program, or
    /// written to while it had its final name; that content is rescued first.
    fn clear_stray(&self, at: &Entry, ours: Option<&FileBytes>, of: &Path) -> Result<()> {
        if is_no_file(self.disk, at)? {
            return self.give_back(at, of);
        }
        // Timestamps are too coarse to reveal a write within moments of ours, so compare the bytes.
        let is_ours = ours.map_or(Ok(false), |ours| self.disk.holds(at, ours))?;
        if !is_ours {
            let Some(image) = self.disk.read_entry(at, u64::MAX)? else { return Ok(()) };
            self.journal.rescue(of, &image.bytes, LossReason::Displaced)?;
        }
        self.disk.remove(at)
    }

    /// Gives a displaced link or folder of another program its name back. A link whose name another program has given
    /// away again is removed, as if it had been replaced without editd.
    fn give_back(&self, at: &Entry, of: &Path) -> Result<()> {
        let name = of.file_name().filter(|_| of.parent() == Some(at.folder()));
        let Some(name) = name else { return Err(overtaken(at)) };
        let name = Entry { dir: at.dir.clone(), name: name.to_owned(), path: of.to_owned() };
        match self.disk.rename_new(at, &name) {
            Err(error) if error.kind == DiskErrorKind::Exists => {
                // A folder may hold files, which are not editd's to remove.
                let is_link = self.disk.stat_entry(at)?.is_some_and(|stat| stat.kind() == Kind::Symlink);
                if is_link { self.disk.remove(at) } else { Err(overtaken(at)) }
            }
            given => given,
        }
    }

    fn uninstall(&self, name: &Entry, at: &Entry, ours: &Stat) -> Result<()> {
        match (holds(self.disk, at, ours)?, holds(self.disk, name, ours)?) {
            (true, false) => Ok(()),
            // A rename made of a link and a removal stopped halfway.
            (true, true) => self.disk.remove(name),
            (false, _) => {
                require_ours(self.disk, name, ours)?;
                self.disk.rename_new(name, at)
            }
        }
    }

    /// Moves a file back. Its content may have been changed under the new name; it is still the file that
    /// belongs here.
    fn move_back(&self, from: &Entry, to: &Entry, file: &Stat) -> Result<()> {
        match (holds(self.disk, from, file)?, holds(self.disk, to, file)?) {
            (true, false) => Ok(()),
            (true, true) => self.disk.remove(to),
            (false, true) => self.disk.rename_new(to, from),
            (false, false) => Err(overtaken(from)),
        }
    }

    /// Undoes a replacement that kept the old file under a second name.
    fn rename_back(&self, name: &Entry, kept: &Entry, ours: &Stat) -> Result<()> {
        let Some(old) = self.disk.stat_entry(kept)? else { return Ok(()) };
        let Some(present) = self.disk.stat_entry(name)? else { return Err(overtaken(name)) };
        if present.same_content(ours) {
            return self.disk.rename_over(kept, name);
        }
        // The new file has not taken the name yet, so only the second name has to go.
        if present.same_file(&old) { self.disk.remove(kept) } else { Err(overtaken(name)) }
    }

    /// Writes the old bytes back, unless the overwrite was complete and another program has written since.
    fn write_back(
        &self,
        name: &Entry,
        original: &Examined,
        (old, new): (&[u8], &[u8]),
        done: bool,
    ) -> Result<()> {
        let present = self.disk.read_entry(name, u64::MAX)?;
        let Some(present) = present.filter(|image| image.stat.same_file(&original.stat)) else {
            return Err(overtaken(name));
        };
        if present.bytes == old {
            return Ok(());
        }
        if done && present.bytes != new {
            return Err(overtaken(name));
        }
        self.disk.overwrite(name, original, old)
    }
}

fn holds(disk: &dyn Disk, name: &Entry, file: &Stat) -> Result<bool> {
    Ok(disk.stat_entry(name)?.is_some_and(|stat| stat.same_file(file)))
}

fn require_ours(disk: &dyn Disk, name: &Entry, ours: &Stat) -> Result<()> {
    match disk.stat_entry(name)? {
        Some(stat) if stat.same_content(ours) => Ok(()),
        _ => Err(overtaken(name)),
    }
}

/// Swaps back. If the file that comes out is not ours, another program saved between the check and the swap.
/// Its save is the newest, so it is swapped in again, until the file that comes out is either ours or the one
/// displaced at first.
pub(super) fn exchange_back(disk: &dyn Disk, name: &Entry, at: &Entry, ours: &Stat) -> Result<()> {
    for _ in 0..LINK_TRIES {
        match exchange_back_once(disk, name, at, ours) {
            // A link cannot be kept in the history, so it is worth waiting until our file has the name again: the
            // program that has given the name to the link may be about to take it back.
            Err(error) if error.kind == DiskErrorKind::Changed && is_no_file(disk, at)? => sleep(LINK_WAIT),
            done => return done,
        }
    }
    exchange_back_once(disk, name, at, ours)
}

fn is_no_file(disk: &dyn Disk, at: &Entry) -> Result<bool> {
    Ok(disk.stat_entry(at)?.is_some_and(|stat| stat.kind() != Kind::File))
}

fn exchange_back_once(disk: &dyn Disk, name: &Entry, at: &Entry, ours: &Stat) -> Result<()> {
    if holds(disk, at, ours)? {
        return Ok(());
    }
    require_ours(disk, name, ours)?;
    let displaced = disk.stat_entry(at)?;
    for _ in 0..MAX_TRIES {
        disk.exchange(at, name)?;
        let out = disk.stat_entry(at)?;
        if out.is_some_and(|stat| stat.same_file(ours)) {
            return Ok(());
        }
        if out.zip(displaced).is_some_and(|(out, displaced)| out.same_file(&displaced)) {
            break;
        }
    }
    Err(overtaken(name))
}

fn overtaken(name: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::Changed, "restore", &name.path)
}
