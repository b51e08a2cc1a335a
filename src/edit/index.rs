//! Line index of a base, for tolerant tiers and for the closest regions.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::text::{Lines, count_lines, lines};

use super::fold;

/// Number of lines scanned together.
const CHUNK: usize = 256;
/// Bits of the filter that precedes the map of keys.
const GROUPS: usize = 1 << 16;

/// The start of each line, a key of its content, and a signature of its letters: 16 bytes per line, built in
/// one pass over the text, valid for one version of it only. They are separate arrays, so that a scan of all
/// lines touches no more memory than it needs.
#[derive(Debug, Clone, Default)]
pub struct Index {
    starts: Vec<u32>,
    keys: Vec<u32>,
    pairs: Vec<u64>,
    text_len: usize,
    /// `true` if any line has trailing whitespace.
    has_trailing_blanks: bool,
}

/// A shared index of one version of a text, built on first use.
#[derive(Debug, Clone, Default)]
pub struct SharedIndex(Arc<OnceLock<Index>>);

impl SharedIndex {
    /// Returns the size in bytes; 0 if the index has not been built.
    pub fn bytes(&self) -> usize {
        self.0.get().map_or(0, Index::bytes)
    }

    /// Returns `true` if both share one index.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the index, if it has been built.
    pub(super) fn built(&self) -> Option<&Index> {
        self.0.get()
    }

    /// Returns the index, and builds it for `base` if necessary.
    pub(super) fn of(&self, base: &str) -> &Index {
        self.0.get_or_init(|| Index::build(base))
    }
}

impl From<Index> for SharedIndex {
    fn from(index: Index) -> Self {
        Self(Arc::new(OnceLock::from(index)))
    }
}

impl Index {
    /// Builds the index of `base`.
    pub fn build(base: &str) -> Self {
        let count = count_lines(base);
        let mut index = Self {
            starts: Vec::with_capacity(count),
            keys: Vec::with_capacity(count),
            pairs: Vec::with_capacity(count),
            text_len: base.len(),
            has_trailing_blanks: false,
        };
        for line in lines(base) {
            let (key, pairs) = key_and_pairs(line.content);
            // Texts above 4 GiB are refused long before they get here.
            index.starts.push(line.start as u32);
            index.keys.push(key);
            index.pairs.push(pairs);
            index.has_trailing_blanks |= matches!(line.content.as_bytes().last(), Some(b' ' | b'\t'));
        }
        index
    }

    /// Returns `true` if `base` can be the text that this index was built for: it has the same length.
    pub fn fits(&self, base: &str) -> bool {
        self.text_len == base.len()
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.keys[..]) + size_of_val(&self.pairs[..])
    }

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.keys.len()
    }

    /// Returns the lines with a key, in order, by a scan of all keys.
    pub(super) fn scan_for(&self, key: u32) -> impl Iterator<Item = usize> + use<'_> {
        // Counting is faster than searching: the loop has no branch, so the compiler vectorizes it.
        let has = move |chunk: &[u32]| count(chunk, key) > 0;
        let chunks = self.keys.chunks(CHUNK).enumerate().filter(move |(_, chunk)| has(chunk));
        chunks.flat_map(move |(number, chunk)| {
            let equal = chunk.iter().enumerate().filter(move |&(_, &other)| other == key);
            equal.map(move |(at, _)| number * CHUNK + at)
        })
    }

    /// Returns the number of lines with a key, by a scan of all keys.
    pub(super) fn count_of(&self, key: u32) -> usize {
        self.keys.chunks(CHUNK).map(|chunk| count(chunk, key) as usize).sum()
    }

    /// Returns the byte offset of each line.
    pub(super) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Returns the key of each line: equal for lines that differ only in whitespace and typography, 0 for
    /// blank ones.
    pub(super) fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// Returns the letter pair signature of each line.
    pub(super) fn pairs(&self) -> &[u64] {
        &self.pairs
    }

    /// Returns `true` if any line has trailing whitespace.
    pub(super) fn has_trailing_blanks(&self) -> bool {
        self.has_trailing_blanks
    }

    /// Returns an iterator over the lines of `base` from `line` (from 0) on.
    pub(super) fn lines_from<'a>(&self, base: &'a str, line: usize) -> Lines<'a> {
        let start = self.starts.get(line).map_or(base.len(), |&start| start as usize);
        lines(base.get(start..).unwrap_or_default())
    }

    /// Returns the start of `line` (from 0), or the end of `base` past the last line.
    pub(super) fn start(&self, base: &str, line: usize) -> usize {
        self.starts.get(line).map_or(base.len(), |&start| start as usize)
    }
}

/// The lines for a set of keys, collected once for calls with many edits.
#[derive(Debug)]
pub(super) struct LinesByKey(HashMap<u32, Vec<usize>>);

impl LinesByKey {
    /// Collects the lines of `index` that have one of `keys`.
    pub(super) fn new(index: &Index, keys: impl Iterator<Item = u32>) -> Self {
        let mut lines: HashMap<u32, Vec<usize>> = keys.map(|key| (key, Vec::new())).collect();
        // A bit filter avoids the map lookup for most lines.
        let mut groups = vec![0_u64; GROUPS / 64];
        let bit = |key: u32| (key as usize % GROUPS / 64, 1_u64 << (key % 64));
        for (word, bit) in lines.keys().map(|&key| bit(key)) {
            groups[word] |= bit;
        }
        for (line, &key) in index.keys.iter().enumerate() {
            let (word, bit) = bit(key);
            if groups[word] & bit != 0
                && let Some(lines) = lines.get_mut(&key)
            {
                lines.push(line);
            }
        }
        Self(lines)
    }

    /// Returns the lines with a key, in order, or `None` if the key is not in the set.
    pub(super) fn get(&self, key: u32) -> Option<&[usize]> {
        self.0.get(&key).map(Vec::as_slice)
    }
}

fn count(keys: &[u32], key: u32) -> u32 {
    keys.iter().map(|&other| u32::from(other == key)).sum()
}

/// Returns the key and the letter pair signature of a line. The key is 0 if and only if the line is blank.
pub(super) fn key_and_pairs(content: &str) -> (u32, u64) {
    if content.is_ascii() {
        key_and_pairs_of_bytes(content.as_bytes())
    } else {
        key_and_pairs_of_bytes(fold::plain(content).as_bytes())
    }
}

fn key_and_pairs_of_bytes(bytes: &[u8]) -> (u32, u64) {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let (mut hash, mut pairs, mut before) = (0_u64, 0_u64, 0_u64);
    for &byte in bytes.iter().filter(|byte| !matches!(byte, b' ' | b'\t')) {
        let byte = u64::from(byte);
        hash = (hash.rotate_left(5) ^ byte).wrapping_mul(MIX);
        let pair = (before << 8 | byte).wrapping_mul(MIX);
        pairs |= 1 << (pair >> 58);
        before = byte;
    }
    let key = (hash >> 32) as u32;
    if before == 0 { (0, 0) } else { (key.max(1), pairs) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Index, LinesByKey};

    proptest! {
        #[test]
        fn a_scan_and_a_lookup_find_the_same_lines(
            lines in prop::collection::vec("[ab]?", 0..3 * super::CHUNK),
        ) {
            let index = Index::build(&lines.join("\n"));
            let absent = 1;
            let keys = || index.keys().iter().copied().take(20).chain([absent]);
            let found = LinesByKey::new(&index, keys());
            for key in keys() {
                let lines = || index.keys().iter().enumerate().filter(|&(_, &other)| other == key);
                let lines: Vec<usize> = lines().map(|(line, _)| line).collect();
                prop_assert_eq!(found.get(key), Some(&lines[..]));
                prop_assert_eq!(index.scan_for(key).collect::<Vec<_>>(), &lines[..]);
                prop_assert_eq!(index.count_of(key), lines.len());
            }
            prop_assert_eq!(found.get(2), None);
        }
    }
}
