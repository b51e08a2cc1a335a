//! Builds the journal records of a commit.

use super::plan::{Original, Part, Strategy};
use crate::disk::change::Durability;
use crate::disk::error::Result;
use crate::disk::journal::{Journal, RawPath, Record, RecordedFile, RecordedPart, Spot, Ticket};
use crate::disk::place::{Entry, Target};
use crate::disk::stat::MTime;
use crate::disk::{Disk, FileBytes, Flush};
use crate::text::ContentHash;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns `true` if a single step applies the whole set, which then needs no undo record.
pub(super) fn is_single_step(parts: &[Part<'_>]) -> bool {
    match parts {
        [part] => match part.strategy {
            Strategy::Exchange | Strategy::Linked | Strategy::Remove | Strategy::Move => true,
            Strategy::Install => part.destination().missing_dirs.is_empty(),
            Strategy::InPlace | Strategy::MoveEdited | Strategy::MoveInPlace => false,
        },
        _ => false,
    }
}

/// Determines when records and names must be on stable storage. A power cut can tear a file that is written
/// in place, so its old bytes must be there first.
pub(super) fn flush(parts: &[Part<'_>], durability: Durability) -> Flush {
    let needed = durability == Durability::Full || parts.iter().any(Part::is_in_place);
    if needed { Flush::Now } else { Flush::Later }
}

/// Records the names that the commit is going to use.
pub(super) fn enter<'j>(
    spots: &mut SpotResolver<'_>,
    journal: &'j Journal,
    parts: &[Part<'_>],
    durability: Durability,
) -> Result<Ticket<'j>> {
    let strays = parts.iter().flat_map(|part| part.staged_at.iter().chain(&part.kept_at));
    let names = strays.map(|entry| spots.of(entry)).collect::<Result<_>>()?;
    let flush = match durability {
        // The flush of the first staged file writes it out, if both are on one file system.
        Durability::Full if parts.iter().any(|part| part.staged_at.is_some()) => Flush::Ordered,
        // No staged file is flushed; the next step is already the displaced file's new name.
        Durability::Full => Flush::Now,
        Durability::Process => Flush::Later,
    };
    journal.enter(spots.disk, super::plan::fresh_id(), names, flush)
}

/// Records the coming switch, together with the bytes of files that are written in place.
pub(super) fn begin(
    spots: &mut SpotResolver<'_>,
    ticket: &mut Ticket<'_>,
    parts: &[Part<'_>],
    flush: Flush,
) -> Result<()> {
    let alone = is_single_step(parts);
    if alone && parts.iter().all(|part| part.strategy == Strategy::Move) {
        // A single rename leaves nothing behind and needs no rollback.
        return Ok(());
    }
    let disk = spots.disk;
    let recorded = parts.iter().map(|part| record_part(spots, part, alone)).collect::<Result<_>>()?;
    let at = MTime::now().seconds.unsigned_abs();
    let record = Record { id: ticket.id.clone(), at, alone, parts: recorded };
    ticket.begin(disk, record, if alone { Flush::Later } else { flush })?;
    // Written after the record that leads a start to these images; otherwise a kill in between would leave
    // them forever. If the images are missing, the start knows that no byte was written yet.
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.is_in_place()) {
        if let Some(Original { expect, .. }) = &part.original {
            let new = part.content.clone().unwrap_or_default();
            ticket.keep_images(disk, index, &expect.bytes, &new)?;
        }
    }
    Ok(())
}

fn record_part(spots: &mut SpotResolver<'_>, part: &Part<'_>, alone: bool) -> Result<RecordedPart> {
    let mut spot_of = |entry: &Option<Entry>| entry.as_ref().map(|entry| spots.of(entry)).transpose();
    Ok(RecordedPart {
        staged: spot_of(&part.staged_at)?,
        kept: spot_of(&part.kept_at)?,
        origin: part.original.as_ref().map(|original| record_origin(spots, original)).transpose()?,
        result: record_result(spots, part, alone)?,
        in_place: part.is_in_place(),
        made: folders_made(part.destination()),
    })
}

fn record_origin(spots: &mut SpotResolver<'_>, original: &Original<'_>) -> Result<RecordedFile> {
    let Original { entry, examined, expect } = original;
    Ok(RecordedFile {
        spot: spots.of(entry)?,
        size: examined.stat.size,
        hash: Some(expect.hash.to_string()),
        ino: Some(examined.stat.ino),
    })
}

/// The resulting file. Hashing a large content costs about as much as writing it, so for a single-step set
/// the inode has to suffice: recovery only asks whether that step has happened.
fn record_result(spots: &mut SpotResolver<'_>, part: &Part<'_>, alone: bool) -> Result<Option<RecordedFile>> {
    if part.strategy == Strategy::Remove {
        return Ok(None);
    }
    let target = part.destination();
    let spot = match target.entry() {
        Some(entry) => spots.of(&entry)?,
        None => Spot { path: RawPath(target.path.clone()), folder: None },
    };
    let hash = |content: &FileBytes| ContentHash::of_chunks(content.pieces());
    let unchanged = part.original.as_ref().map(|original| original.expect.hash);
    let hash = match &part.content {
        Some(_) if alone => None,
        Some(content) => Some(hash(content)),
        None => unchanged,
    };
    let size = part.content.as_ref().map(|content| content.len() as u64);
    Ok(Some(RecordedFile {
        spot,
        size: size.or(part.original.as_ref().map(|original| original.examined.stat.size)).unwrap_or_default(),
        hash: hash.map(|hash| hash.to_string()),
        ino: part.staged.as_ref().map(|(stat, _)| stat.ino),
    }))
}

/// Resolves names to their folders' inodes. The folders are held open, so each is read only once.
pub(super) struct SpotResolver<'d> {
    disk: &'d dyn Disk,
    folders: Vec<(PathBuf, Option<u64>)>,
}

impl<'d> SpotResolver<'d> {
    pub(super) fn new(disk: &'d dyn Disk) -> Self {
        Self { disk, folders: Vec::new() }
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
    let opened: PathBuf = target.opened_dir();
    let deeper = |path: &mut PathBuf, name: &OsString| {
        path.push(name);
        Some(RawPath(path.clone()))
    };
    target.missing_dirs.iter().scan(opened, deeper).collect()
}
