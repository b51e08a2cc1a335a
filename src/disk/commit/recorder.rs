//! Builds the journal records of a commit.

use super::plan::{Original, PlannedChange, Strategy};
use crate::journal::{RawPath, Record, RecordedAside, RecordedChange, RecordedFile, Spot, Ticket};
use crate::{Disk, Durability, Entry, Flush, Journal, Result, Target};
use editd_text::ContentHash;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns `true` if a single step applies the whole set. Such a set needs no record of its completion:
/// recovery sees whether the step has happened.
pub(super) fn is_single_step(changes: &[PlannedChange<'_>]) -> bool {
    match changes {
        [change] => match change.strategy {
            Strategy::Exchange | Strategy::Linked | Strategy::Remove | Strategy::Move => true,
            Strategy::Install => change.destination().missing_dirs.is_empty() && change.aside.is_none(),
            Strategy::InPlace | Strategy::MoveEdited | Strategy::MoveInPlace => false,
        },
        _ => false,
    }
}

/// Determines when records and names must be on stable storage. A power cut can tear a file that is written
/// in place, so its old bytes must be there first.
pub(super) fn flush(changes: &[PlannedChange<'_>], durability: Durability) -> Flush {
    let needed = durability == Durability::Full || changes.iter().any(PlannedChange::is_in_place);
    if needed { Flush::Now } else { Flush::Later }
}

/// Records what a commit is going to do. Identifies the folder of each name by its inode number. The folders
/// are held open, so each number is looked up only once.
pub(super) struct Recorder<'d> {
    disk: &'d dyn Disk,
    folders: Vec<(PathBuf, Option<u64>)>,
}

impl<'d> Recorder<'d> {
    pub(super) fn new(disk: &'d dyn Disk) -> Self {
        Self { disk, folders: Vec::new() }
    }

    /// Records the names that the commit is going to use.
    pub(super) fn enter<'j>(
        &mut self,
        journal: &'j Journal,
        changes: &[PlannedChange<'_>],
        durability: Durability,
    ) -> Result<Ticket<'j>> {
        let strays = changes.iter().flat_map(|change| change.staged_at.iter().chain(&change.kept_at));
        let names = strays.map(|entry| self.of(entry)).collect::<Result<_>>()?;
        let flush = match durability {
            // The flush of the first staged file writes it out, if both are on one file system.
            Durability::Full if changes.iter().any(|change| change.staged_at.is_some()) => Flush::Ordered,
            // No staged file is flushed; the next step is already the displaced file's new name.
            Durability::Full => Flush::Now,
            Durability::Process => Flush::Later,
        };
        journal.enter(self.disk, names, flush)
    }

    /// Records the coming switch, together with the bytes of files that are written in place.
    pub(super) fn begin(
        &mut self,
        ticket: &mut Ticket<'_>,
        changes: &[PlannedChange<'_>],
        flush: Flush,
    ) -> Result<()> {
        let alone = is_single_step(changes);
        if alone && changes.iter().all(|change| change.strategy == Strategy::Move) {
            // A single rename leaves nothing behind and needs no rollback.
            return Ok(());
        }
        let recorded =
            changes.iter().map(|change| self.record_change(change, alone)).collect::<Result<_>>()?;
        let at = crate::time::system_clock().seconds.unsigned_abs();
        let record = Record { id: ticket.id.clone(), at, alone, parts: recorded };
        ticket.begin(self.disk, record, if alone { Flush::Later } else { flush })?;
        // Written after the record by which recovery finds these images; otherwise a kill in between would
        // leave them forever. If the images are missing, the start knows that no byte was written yet.
        for (index, change) in changes.iter().enumerate().filter(|(_, change)| change.is_in_place()) {
            if let Some(Original { expect, .. }) = &change.original {
                let new = change.content.clone().unwrap_or_default();
                ticket.keep_images(self.disk, index, [&expect.bytes, &new])?;
            }
        }
        Ok(())
    }

    fn record_change(&mut self, change: &PlannedChange<'_>, alone: bool) -> Result<RecordedChange> {
        let mut spot_of = |entry: &Option<Entry>| entry.as_ref().map(|entry| self.of(entry)).transpose();
        let (staged, kept) = (spot_of(&change.staged_at)?, spot_of(&change.kept_at)?);
        let mut origin = None;
        if let Some(Original { entry, examined, expect }) = &change.original {
            let (size, hash) = (examined.stat.size, Some(expect.hash.to_string()));
            origin = Some(RecordedFile { spot: self.of(entry)?, size, hash, ino: Some(examined.stat.ino) });
        }
        let aside = change.aside.as_ref().map(|aside| {
            Ok(RecordedAside { name: self.of(&aside.name)?, at: self.of(&aside.at)?, ino: aside.stat.ino })
        });
        Ok(RecordedChange {
            aside: aside.transpose()?,
            staged,
            kept,
            origin,
            result: self.record_result(change, alone)?,
            in_place: change.is_in_place(),
            made: folders_made(change.destination()),
        })
    }

    /// The resulting file. Hashing a large content costs about as much as writing it, so for a single-step
    /// set the inode has to suffice: recovery only asks whether that step has happened.
    fn record_result(&mut self, change: &PlannedChange<'_>, alone: bool) -> Result<Option<RecordedFile>> {
        if change.strategy == Strategy::Remove {
            return Ok(None);
        }
        let target = change.destination();
        let spot = match target.entry() {
            Some(entry) => self.of(&entry)?,
            None => Spot { path: RawPath(target.path.clone()), folder: None },
        };
        let (size, hash) = match (&change.content, &change.original) {
            (Some(content), _) if alone => (content.len() as u64, None),
            (Some(content), _) => (content.len() as u64, Some(ContentHash::of_chunks(content.pieces()))),
            (None, Some(original)) => (original.examined.stat.size, Some(original.expect.hash)),
            (None, None) => (0, None),
        };
        let ino = change.staged.as_ref().map(|staged| staged.stat.ino);
        Ok(Some(RecordedFile { spot, size, hash: hash.map(|hash| hash.to_string()), ino }))
    }

    fn of(&mut self, entry: &Entry) -> Result<Spot> {
        let path = RawPath(entry.path.clone());
        let Some(parent) = entry.path.parent() else { return Ok(Spot { path, folder: None }) };
        if let Some((_, folder)) = self.folders.iter().find(|(known, _)| known == parent) {
            return Ok(Spot { path, folder: *folder });
        }
        let itself = Entry { name: OsString::from("."), ..entry.clone() };
        let folder = self.disk.stat_entry(&itself)?.map(|stat| stat.ino);
        self.folders.push((parent.to_owned(), folder));
        Ok(Spot { path, folder })
    }
}

/// The folders missing on a target's path, outermost first.
fn folders_made(target: &Target) -> Vec<RawPath> {
    let missing = target.path.ancestors().skip(1).take(target.missing_dirs.len());
    let mut made: Vec<_> = missing.map(|folder| RawPath(folder.to_owned())).collect();
    made.reverse();
    made
}
