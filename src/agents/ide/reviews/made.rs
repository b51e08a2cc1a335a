use std::fs;
use std::path::Path;

use super::current::Current;
use crate::ide::daemon::Failure;
use editd_daemon::transport::Client;

/// A file that editd has changed in place of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ide) struct Made {
    /// The text of the file now.
    pub(in crate::ide) text: String,
    pub(in crate::ide) disk: Disk,
    /// `true` if the daemon restores the file after the program has written it.
    pub(in crate::ide) is_kept: bool,
}

/// The file on disk after a change by editd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ide) enum Disk {
    /// An editor holds the text and has not saved it.
    Unsaved,
    /// The file is UTF-8, and this is its content, with the byte order mark.
    Utf8(String),
    /// The file has another encoding.
    Other,
}

impl Made {
    /// Reads a file that editd has just changed.
    pub(super) fn read(path: &Path, client: &mut Client) -> Result<Self, Failure> {
        let now = Current::read(path, client)?.ok_or(Failure::Made)?;
        let disk = if now.is_unsaved { Disk::Unsaved } else { Disk::of(path) };
        Ok(Self { text: now.text, disk, is_kept: false })
    }
}

impl Disk {
    fn of(path: &Path) -> Self {
        let bytes = fs::read(path).ok();
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).map_or(Self::Other, Self::Utf8)
    }
}
