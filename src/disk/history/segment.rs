//! Segments: their folders, their lines, and how lines are read.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use crate::{FileBytes, make_private_folder, open_private_file, replace_private_file};
use editd_text::ContentHash;
use editd_workspace::history::PastEntry;

use super::record::{EntryRecord, HeadOnly};
use super::shares::{Extent, Owner};

/// Name of a segment's file of lines.
const ENTRIES: &str = "entries.jsonl";

/// Name of a file that exists in segments whose large images were removed to make room.
const STRIPPED: &str = "stripped";

/// Maximum size in bytes of an image that stays as long as the lines of its segment.
pub(super) const SMALL: u64 = 16 << 10;

/// Name of a segment's folder: a number that gives the order, the run of the daemon that it belongs to, and the author
/// of its entries. Earlier versions named no author.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SegmentName {
    pub(super) number: u64,
    pub(super) nonce: String,
    pub(super) owner: Owner,
}

/// Location of an entry's line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LineLocation {
    pub(super) segment: SegmentName,
    pub(super) offset: u64,
    pub(super) len: usize,
}

impl SegmentName {
    pub(super) fn parse(name: &OsStr) -> Option<Self> {
        let (number, rest) = name.to_str()?.split_once('-')?;
        let (nonce, owner) = match rest.split_once('-') {
            Some((nonce, owner)) => (nonce, Owner::parse(owner)?),
            None => (rest, Owner::SHARED),
        };
        let is_nonce = !nonce.is_empty() && nonce.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_nonce.then_some(Self { number: number.parse().ok()?, nonce: nonce.to_owned(), owner })
    }

    pub(super) fn folder(&self, history: &Path) -> PathBuf {
        let owner = self.owner.to_string();
        let separator = if owner.is_empty() { "" } else { "-" };
        history.join(format!("{:08}-{}{separator}{owner}", self.number, self.nonce))
    }

    pub(super) fn entries(&self, history: &Path) -> PathBuf {
        self.folder(history).join(ENTRIES)
    }

    pub(super) fn make(&self, history: &Path) -> io::Result<File> {
        let folder = self.folder(history);
        make_private_folder(history)?;
        // An earlier attempt may have stopped right after creating the folder.
        make_private_folder(&folder)?;
        open_private_file(&folder.join(ENTRIES), OpenOptions::new().append(true).create(true))
    }

    /// Returns the extent of the segment.
    pub(super) fn measure(&self, history: &Path) -> io::Result<Extent> {
        let mut extent = Extent { lines: 0, images: 0, changed: SystemTime::UNIX_EPOCH };
        for entry in fs::read_dir(self.folder(history))? {
            let entry = entry?;
            let stat = entry.metadata()?;
            *(if is_large(&entry, &stat) { &mut extent.images } else { &mut extent.lines }) += stat.len();
            extent.changed = extent.changed.max(stat.modified()?);
        }
        Ok(extent)
    }

    /// Stores an image under its hash. Returns `false` if it exists already.
    pub(super) fn put_image(&self, history: &Path, hash: ContentHash, bytes: &FileBytes) -> io::Result<bool> {
        let path = self.image(history, hash);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
            return Ok(false);
        }
        replace_private_file((&path.with_extension("part"), &path), bytes.pieces(), false).map(|_| true)
    }

    /// Removes the large images. The segment says so from before the first one is gone.
    pub(super) fn strip(&self, history: &Path) -> io::Result<()> {
        let (folder, mark) = (self.folder(history), self.folder(history).join(STRIPPED));
        open_private_file(&mark, OpenOptions::new().append(true).create(true))?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if is_large(&entry, &entry.metadata()?) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Returns `true` if large images of the segment were removed.
    pub(super) fn is_stripped(&self, history: &Path) -> bool {
        fs::symlink_metadata(self.folder(history).join(STRIPPED)).is_ok()
    }

    pub(super) fn image(&self, history: &Path, hash: ContentHash) -> PathBuf {
        self.folder(history).join(hash.to_string().replace(':', "-"))
    }
}

/// Returns `true` if a file in a segment is an image that can be removed alone.
fn is_large(entry: &fs::DirEntry, stat: &fs::Metadata) -> bool {
    stat.is_file() && stat.len() > SMALL && entry.file_name() != ENTRIES
}

impl LineLocation {
    pub(super) fn read(&self, history: &Path) -> io::Result<Vec<u8>> {
        let mut file = open_private_file(&self.segment.entries(history), OpenOptions::new().read(true))?;
        file.seek(SeekFrom::Start(self.offset))?;
        let mut line = vec![0; self.len];
        file.read_exact(&mut line)?;
        Ok(line)
    }
}

/// Start of every line; a checksum of the rest follows.
const BEFORE_SUM: &[u8] = b"{\"sum\":\"";
const AFTER_SUM: &[u8] = b"\",";
/// Length of a checksum, in hexadecimal digits.
const SUM: usize = 16;

/// A line of a segment. `E` is the part of an entry to parse.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Line<E = EntryRecord> {
    /// A transaction that is about to happen.
    Entry(E),
    /// A transaction that has happened, to all of its files or to the given ones.
    Landed {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<Vec<usize>>,
    },
    /// A transaction that has not happened.
    Failed { id: String },
}

impl<E: Serialize> Line<E> {
    /// Serializes the line with its newline: a JSON object with the checksum as its first member.
    pub(super) fn print(&self) -> io::Result<Vec<u8>> {
        let mut line = [BEFORE_SUM, &[b'0'; SUM], AFTER_SUM].concat();
        let start = line.len();
        serde_json::to_writer(&mut line, self)?;
        // Drop the opening brace: the object is already open.
        line.remove(start);
        let sum = checksum(&line[start..]);
        line[BEFORE_SUM.len()..BEFORE_SUM.len() + SUM].copy_from_slice(&sum);
        line.push(b'\n');
        Ok(line)
    }
}

impl<E: for<'de> Deserialize<'de>> Line<E> {
    /// Parses a line, with or without its newline. Returns `None` if it is damaged.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let (sum, rest) = line.strip_prefix(BEFORE_SUM)?.split_at_checked(SUM)?;
        let rest = rest.strip_prefix(AFTER_SUM)?;
        if sum != checksum(rest) {
            return None;
        }
        serde_json::from_slice(&[b"{", rest].concat()).ok()
    }
}

fn checksum(rest: &[u8]) -> [u8; SUM] {
    let mut sum = [0; SUM];
    let hex = blake3::hash(rest).to_hex();
    sum.copy_from_slice(&hex.as_bytes()[..SUM]);
    sum
}

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

impl Reader {
    /// Forgets segments that no longer exist. Returns `true` if there were any.
    pub(super) fn keep_only(&mut self, segments: &[SegmentName]) -> bool {
        let before = self.read_to.len();
        self.read_to.retain(|name, _| segments.binary_search(name).is_ok());
        self.read_to.len() < before
    }

    /// Reads what was added to a segment since the last time. `size` is that of its file, if it is appended to.
    /// Otherwise nothing will be added any more, so a line without a newline is torn.
    pub(super) fn read_on(
        &mut self,
        folder: &Path,
        name: &SegmentName,
        size: Option<u64>,
    ) -> Vec<(Line<PastEntry>, LineLocation)> {
        let progress = self.read_to.get(name).copied().unwrap_or_default();
        if progress.done || size == Some(progress.offset) {
            return Vec::new();
        }
        let done = size.is_none();
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
    found: &mut Vec<(Line<PastEntry>, LineLocation)>,
) -> io::Result<(u64, usize, bool)> {
    let mut file = open_private_file(&name.entries(folder), OpenOptions::new().read(true))?;
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
        match parse(&line) {
            Some(line) => found.push((line, location)),
            // An empty line separates a torn line from the next one.
            None if len == 1 => {}
            None => damaged += 1,
        }
    }
}

/// Parses the part of a line that the index needs.
fn parse(line: &[u8]) -> Option<Line<PastEntry>> {
    Some(match Line::<HeadOnly>::parse(line)? {
        Line::Entry(head) => Line::Entry(head.read()?),
        Line::Landed { id, files } => Line::Landed { id, files },
        Line::Failed { id } => Line::Failed { id },
    })
}
