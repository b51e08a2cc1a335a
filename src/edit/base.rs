//! The text in which edits are matched, with its line index and the views of it that tiers need.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, Span, packed};
use memchr::arch::all::packedpair::Pair;

use super::fold::{Fold, Level, plain};
use super::{Deadline, Edit, Options, TimedOut};
use editd_text::{IndentStyle, Line, LineEnding, count_lines, indent_style, line_end, line_start, lines};

/// Minimum number of edits in a call for which the lines of the base are grouped by key, if the index exists.
const SOME_EDITS: usize = 8;
/// Minimum number of edits for which lines are grouped by key even if the index has to be built.
const MANY_EDITS: usize = 64;
/// Number of lines scanned together.
const CHUNK: usize = 256;
/// Bits of the filter that precedes the map of keys.
const GROUPS: usize = 1 << 16;
/// Minimum number of edits for which short texts are searched together in a base of this size, in bytes; below
/// [`MANY_EDITS`].
const SHORT_EDITS: usize = 4;
const SHORT_TEXTS_IN: usize = 1 << 16;
/// Maximum number of short texts for which vector instructions are used: several passes over the base, each for as many
/// texts as they can search for at once.
const MAX_SCANNED: usize = 8 * SCANNED;
/// Number of texts that vector instructions can search for at once.
const SCANNED: usize = 64;
/// Maximum number of occurrences of all short texts; if there are more, each text is searched separately.
const MAX_OCCURRENCES: usize = 1 << 20;
/// Maximum number of places in a pass where one of the texts may be.
const MAX_CANDIDATES: usize = 1 << 16;
/// Number of occurrences between two deadline checks.
const STRIDE: usize = 1 << 14;

/// A base with its views and index. They are built on first use, once for all edits of a call.
#[derive(Default)]
pub(super) struct Base<'a> {
    pub(super) text: &'a str,
    pub(super) deadline: Deadline,
    views: [OnceCell<Fold<'a>>; 3],
    index: SharedIndex,
    by_key: OnceCell<HashMap<u32, Vec<usize>>>,
    style: OnceCell<IndentStyle>,
    ascii: OnceCell<bool>,
    /// The edits of the call: their number decides how matches are searched.
    edits: &'a [Edit],
    /// `true` if the current edit was found to be already applied.
    pub(super) is_applied: Cell<bool>,
    /// The offsets of the edits' texts that have no whole line to look up.
    short: OnceCell<Result<HashMap<&'a str, Vec<usize>>, TimedOut>>,
}

impl<'a> Base<'a> {
    pub(super) fn new(text: &'a str, edits: &'a [Edit], options: &Options) -> Self {
        let fits = |index: &SharedIndex| index.0.get().is_none_or(|index| index.text_len == text.len());
        let index = options.index.clone().filter(fits).unwrap_or_default();
        Self { text, deadline: options.deadline, index, edits, ..Self::default() }
    }

    pub(super) fn view(&self, level: Level) -> &Fold<'a> {
        if level > Level::LineEndings && self.folds_line_endings_only(level) {
            return self.view(Level::LineEndings);
        }
        self.views[level as usize].get_or_init(|| Fold::new(self.text, level))
    }

    /// Returns `true` if the view of a level is known to equal the one of [`Level::LineEndings`].
    pub(super) fn folds_line_endings_only(&self, level: Level) -> bool {
        let is_clean = self.index.0.get().is_some_and(|index| !index.has_trailing_blanks);
        is_clean && (level < Level::Typography || self.is_ascii())
    }

    pub(super) fn index(&self) -> &Index {
        self.index.0.get_or_init(|| Index::build(self.text))
    }

    pub(super) fn is_ascii(&self) -> bool {
        *self.ascii.get_or_init(|| self.text.is_ascii())
    }

    pub(super) fn indent_style(&self) -> IndentStyle {
        *self.style.get_or_init(|| indent_style(self.text))
    }

    /// Returns `true` if matches should be searched in lines grouped by key.
    pub(super) fn groups_by_key(&self) -> bool {
        self.edits.len() >= if self.index.0.get().is_some() { SOME_EDITS } else { MANY_EDITS }
    }

    /// Returns the offsets of a text that has no whole line to look up. Known only for texts of the edits,
    /// and only if there are several edits; `None` otherwise.
    pub(super) fn offsets_of_short(&self, text: &str) -> Result<Option<&[usize]>, TimedOut> {
        let are_several = self.edits.len() >= SHORT_EDITS && self.text.len() >= SHORT_TEXTS_IN;
        if !are_several && self.edits.len() < MANY_EDITS {
            return Ok(None);
        }
        let view = &self.view(Level::LineEndings).text;
        match self.short.get_or_init(|| offsets_of_short_texts(view, self.edits, self.deadline)) {
            Ok(offsets) => Ok(offsets.get(text).map(Vec::as_slice)),
            Err(timed_out) => Err(*timed_out),
        }
    }

    /// Returns the lines with a key, in order: by lookup if there are many edits, else by a scan.
    pub(super) fn lines_with(&self, key: u32) -> Box<dyn Iterator<Item = usize> + '_> {
        match self.looked_up(key) {
            Some(lines) => Box::new(lines.iter().copied()),
            None => Box::new(self.index().scan_for(key)),
        }
    }

    /// Returns the number of lines with a key.
    pub(super) fn count_of(&self, key: u32) -> usize {
        self.looked_up(key).map_or_else(|| self.index().count_of(key), <[usize]>::len)
    }

    /// Returns the lines with a key, if there are many edits and one of them has a line with this key.
    fn looked_up(&self, key: u32) -> Option<&[usize]> {
        if !self.groups_by_key() {
            return None;
        }
        let texts = || self.edits.iter().flat_map(|edit| [&edit.old, &edit.new]);
        // Lines whose keys are not grouped when the deadline has passed are found by a scan.
        let texts = || texts().take_while(|_| self.deadline.check().is_ok());
        let keys = || texts().flat_map(|text| lines(text)).map(|line| key_and_pairs(line.content).0);
        self.by_key.get_or_init(|| lines_by_key(self.index(), keys())).get(&key).map(Vec::as_slice)
    }

    /// Returns the content of a line (from 0), empty past the last line.
    pub(super) fn line(&self, line: usize) -> &'a str {
        self.lines_from(line).next().map_or("", |line| line.content)
    }

    /// Returns the lines from `line` (from 0) on. Their offsets count from there.
    pub(super) fn lines_from(&self, line: usize) -> impl Iterator<Item = Line<'a>> + use<'a> {
        lines(&self.text[self.start_of(line)..])
    }

    /// Returns the start of `line` (from 0), or the end of the text past the last line.
    pub(super) fn start_of(&self, line: usize) -> usize {
        self.index().starts.get(line).map_or(self.text.len(), |&start| start as usize)
    }

    /// Counts the lines between two offsets, each of which is at the start or the end of a line.
    pub(super) fn lines_between(&self, start: usize, end: usize) -> usize {
        let starts = &self.index().starts;
        let before = |offset: usize| starts.partition_point(|&start| (start as usize) < offset);
        before(end) - before(start)
    }

    /// Returns `true` if a range of bytes is whole lines, with or without the last line ending.
    pub(super) fn is_whole_lines(&self, range: &Range<usize>) -> bool {
        let ends = range.end == self.text.len()
            || line_end(self.text, range.end).0 == range.end
            || line_start(self.text, range.end) == range.end;
        ends && line_start(self.text, range.start) == range.start
    }
}

/// The start of each line, a key of its content, and a signature of its letters: 16 bytes per line, built in
/// one pass over the text, valid for one version of it only. They are separate arrays, so that a scan of all
/// lines touches no more memory than it needs.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// Byte offset of each line.
    starts: Vec<u32>,
    /// Key of each line: equal for lines that differ only in whitespace and typography, 0 for blank ones.
    pub(super) keys: Vec<u32>,
    /// Letter pair signature of each line.
    pub(super) pairs: Vec<u64>,
    text_len: usize,
    /// `true` if any line has trailing whitespace.
    has_trailing_blanks: bool,
}

/// A shared index of one version of a text, built on first use.
#[derive(Debug, Clone, Default)]
pub struct SharedIndex(pub(crate) Arc<OnceLock<Index>>);

impl SharedIndex {
    /// Returns the size in bytes; 0 if the index has not been built.
    pub fn bytes(&self) -> usize {
        let size = |index: &Index| {
            size_of_val(&index.starts[..]) + size_of_val(&index.keys[..]) + size_of_val(&index.pairs[..])
        };
        self.0.get().map_or(0, size)
    }

    /// Returns `true` if both share one index.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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

    /// Returns the number of lines.
    pub fn lines(&self) -> usize {
        self.keys.len()
    }

    /// Returns the lines with a key, in order, by a scan of all keys.
    fn scan_for(&self, key: u32) -> impl Iterator<Item = usize> + use<'_> {
        // Counting is faster than searching: the loop has no branch, so the compiler vectorizes it.
        let has = move |chunk: &[u32]| count(chunk, key) > 0;
        let chunks = self.keys.chunks(CHUNK).enumerate().filter(move |(_, chunk)| has(chunk));
        chunks.flat_map(move |(number, chunk)| {
            let equal = chunk.iter().enumerate().filter(move |&(_, &other)| other == key);
            equal.map(move |(at, _)| number * CHUNK + at)
        })
    }

    /// Returns the number of lines with a key, by a scan of all keys.
    fn count_of(&self, key: u32) -> usize {
        self.keys.chunks(CHUNK).map(|chunk| count(chunk, key) as usize).sum()
    }
}

/// Returns the lines of `index` that have one of `keys`, in order.
pub(super) fn lines_by_key(index: &Index, keys: impl Iterator<Item = u32>) -> HashMap<u32, Vec<usize>> {
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
    lines
}

/// Searches `haystack`, which has LF line endings only, for the old texts of `edits` that have no whole line
/// to look up, together. Returns their offsets, in order; empty if there are too many occurrences.
fn offsets_of_short_texts<'e>(
    haystack: &str,
    edits: &'e [Edit],
    deadline: Deadline,
) -> Result<HashMap<&'e str, Vec<usize>>, TimedOut> {
    let short = edits.iter().map(|edit| edit.old.as_str()).filter(|old| is_short(old));
    let mut found: HashMap<&str, Vec<usize>> = short.map(|old| (old, Vec::new())).collect();
    let texts: Vec<&str> = found.keys().copied().collect();
    if texts.len() <= MAX_SCANNED
        && let Some(offsets) = scanned(haystack, &texts, deadline)?
    {
        return Ok(texts.into_iter().zip(offsets).collect());
    }
    if texts.len() < MANY_EDITS {
        return Ok(HashMap::new());
    }
    let Ok(searcher) = AhoCorasick::new(&texts) else { return Ok(HashMap::new()) };
    for (number, hit) in searcher.find_overlapping_iter(haystack).enumerate() {
        if number == MAX_OCCURRENCES {
            return Ok(HashMap::new());
        }
        if number % STRIDE == 0 {
            deadline.check()?;
        }
        found.entry(texts[hit.pattern().as_usize()]).or_default().push(hit.start());
    }
    Ok(found)
}

/// Searches `haystack` for texts with vector instructions. Returns the offsets of each text, in order; `None` if the
/// processor has no such instructions, or if there are too many places to look at.
fn scanned(haystack: &str, texts: &[&str], deadline: Deadline) -> Result<Option<Vec<Vec<usize>>>, TimedOut> {
    let haystack = haystack.as_bytes();
    let mut offsets = vec![Vec::new(); texts.len()];
    for (texts, offsets) in texts.chunks(SCANNED).zip(offsets.chunks_mut(SCANNED)) {
        deadline.check()?;
        // Many texts begin with the same indentation or keyword, so each is searched from its rarest byte on.
        let rare: Vec<usize> = texts.iter().map(|text| rarest_byte(text)).collect();
        let parts = texts.iter().zip(&rare).map(|(text, &rare)| &text.as_bytes()[rare..]);
        let Some(searcher) = packed::Searcher::new(parts) else { return Ok(None) };
        let (mut from, mut candidates) = (0, 0);
        while let Some(hit) = searcher.find_in(haystack, Span { start: from, end: haystack.len() }) {
            for ((text, rare), offsets) in texts.iter().zip(&rare).zip(offsets.iter_mut()) {
                if let Some(at) = hit.start().checked_sub(*rare)
                    && haystack[at..].starts_with(text.as_bytes())
                {
                    offsets.push(at);
                }
            }
            from = hit.start() + 1;
            candidates += 1;
            if candidates == MAX_CANDIDATES {
                return Ok(None);
            }
        }
    }
    Ok(Some(offsets))
}

/// Returns the offset of a byte of a text that is rare in most texts, with a few bytes behind it.
fn rarest_byte(text: &str) -> usize {
    const BEHIND: usize = 4;
    let start = text.len() - text.trim_start().len();
    let searched = &text.as_bytes()[start..text.len().saturating_sub(BEHIND).max(start)];
    Pair::new(searched).map_or(0, |pair| start + usize::from(pair.index1().min(pair.index2())))
}

/// Returns `true` if a text has no line to look up: none but the first is whole and not blank.
fn is_short(text: &str) -> bool {
    let whole = |line: Line<'_>| line.ending != LineEnding::None && !line.content.trim().is_empty();
    !text.is_empty() && !text.contains('\r') && !lines(text).skip(1).any(whole)
}

fn count(keys: &[u32], key: u32) -> u32 {
    keys.iter().map(|&other| u32::from(other == key)).sum()
}

/// Returns the key and the letter pair signature of a line. The key is 0 if and only if the line is blank.
pub(super) fn key_and_pairs(content: &str) -> (u32, u64) {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let (mut hash, mut pairs, mut before) = (0_u64, 0_u64, 0_u64);
    for byte in plain(content).bytes().filter(|byte| !matches!(byte, b' ' | b'\t')) {
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

    use super::{Deadline, Index, SCANNED, lines_by_key, scanned};

    /// Returns all offsets of a text, also of occurrences that overlap.
    fn offsets(haystack: &str, text: &str) -> Vec<usize> {
        (0..haystack.len()).filter(|at| haystack.as_bytes()[*at..].starts_with(text.as_bytes())).collect()
    }

    proptest! {
        #[test]
        fn texts_that_are_searched_together_are_found_as_alone(
            haystack in "[ab \\né]{0,300}",
            texts in prop::collection::vec("[ab \\né]{1,8}", 1..SCANNED + 10),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let found = scanned(&haystack, &texts, Deadline::NONE).expect("no deadline");
            // Processors without vector instructions search for each text alone.
            prop_assume!(found.is_some());
            let alone: Vec<_> = texts.iter().map(|text| offsets(&haystack, text)).collect();
            prop_assert_eq!(found, Some(alone));
        }

        #[test]
        fn a_scan_and_a_lookup_find_the_same_lines(
            lines in prop::collection::vec("[ab]?", 0..3 * super::CHUNK),
        ) {
            let index = Index::build(&lines.join("\n"));
            let absent = 1;
            let keys = || index.keys.iter().copied().take(20).chain([absent]);
            let found = lines_by_key(&index, keys());
            for key in keys() {
                let lines = || index.keys.iter().enumerate().filter(|&(_, &other)| other == key);
                let lines: Vec<usize> = lines().map(|(line, _)| line).collect();
                prop_assert_eq!(found.get(&key), Some(&lines));
                prop_assert_eq!(index.scan_for(key).collect::<Vec<_>>(), &lines[..]);
                prop_assert_eq!(index.count_of(key), lines.len());
            }
            prop_assert_eq!(found.get(&2), None);
        }
    }
}
