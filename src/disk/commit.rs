//! Commits a set of changes, all of them or none, using the primitives of any disk.
//!
//! A commit has four phases. *Plan* reads state, refuses changes that are not allowed, and chooses all
//! temporary names; it modifies nothing. *Stage* writes the new files beside the old ones under those names.
//! *Switch* gives them their final names and keeps the files that they displace. *Finish* removes the
//! displaced files. A failure before *finish* restores everything in reverse order; *finish* itself cannot be
//! undone and does not fail. Each step is recorded in the [`Journal`] before it is taken, so that the next
//! start can recover.

mod notes;
mod plan;
mod rollback;
mod staging;
mod switch;

use super::change::{Change, CommitError, Committed, Durability};
use super::displaced::Displaced;
use super::error::{DiskError, DiskErrorKind};
use super::journal::{Journal, Ticket};
use super::place::Entry;
use super::stat::Stat;
use super::{Disk, Flush};
use crate::text::ContentHash;
use notes::SpotResolver;
pub use plan::is_stray;
use plan::{Part, Strategy};
use rollback::Undo;

/// A failed phase: the change and the error.
struct Failure {
    change: usize,
    error: DiskError,
}

impl Failure {
    /// The error for a caller when nothing was changed.
    fn before_all(self) -> CommitError {
        self.undone(Vec::new(), Vec::new())
    }

    /// The error for a caller after the rollback; `not_undone` lists what the rollback could not restore.
    fn undone(self, not_undone: Vec<DiskError>, displaced: Vec<Displaced>) -> CommitError {
        CommitError { error: self.error, change: self.change, not_undone, displaced }
    }
}

/// Result of a phase.
type Phase<T> = Result<T, Failure>;

/// Attributes the error of an operation to its change.
fn of_change<T>(change: usize, result: super::Result<T>) -> Phase<T> {
    result.map_err(|error| Failure { change, error })
}

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
    let parts = plan::plan(disk, journal, changes).map_err(Failure::before_all)?;
    // Remove a log that could not be written, so that it takes up no space.
    let mut spots = SpotResolver::new(disk);
    let entered = notes::enter(&mut spots, journal, &parts, durability);
    let entered = entered.inspect_err(|_| journal.tidy(disk, false));
    let ticket = of_change(0, entered).map_err(Failure::before_all)?;
    let mut set =
        StagedSet { disk, journal, parts, spots, durability, undo: Undo::default(), ticket: Some(ticket) };
    match staging::stage(disk, &mut set.parts, durability, &mut set.undo) {
        Ok(()) => Ok(set),
        Err(failure) => Err(set.abort(failure)),
    }
}

/// A set of changes whose new files are written but do not have their final names yet. Dropping it without a
/// commit leaves nothing behind.
pub struct StagedSet<'a> {
    disk: &'a dyn Disk,
    journal: &'a Journal,
    parts: Vec<Part<'a>>,
    spots: SpotResolver<'a>,
    durability: Durability,
    undo: Undo,
    /// `None` once the set has ended.
    ticket: Option<Ticket<'a>>,
}

impl StagedSet<'_> {
    /// The second half of [`commit`]: verifies that every file is still what its change expects, and gives
    /// the new files their names.
    pub fn commit(mut self) -> Result<Vec<Committed>, CommitError> {
        if let Err(failure) = self.carry_out() {
            return Err(self.abort(failure));
        }
        self.undo = Undo::default();
        Ok(finish(self.disk, &mut self.parts))
    }

    fn carry_out(&mut self) -> Phase<()> {
        let Some(ticket) = &mut self.ticket else { return Ok(()) };
        let flush = notes::flush(&self.parts, self.durability);
        of_change(0, notes::begin(&mut self.spots, ticket, &self.parts, flush))?;
        switch::switch(self.disk, &mut self.parts, flush == Flush::Now, &mut self.undo)?;
        if notes::is_single_step(&self.parts) {
            return Ok(());
        }
        of_change(self.parts.len().saturating_sub(1), ticket.done(self.disk, flush))
    }

    /// Restores everything. The parts stay alive until then, because the files they hold open keep their
    /// inode numbers.
    fn abort(&mut self, failure: Failure) -> CommitError {
        let not_undone = std::mem::take(&mut self.undo).roll_back(self.disk, self.journal);
        if let Some(ticket) = self.ticket.take() {
            let undone = not_undone.iter().all(|error| error.kind == DiskErrorKind::Changed);
            // Recorded, because otherwise a start could not distinguish a later, identical change from this
            // one.
            if undone && ticket.done(self.disk, Flush::Later).is_ok() {
                self.journal.remove_images(self.disk, &ticket.id, self.parts.len());
            } else {
                ticket.leave_unfinished();
            }
        }
        failure.undone(not_undone, self.parts.iter().filter_map(briefly_named).collect())
    }
}

impl Drop for StagedSet<'_> {
    fn drop(&mut self) {
        let not_undone = std::mem::take(&mut self.undo).roll_back(self.disk, self.journal);
        if !not_undone.is_empty() {
            tracing::warn!(?not_undone, "an abandoned change left something behind");
        }
        if let Some(ticket) = self.ticket.take()
            && self.parts.iter().any(Part::is_in_place)
        {
            self.journal.remove_images(self.disk, &ticket.id, self.parts.len());
        }
        self.journal.tidy(self.disk, false);
    }
}

/// Returns the file of editd that briefly had the final name: another program may have opened it there.
fn briefly_named(part: &Part<'_>) -> Option<Displaced> {
    let (stat, handle) = part.staged.clone().filter(|_| part.strategy == Strategy::Exchange)?;
    let hash = part.content.as_ref().map(|content| ContentHash::of_chunks(content.pieces()));
    Some(Displaced { handle, path: part.final_path().to_owned(), stat, hash })
}

/// Removes the displaced files and returns the result of each change.
fn finish(disk: &dyn Disk, parts: &mut [Part<'_>]) -> Vec<Committed> {
    let leftover = |part: &Part<'_>| remove_displaced(disk, part).map(|entry| entry.path.clone());
    let leftovers: Vec<_> = parts.iter().map(leftover).collect();
    parts
        .iter_mut()
        .zip(leftovers)
        .map(|(part, leftover)| Committed {
            stat: part.final_entry().and_then(|entry| final_stat(disk, part, entry)),
            path: part.final_path().to_owned(),
            leftover,
            displaced: displaced(part),
        })
        .collect()
}

fn displaced(part: &mut Part<'_>) -> Option<Displaced> {
    part.displaced_at()?;
    let original = part.original.take()?;
    let (handle, stat) = (original.examined.handle, original.examined.stat);
    Some(Displaced { handle, path: original.entry.path, stat, hash: Some(original.expect.hash) })
}

fn final_stat(disk: &dyn Disk, part: &Part<'_>, entry: &Entry) -> Option<Stat> {
    let stat = disk.stat_entry(entry).ok().flatten()?;
    Some(part.final_root().mark_racy(stat))
}

/// Removes the displaced file; returns its name if that failed twice.
fn remove_displaced<'p>(disk: &dyn Disk, part: &'p Part<'_>) -> Option<&'p Entry> {
    let entry = part.displaced_at()?;
    // Retry once: a signal or a brief shortage should not leave a stray behind.
    match disk.remove(entry).or_else(|_| disk.remove(entry)) {
        Err(error) if error.kind != DiskErrorKind::NotFound => Some(entry),
        _ => None,
    }
}
