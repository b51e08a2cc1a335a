//! Contents of files by their hash, compressed in one file that is only appended to.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::open_private_file;
use editd_text::ContentHash;

use super::room::Room;

/// Length of the header of a content: its hash and its compressed length.
const HEADER: usize = 16 + 4;
/// Size in bytes of unused contents from which on the file is written again without them.
const WORTH_COMPACTING: u64 = 16 << 20;

/// Free space in bytes below which contents count as full.
const NO_ROOM: u64 = 128;

/// The stored contents.
#[derive(Debug)]
pub(super) struct Contents {
    path: PathBuf,
    limit: u64,
    /// The space that all snapshots share. What is in the file has taken it.
    room: Arc<Room>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    /// Length of the file up to the end of the last whole content.
    end: u64,
    places: HashMap<ContentHash, Place>,
}

/// The place of a compressed content in the file.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    len: u32,
}

/// The result of storing a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    Yes,
    /// The contents reach their limit.
    NoRoom,
}

impl Contents {
    /// Opens the file, and removes a content at its end that was not written completely.
    pub(super) fn open(path: &Path, limit: u64, room: Arc<Room>) -> io::Result<Self> {
        let file = open(path)?;
        let (places, end) = read_places(&file)?;
        room.give_back(file.metadata()?.len().saturating_sub(end));
        file.set_len(end)?;
        let inner = Mutex::new(Inner { file, end, places });
        Ok(Self { path: path.to_owned(), limit, room, inner })
    }

    /// Stores a content, unless it is stored already.
    pub(super) fn put(&self, hash: ContentHash, bytes: &[u8]) -> io::Result<Stored> {
        if self.inner.lock().places.contains_key(&hash) {
            return Ok(Stored::Yes);
        }
        let compressed = lz4_flex::compress_prepend_size(bytes);
        let Ok(len) = u32::try_from(compressed.len()) else { return Ok(Stored::NoRoom) };
        let mut inner = self.inner.lock();
        if inner.places.contains_key(&hash) {
            return Ok(Stored::Yes);
        }
        if inner.end + (HEADER + compressed.len()) as u64 > self.limit {
            return Ok(Stored::NoRoom);
        }
        let record = [hash.as_bytes().as_slice(), &len.to_le_bytes(), &compressed].concat();
        if !self.room.take(record.len() as u64) {
            return Ok(Stored::NoRoom);
        }
        if let Err(error) = inner.file.write_all_at(&record, inner.end) {
            self.room.give_back(record.len() as u64);
            // On a full disk, the part of the record would leave no room for anything else.
            inner.file.set_len(inner.end)?;
            return Err(error);
        }
        let place = Place { offset: inner.end + HEADER as u64, len };
        inner.places.insert(hash, place);
        inner.end += record.len() as u64;
        Ok(Stored::Yes)
    }

    /// Returns `true` if hardly any content fits, so that files need not be read for it.
    pub(super) fn is_full(&self) -> bool {
        self.inner.lock().end + NO_ROOM > self.limit || self.room.lacks(NO_ROOM)
    }

    /// Returns the limit of all snapshots, if that is the one that is reached.
    pub(super) fn limit_of_all(&self) -> Option<u64> {
        self.room.lacks(NO_ROOM).then(|| self.room.limit())
    }

    /// Returns a content, or `None` if it is not stored or damaged.
    pub(super) fn get(&self, hash: ContentHash) -> Option<Vec<u8>> {
        let inner = self.inner.lock();
        let place = *inner.places.get(&hash)?;
        let mut compressed = vec![0; place.len as usize];
        inner.file.read_exact_at(&mut compressed, place.offset).ok()?;
        drop(inner);
        let bytes = lz4_flex::decompress_size_prepended(&compressed).ok()?;
        (ContentHash::of(&bytes) == hash).then_some(bytes)
    }

    /// Removes the contents that are not `used`, once they take enough space.
    pub(super) fn compact(&self, used: impl FnOnce() -> HashSet<ContentHash>) -> io::Result<()> {
        let mut inner = self.inner.lock();
        // Each content is at least as large as its record is long, so this bounds the unused part from above.
        if inner.end < WORTH_COMPACTING.min(self.limit / 4) {
            return Ok(());
        }
        let used = used();
        let size = |place: &Place| u64::from(place.len) + HEADER as u64;
        let kept = inner.places.iter().filter(|(hash, _)| used.contains(hash));
        let kept: u64 = kept.map(|(_, place)| size(place)).sum();
        let unused = inner.end - kept;
        if unused < kept.max(WORTH_COMPACTING.min(self.limit / 4)) {
            return Ok(());
        }
        let mut places: Vec<_> = inner.places.iter().filter(|(hash, _)| used.contains(hash)).collect();
        places.sort_unstable_by_key(|(_, place)| place.offset);
        let part = self.path.with_extension("part");
        let file = open(&part)?;
        file.set_len(0)?;
        let (mut end, mut moved) = (0, HashMap::with_capacity(places.len()));
        let mut record = Vec::new();
        for (hash, place) in places {
            record.resize(HEADER + place.len as usize, 0);
            inner.file.read_exact_at(&mut record, place.offset - HEADER as u64)?;
            file.write_all_at(&record, end)?;
            moved.insert(*hash, Place { offset: end + HEADER as u64, len: place.len });
            end += record.len() as u64;
        }
        std::fs::rename(&part, &self.path)?;
        self.room.give_back(inner.end - end);
        *inner = Inner { file, end, places: moved };
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<File> {
    open_private_file(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

/// Returns the places of all whole contents, and the end of the last one.
fn read_places(file: &File) -> io::Result<(HashMap<ContentHash, Place>, u64)> {
    let length = file.metadata()?.len();
    let (mut places, mut end) = (HashMap::new(), 0);
    let mut reader = io::BufReader::new(file);
    let mut header = [0; HEADER];
    while end + HEADER as u64 <= length {
        reader.read_exact(&mut header)?;
        let (hash, len) = header.split_at(16);
        let (Ok(hash), Ok(len)) = (hash.try_into(), len.try_into()) else { break };
        let (hash, len) = (ContentHash::from_bytes(hash), u32::from_le_bytes(len));
        let place = Place { offset: end + HEADER as u64, len };
        if place.offset + u64::from(len) > length {
            break;
        }
        places.insert(hash, place);
        reader.seek_relative(i64::from(len))?;
        end = place.offset + u64::from(len);
    }
    Ok((places, end))
}
