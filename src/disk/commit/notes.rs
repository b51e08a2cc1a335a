//! What of a commit goes into the journal.

use super::plan::{Original, Part, Way};
use crate::disk::change::Durability;
use crate::disk::error::Result;
use crate::disk::journal::{Journal, Noted, NotedPart, RawPath, Record, Spot, Ticket};
use crate::disk::place::{Entry, Target};
use crate::disk::stat::MTime;
use crate::disk::{Disk, FileBytes, Flush};
use crate::text::ContentHash;
use std::ffi::OsString;
use std::path::PathBuf;

/// Whether one step does all of it, which then needs no way back.
pub(super) fn is_alone(parts: &[Part<'_>]) -> bool {
    match parts {
        [part] => match part.way {
            Way::Exchange | Way::Linked | Way::Remove | Way::Move => true,
            Way::Install => part.destination().missing_dirs.is_empty(),
            Way::InPlace | Way::MoveEdited | Way::MoveInPlace => false,
        },
        _ => false,
    }
}

/// When the notes and the names have to be on stable storage. A file that is written in place can be torn by
/// a power cut, so its way back has to be there before.
pub(super) fn flush(parts: &[Part<'_>], durability: Durability) -> Flush {
    let needed = durability == Durability::Full || parts.iter().any(Part::is_in_place);
    if needed { Flush::Now } else { Flush::Later }
}

/// Notes the names that are going to be used.
pub(super) fn enter<'j>(
    spots: &mut Spots<'_>,
    journal: &'j Journal,
    parts: &[Part<'_>],
    durability: Durability,
) -> Result<Ticket<'j>> {
    let strays = parts.iter().flat_map(|part| part.staged_at.iter().chain(&part.kept_at));
    let names = strays.map(|entry| spots.of(entry)).collect::<Result<_>>()?;
    let flush = match durability {
        // Written out by the flush of the first staged file, where both are on one file system.
        Durability::Full if parts.iter().any(|part| part.staged_at.is_some()) => Flush::Ordered,
        // Nothing is written that would be flushed: the next thing is the displaced file's new name.
        Durability::Full => Flush::Now,
        Durability::Process => Flush::Later,
    };
    journal.enter(spots.disk, super::plan::fresh_id(), names, flush)
}

/// Notes what is about to be switched, with the bytes of files that are written in place.
pub(super) fn begin(
    spots: &mut Spots<'_>,
    ticket: &mut Ticket<'_>,
    parts: &[Part<'_>],
    flush: Flush,
) -> Result<()> {
    let alone = is_alone(parts);
    if alone && parts.iter().all(|part| part.way == Way::Move) {
        // One rename: nothing can be left of it, and nothing has to be taken back.
        return Ok(());
    }
    let disk = spots.disk;
    let noted = parts.iter().map(|part| note(spots, part, alone)).collect::<Result<_>>()?;
    let at = MTime::now().seconds.unsigned_abs();
    let record = Record { id: ticket.id.clone(), at, alone, parts: noted };
    ticket.begin(disk, record, if alone { Flush::Later } else { flush })?;
    // After the line that leads a start to them, or a kill in between would leave them for ever; without them the
    // start knows that no byte was written yet.
    for (index, part) in parts.iter().enumerate().filter(|(_, part)| part.is_in_place()) {
        if let Some(Original { expect, .. }) = &part.original {
            let new = part.content.clone().unwrap_or_default();
            ticket.keep_images(disk, index, &expect.bytes, &new)?;
        }
    }
    Ok(())
}

fn note(spots: &mut Spots<'_>, part: &Part<'_>, alone: bool) -> Result<NotedPart> {
    let mut spot_of = |entry: &Option<Entry>| entry.as_ref().map(|entry| spots.of(entry)).transpose();
    Ok(NotedPart {
        staged: spot_of(&part.staged_at)?,
        kept: spot_of(&part.kept_at)?,
        origin: part.original.as_ref().map(|original| noted_origin(spots, original)).transpose()?,
        result: noted_result(spots, part, alone)?,
        in_place: part.is_in_place(),
        made: folders_made(part.destination()),
    })
}

fn noted_origin(spots: &mut Spots<'_>, original: &Original<'_>) -> Result<Noted> {
    let Original { entry, examined, expect } = original;
    Ok(Noted {
        spot: spots.of(entry)?,
        size: examined.stat.size,
        hash: Some(expect.hash.to_string()),
        ino: Some(examined.stat.ino),
    })
}

/// The file afterwards. The hash of a large content costs about as much as writing it, so where one step
/// does everything the inode has to do: it is only asked whether that step has happened.
fn noted_result(spots: &mut Spots<'_>, part: &Part<'_>, alone: bool) -> Result<Option<Noted>> {
    if part.way == Way::Remove {
        return Ok(None);
    }
    let target = part.destination();
    let place = match target.entry() {
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
    Ok(Some(Noted {
        spot: place,
        size: size.or(part.original.as_ref().map(|original| original.examined.stat.size)).unwrap_or_default(),
        hash: hash.map(|hash| hash.to_string()),
        ino: part.staged.as_ref().map(|(stat, _)| stat.ino),
    }))
}

/// Names with their folders' inodes. They stand in folders that are held open, so each is looked at once.
pub(super) struct Spots<'d> {
    disk: &'d dyn Disk,
    folders: Vec<(PathBuf, Option<u64>)>,
}

impl<'d> Spots<'d> {
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
        let folder = self.disk.look(&itself)?.map(|stat| stat.ino);
        self.folders.push((parent.to_owned(), folder));
        Ok(Spot { path, folder })
    }
}

/// The folders that a target lacks, outermost first.
fn folders_made(target: &Target) -> Vec<RawPath> {
    let opened: PathBuf = target.opened_dir();
    let deeper = |path: &mut PathBuf, name: &OsString| {
        path.push(name);
        Some(RawPath(path.clone()))
    };
    target.missing_dirs.iter().scan(opened, deeper).collect()
}
