//! Commits a set of changes, all of them or none, using the primitives of any disk.
//!
//! A commit has four phases. *Plan* reads state, refuses changes that are not allowed, and chooses all
//! temporary names; it modifies nothing. *Stage* writes the new files beside the old ones under those names.
//! *Switch* gives them their final names and keeps the files that they displace. *Finish* removes the
//! displaced files. If a phase before *finish* fails, all steps are rolled back in reverse order; *finish*
//! itself cannot be undone and does not fail. The [`Journal`] records the temporary names before *stage* and
//! the whole *switch* before it begins, so that the next start can recover.

mod aside;
mod plan;
mod recorder;
mod rollback;
mod switch;

pub(super) use aside::remove as remove_aside;

use super::journal::Ticket;
use crate::{
    Change, CommitError, Committed, Disk, DiskErrorKind, Displaced, Durability, Entry, Flush, Journal,
    StageOrder, StagedFile, Target,
};
use editd_text::ContentHash;
use editd_workspace::NewMode;
use plan::{PlannedChange, Strategy};
use recorder::Recorder;
use rollback::{UndoStep, roll_back};

/// Applies all changes, in order, or none.
///
/// A file that does not match what its change expects fails the set with
/// [`Changed`](super::DiskErrorKind::Changed). The error lists everything that could not be restored. The
/// rollback never overwrites what another program wrote in the meantime.
pub fn commit(
    disk: &dyn Disk,
    journal: &Journal,
    changes: &[Change],
    durability: Durability,
) -> Result<Vec<Committed>, CommitError> {
    stage(disk, journal, changes, durability)?.commit()
}

/// The first half of [`commit`]: checks every file and writes the new files beside the old ones.
pub fn stage<'a>(
    disk: &'a dyn Disk,
    journal: &'a Journal,
    changes: &'a [Change],
    durability: Durability,
) -> Result<StagedSet<'a>, CommitError> {
    journal.retry(disk);
    let planned = plan::plan(disk, journal, changes)?;
    let mut recorder = Recorder::new(disk);
    let entered = recorder.enter(journal, &planned, durability);
    // Remove a log that could not be written, so that it takes up no space.
    let entered = entered.inspect_err(|_| journal.tidy(disk, false));
    let ticket = entered.map_err(|error| CommitError::new(0, error))?;
    let (undo, ticket) = (Vec::new(), Some(ticket));
    let mut set = StagedSet { disk, journal, changes: planned, recorder, durability, undo, ticket };
    match set.stage_all() {
        Ok(()) => Ok(set),
        Err(error) => Err(set.abort(error)),
    }
}

/// A set of changes whose new files are written but do not have their final names yet. Dropping it without a
/// commit leaves nothing behind.
pub struct StagedSet<'a> {
    disk: &'a dyn Disk,
    journal: &'a Journal,
    changes: Vec<PlannedChange<'a>>,
    recorder: Recorder<'a>,
    durability: Durability,
    /// The steps so far.
    undo: Vec<UndoStep>,
    /// `None` once the set has ended.
    ticket: Option<Ticket<'a>>,
}

impl StagedSet<'_> {
    /// The second phase: writes the new files beside the old ones.
    fn stage_all(&mut self) -> Result<(), CommitError> {
        let flush = if self.durability == Durability::Full { Flush::Now } else { Flush::Ordered };
        for (index, change) in self.changes.iter_mut().enumerate() {
            let Some(entry) = &change.staged_at else { continue };
            let content = change.content.clone().unwrap_or_default();
            let like = change.original.as_ref().map(|original| &original.examined);
            let mode = match change.change {
                Change::Create { mode, .. } => *mode,
                _ => NewMode::Plain,
            };
            let staged = self.disk.stage(entry, StageOrder { content: &content, like, mode, flush });
            match staged.map_err(|error| CommitError::new(index, error))? {
                Some(staged) => {
                    let of = change.destination().path.clone();
                    self.undo.push(UndoStep::Staged { at: entry.clone(), content, of });
                    change.staged = Some(staged);
                }
                None => change.keep_inode(),
            }
        }
        Ok(())
    }

    /// The second half of [`commit`]: verifies that every file is still what its change expects, and gives
    /// the new files their names.
    pub fn commit(mut self) -> Result<Vec<Committed>, CommitError> {
        if let Err(error) = self.carry_out() {
            return Err(self.abort(error));
        }
        self.undo.clear();
        Ok(finish(self.disk, &mut self.changes))
    }

    fn carry_out(&mut self) -> Result<(), CommitError> {
        let Some(ticket) = &mut self.ticket else { return Ok(()) };
        let flush = recorder::flush(&self.changes, self.durability);
        self.recorder.begin(ticket, &self.changes, flush).map_err(|error| CommitError::new(0, error))?;
        switch::switch(self.disk, &mut self.changes, flush == Flush::Now, &mut self.undo)?;
        if recorder::is_single_step(&self.changes) {
            return Ok(());
        }
        let last = self.changes.len().saturating_sub(1);
        ticket.done(self.disk, flush).map_err(|error| CommitError::new(last, error))
    }

    /// Restores everything, and adds to the error what could not be restored. The planned changes are dropped
    /// only afterwards: while they hold a file open, its inode number cannot be reused.
    fn abort(&mut self, mut error: CommitError) -> CommitError {
        error.not_undone = roll_back(self.disk, self.journal, std::mem::take(&mut self.undo));
        if let Some(ticket) = self.ticket.take() {
            let undone = error.not_undone.iter().all(|error| error.kind == DiskErrorKind::Changed);
            // Record the rollback; otherwise recovery could not distinguish a later, identical change from
            // this one.
            if undone && ticket.done(self.disk, Flush::Later).is_ok() {
                self.journal.remove_images(self.disk, &ticket.id, self.changes.len());
            } else {
                ticket.leave_unfinished();
            }
        }
        error.displaced = self.changes.iter().filter_map(rolled_back_file).collect();
        error
    }
}

impl Drop for StagedSet<'_> {
    fn drop(&mut self) {
        let not_undone = roll_back(self.disk, self.journal, std::mem::take(&mut self.undo));
        if !not_undone.is_empty() {
            tracing::warn!(?not_undone, "an abandoned commit could not be rolled back completely");
        }
        if let Some(ticket) = self.ticket.take()
            && self.changes.iter().any(PlannedChange::is_in_place)
        {
            self.journal.remove_images(self.disk, &ticket.id, self.changes.len());
        }
        self.journal.tidy(self.disk, false);
    }
}

/// Returns the new file that a rollback has moved away from its final name: another program may have opened
/// it there.
fn rolled_back_file(change: &PlannedChange<'_>) -> Option<Displaced> {
    let staged = change.staged.clone().filter(|_| change.strategy == Strategy::Exchange)?;
    let StagedFile { stat, handle } = staged;
    let hash = change.content.as_ref().map(|content| ContentHash::of_chunks(content.pieces()));
    Some(Displaced { handle, path: change.destination().path.clone(), stat, hash })
}

/// Removes the displaced files and returns the result of each change.
fn finish(disk: &dyn Disk, changes: &mut [PlannedChange<'_>]) -> Vec<Committed> {
    let mut leftovers: Vec<_> =
        changes.iter().map(|change| remove_displaced(disk, change).cloned()).collect();
    // A folder is empty only now.
    for (change, leftover) in changes.iter().zip(&mut leftovers) {
        let Some(aside) = &change.aside else { continue };
        if let Err(error) = aside.remove(disk).or_else(|_| aside.remove(disk)) {
            tracing::warn!(%error, "what a file has replaced could not be removed");
            *leftover = Some(aside.at.clone());
        }
    }
    let committed = changes.iter_mut().zip(leftovers).map(|(change, leftover)| {
        let Target { root, path, .. } = change.destination();
        let named = change.installed_at.as_ref().filter(|_| change.strategy != Strategy::Remove);
        let stat = named.and_then(|entry| disk.stat_entry(entry).ok().flatten());
        Committed {
            stat: stat.map(|stat| root.mark_racy(stat)),
            path: path.clone(),
            leftover: leftover.map(|entry| entry.path),
            displaced: displaced(change),
        }
    });
    committed.collect()
}

fn displaced(change: &mut PlannedChange<'_>) -> Option<Displaced> {
    change.displaced_at()?;
    let original = change.original.take()?;
    let (handle, stat) = (original.examined.handle, original.examined.stat);
    Some(Displaced { handle, path: original.entry.path, stat, hash: Some(original.expect.hash) })
}

/// Removes the displaced file; returns its name if that failed twice.
fn remove_displaced<'p>(disk: &dyn Disk, change: &'p PlannedChange<'_>) -> Option<&'p Entry> {
    let entry = change.displaced_at()?;
    // Retry once: an interrupted call or a momentary lack of resources should not leave a temporary file
    // behind.
    match disk.remove(entry).or_else(|_| disk.remove(entry)) {
        Err(error) if error.kind != DiskErrorKind::NotFound => Some(entry),
        _ => None,
    }
}
