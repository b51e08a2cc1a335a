//! Putting everything back, in reverse, and only where the disk still holds what the commit put there.

use crate::disk::error::{DiskError, DiskErrorKind, Result};
use crate::disk::journal::{Journal, Lost};
use crate::disk::place::Entry;
use crate::disk::stat::Stat;
use crate::disk::{Disk, Examined, FileBytes, MAX_TRIES};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something attempted, told as what its undoing needs.
pub(super) enum Step {
    /// A staged file was written, of the file at that path.
    Staged { at: Entry, content: FileBytes, of: PathBuf },
    /// The old file at that path was to be kept under this name.
    Kept { at: Entry, of: PathBuf },
    /// The staged file and the named one swapped places.
    Exchanged { name: Entry, at: Entry, ours: Stat },
    /// The named file got a second name, and perhaps the staged one took its first.
    Linked { name: Entry, kept: Entry, ours: Stat },
    /// The staged file took a free name.
    Installed { name: Entry, at: Entry, ours: Stat },
    /// A file was renamed.
    Moved { from: Entry, to: Entry, file: Stat },
    /// A file was overwritten, whole if `done`.
    Overwritten { name: Entry, original: Examined, old: Arc<[u8]>, new: Arc<[u8]>, done: bool },
    /// A folder was created.
    MadeDir { at: Entry },
}

/// What a commit has done so far.
#[derive(Default)]
pub(super) struct Undo(Vec<Step>);

impl Undo {
    pub(super) fn push(&mut self, step: Step) {
        self.0.push(step);
    }

    /// The last step was not possible here, and nothing happened.
    pub(super) fn forget_last(&mut self) {
        self.0.pop();
    }

    /// The last overwrite reached its end.
    pub(super) fn mark_overwritten(&mut self) {
        if let Some(Step::Overwritten { done, .. }) = self.0.last_mut() {
            *done = true;
        }
    }

    /// Undoes all steps; gives what could not be undone.
    pub(super) fn roll_back(self, disk: &dyn Disk, journal: &Journal) -> Vec<DiskError> {
        self.0.into_iter().rev().filter_map(|step| undo(disk, journal, step).err()).collect()
    }
}

fn undo(disk: &dyn Disk, journal: &Journal, step: Step) -> Result<()> {
    match step {
        Step::Staged { at, content, of } => clear(disk, journal, &at, Some(&content), &of),
        Step::Kept { at, of } => clear(disk, journal, &at, None, &of),
        Step::Exchanged { name, at, ours } => exchange_back(disk, &name, &at, &ours),
        Step::Linked { name, kept, ours } => rename_back(disk, &name, &kept, &ours),
        Step::Installed { name, at, ours } => uninstall(disk, &name, &at, &ours),
        Step::Moved { from, to, file } => move_back(disk, &from, &to, &file),
        Step::Overwritten { name, original, old, new, done } => {
            write_back(disk, &name, &original, (&old, &new), done)
        }
        Step::MadeDir { at } => remove_folder(disk, &at),
    }
}

/// Removes a staged or displaced file. All that could be put back has been by now: what stands here and is not
/// ours lost its name to somebody's later save, or was written into while it had the name. It is kept first.
fn clear(disk: &dyn Disk, journal: &Journal, at: &Entry, ours: Option<&FileBytes>, of: &Path) -> Result<()> {
    // Stamps are too coarse to show a write within moments of ours, so the bytes are compared.
    let is_ours = ours.map_or(Ok(false), |ours| disk.holds(at, ours))?;
    if !is_ours {
        let Some(image) = disk.read_entry(at, u64::MAX)? else { return Ok(()) };
        journal.rescue(of, &image.bytes, Lost::Displaced)?;
    }
    disk.remove(at)
}

fn holds(disk: &dyn Disk, name: &Entry, file: &Stat) -> Result<bool> {
    Ok(disk.look(name)?.is_some_and(|stat| stat.same_file(file)))
}

fn uninstall(disk: &dyn Disk, name: &Entry, at: &Entry, ours: &Stat) -> Result<()> {
    match (holds(disk, at, ours)?, holds(disk, name, ours)?) {
        (true, false) => Ok(()),
        // A rename made of a link and a removal got half way.
        (true, true) => disk.remove(name),
        (false, _) => {
            require_ours(disk, name, ours)?;
            disk.rename_new(name, at)
        }
    }
}

/// The file's content may have been changed under its new name; it is still the file that belongs here.
fn move_back(disk: &dyn Disk, from: &Entry, to: &Entry, file: &Stat) -> Result<()> {
    match (holds(disk, from, file)?, holds(disk, to, file)?) {
        (true, false) => Ok(()),
        (true, true) => disk.remove(to),
        (false, true) => disk.rename_new(to, from),
        (false, false) => Err(overtaken(from)),
    }
}

fn require_ours(disk: &dyn Disk, name: &Entry, ours: &Stat) -> Result<()> {
    match disk.look(name)? {
        Some(stat) if stat.same_content(ours) => Ok(()),
        _ => Err(overtaken(name)),
    }
}

/// Swaps back. If what comes out is not ours, a save has arrived between the look and the swap: it is
/// the newest, so it goes back, until what comes out is either ours or the file displaced at first.
pub(super) fn exchange_back(disk: &dyn Disk, name: &Entry, at: &Entry, ours: &Stat) -> Result<()> {
    if holds(disk, at, ours)? {
        return Ok(());
    }
    require_ours(disk, name, ours)?;
    let displaced = disk.look(at)?;
    for _ in 0..MAX_TRIES {
        disk.exchange(at, name)?;
        let out = disk.look(at)?;
        if out.is_some_and(|stat| stat.same_file(ours)) {
            return Ok(());
        }
        if out.zip(displaced).is_some_and(|(out, displaced)| out.same_file(&displaced)) {
            break;
        }
    }
    Err(overtaken(name))
}

/// Undoes a replace that kept the old file under a second name.
fn rename_back(disk: &dyn Disk, name: &Entry, kept: &Entry, ours: &Stat) -> Result<()> {
    let Some(old) = disk.look(kept)? else { return Ok(()) };
    let Some(present) = disk.look(name)? else { return Err(overtaken(name)) };
    if present.same_content(ours) {
        return disk.rename_over(kept, name);
    }
    // The new file had not taken the name yet: only the second name is in the way.
    if present.same_file(&old) { disk.remove(kept) } else { Err(overtaken(name)) }
}

/// Puts old bytes back, unless the overwrite was complete and someone has written since.
fn write_back(
    disk: &dyn Disk,
    name: &Entry,
    original: &Examined,
    (old, new): (&[u8], &[u8]),
    done: bool,
) -> Result<()> {
    let present = disk.read_entry(name, u64::MAX)?;
    let Some(present) = present.filter(|image| image.stat.same_file(&original.stat)) else {
        return Err(overtaken(name));
    };
    if present.bytes == old {
        return Ok(());
    }
    if done && present.bytes != new {
        return Err(overtaken(name));
    }
    disk.overwrite(name, original, old)
}

/// A folder in which someone has put something since is theirs now and stays.
fn remove_folder(disk: &dyn Disk, at: &Entry) -> Result<()> {
    match disk.remove_dir(at) {
        Err(error) if matches!(error.kind, DiskErrorKind::Exists | DiskErrorKind::NotFound) => Ok(()),
        result => result,
    }
}

fn overtaken(name: &Entry) -> DiskError {
    DiskError::new(DiskErrorKind::Changed, "put back", &name.path)
}
