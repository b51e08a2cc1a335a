//! Putting right what a killed process or a power cut interrupted.
//!
//! Nothing here trusts the record further than the disk bears it out: each step looks what stands at a name
//! and goes by its content. What is neither the old nor the new content somebody has written since, and it
//! stays. So recovery can be interrupted and done again at any point.

mod part;

use super::Disk;
use super::error::{DiskError, DiskErrorKind, Result};
use super::journal::{Journal, Line, Lost, Record, Spot};
use super::place::Entry;
use super::stat::MTime;
use part::PartRecovery;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// For how many seconds a transaction is tried again that cannot be settled: long enough for a disk that is
/// not always there, not for ever for a folder that was deleted.
const PATIENCE: u64 = 30 * 24 * 3600;

/// What a start found and did.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Files that have their old content again.
    pub restored: Vec<PathBuf>,
    /// Files that somebody has changed since; they were left alone, and their old text was kept.
    pub left: Vec<PathBuf>,
    /// Texts that were kept.
    pub rescued: Vec<PathBuf>,
    /// Staged and displaced files that were removed.
    pub strays: usize,
    /// What could not be put right now, and will be tried again.
    pub failed: Vec<DiskError>,
    /// Lines of the journal that could not be trusted and were not obeyed.
    pub damaged: usize,
}

impl Recovery {
    /// Whether there is anything to tell.
    pub fn is_eventless(&self) -> bool {
        let Self { restored, left, rescued, strays, failed, damaged } = self;
        restored.is_empty()
            && left.is_empty()
            && rescued.is_empty()
            && failed.is_empty()
            && (*strays, *damaged) == (0, 0)
    }
}

/// Works through the lines of a log; gives the transactions that have to be tried again.
pub(super) fn recover(
    disk: &dyn Disk,
    journal: &Journal,
    lines: Vec<Line>,
    recovery: &mut Recovery,
) -> Vec<Record> {
    let (mut entered, mut begun, mut done) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
    for line in lines {
        match line {
            Line::Names { id, at } => drop(entered.insert(id, at)),
            Line::Begin(record) => begun.push(record),
            Line::Done { id } => drop(done.insert(id)),
        }
    }
    let mut unfinished: Vec<Record> = Vec::new();
    // The newest first: an older one may have made what a newer one changed.
    for record in begun.into_iter().rev() {
        entered.remove(&record.id);
        if done.contains(&record.id) {
            // What cannot be removed stays where it is: tried again as unfinished, the set would be taken back.
            let cleaned = clean_up(disk, journal, &record, recovery);
            recovery.failed.extend(cleaned.err());
        } else if let Err(error) = settle(disk, journal, &record, recovery) {
            recovery.failed.push(error);
            let age = MTime::now().seconds.unsigned_abs().saturating_sub(record.at);
            if age < PATIENCE {
                unfinished.push(record);
            }
        }
    }
    // Staged by transactions that never began, so nothing was displaced; unless it cannot be read any more that
    // they did.
    let certain = recovery.damaged == 0;
    for at in entered.into_values().flatten() {
        let lost = |_: &super::FileImage| (!certain).then_some(Lost::Interrupted);
        let cleared = clear(disk, journal, &at, None, recovery, lost);
        recovery.failed.extend(cleared.err());
    }
    unfinished.reverse();
    unfinished
}

/// Removes what a transaction that has ended left behind.
fn clean_up(disk: &dyn Disk, journal: &Journal, record: &Record, recovery: &mut Recovery) -> Result<()> {
    for part in &record.parts {
        PartRecovery::new(disk, journal, part, recovery).clear_strays()?;
    }
    journal.remove_images(disk, &record.id, record.parts.len());
    Ok(())
}

/// Finishes or takes back one transaction.
pub(super) fn settle(
    disk: &dyn Disk,
    journal: &Journal,
    record: &Record,
    recovery: &mut Recovery,
) -> Result<()> {
    for (index, part) in record.parts.iter().enumerate().rev() {
        let mut part = PartRecovery::new(disk, journal, part, recovery);
        if record.alone && part.has_landed()? {
            part.clear_strays()?;
            continue;
        }
        part.load_images(&record.id, index)?;
        part.take_back()?;
        part.clear_strays()?;
        part.remove_made();
    }
    journal.remove_images(disk, &record.id, record.parts.len());
    Ok(())
}

/// Opens the folder of a noted name; none if it is gone or another has taken its place.
fn open(disk: &dyn Disk, at: &Spot) -> Result<Option<Entry>> {
    let (Some(folder), Some(name)) = (at.path().parent(), at.path().file_name()) else { return Ok(None) };
    let root = match disk.open_root(folder) {
        Ok(root) => root,
        Err(error) if is_absence(&error.kind) => return Ok(None),
        Err(error) => return Err(error),
    };
    let entry = |name: &std::ffi::OsStr| Entry {
        dir: root.0.handle.clone(),
        name: name.to_owned(),
        path: folder.join(name),
    };
    // A path that leads through a symlink now is not the one that was noted.
    let same_path = root.path() == folder;
    let ino = disk.look(&entry(".".as_ref()))?.map(|stat| stat.ino);
    let same_folder = same_path && (at.folder.is_none() || at.folder == ino);
    Ok(same_folder.then(|| entry(name)))
}

/// Whether another folder stands where a noted name was, or anything else. One that is not there at all may come
/// back, on a disk that is not mounted now.
fn is_replaced(disk: &dyn Disk, at: &Spot) -> bool {
    at.path().parent().is_some_and(|folder| disk.open_root(folder).is_ok())
}

fn is_absence(kind: &DiskErrorKind) -> bool {
    matches!(kind, DiskErrorKind::NotFound | DiskErrorKind::NotAFile { .. })
}

/// Removes a staged or displaced file. One that `lost` gives a reason for is kept first as a text of the file
/// at `of`.
fn clear(
    disk: &dyn Disk,
    journal: &Journal,
    at: &Spot,
    of: Option<&Path>,
    recovery: &mut Recovery,
    lost: impl Fn(&super::FileImage) -> Option<Lost>,
) -> Result<()> {
    let Some(entry) = open(disk, at)? else { return Ok(()) };
    match disk.read_entry(&entry, u64::MAX) {
        Ok(None) => return Ok(()),
        Ok(Some(image)) => {
            if let Some(why) = lost(&image) {
                let of = of.unwrap_or(&entry.path);
                journal.rescue(of, &image.bytes, why)?;
                recovery.rescued.push(of.to_owned());
            }
        }
        // Something that editd never makes: not a stray.
        Err(error) if matches!(error.kind, DiskErrorKind::NotAFile { .. } | DiskErrorKind::Changed) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    disk.remove(&entry)?;
    recovery.strays += 1;
    disk.sync_dir(&entry.dir, entry.path.parent().unwrap_or(Path::new("/")))
}
