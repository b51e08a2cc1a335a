use std::collections::HashMap;
use std::sync::Arc;

use crate::text::{ContentHash, Format, Text};

/// The content of a file at one moment: immutable, shared and identified by its hash.
///
/// Versions of one file are derived from each other by edits, so their ropes share most of their memory.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Hash of the whole file as bytes on disk.
    pub hash: ContentHash,
    /// The text, without a BOM.
    pub text: Text,
    /// Byte encoding of the text.
    pub format: Format,
    /// Length of the file in bytes.
    pub size: u64,
}

#[derive(Debug)]
struct Entry {
    /// `None` once evicted; the entry remains as long as it is referenced.
    snapshot: Option<Arc<Snapshot>>,
    references: usize,
    used: u64,
    /// Approximate number of bytes that eviction would free: less than the text where a newer version shares
    /// its memory.
    weight: u64,
}

/// The texts still in use: bases of live sessions, and the current content of the files that they read.
///
/// Entries are reference-counted. A text without references is dropped at once. Referenced texts beyond the
/// memory limit are evicted and handed to the caller, which stores them in the state folder.
#[derive(Debug, Default)]
pub struct TextStore {
    entries: HashMap<ContentHash, Entry>,
    bytes: u64,
    clock: u64,
}

impl TextStore {
    /// Adds a reference, and stores the text if the caller provides it.
    pub fn retain(&mut self, hash: ContentHash, snapshot: Option<Arc<Snapshot>>) {
        self.clock += 1;
        let entry = self.entries.entry(hash).or_insert(Entry {
            snapshot: None,
            references: 0,
            used: self.clock,
            weight: 0,
        });
        entry.references += 1;
        entry.used = self.clock;
        if let (None, Some(snapshot)) = (&entry.snapshot, snapshot) {
            entry.weight = snapshot.text.len_bytes() as u64;
            self.bytes += entry.weight;
            entry.snapshot = Some(snapshot);
        }
    }

    /// Records that a newer version was derived from that text and shares all but about `own` bytes with it.
    pub fn share(&mut self, hash: ContentHash, own: u64) {
        if let Some(entry) = self.entries.get_mut(&hash).filter(|entry| entry.weight > own) {
            self.bytes -= entry.weight - own;
            entry.weight = own;
        }
    }

    /// Removes a reference. The last one drops the text.
    pub fn release(&mut self, hash: ContentHash) {
        let Some(entry) = self.entries.get_mut(&hash) else { return };
        entry.references -= 1;
        if entry.references == 0 {
            self.bytes -= entry.weight;
            self.entries.remove(&hash);
        }
    }

    /// Returns the text with that hash, if it is in memory.
    pub fn get(&mut self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        self.clock += 1;
        let entry = self.entries.get_mut(&hash)?;
        entry.used = self.clock;
        entry.snapshot.clone()
    }

    /// Evicts the least recently used texts until at most `limit` bytes remain, and returns them so that
    /// they can be stored elsewhere.
    pub fn evict(&mut self, limit: u64) -> Vec<Arc<Snapshot>> {
        if self.bytes <= limit {
            return Vec::new();
        }
        let mut by_age: Vec<_> =
            self.entries.iter().filter(|(_, e)| e.snapshot.is_some()).map(|(h, e)| (e.used, *h)).collect();
        by_age.sort_unstable();
        let mut evicted = Vec::new();
        for (_, hash) in by_age {
            if self.bytes <= limit {
                break;
            }
            let Some(entry) = self.entries.get_mut(&hash) else { continue };
            self.bytes -= std::mem::take(&mut entry.weight);
            evicted.extend(entry.snapshot.take());
        }
        evicted
    }

    /// Returns the bytes of text in memory. Of versions that share memory, older ones count only for the
    /// rest.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of referenced contents.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if no content is referenced.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
