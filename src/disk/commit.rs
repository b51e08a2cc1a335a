//! The commit of a set of changes: all of them or none, over the primitives of any disk.
//!
//! Four phases. *Plan* looks, refuses what must not be changed, and chooses every name that will exist
//! for a while; nothing is touched. *Stage* writes the new files beside the old ones under those names.
//! *Switch* gives them their real names and keeps what they displace. *Finish* removes what was
//! displaced. A failure before *finish* puts everything back in reverse; *finish* itself cannot undo and
//! does not fail. What is about to be done is in the [`Journal`] before it is done, for the next start.

mod notes;
mod plan;
mod rollback;
mod staging;
mod switch;

use super::change::{Change, CommitError, Committed, Durability};
use super::error::{DiskError, DiskErrorKind};
use super::journal::{Journal, Ticket};
use super::late::Displaced;
use super::place::Entry;
use super::stat::Stat;
use super::{Disk, Flush};
use crate::text::ContentHash;
use notes::Spots;
pub use plan::is_stray;
use plan::{Part, Way};
use rollback::Undo;

/// A failed phase: which change, and why.
struct Failure {
    change: usize,
    error: DiskError,
}

impl Failure {
    /// As the caller is told it, when nothing was begun.
    fn before_all(self) -> CommitError {
        self.undone(Vec::new(), Vec::new())
    }

    /// As the caller is told it, when all has been undone but this.
    fn undone(self, not_undone: Vec<DiskError>, displaced: Vec<Displaced>) -> CommitError {
        CommitError { error: self.error, change: self.change, not_undone, displaced }
    }
}

/// Result of a phase.
type Phase<T> = Result<T, Failure>;

/// Names the change in whose course an operation failed.
fn of_change<T>(change: usize, result: super::Result<T>) -> Phase<T> {
    result.map_err(|error| Failure { change, error })
}

/// Applies all changes, in their order, or none.
///
/// A file that is not what a change expects fails the set with [`Changed`](super::DiskErrorKind::Changed).
/// The error says whether everything could be put back; what another program wrote meanwhile is never
/// overwritten to do so.
pub fn commit(
    disk: &dyn Disk,
    journal: &Journal,
    changes: &[Change],
    durability: Durability,
) -> Result<Vec<Committed>, CommitError> {
    stage(disk, journal, changes, durability)?.commit()
}

/// The first half of [`commit`]: looks at everything and writes the new files beside the old ones.
pub fn stage<'a>(
    disk: &'a dyn Disk,
    journal: &'a Journal,
    changes: &'a [Change],
    durability: Durability,
) -> Result<StagedSet<'a>, CommitError> {
    journal.retry(disk);
    let parts = plan::plan(disk, journal, changes).map_err(Failure::before_all)?;
    // A log that could not be written is not left to take room.
    let mut spots = Spots::new(disk);
    let entered = notes::enter(&mut spots, journal, &parts, durability);
    let entered = entered.inspect_err(|_| journal.tidy(disk, false));
    let ticket = of_change(0, entered).map_err(Failure::before_all)?;
    let mut set =
        StagedSet { disk, journal, parts, spots, durability, undo: Undo::default(), ticket: Some(ticket) };
    match staging::stage(disk, &mut set.parts, durability, &mut set.undo) {
        Ok(()) => Ok(set),
        Err(failure) => Err(set.give_up(failure)),
    }
}

/// A set of changes whose new files are written, but have not taken their names. Dropped without a commit it
/// leaves nothing behind.
pub struct StagedSet<'a> {
    disk: &'a dyn Disk,
    journal: &'a Journal,
    parts: Vec<Part<'a>>,
    spots: Spots<'a>,
    durability: Durability,
    undo: Undo,
    /// None once the set has ended.
    ticket: Option<Ticket<'a>>,
}

impl StagedSet<'_> {
    /// The second half of [`commit`]: proves that every file is still what its change expects, and gives the
    /// new ones their names.
    pub fn commit(mut self) -> Result<Vec<Committed>, CommitError> {
        if let Err(failure) = self.carry_out() {
            return Err(self.give_up(failure));
        }
        self.undo = Undo::default();
        Ok(finish(self.disk, &mut self.parts))
    }

    fn carry_out(&mut self) -> Phase<()> {
        let Some(ticket) = &mut self.ticket else { return Ok(()) };
        let flush = notes::flush(&self.parts, self.durability);
        of_change(0, notes::begin(&mut self.spots, ticket, &self.parts, flush))?;
        switch::switch(self.disk, &mut self.parts, flush == Flush::Now, &mut self.undo)?;
        if notes::is_alone(&self.parts) {
            return Ok(());
        }
        of_change(self.parts.len().saturating_sub(1), ticket.done(self.disk, flush))
    }

    /// Puts everything back. The parts live until that is done: the files they hold open keep their inode
    /// numbers.
    fn give_up(&mut self, failure: Failure) -> CommitError {
        let not_undone = std::mem::take(&mut self.undo).roll_back(self.disk, self.journal);
        if let Some(ticket) = self.ticket.take() {
            let undone = not_undone.iter().all(|error| error.kind == DiskErrorKind::Changed);
            // It has to be noted: the same change, made again later, would look to a start like this one.
            if undone && ticket.done(self.disk, Flush::Later).is_ok() {
                self.journal.remove_images(self.disk, &ticket.id, self.parts.len());
            } else {
                ticket.leave_unfinished();
            }
        }
        failure.undone(not_undone, self.parts.iter().filter_map(ours).collect())
    }
}

impl Drop for StagedSet<'_> {
    fn drop(&mut self) {
        let not_undone = std::mem::take(&mut self.undo).roll_back(self.disk, self.journal);
        if !not_undone.is_empty() {
            tracing::warn!(?not_undone, "a change that was given up left something behind");
        }
        if let Some(ticket) = self.ticket.take()
            && self.parts.iter().any(Part::is_in_place)
        {
            self.journal.remove_images(self.disk, &ticket.id, self.parts.len());
        }
        self.journal.tidy(self.disk, false);
    }
}

/// Our own file, where it had the name for a moment: somebody may have opened it there.
fn ours(part: &Part<'_>) -> Option<Displaced> {
    let (stat, handle) = part.staged.clone().filter(|_| part.way == Way::Exchange)?;
    let hash = part.content.as_ref().map(|content| ContentHash::of_chunks(content.pieces()));
    Some(Displaced { handle, path: part.final_path().to_owned(), stat, hash })
}

/// Removes what was displaced and tells what became of each change.
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
    let stat = disk.look(entry).ok().flatten()?;
    Some(part.final_root().judged(stat))
}

/// Removes the displaced file; the name is returned if that failed twice.
fn remove_displaced<'p>(disk: &dyn Disk, part: &'p Part<'_>) -> Option<&'p Entry> {
    let entry = part.displaced_at()?;
    // Once more: a signal or a passing shortage is no reason to leave a stray.
    match disk.remove(entry).or_else(|_| disk.remove(entry)) {
        Err(error) if error.kind != DiskErrorKind::NotFound => Some(entry),
        _ => None,
    }
}
