use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::edit::SharedIndex;
use crate::text::ContentHash;

/// Versions whose index is kept: those that edits are looked for in just now.
const KEPT: usize = 16;
/// Bytes of all that are kept but the newest.
const KEPT_BYTES: usize = 64 << 20;

/// The indexes of texts that tolerant matching looked in lately, by version.
#[derive(Debug, Default)]
pub(crate) struct Indexes(Mutex<VecDeque<(ContentHash, SharedIndex)>>);

impl Indexes {
    /// The index of a version, which is built when it is first needed. The one used last goes last.
    pub(crate) fn of(&self, version: ContentHash) -> SharedIndex {
        let mut kept = self.0.lock();
        let known = kept.iter().position(|(hash, _)| *hash == version).and_then(|at| kept.remove(at));
        let entry = known.unwrap_or_else(|| (version, SharedIndex::default()));
        let index = entry.1.clone();
        let mut bytes: usize = kept.iter().map(|(_, index)| index.bytes()).sum();
        while bytes > KEPT_BYTES || kept.len() >= KEPT {
            let Some((_, oldest)) = kept.pop_front() else { break };
            bytes -= oldest.bytes().min(bytes);
        }
        kept.push_back(entry);
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
        for number in 1..=KEPT as u8 {
            assert!(indexes.of(version(0)).is(&first), "it is used again and again");
            indexes.of(version(number));
        }
        for number in 1..=KEPT as u8 {
            indexes.of(version(number));
        }
        assert!(!indexes.of(version(0)).is(&first), "others took its place");
    }
}
