//! The commit of a set of changes: all of them or none, over the primitives of any disk.
//!
//! Four phases. *Plan* looks, refuses what must not be changed, and chooses every name that will exist
//! for a while; nothing is touched. *Stage* writes the new files beside the old ones under those names.
//! *Switch* gives them their real names and keeps what they displace. *Finish* removes what was
//! displaced. A failure before *finish* puts everything back in reverse; *finish* itself cannot undo and
//! does not fail.

mod plan;
mod rollback;
mod staging;
mod switch;

use super::Disk;
use super::change::{Change, CommitError, Committed, Durability};
use super::error::{DiskError, DiskErrorKind};
use super::place::Entry;
use super::stat::Stat;
use plan::Part;
pub use plan::is_stray;
use rollback::Undo;

/// A failed phase: which change, and why.
struct Failure {
    change: usize,
    error: DiskError,
}

impl Failure {
    /// As the caller is told it, when all has been undone but this.
    fn undone(self, not_undone: Vec<DiskError>) -> CommitError {
        CommitError { error: self.error, change: self.change, not_undone }
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
    changes: &[Change],
    durability: Durability,
) -> Result<Vec<Committed>, CommitError> {
    stage(disk, changes, durability)?.commit()
}

/// The first half of [`commit`]: looks at everything and writes the new files beside the old ones.
pub fn stage<'a>(
    disk: &'a dyn Disk,
    changes: &'a [Change],
    durability: Durability,
) -> Result<StagedSet<'a>, CommitError> {
    let parts = plan::plan(disk, changes, durability).map_err(|failure| failure.undone(Vec::new()))?;
    let mut set = StagedSet { disk, parts, durability, undo: Undo::default() };
    // A crash journal notes the staged and displaced names here: they are known and none exists yet.
    match staging::stage(disk, &mut set.parts, durability, &mut set.undo) {
        Ok(()) => Ok(set),
        Err(failure) => Err(failure.undone(set.roll_back())),
    }
}

/// A set of changes whose new files are written, but have not taken their names. Dropped without a commit it
/// leaves nothing behind.
pub struct StagedSet<'a> {
    disk: &'a dyn Disk,
    parts: Vec<Part<'a>>,
    durability: Durability,
    undo: Undo,
}

impl StagedSet<'_> {
    /// The second half of [`commit`]: proves that every file is still what its change expects, and gives the
    /// new ones their names.
    pub fn commit(mut self) -> Result<Vec<Committed>, CommitError> {
        // The journal notes what is about to be switched here, flushed, with the old bytes of files that
        // will be written in place.
        match switch::switch(self.disk, &mut self.parts, self.durability, &mut self.undo) {
            Ok(()) => {
                // Its commit record goes here. Until then a restart rolls back.
                self.undo = Undo::default();
                Ok(finish(self.disk, &mut self.parts))
            }
            // The parts are alive until all is undone: the files they hold open keep their inode numbers.
            Err(failure) => Err(failure.undone(self.roll_back())),
        }
    }

    fn roll_back(&mut self) -> Vec<DiskError> {
        std::mem::take(&mut self.undo).roll_back(self.disk)
    }
}

impl Drop for StagedSet<'_> {
    fn drop(&mut self) {
        let not_undone = self.roll_back();
        if !not_undone.is_empty() {
            tracing::warn!(?not_undone, "a change that was given up left something behind");
        }
    }
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
            displaced: part.original.take().map(|original| original.examined.handle),
        })
        .collect()
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
