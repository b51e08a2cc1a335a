//! The log of the daemon: one file per day.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

use jiff::Timestamp;

use editd_disk::{make_private_folder, open_private_file};

/// Number of daily log files that are kept.
const KEPT: usize = 7;
/// Parts of a name before and after the day.
const NAME: (&str, &str) = ("editd.", ".log");
/// Length of a day as text: `2026-12-31`.
const DAY: usize = 10;

/// Appends to the file of the current day (UTC). The files are private: a link in place of one is an error.
pub(super) struct DailyLog {
    folder: PathBuf,
    day: String,
    file: File,
}

impl DailyLog {
    /// Creates the folder, opens the file of today, and removes old ones.
    pub(super) fn open(folder: PathBuf) -> io::Result<Self> {
        make_private_folder(&folder)?;
        let day = today();
        let path = folder.join(format!("{}{day}{}", NAME.0, NAME.1));
        let file = open_private_file(&path, File::options().append(true).create(true))?;
        let log = Self { folder, day, file };
        log.remove_old();
        Ok(log)
    }

    fn remove_old(&self) {
        let is_log = |entry: &fs::DirEntry| {
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let day = name.strip_prefix(NAME.0).and_then(|rest| rest.strip_suffix(NAME.1));
            entry.file_type().is_ok_and(|kind| kind.is_file()) && day.is_some_and(|day| day.len() == DAY)
        };
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut logs: Vec<_> = entries.filter(is_log).map(|entry| entry.path()).collect();
        logs.sort();
        for old in logs.iter().rev().skip(KEPT) {
            // It is removed the next day if that fails.
            let _ = fs::remove_file(old);
        }
    }
}

impl Write for DailyLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.day != today() {
            *self = Self::open(self.folder.clone())?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn today() -> String {
    Timestamp::now().to_string().chars().take(DAY).collect()
}
