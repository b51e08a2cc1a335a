use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use memchr::memchr;

use crate::workspace::history::PastEntry;

use super::line::Line;
use super::record::HeadOnly;
use super::segment::{LineLocation, SegmentName};

/// Tracks how far each segment was read.
#[derive(Debug, Default)]
pub(super) struct Reader {
    read_to: BTreeMap<SegmentName, Progress>,
    /// `true` once damage was reported.
    complained: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    offset: u64,
    done: bool,
}

/// A parsed line.
#[derive(Debug)]
pub(super) enum Found {
    Entry(PastEntry, LineLocation),
    Landed(String, Option<Vec<usize>>),
    Failed(String),
}

impl Reader {
    /// Forgets segments that no longer exist. Returns `true` if there were any.
    pub(super) fn keep_only(&mut self, segments: &[SegmentName]) -> bool {
        let before = self.read_to.len();
        self.read_to.retain(|name, _| segments.binary_search(name).is_ok());
        self.read_to.len() < before
    }

    /// Reads what was added to a segment since the last time. If `done`, nothing will be added any more, so a
    /// line without a newline is torn.
    pub(super) fn read_on(&mut self, folder: &Path, name: &SegmentName, done: bool) -> Vec<Found> {
        let progress = self.read_to.get(name).copied().unwrap_or_default();
        if progress.done {
            return Vec::new();
        }
        let mut found = Vec::new();
        let (offset, damaged) = match read_lines(folder, name, progress.offset, &mut found) {
            Ok((offset, damaged, torn)) => (offset, damaged + usize::from(torn && done)),
            Err(error) => {
                tracing::debug!(%error, "a segment of the history cannot be read");
                (progress.offset, usize::from(done))
            }
        };
        if damaged > 0 && !std::mem::replace(&mut self.complained, true) {
            let segment = name.folder(folder);
            tracing::warn!(
                segment = %segment.display(),
                lines = damaged,
                "a part of the history is damaged and skipped; there may be more"
            );
        }
        self.read_to.insert(name.clone(), Progress { offset, done });
        found
    }
}

/// Reads whole lines from an offset on. Returns the new offset, the number of damaged lines, and `true` if an
/// incomplete line remains.
fn read_lines(
    folder: &Path,
    name: &SegmentName,
    start: u64,
    found: &mut Vec<Found>,
) -> std::io::Result<(u64, usize, bool)> {
    let mut file = File::open(name.entries(folder))?;
    if file.metadata()?.len() <= start {
        return Ok((start, 0, false));
    }
    file.seek(SeekFrom::Start(start))?;
    let mut input = BufReader::with_capacity(1 << 16, file);
    let (mut offset, mut damaged, mut line) = (start, 0, Vec::new());
    loop {
        line.clear();
        let len = input.read_until(b'\n', &mut line)?;
        if memchr(b'\n', &line).is_none() {
            return Ok((offset, damaged, len > 0));
        }
        let location = LineLocation { segment: name.clone(), offset, len };
        offset += len as u64;
        match parse(&line, location) {
            Some(line) => found.push(line),
            // An empty line separates a torn line from the next one.
            None if len == 1 => {}
            None => damaged += 1,
        }
    }
}

fn parse(line: &[u8], location: LineLocation) -> Option<Found> {
    Some(match Line::<HeadOnly>::parse(line)? {
        Line::Entry(head) => Found::Entry(head.read()?, location),
        Line::Landed { id, files } => Found::Landed(id, files),
        Line::Failed { id } => Found::Failed(id),
    })
}
