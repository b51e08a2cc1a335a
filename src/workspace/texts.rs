use std::collections::HashMap;
use std::sync::Arc;

use crate::text::{ContentHash, Format, Text};

/// The content of a file at one moment: immutable, shared, known by its hash.
///
/// Versions of one file are derived from each other by edits, so their ropes share most of their memory.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Hash of the whole file as bytes on disk.
    pub hash: ContentHash,
    /// The text, without a BOM.
    pub text: Text,
    /// How the text is written as bytes.
    pub format: Format,
    /// Length of the file in bytes.
    pub size: u64,
}

#[derive(Debug)]
struct Entry {
    /// Gone once it was evicted; the hash stays known while somebody refers to it.
    snapshot: Option<Arc<Snapshot>>,
    references: usize,
    used: u64,
    /// Bytes that letting go of it would free, about: less than its text where a newer version shares it.
    weight: u64,
}

/// The texts that somebody may still need: bases of living sessions, and what the files they read hold now.
///
/// Entries are counted, not collected: what nobody refers to is dropped at once, and what is referred to
/// but does not fit is handed out for the state folder.
#[derive(Debug, Default)]
pub struct TextStore {
    entries: HashMap<ContentHash, Entry>,
    bytes: u64,
    clock: u64,
}

impl TextStore {
    /// Adds a reference, with the text where the caller has it.
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

    /// A newer version was made of that text and shares all of it but about `own` bytes.
    pub fn share(&mut self, hash: ContentHash, own: u64) {
        if let Some(entry) = self.entries.get_mut(&hash).filter(|entry| entry.weight > own) {
            self.bytes -= entry.weight - own;
            entry.weight = own;
        }
    }

    /// Takes a reference back; the last one drops the text.
    pub fn release(&mut self, hash: ContentHash) {
        let Some(entry) = self.entries.get_mut(&hash) else { return };
        entry.references -= 1;
        if entry.references == 0 {
            self.bytes -= entry.weight;
            self.entries.remove(&hash);
        }
    }

    /// The text of that hash, if it is in memory.
    pub fn get(&mut self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        self.clock += 1;
        let entry = self.entries.get_mut(&hash)?;
        entry.used = self.clock;
        entry.snapshot.clone()
    }

    /// Takes the least recently used texts out of memory until at most `limit` bytes are left, and hands
    /// them over so that they can be kept elsewhere.
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

    /// Bytes of text in memory; of versions that share most of theirs, the older ones count for the rest.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Number of contents that somebody refers to.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is referred to.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
