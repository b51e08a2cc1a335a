//! Results of a search: the first matches in path order, and counters.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::{Bounds, Line};

/// The matching lines of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileMatches {
    /// Absolute path of the file.
    pub path: PathBuf,
    /// Matching lines, by number; the first one if matches are counted.
    pub lines: Vec<Line>,
    /// Number of matches, if they are counted. A line that is too long to be searched at once counts as one.
    pub matches: u64,
    /// `true` if any line was truncated.
    pub is_truncated: bool,
    /// Total size of the texts, in bytes.
    pub(super) bytes: usize,
}

/// The results so far, by the position of their file in path order. Holds at most one file more than fits
/// into an answer, so memory is bounded, and files after the last kept result need not be searched.
pub(super) struct FirstResults {
    bounds: Bounds,
    /// Position of the last file that can still contribute.
    last: AtomicU64,
    results: Mutex<Results>,
}

#[derive(Default)]
struct Results {
    files: BTreeMap<u64, FileMatches>,
    lines: usize,
    bytes: usize,
}

impl FirstResults {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, last: AtomicU64::new(u64::MAX), results: Mutex::default() }
    }

    /// Returns `true` if results of the file at this position can be part of the answer.
    pub(super) fn is_needed(&self, position: u64) -> bool {
        position <= self.last.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, position: u64, file: FileMatches) {
        let mut results = self.results.lock();
        results.lines += file.lines.len();
        results.bytes += file.bytes;
        results.files.insert(position, file);
        // Keep one file more than fits into an answer, to know that there are more results.
        while let Some(last) = results.files.last_entry() {
            let (lines, bytes) = (last.get().lines.len(), last.get().bytes);
            if !self.bounds.are_exceeded(results.lines - lines, results.bytes - bytes) {
                break;
            }
            results.files.pop_last();
            results.lines -= lines;
            results.bytes -= bytes;
        }
        if let Some((last, _)) = results.files.last_key_value()
            && self.bounds.are_exceeded(results.lines, results.bytes)
        {
            self.last.fetch_min(*last, Ordering::Relaxed);
        }
    }

    /// Returns the first results in path order, and whether there are more.
    pub(super) fn finish(self) -> (Vec<FileMatches>, bool) {
        let (mut lines, mut bytes, mut more) = (0, 0, false);
        let mut files: Vec<_> = self.results.into_inner().files.into_values().collect();
        for file in &mut files {
            let before = file.lines.len();
            file.lines.retain(|line| {
                (lines, bytes) = (lines + 1, bytes + line.bytes());
                !self.bounds.are_exceeded(lines, bytes)
            });
            more |= file.lines.len() < before;
        }
        files.retain(|file| !file.lines.is_empty());
        (files, more)
    }
}

/// Counters of skipped and searched entries.
#[derive(Debug, Default)]
pub struct Passed {
    /// Files and folders excluded by ignore rules.
    pub ignored: Counter,
    /// Files and folders that could not be read.
    pub unreadable: NamedCounter,
    /// Files that the session may not read.
    pub protected: NamedCounter,
    /// Files that are not text.
    pub binary: Counter,
    /// Files with a line too long to be searched; their search ended there.
    pub endless: Counter,
    /// Files with different unsaved texts in two editors.
    pub contested: Counter,
    /// Files whose text in an editor is not known.
    pub unknown: Counter,
    /// Folders whose files belong to version control.
    pub repositories: Counter,
    /// Searched files.
    pub searched: Counter,
}

/// A counter that several threads increment.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Returns the current count.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Maximum number of paths that a [`NamedCounter`] keeps.
const NAMED: usize = 5;

/// A counter of files that several threads increment, with the first of their paths.
#[derive(Debug, Default)]
pub struct NamedCounter {
    count: Counter,
    first: Mutex<BTreeSet<PathBuf>>,
}

impl NamedCounter {
    /// Returns the current count.
    pub fn get(&self) -> u64 {
        self.count.get()
    }

    /// Returns the first five of the counted paths, in alphabetical order.
    pub fn first(&self) -> Vec<PathBuf> {
        self.first.lock().iter().cloned().collect()
    }

    pub(super) fn add(&self, path: PathBuf) {
        self.count.increment();
        let mut first = self.first.lock();
        first.insert(path);
        if first.len() > NAMED {
            first.pop_last();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { lines: 5, context: 0, bytes: 100, counts: false };

    fn file(name: u64, lines: usize, text: &str) -> FileMatches {
        let line = |number| Line { number, text: text.to_owned(), ..Line::default() };
        let lines: Vec<_> = (1..=lines as u64).map(line).collect();
        let bytes = lines.iter().map(Line::bytes).sum();
        FileMatches { path: PathBuf::from(name.to_string()), lines, matches: 0, is_truncated: false, bytes }
    }

    fn lines_per_file(files: &[FileMatches]) -> Vec<(String, usize)> {
        files.iter().map(|file| (file.path.display().to_string(), file.lines.len())).collect()
    }

    /// Returns all permutations of four numbers.
    fn permutations() -> Vec<Vec<u64>> {
        let all = (0..256_u64).map(|n| vec![n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6]);
        all.filter(|order| (0..4).all(|position| order.contains(&position))).collect()
    }

    #[test]
    fn the_first_results_are_kept_in_any_order_of_arrival() {
        for order in permutations() {
            let found = FirstResults::new(BOUNDS);
            for position in &order {
                found.add(*position, file(*position, 2, "x"));
            }
            assert!(!found.is_needed(3) && found.is_needed(2), "{order:?}");
            let (files, more) = found.finish();
            let expected = [("0".to_owned(), 2), ("1".to_owned(), 2), ("2".to_owned(), 1)];
            assert_eq!((lines_per_file(&files), more), (expected.to_vec(), true), "{order:?}");
        }
    }

    #[test]
    fn results_beyond_the_bounds_are_dropped() {
        let found = FirstResults::new(BOUNDS);
        for position in (0..1000).rev() {
            found.add(position, file(position, 3, "x"));
            assert!(found.results.lock().files.len() <= 3);
        }
        assert_eq!(lines_per_file(&found.finish().0), [("0".to_owned(), 3), ("1".to_owned(), 2)]);
    }

    #[test]
    fn the_size_of_texts_is_bounded() {
        let found = FirstResults::new(BOUNDS);
        for position in 0..4 {
            found.add(position, file(position, 1, &"x".repeat(40)));
        }
        assert!(!found.is_needed(3));
        let (files, more) = found.finish();
        assert_eq!((lines_per_file(&files), more), (vec![("0".to_owned(), 1), ("1".to_owned(), 1)], true));
    }

    #[test]
    fn a_result_that_fills_the_bounds_is_complete() {
        let found = FirstResults::new(BOUNDS);
        found.add(7, file(7, 5, "x"));
        assert!(found.is_needed(1000));
        let (files, more) = found.finish();
        assert_eq!((lines_per_file(&files), more), (vec![("7".to_owned(), 5)], false));
    }
}
