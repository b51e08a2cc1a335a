//! What is known of each line of a base, for tolerant tiers and for the closest regions.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::text::{Lines, count_lines, lines};

use super::fold;

/// Lines that are looked at together in a walk.
const CHUNK: usize = 256;
/// Bits of the filter in front of the map of keys.
const GROUPS: usize = 1 << 16;

/// The start of each line, a key of what it says, and a signature of its letters: 16 bytes a line, built in one
/// pass over the text, true for one version of it only. Each is a list of its own, so that a walk over all lines
/// touches no more memory than it needs.
#[derive(Debug, Clone, Default)]
pub struct Index {
    starts: Vec<u32>,
    keys: Vec<u32>,
    pairs: Vec<u64>,
    text_len: usize,
    /// Some line ends in blanks.
    has_trailing_blanks: bool,
}

/// The index of one version of a text, built by whoever needs it first and shared by all who have it.
#[derive(Debug, Clone, Default)]
pub struct SharedIndex(Arc<OnceLock<Index>>);

impl SharedIndex {
    /// Bytes that it takes up; 0 as long as nobody needed it.
    pub fn bytes(&self) -> usize {
        self.0.get().map_or(0, Index::bytes)
    }

    /// Whether two are the same one.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The index, if it has been built.
    pub(super) fn built(&self) -> Option<&Index> {
        self.0.get()
    }

    /// The index, built for `base` if it has not been built.
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
    /// The index of `base`.
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
            let (key, pairs) = describe(line.content);
            // Texts above 4 GiB are refused long before they get here.
            index.starts.push(line.start as u32);
            index.keys.push(key);
            index.pairs.push(pairs);
            index.has_trailing_blanks |= matches!(line.content.as_bytes().last(), Some(b' ' | b'\t'));
        }
        index
    }

    /// Whether `base` can be the text that this index was built for: it is as long.
    pub fn fits(&self, base: &str) -> bool {
        self.text_len == base.len()
    }

    /// Bytes that it takes up.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.starts[..]) + size_of_val(&self.keys[..]) + size_of_val(&self.pairs[..])
    }

    /// How many lines it knows.
    pub fn lines(&self) -> usize {
        self.keys.len()
    }

    /// The lines with a key, in order, by a walk over all keys.
    pub(super) fn walk_with(&self, key: u32) -> impl Iterator<Item = usize> + use<'_> {
        // Counting is faster than searching: the loop has no branch, so the compiler vectorizes it.
        let has = move |chunk: &[u32]| count(chunk, key) > 0;
        let chunks = self.keys.chunks(CHUNK).enumerate().filter(move |(_, chunk)| has(chunk));
        chunks.flat_map(move |(number, chunk)| {
            let equal = chunk.iter().enumerate().filter(move |&(_, &other)| other == key);
            equal.map(move |(at, _)| number * CHUNK + at)
        })
    }

    /// The number of lines with a key, by a walk over all keys.
    pub(super) fn count_of(&self, key: u32) -> usize {
        self.keys.chunks(CHUNK).map(|chunk| count(chunk, key) as usize).sum()
    }

    /// The byte offset of each line.
    pub(super) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The key of each line: equal for lines that are equal but for blanks and typography, 0 for blank ones.
    pub(super) fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// The set of each line's pairs of letters.
    pub(super) fn pairs(&self) -> &[u64] {
        &self.pairs
    }

    /// Returns whether some line ends in blanks.
    pub(super) fn has_trailing_blanks(&self) -> bool {
        self.has_trailing_blanks
    }

    /// The lines of `base` from `line` (counted from 0) on.
    pub(super) fn lines_from<'a>(&self, base: &'a str, line: usize) -> Lines<'a> {
        let start = self.starts.get(line).map_or(base.len(), |&start| start as usize);
        lines(base.get(start..).unwrap_or_default())
    }

    /// Where `line` (counted from 0) starts; the end of `base` behind the last.
    pub(super) fn start(&self, base: &str, line: usize) -> usize {
        self.starts.get(line).map_or(base.len(), |&start| start as usize)
    }
}

/// The lines that have one of some keys: looked up once for calls of many edits.
#[derive(Debug)]
pub(super) struct LinesByKey(HashMap<u32, Vec<usize>>);

impl LinesByKey {
    /// The lines of `index` that have one of `keys`.
    pub(super) fn new(index: &Index, keys: impl Iterator<Item = u32>) -> Self {
        let mut lines: HashMap<u32, Vec<usize>> = keys.map(|key| (key, Vec::new())).collect();
        // A bit filter spares most lines the lookup in the map.
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

    /// The lines with a key, in order; nothing if it is none of those that were looked up.
    pub(super) fn get(&self, key: u32) -> Option<&[usize]> {
        self.0.get(&key).map(Vec::as_slice)
    }
}

fn count(keys: &[u32], key: u32) -> u32 {
    keys.iter().map(|&other| u32::from(other == key)).sum()
}

/// The key and the letter pairs of a line. A blank line has key 0, no other has.
pub(super) fn describe(content: &str) -> (u32, u64) {
    if content.is_ascii() {
        describe_bytes(content.as_bytes())
    } else {
        describe_bytes(fold::plain(content).as_bytes())
    }
}

fn describe_bytes(bytes: &[u8]) -> (u32, u64) {
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
        fn a_walk_finds_the_lines_that_are_looked_up(
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
                prop_assert_eq!(index.walk_with(key).collect::<Vec<_>>(), &lines[..]);
                prop_assert_eq!(index.count_of(key), lines.len());
            }
            prop_assert_eq!(found.get(2), None);
        }
    }
}
