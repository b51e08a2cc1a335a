//! Recovery after a killed process or a power cut.
//!
//! Recovery trusts the journal only as far as the disk confirms it: each step reads the file at a name and
//! compares its content. Content that is neither old nor new was written by another program in the meantime
//! and stays. Recovery can therefore be interrupted and repeated at any point.

mod part;

use super::Disk;
use super::error::{DiskError, DiskErrorKind, Result};
use super::journal::{Journal, Line, LossReason, Record, Spot};
use super::place::Entry;
use super::stat::MTime;
use part::PartRecovery;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Number of seconds for which a transaction that cannot be settled is retried: long enough for a disk that
/// is not always mounted, but not forever for a folder that was deleted.
const PATIENCE: u64 = 30 * 24 * 3600;

/// Result of the recovery at a start.
#[derive(Debug, Default)]
pub struct Recovery {
    /// Files whose old content was restored.
    pub restored: Vec<PathBuf>,
    /// Files that another program has changed since. They were not touched, and their old text was rescued.
    pub left: Vec<PathBuf>,
    /// Files of which a text was rescued.
    pub rescued: Vec<PathBuf>,
    /// Number of staged and displaced files that were removed.
    pub strays: usize,
    /// Errors of steps that could not be completed now and will be retried.
    pub failed: Vec<DiskError>,
    /// Number of invalid journal lines, which were ignored.
    pub damaged: usize,
}

impl Recovery {
    /// Returns `true` if there is nothing to report.
    pub fn is_empty(&self) -> bool {
        let Self { restored, left, rescued, strays, failed, damaged } = self;
        restored.is_empty()
            && left.is_empty()
            && rescued.is_empty()
            && failed.is_empty()
            && (*strays, *damaged) == (0, 0)
    }
}

/// Processes the lines of the logs; returns the transactions that have to be retried.
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
    // The newest first: an older one may have created what a newer one changed.
    for record in begun.into_iter().rev() {
        entered.remove(&record.id);
        if done.contains(&record.id) {
            // Remains that cannot be removed stay where they are: retrying the set as unfinished would roll
            // it back.
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
    // These were staged by transactions that never began, so nothing was displaced, unless the lines that
    // would show a beginning are damaged.
    let certain = recovery.damaged == 0;
    for at in entered.into_values().flatten() {
        let lost = |_: &super::FileImage| (!certain).then_some(LossReason::Interrupted);
        let cleared = clear(disk, journal, &at, None, recovery, lost);
        recovery.failed.extend(cleared.err());
    }
    unfinished.reverse();
    unfinished
}

/// Removes what a finished transaction left behind.
fn clean_up(disk: &dyn Disk, journal: &Journal, record: &Record, recovery: &mut Recovery) -> Result<()> {
    for part in &record.parts {
        PartRecovery::new(disk, journal, part, recovery).clear_strays()?;
    }
    journal.remove_images(disk, &record.id, record.parts.len());
    Ok(())
}

/// Completes or rolls back one transaction.
pub(super) fn settle(
    disk: &dyn Disk,
    journal: &Journal,
    record: &Record,
    recovery: &mut Recovery,
) -> Result<()> {
    for (index, part) in record.parts.iter().enumerate().rev() {
        let mut part = PartRecovery::new(disk, journal, part, recovery);
        if record.alone && part.has_happened()? {
            part.clear_strays()?;
            continue;
        }
        part.load_images(&record.id, index)?;
        part.roll_back()?;
        part.clear_strays()?;
        part.remove_created_folders();
    }
    journal.remove_images(disk, &record.id, record.parts.len());
    Ok(())
}

/// Opens the folder of a recorded name. Returns `None` if it is gone or has been replaced by another folder.
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
    // A path that now leads through a symlink is not the recorded one.
    let same_path = root.path() == folder;
    let ino = disk.stat_entry(&entry(".".as_ref()))?.map(|stat| stat.ino);
    let same_folder = same_path && (at.folder.is_none() || at.folder == ino);
    Ok(same_folder.then(|| entry(name)))
}

/// Returns `true` if the recorded folder has been replaced. A folder that is missing altogether may come
/// back, on a disk that is not mounted now.
fn is_replaced(disk: &dyn Disk, at: &Spot) -> bool {
    at.path().parent().is_some_and(|folder| disk.open_root(folder).is_ok())
}

fn is_absence(kind: &DiskErrorKind) -> bool {
    matches!(kind, DiskErrorKind::NotFound | DiskErrorKind::NotAFile { .. })
}

/// Removes a staged or displaced file. If `lost` returns a reason, its text is rescued first, as a text of
/// the file at `of`.
fn clear(
    disk: &dyn Disk,
    journal: &Journal,
    at: &Spot,
    of: Option<&Path>,
    recovery: &mut Recovery,
    lost: impl Fn(&super::FileImage) -> Option<LossReason>,
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
        // Not a stray: editd never creates such an object.
        Err(error) if matches!(error.kind, DiskErrorKind::NotAFile { .. } | DiskErrorKind::Changed) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    }
    disk.remove(&entry)?;
    recovery.strays += 1;
    disk.sync_dir(&entry.dir, entry.path.parent().unwrap_or(Path::new("/")))
}
