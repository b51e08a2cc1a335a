use std::collections::HashMap;
use std::sync::Arc;

use editd_text::ContentHash;

use super::files::Snapshot;

#[derive(Debug, Default)]
struct StoredText {
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
pub(super) struct TextStore {
    entries: HashMap<ContentHash, StoredText>,
    /// Bytes of text in memory. Of versions that share memory, older ones count only for the rest.
    pub(super) bytes: u64,
    clock: u64,
}

impl TextStore {
    /// Adds a reference, and stores the text if the caller provides it.
    pub(super) fn retain(&mut self, hash: ContentHash, snapshot: Option<Arc<Snapshot>>) {
        self.clock += 1;
        let entry = self.entries.entry(hash).or_default();
        entry.references += 1;
        entry.used = self.clock;
        if let (None, Some(snapshot)) = (&entry.snapshot, snapshot) {
            entry.weight = snapshot.text.len_bytes() as u64;
            self.bytes += entry.weight;
            entry.snapshot = Some(snapshot);
        }
    }

    /// Records that a newer version was derived from that text and shares all but about `own` bytes with it.
    pub(super) fn share(&mut self, hash: ContentHash, own: u64) {
        if let Some(entry) = self.entries.get_mut(&hash).filter(|entry| entry.weight > own) {
            self.bytes -= entry.weight - own;
            entry.weight = own;
        }
    }

    /// Removes a reference. The last one drops the text.
    pub(super) fn release(&mut self, hash: ContentHash) {
        let Some(entry) = self.entries.get_mut(&hash) else { return };
        entry.references -= 1;
        if entry.references == 0 {
            self.bytes -= entry.weight;
            self.entries.remove(&hash);
        }
    }

    /// Returns the text with that hash, if it is in memory.
    pub(super) fn get(&mut self, hash: ContentHash) -> Option<Arc<Snapshot>> {
        self.clock += 1;
        let entry = self.entries.get_mut(&hash)?;
        entry.used = self.clock;
        entry.snapshot.clone()
    }

    /// Evicts the least recently used texts until at most `limit` bytes remain, and returns them so that
    /// they can be stored elsewhere.
    pub(super) fn evict(&mut self, limit: u64) -> Vec<Arc<Snapshot>> {
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
}
