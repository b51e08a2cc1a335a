use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::{Bounds, Line};

/// The lines of one file that match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFound {
    /// The file's absolute path.
    pub path: PathBuf,
    /// By number.
    pub lines: Vec<Line>,
    /// Whether a line is longer than what is told of it.
    pub is_cut: bool,
    /// Bytes of their texts.
    pub(super) bytes: usize,
}

/// What was found so far, by the files' places in the order of paths: no more than an answer holds, so memory is
/// bounded whatever is found, and what comes behind it need not be searched.
pub(super) struct Found {
    bounds: Bounds,
    /// The place of the last file that matters.
    last: AtomicU64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    files: BTreeMap<u64, FileFound>,
    lines: usize,
    bytes: usize,
}

impl Found {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, last: AtomicU64::new(u64::MAX), kept: Mutex::default() }
    }

    /// Whether what is found in the file at a place can be told at all.
    pub(super) fn matters(&self, place: u64) -> bool {
        place <= self.last.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, place: u64, file: FileFound) {
        let mut kept = self.kept.lock();
        kept.lines += file.lines.len();
        kept.bytes += file.bytes;
        kept.files.insert(place, file);
        // One file more than what an answer holds tells that there is more.
        while let Some(last) = kept.files.last_entry() {
            let (lines, bytes) = (last.get().lines.len(), last.get().bytes);
            if !self.bounds.are_passed(kept.lines - lines, kept.bytes - bytes) {
                break;
            }
            kept.files.pop_last();
            kept.lines -= lines;
            kept.bytes -= bytes;
        }
        if let Some((last, _)) = kept.files.last_key_value()
            && self.bounds.are_passed(kept.lines, kept.bytes)
        {
            self.last.fetch_min(*last, Ordering::Relaxed);
        }
    }

    /// The first of it in the order of paths, and whether there is more.
    pub(super) fn finish(self) -> (Vec<FileFound>, bool) {
        let (mut lines, mut bytes, mut more) = (0, 0, false);
        let mut files: Vec<_> = self.kept.into_inner().files.into_values().collect();
        for file in &mut files {
            let before = file.lines.len();
            file.lines.retain(|line| {
                (lines, bytes) = (lines + 1, bytes + line.bytes());
                !self.bounds.are_passed(lines, bytes)
            });
            more |= file.lines.len() < before;
        }
        files.retain(|file| !file.lines.is_empty());
        (files, more)
    }
}
