use std::collections::{HashMap, VecDeque};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::{FileBytes, make_private_folder, open_private_file};
use editd_text::ContentHash;

use super::HistoryLimits;
use super::age::AgeClock;
use super::segment::{Line, SMALL, SegmentName};
use super::shares::{Extent, Owner, Removal, Shares};

/// Size in bytes above which a new segment is begun, unless a sixteenth of the whole limit is smaller.
const SEGMENT: u64 = 8 << 20;
/// Number of segments that fill the whole limit.
const SEGMENTS: u64 = 16;
/// Maximum time for which a segment is appended to, and so the granularity of the age limit.
const SEGMENT_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// Number of segments whose files are held open.
const OPEN: usize = 16;

/// The appending side. Each author has its own segments.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) folder: PathBuf,
    limits: HistoryLimits,
    pub(super) nonce: String,
    /// Existing segments, and their extents as far as known.
    shares: Shares,
    /// The segments that are appended to.
    currents: HashMap<Owner, Current>,
    /// Owners whose files are open, the last used one at the end.
    open: VecDeque<Owner>,
    /// `true` once the sizes of all segments are known.
    measured: bool,
    /// Owners of the entries whose outcome is not recorded yet.
    begun: HashMap<Arc<str>, Owner>,
    /// Lines with the outcome of an entry that could not be written yet.
    pending: HashMap<Owner, Vec<(Line, Vec<u8>)>>,
    clock: AgeClock,
}

/// A segment that is appended to.
#[derive(Debug)]
struct Current {
    name: SegmentName,
    file: Option<File>,
    /// Size of the file in bytes.
    len: u64,
    begun: SystemTime,
    /// `true` if an append failed in the middle: the next line must not continue that one.
    torn: bool,
    /// Images that have not been flushed yet.
    images: Vec<ContentHash>,
}

/// The state of the writer that readers need.
#[derive(Debug)]
pub(super) struct WriterState {
    pub(super) folder: PathBuf,
    pub(super) nonce: String,
    /// All segments, in order.
    pub(super) segments: Vec<SegmentName>,
    /// Segments that are appended to, with their sizes.
    pub(super) growing: HashMap<SegmentName, u64>,
    /// Entries that happened although this could not be recorded yet.
    pub(super) pending: Vec<Arc<str>>,
}

impl Writer {
    pub(super) fn open(folder: &Path, limits: HistoryLimits) -> Self {
        let listed = make_private_folder(folder).and_then(|()| list(folder));
        let shares = listed.unwrap_or_else(|error| {
            tracing::error!(folder = %folder.display(), %error, "the history cannot be used");
            Shares::default()
        });
        let nonce = fresh_nonce(&shares);
        let folder = folder.to_owned();
        let clock = AgeClock::open(&folder, limits.age, shares.is_empty());
        Self {
            folder,
            limits,
            nonce,
            shares,
            currents: HashMap::new(),
            open: VecDeque::new(),
            measured: false,
            begun: HashMap::new(),
            pending: HashMap::new(),
            clock,
        }
    }

    pub(super) fn state(&self) -> WriterState {
        let landed = |(line, _): &(Line, Vec<u8>)| match line {
            Line::Landed { id, .. } => Some(id.as_str().into()),
            Line::Entry(_) | Line::Failed { .. } => None,
        };
        WriterState {
            folder: self.folder.clone(),
            nonce: self.nonce.clone(),
            segments: self.shares.names().cloned().collect(),
            growing: self.currents.values().map(|current| (current.name.clone(), current.len)).collect(),
            pending: self.pending.values().flatten().filter_map(landed).collect(),
        }
    }

    /// Appends an entry's line, after its images.
    pub(super) fn append(
        &mut self,
        (id, owner): (&Arc<str>, Owner),
        line: &[u8],
        images: &[(ContentHash, FileBytes)],
    ) -> io::Result<()> {
        self.end_full(owner);
        let folder = self.folder.clone();
        let current = self.current(owner)?;
        let mut sizes = (0, 0);
        for (hash, bytes) in images {
            if current.name.put_image(&folder, *hash, bytes)? {
                current.images.push(*hash);
                let size = bytes.len() as u64;
                *(if size > SMALL { &mut sizes.1 } else { &mut sizes.0 }) += size;
            }
        }
        self.write(owner, line, sizes)?;
        self.begun.insert(id.clone(), owner);
        Ok(())
    }

    /// Records the outcome of an entry, beside other entries of its author: `owner` if an earlier run began it. If the
    /// write fails, it is retried with the next line.
    pub(super) fn settle(&mut self, line: &Line, owner: Option<Owner>, flush: bool) -> io::Result<()> {
        let begun = match line {
            Line::Landed { id, .. } | Line::Failed { id } => self.begun.remove(id.as_str()),
            Line::Entry(_) => None,
        };
        let owner = begun.or(owner).unwrap_or(Owner::SHARED);
        let text = line.print()?;
        let written = self.write(owner, &text, (0, 0));
        if written.is_err() {
            self.pending.entry(owner).or_default().push((line.clone(), text));
        }
        written?;
        if flush { self.flush(owner) } else { Ok(()) }
    }

    /// Records the measured sizes of segments; removes what is too old or exceeds the limit.
    pub(super) fn measured(&mut self, extents: Vec<(SegmentName, Extent)>) {
        for (name, extent) in extents {
            if name.nonce != self.nonce && self.shares.get(&name).is_some() {
                self.shares.put(&name, extent);
            }
        }
        self.measured = true;
        self.drop_aged();
        self.make_room(None);
    }

    /// Returns the time before which entries are too old, or `None` if the clock cannot be believed now.
    pub(super) fn oldest(&mut self) -> Option<SystemTime> {
        // A history that is disabled leaves no files.
        (self.limits.bytes > 0).then(|| self.clock.oldest(SystemTime::now())).flatten()
    }

    fn drop_aged(&mut self) {
        let Some(oldest) = self.oldest() else { return };
        let is_young = |name: &SegmentName| {
            let current = self.currents.get(&name.owner).filter(|current| current.name == *name);
            current.is_some_and(|it| it.begun.elapsed().is_ok_and(|age| age <= SEGMENT_AGE))
        };
        let aged = |(name, extent): (&SegmentName, &Extent)| {
            (extent.changed < oldest && !is_young(name)).then(|| name.clone())
        };
        for name in self.shares.extents().filter_map(aged).collect::<Vec<_>>() {
            self.forget(&name);
        }
    }

    /// Ends the segment of an owner if it is full or old.
    fn end_full(&mut self, owner: Owner) {
        let enough = (self.limits.bytes / SEGMENTS).min(SEGMENT);
        let is_done = self.currents.get(&owner).is_some_and(|current| {
            let size = self.shares.get(&current.name).map_or(0, |extent| extent.lines + extent.images);
            size >= enough || current.begun.elapsed().is_ok_and(|age| age > SEGMENT_AGE)
        });
        if is_done {
            self.end(owner);
            if self.measured {
                self.drop_aged();
            }
        }
    }

    fn end(&mut self, owner: Owner) {
        self.currents.remove(&owner);
        self.open.retain(|open| *open != owner);
    }

    /// Returns the segment of an owner to append to, with an open file.
    fn current(&mut self, owner: Owner) -> io::Result<&mut Current> {
        if let Some(current) = self.currents.get_mut(&owner)
            && current.file.is_none()
        {
            let options = &mut OpenOptions::new();
            match open_private_file(&current.name.entries(&self.folder), options.append(true)) {
                Ok(file) => current.file = Some(file),
                // It was removed: a new one follows.
                Err(error) if error.kind() == ErrorKind::NotFound => self.end(owner),
                Err(error) => return Err(error),
            }
        }
        if !self.currents.contains_key(&owner) {
            let number = self.shares.names().next_back().map_or(1, |newest| newest.number + 1);
            let name = SegmentName { number, nonce: self.nonce.clone(), owner };
            // The folder may have been removed since the start.
            let file = name.make(&self.folder).or_else(|_| {
                make_private_folder(&self.folder)?;
                name.make(&self.folder)
            })?;
            let begun = SystemTime::now();
            self.shares.put(&name, Extent { lines: 0, images: 0, changed: begun });
            let current = Current { name, file: Some(file), len: 0, begun, torn: false, images: Vec::new() };
            self.currents.insert(owner, current);
        }
        if self.open.back() != Some(&owner) {
            self.open.retain(|open| *open != owner);
            self.open.push_back(owner);
        }
        if self.open.len() > OPEN
            && let Some(current) = self.open.pop_front().and_then(|owner| self.currents.get_mut(&owner))
        {
            current.file = None;
        }
        self.currents.get_mut(&owner).ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Writes the pending lines of an owner and then `line`, in one append, and adds it and the sizes of small and large
    /// images to the segment's extent.
    fn write(&mut self, owner: Owner, line: &[u8], (small, large): (u64, u64)) -> io::Result<()> {
        let pending: Vec<u8> = self
            .pending
            .get(&owner)
            .into_iter()
            .flatten()
            .flat_map(|(_, text)| text.iter().copied())
            .collect();
        let current = self.current(owner)?;
        let Some(file) = &mut current.file else { return Err(ErrorKind::NotFound.into()) };
        let torn: &[u8] = if current.torn { b"\n" } else { b"" };
        let written = if pending.is_empty() && torn.is_empty() {
            file.write_all(line)
        } else {
            file.write_all(&[torn, &pending, line].concat())
        };
        let added = (torn.len() + pending.len() + line.len()) as u64;
        match &written {
            Ok(()) => current.len += added,
            Err(_) => current.len = file.metadata().map_or(current.len, |stat| stat.len()),
        }
        current.torn = written.is_err();
        written?;
        let name = current.name.clone();
        self.pending.remove(&owner);
        if let Some(Extent { lines, images, .. }) = self.shares.get(&name) {
            let (lines, images) = (lines + added + small, images + large);
            self.shares.put(&name, Extent { lines, images, changed: SystemTime::now() });
        }
        self.make_room(Some(&name));
        Ok(())
    }

    /// Flushes what was appended for an owner.
    fn flush(&mut self, owner: Owner) -> io::Result<()> {
        let folder = self.folder.clone();
        let current = self.current(owner)?;
        for hash in current.images.drain(..) {
            match open_private_file(&current.name.image(&folder, hash), OpenOptions::new().read(true)) {
                Ok(image) => image.sync_data()?,
                // It was removed to make room.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(file) = &current.file {
            file.sync_data()?;
        }
        // The names of the segment and of its contents.
        File::open(current.name.folder(&folder))?.sync_all()?;
        File::open(&folder)?.sync_all()
    }

    /// Removes images and segments until the rest fits, but never the segment that was just written.
    fn make_room(&mut self, written: Option<&SegmentName>) {
        while self.measured
            && let Some(removal) = self.shares.next_to_remove(self.limits.bytes, written)
        {
            match removal {
                Removal::Images(name) => {
                    if let Err(error) = name.strip(&self.folder) {
                        tracing::warn!(%error, "old contents in the history could not be removed");
                    }
                    if let Some(extent) = self.shares.get(&name) {
                        self.shares.put(&name, Extent { images: 0, ..extent });
                    }
                }
                Removal::Segment(name) => self.forget(&name),
            }
        }
    }

    fn forget(&mut self, name: &SegmentName) {
        self.shares.remove(name);
        if self.currents.get(&name.owner).is_some_and(|current| current.name == *name) {
            self.end(name.owner);
        }
        if let Err(error) = fs::remove_dir_all(name.folder(&self.folder)) {
            tracing::warn!(%error, "an old segment of the history could not be removed");
        }
    }
}

fn list(folder: &Path) -> io::Result<Shares> {
    let name = |entry: fs::DirEntry| {
        let is_folder = entry.file_type()?.is_dir();
        Ok(SegmentName::parse(&entry.file_name()).filter(|_| is_folder))
    };
    let names: Vec<_> = fs::read_dir(folder)?.map(|entry| name(entry?)).collect::<io::Result<_>>()?;
    // Not measured yet: counted as new, so that no segment is dropped before it was measured.
    let unknown = Extent { lines: 0, images: 0, changed: SystemTime::now() };
    let mut shares = Shares::default();
    names.into_iter().flatten().for_each(|name| shares.put(&name, unknown));
    Ok(shares)
}

/// Returns a nonce for this run that no segment has.
fn fresh_nonce(shares: &Shares) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let nonce = |attempt: u32| {
        let seed = [&now.to_le_bytes()[..], &std::process::id().to_le_bytes(), &attempt.to_le_bytes()];
        blake3::hash(&seed.concat()).to_hex()[..6].to_owned()
    };
    let is_fresh = |nonce: &String| !shares.names().any(|name| name.nonce == *nonce);
    (0..=u32::MAX).map(nonce).find(is_fresh).unwrap_or_default()
}
