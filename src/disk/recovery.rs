//! Recovery after a killed process or a power cut.
//!
//! Recovery trusts the journal only as far as the disk confirms it: each step reads the file at a name and
//! compares its content. Content that is neither old nor new was written by another program in the meantime
//! and stays. Recovery can therefore be interrupted and repeated at any point.

mod aside;
mod file;

pub use file::Recovery;

use super::journal::{Line, NUMBERS, Record, RecordedAside, parse};
use crate::{Disk, FileImage, Flush, Journal, LossReason, Rescue, Result};
use file::{FileRecovery, Recoverer};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Number of seconds for which a transaction that cannot be settled is retried: long enough for a disk that
/// is not always mounted, but not forever for a folder that was deleted.
const PATIENCE: u64 = 30 * 24 * 3600;

/// Age in seconds from which on the clock is taken for wrong.
const IMPLAUSIBLE: u64 = 365 * 24 * 3600;

/// Maximum number of bytes of a log that a start reads; no log comes near it.
const MAX_LOG_BYTES: u64 = 256 << 20;

/// File name for a log that contains damaged lines.
const DAMAGED: &str = "damaged";

impl Journal {
    /// Opens or creates the journal in an existing folder and recovers from an earlier process. No commit may
    /// be in progress there.
    pub fn open(disk: &dyn Disk, folder: &Path, rescue: Arc<dyn Rescue>) -> Result<(Self, Recovery)> {
        let folder = disk.open_root(folder)?;
        let journal = Self { folder, rescue, state: Mutex::default(), settling: Mutex::default() };
        let recovery = journal.recover(disk)?;
        Ok((journal, recovery))
    }

    fn recover(&self, disk: &dyn Disk) -> Result<Recovery> {
        let (mut lines, mut found, mut recovery) = (Vec::new(), Vec::new(), Recoverer::new(disk, self));
        for number in 0..NUMBERS {
            let Some(image) = disk.read_entry(&self.log(number), MAX_LOG_BYTES)? else { continue };
            let (read, damaged) = parse(&image.bytes);
            lines.extend(read);
            recovery.report.damaged += damaged;
            found.push((number, damaged > 0));
            self.state.lock().logs.found(number);
        }
        let unfinished = recovery.recover(lines);
        // Write the transactions that have to be retried to a new log before the old logs go.
        self.state.lock().logs.choose(NUMBERS);
        for record in &unfinished {
            self.append(disk, &Line::Begin(record.clone()), Flush::Now)?;
        }
        for (number, damaged) in found {
            let log = self.log(number);
            if damaged {
                // Keep the damaged log for inspection.
                disk.rename_over(&log, &self.folder.entry(DAMAGED))?;
            } else {
                disk.remove(&log)?;
            }
            self.state.lock().logs.removed(number);
        }
        let by_id = unfinished.into_iter().map(|record| (record.id.clone(), record));
        self.state.lock().unfinished = by_id.collect();
        Ok(recovery.report)
    }

    /// Retries the rollback of transactions that could not be rolled back when they failed. Free if there are
    /// none.
    pub fn retry(&self, disk: &dyn Disk) {
        if self.state.lock().unfinished.is_empty() {
            return;
        }
        // Two concurrent retries would undo each other's result.
        let _one_at_a_time = self.settling.lock();
        let pending: Vec<_> = self.state.lock().unfinished.values().cloned().collect();
        for record in pending {
            let settled = Recoverer::new(disk, self).settle(&record);
            let done = || self.append(disk, &Line::Done { id: record.id.clone() }, Flush::Now);
            match settled.and_then(|()| done()) {
                Ok(()) => drop(self.state.lock().unfinished.remove(&record.id)),
                Err(error) => tracing::warn!(%error, "an interrupted change still cannot be rolled back"),
            }
        }
    }
}

impl Recoverer<'_> {
    /// Processes the lines of the logs; returns the transactions that have to be retried.
    fn recover(&mut self, lines: Vec<Line>) -> Vec<Record> {
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
                let cleaned = self.clean_up(&record);
                self.report.failed.extend(cleaned.err());
            } else if let Err(error) = self.settle(&record) {
                self.report.failed.push(error);
                let age = crate::time::system_clock().seconds.unsigned_abs().saturating_sub(record.at);
                // A clock that is set far into the future must not end the retries.
                if !(PATIENCE..IMPLAUSIBLE).contains(&age) {
                    unfinished.push(record);
                }
            }
        }
        // These were staged by transactions that never began, so nothing was displaced, unless the lines that
        // would show a beginning are damaged.
        let certain = self.report.damaged == 0;
        for at in entered.into_values().flatten() {
            let lost = |_: &FileImage| (!certain).then_some(LossReason::Interrupted);
            let cleared = self.clear(&at, None, lost);
            self.report.failed.extend(cleared.err());
        }
        unfinished.reverse();
        unfinished
    }

    /// Removes what a finished transaction left behind.
    fn clean_up(&mut self, record: &Record) -> Result<()> {
        let moved: Vec<_> = record.parts.iter().filter_map(|change| change.aside.clone()).collect();
        for change in &record.parts {
            FileRecovery::new(self, &change.inside(&moved)).clear_strays()?;
        }
        for aside in &moved {
            self.remove_aside(aside)?;
        }
        self.journal.remove_images(self.disk, &record.id, record.parts.len());
        Ok(())
    }

    /// Completes or rolls back one transaction.
    fn settle(&mut self, record: &Record) -> Result<()> {
        // Links and folders whose names another program has taken.
        let mut lost: Vec<RecordedAside> = Vec::new();
        for (index, change) in record.parts.iter().enumerate().rev() {
            let moved = change.inside(&lost);
            let mut file = FileRecovery::new(self, &moved);
            if moved != *change {
                file.leave_inside()?;
                file.clear_strays()?;
                continue;
            }
            if record.alone && file.has_happened()? {
                file.clear_strays()?;
                continue;
            }
            file.load_images(&record.id, index)?;
            file.roll_back()?;
            file.clear_strays()?;
            file.remove_created_folders();
            if let Some(aside) = &change.aside
                && !self.put_back(aside)?
            {
                lost.push(aside.clone());
            }
        }
        for aside in &lost {
            self.remove_aside(aside)?;
        }
        self.journal.remove_images(self.disk, &record.id, record.parts.len());
        Ok(())
    }
}
