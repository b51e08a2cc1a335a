//! What is known of each line of a base, for tolerant tiers and for the closest regions.

use std::sync::{Arc, OnceLock};

use crate::text::{Lines, lines};

use super::fold;

/// One entry a line: where it starts, a key of what it says, and a signature of its letters. 16 bytes a
/// line, built in one pass over the text, true for one version of it only.
#[derive(Debug, Clone, Default)]
pub struct Index {
    entries: Vec<Entry>,
    text_len: usize,
    /// Every line by its key, for calls of many edits: the key in the upper half, the line in the lower.
    by_key: OnceLock<Vec<u64>>,
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

/// What is known of one line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Byte offset of the line. Texts above 4 GiB are refused long before they get here.
    pub(super) start: u32,
    /// Equal for lines that are equal but for blanks and typography.
    pub(super) key: u32,
    /// A set of the line's pairs of letters.
    pub(super) pairs: u64,
}

impl Index {
    /// The index of `base`.
    pub fn build(base: &str) -> Self {
        let entry = |line: crate::text::Line<'_>| {
            let (key, pairs) = describe(line.content);
            Entry { start: line.start as u32, key, pairs }
        };
        Self { entries: lines(base).map(entry).collect(), text_len: base.len(), by_key: OnceLock::new() }
    }

    /// Whether `base` can be the text that this index was built for: it is as long.
    pub fn fits(&self, base: &str) -> bool {
        self.text_len == base.len()
    }

    /// Bytes that it takes up.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.entries[..]) + self.by_key.get().map_or(0, |sorted| size_of_val(&sorted[..]))
    }

    /// How many lines it knows.
    pub fn lines(&self) -> usize {
        self.entries.len()
    }

    /// The lines with a key, in order. The first call sorts all lines.
    pub(super) fn lines_with(&self, key: u32) -> impl ExactSizeIterator<Item = usize> + use<'_> {
        let packed = |(line, entry): (usize, &Entry)| u64::from(entry.key) << 32 | line as u64;
        let sorted = self.by_key.get_or_init(|| {
            let mut sorted: Vec<u64> = self.entries.iter().enumerate().map(packed).collect();
            sorted.sort_unstable();
            sorted
        });
        let from = sorted.partition_point(|&packed| packed >> 32 < u64::from(key));
        let count = sorted[from..].partition_point(|&packed| packed >> 32 == u64::from(key));
        sorted[from..from + count].iter().map(|&packed| packed as u32 as usize)
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The lines of `base` from `line` (counted from 0) on.
    pub(super) fn lines_from<'a>(&self, base: &'a str, line: usize) -> Lines<'a> {
        let start = self.entries.get(line).map_or(base.len(), |entry| entry.start as usize);
        lines(base.get(start..).unwrap_or_default())
    }

    /// Where `line` (counted from 0) starts; the end of `base` behind the last.
    pub(super) fn start(&self, base: &str, line: usize) -> usize {
        self.entries.get(line).map_or(base.len(), |entry| entry.start as usize)
    }
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
