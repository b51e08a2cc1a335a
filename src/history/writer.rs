use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::disk::{FileBytes, make_private_folder};
use crate::text::ContentHash;

use super::HistoryLimits;
use super::age::AgeClock;
use super::segment::{Line, SegmentName};

/// Size in bytes above which a new segment is begun, unless a sixteenth of the whole limit is smaller.
/// Segments are dropped as a whole, and a start checks only one of them.
const SEGMENT: u64 = 8 << 20;
/// Number of segments that fill the whole limit.
const SEGMENTS: u64 = 16;
/// Maximum time for which a segment is appended to, and so the granularity of the age limit.
const SEGMENT_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The appending side.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) folder: PathBuf,
    limits: HistoryLimits,
    pub(super) nonce: String,
    /// Existing segments, and their extents as far as known.
    segments: BTreeMap<SegmentName, Extent>,
    current: Option<Current>,
    /// `true` once the sizes of all segments are known.
    measured: bool,
    /// Lines with the outcome of an entry that could not be written yet.
    pending: Vec<(Line, Vec<u8>)>,
    clock: AgeClock,
}

/// Extent of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Size in bytes, images included.
    pub(super) size: u64,
    /// Time at which the last line was added.
    pub(super) changed: SystemTime,
}

/// The segment that is appended to.
#[derive(Debug)]
struct Current {
    name: SegmentName,
    file: File,
    begun: SystemTime,
    /// `true` if an append failed in the middle: the next line must not continue that one.
    torn: bool,
    /// Images that have not been flushed yet.
    images: Vec<File>,
}

/// The state of the writer that readers need.
#[derive(Debug)]
pub(super) struct WriterState {
    pub(super) folder: PathBuf,
    pub(super) nonce: String,
    pub(super) segments: Vec<SegmentName>,
    /// Entries that happened although this could not be recorded yet.
    pub(super) pending: Vec<Arc<str>>,
}

impl Writer {
    pub(super) fn open(folder: &Path, limits: HistoryLimits) -> Self {
        let listed = make_private_folder(folder).and_then(|()| list(folder));
        let segments = listed.unwrap_or_else(|error| {
            tracing::error!(folder = %folder.display(), %error, "the history cannot be used");
            BTreeMap::new()
        });
        let nonce = fresh_nonce(&segments);
        let folder = folder.to_owned();
        let clock = AgeClock::open(&folder, limits.age, segments.is_empty());
        Self { folder, limits, nonce, segments, current: None, measured: false, pending: Vec::new(), clock }
    }

    pub(super) fn state(&self) -> WriterState {
        let landed = |(line, _): &(Line, Vec<u8>)| match line {
            Line::Landed { id, .. } => Some(id.as_str().into()),
            Line::Entry(_) | Line::Failed { .. } => None,
        };
        WriterState {
            folder: self.folder.clone(),
            nonce: self.nonce.clone(),
            segments: self.segments.keys().cloned().collect(),
            pending: self.pending.iter().filter_map(landed).collect(),
        }
    }

    /// Appends an entry's line, after its images.
    pub(super) fn append(&mut self, line: &[u8], images: &[(ContentHash, FileBytes)]) -> io::Result<()> {
        let folder = self.folder.clone();
        let current = self.current()?;
        let mut size = 0;
        for (hash, bytes) in images {
            if let Some(file) = current.name.put_image(&folder, *hash, bytes)? {
                current.images.push(file);
                size += bytes.len() as u64;
            }
        }
        self.write(line, size)
    }

    /// Records the outcome of an entry. If the write fails, it is retried with the next line.
    pub(super) fn settle(&mut self, line: &Line, flush: bool) -> io::Result<()> {
        let text = line.print()?;
        let written = self.write(&text, 0);
        if written.is_err() {
            self.pending.push((line.clone(), text));
        }
        written?;
        if flush { self.flush() } else { Ok(()) }
    }

    /// Records the measured sizes of segments; removes segments that are too old or exceed the limit.
    pub(super) fn measured(&mut self, extents: Vec<(SegmentName, Extent)>) {
        for (name, extent) in extents {
            if let Some(known) = self.segments.get_mut(&name).filter(|known| known.size == 0) {
                *known = extent;
            }
        }
        self.measured = true;
        self.drop_aged();
        self.make_room();
    }

    /// Returns the time before which entries are too old, or `None` if the clock cannot be believed now.
    pub(super) fn oldest(&mut self) -> Option<SystemTime> {
        // A history that is disabled leaves no files.
        (self.limits.bytes > 0).then(|| self.clock.oldest(SystemTime::now())).flatten()
    }

    fn drop_aged(&mut self) {
        let Some(oldest) = self.oldest() else { return };
        let aged = |(name, extent): (&SegmentName, &Extent)| {
            (extent.changed < oldest && !self.is_current(name)).then(|| name.clone())
        };
        for name in self.segments.iter().filter_map(aged).collect::<Vec<_>>() {
            self.forget(&name);
        }
    }

    /// Returns the segment to append to; begins a new one if the last is full or old.
    fn current(&mut self) -> io::Result<&mut Current> {
        let now = SystemTime::now();
        let enough = (self.limits.bytes / SEGMENTS).min(SEGMENT);
        let is_done = |current: &Current| {
            let size = self.segments.get(&current.name).map_or(0, |extent| extent.size);
            size >= enough || now.duration_since(current.begun).is_ok_and(|age| age > SEGMENT_AGE)
        };
        if self.current.take_if(|current| is_done(current)).is_some() && self.measured {
            self.drop_aged();
        }
        if self.current.is_none() {
            let number = self.segments.keys().next_back().map_or(1, |newest| newest.number + 1);
            let name = SegmentName { number, nonce: self.nonce.clone() };
            // The folder may have been removed since the start.
            let file = name.make(&self.folder).or_else(|_| {
                make_private_folder(&self.folder)?;
                name.make(&self.folder)
            })?;
            self.segments.insert(name.clone(), Extent { size: 0, changed: now });
            self.current = Some(Current { name, file, begun: now, torn: false, images: Vec::new() });
        }
        self.current.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Writes the pending lines and then `line`, in one append, and adds it and `images` bytes to the
    /// segment's size.
    fn write(&mut self, line: &[u8], images: u64) -> io::Result<()> {
        let pending: Vec<u8> = self.pending.iter().flat_map(|(_, text)| text.iter().copied()).collect();
        let current = match &mut self.current {
            Some(current) => current,
            None => self.current()?,
        };
        let torn: &[u8] = if current.torn { b"\n" } else { b"" };
        let written = if pending.is_empty() && torn.is_empty() {
            current.file.write_all(line)
        } else {
            current.file.write_all(&[torn, &pending, line].concat())
        };
        current.torn = written.is_err();
        written?;
        let name = current.name.clone();
        self.pending.clear();
        if let Some(extent) = self.segments.get_mut(&name) {
            extent.size += images + (pending.len() + line.len()) as u64;
            extent.changed = SystemTime::now();
        }
        self.make_room();
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(current) = &mut self.current else { return Ok(()) };
        for image in current.images.drain(..) {
            image.sync_data()?;
        }
        current.file.sync_data()?;
        // The names of the segment and of its contents.
        File::open(current.name.folder(&self.folder))?.sync_all()?;
        File::open(&self.folder)?.sync_all()
    }

    /// Removes the oldest segments until the rest fits, but never the one that is appended to.
    fn make_room(&mut self) {
        if !self.measured {
            return;
        }
        let mut total: u64 = self.segments.values().map(|extent| extent.size).sum();
        while total > self.limits.bytes
            && let Some((name, size)) =
                self.segments.iter().next().map(|(name, extent)| (name.clone(), extent.size))
            && !self.is_current(&name)
        {
            total -= size;
            self.forget(&name);
        }
    }

    fn is_current(&self, name: &SegmentName) -> bool {
        self.current.as_ref().is_some_and(|current| current.name == *name)
    }

    fn forget(&mut self, name: &SegmentName) {
        self.segments.remove(name);
        if let Err(error) = fs::remove_dir_all(name.folder(&self.folder)) {
            tracing::warn!(%error, "an old segment of the history could not be removed");
        }
    }
}

fn list(folder: &Path) -> io::Result<BTreeMap<SegmentName, Extent>> {
    let name = |entry: fs::DirEntry| {
        let is_folder = entry.file_type()?.is_dir();
        Ok(SegmentName::parse(&entry.file_name()).filter(|_| is_folder))
    };
    let names: Vec<_> = fs::read_dir(folder)?.map(|entry| name(entry?)).collect::<io::Result<_>>()?;
    // Not measured yet: counted as new, so that no segment is dropped before it was measured.
    let unknown = Extent { size: 0, changed: SystemTime::now() };
    Ok(names.into_iter().flatten().map(|name| (name, unknown)).collect())
}

/// Returns a nonce for this run that no segment has.
fn fresh_nonce(segments: &BTreeMap<SegmentName, Extent>) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let nonce = |attempt: u32| {
        let seed = [&now.to_le_bytes()[..], &std::process::id().to_le_bytes(), &attempt.to_le_bytes()];
        blake3::hash(&seed.concat()).to_hex()[..6].to_owned()
    };
    let is_fresh = |nonce: &String| !segments.keys().any(|name| name.nonce == *nonce);
    (0..=u32::MAX).map(nonce).find(is_fresh).unwrap_or_default()
}
