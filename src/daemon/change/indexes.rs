//! A cache of the indexes that tolerant matching builds over texts.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::edit::SharedIndex;
use crate::text::ContentHash;

/// Maximum number of cached indexes.
const CACHED: usize = 16;
/// Maximum total size of the cached indexes, in bytes, not counting the most recently used one.
const CACHED_BYTES: usize = 64 << 20;

/// The most recently used indexes, by version of the text.
#[derive(Debug, Default)]
pub(crate) struct Indexes(Mutex<VecDeque<(ContentHash, SharedIndex)>>);

impl Indexes {
    /// Returns the index of a version and makes it the most recently used one. The index is built on first
    /// use.
    pub(crate) fn of(&self, version: ContentHash) -> SharedIndex {
        let mut cached = self.0.lock();
        let known = cached.iter().position(|(hash, _)| *hash == version).and_then(|at| cached.remove(at));
        let entry = known.unwrap_or_else(|| (version, SharedIndex::default()));
        let index = entry.1.clone();
        let mut bytes: usize = cached.iter().map(|(_, index)| index.bytes()).sum();
        while bytes > CACHED_BYTES || cached.len() >= CACHED {
            let Some((_, oldest)) = cached.pop_front() else { break };
            bytes -= oldest.bytes().min(bytes);
        }
        cached.push_back(entry);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_one_index_while_it_is_used() {
        let indexes = Indexes::default();
        let version = |number: u8| ContentHash::of(&[number]);
        let first = indexes.of(version(0));
        for number in 1..=CACHED as u8 {
            assert!(indexes.of(version(0)).is(&first), "it is used again and again");
            indexes.of(version(number));
        }
        for number in 1..=CACHED as u8 {
            indexes.of(version(number));
        }
        assert!(!indexes.of(version(0)).is(&first), "others have replaced it");
    }
}
