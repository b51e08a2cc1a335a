use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use super::{Bounds, Line};

/// The lines of one file that match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileFound {
    /// The file's absolute path.
    pub path: PathBuf,
    /// By number.
    pub lines: Vec<Line>,
    /// Whether a line is longer than what is told of it.
    pub is_cut: bool,
    /// Bytes of their texts.
    pub(super) bytes: usize,
}

/// What was found so far, by the files' places in the order of paths: no more than an answer holds, so memory is
/// bounded whatever is found, and what comes behind it need not be searched.
pub(super) struct Found {
    bounds: Bounds,
    /// The place of the last file that matters.
    last: AtomicU64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    files: BTreeMap<u64, FileFound>,
    lines: usize,
    bytes: usize,
}

impl Found {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self { bounds, last: AtomicU64::new(u64::MAX), kept: Mutex::default() }
    }

    /// Whether what is found in the file at a place can be told at all.
    pub(super) fn matters(&self, place: u64) -> bool {
        place <= self.last.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, place: u64, file: FileFound) {
        let mut kept = self.kept.lock();
        kept.lines += file.lines.len();
        kept.bytes += file.bytes;
        kept.files.insert(place, file);
        // One file more than what an answer holds tells that there is more.
        while let Some(last) = kept.files.last_entry() {
            let (lines, bytes) = (last.get().lines.len(), last.get().bytes);
            if !self.bounds.are_passed(kept.lines - lines, kept.bytes - bytes) {
                break;
            }
            kept.files.pop_last();
            kept.lines -= lines;
            kept.bytes -= bytes;
        }
        if let Some((last, _)) = kept.files.last_key_value()
            && self.bounds.are_passed(kept.lines, kept.bytes)
        {
            self.last.fetch_min(*last, Ordering::Relaxed);
        }
    }

    /// The first of it in the order of paths, and whether there is more.
    pub(super) fn finish(self) -> (Vec<FileFound>, bool) {
        let (mut lines, mut bytes, mut more) = (0, 0, false);
        let mut files: Vec<_> = self.kept.into_inner().files.into_values().collect();
        for file in &mut files {
            let before = file.lines.len();
            file.lines.retain(|line| {
                (lines, bytes) = (lines + 1, bytes + line.bytes());
                !self.bounds.are_passed(lines, bytes)
            });
            more |= file.lines.len() < before;
        }
        files.retain(|file| !file.lines.is_empty());
        (files, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { lines: 5, context: 0, bytes: 100 };

    fn file(name: u64, lines: usize, text: &str) -> FileFound {
        let line = |number| Line { number, text: text.to_owned(), ..Line::default() };
        let lines: Vec<_> = (1..=lines as u64).map(line).collect();
        let bytes = lines.iter().map(Line::bytes).sum();
        FileFound { path: PathBuf::from(name.to_string()), lines, is_cut: false, bytes }
    }

    fn told(files: &[FileFound]) -> Vec<(String, usize)> {
        files.iter().map(|file| (file.path.display().to_string(), file.lines.len())).collect()
    }

    /// All orders of four things.
    fn orders() -> Vec<Vec<u64>> {
        let all = (0..256_u64).map(|n| vec![n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6]);
        all.filter(|order| (0..4).all(|place| order.contains(&place))).collect()
    }

    #[test]
    fn what_is_first_is_kept_in_whatever_order_it_comes() {
        for order in orders() {
            let found = Found::new(BOUNDS);
            for place in &order {
                found.add(*place, file(*place, 2, "x"));
            }
            assert!(!found.matters(3) && found.matters(2), "{order:?}");
            let (files, more) = found.finish();
            let expected = [("0".to_owned(), 2), ("1".to_owned(), 2), ("2".to_owned(), 1)];
            assert_eq!((told(&files), more), (expected.to_vec(), true), "{order:?}");
        }
    }

    #[test]
    fn no_more_is_kept_than_what_is_told() {
        let found = Found::new(BOUNDS);
        for place in (0..1000).rev() {
            found.add(place, file(place, 3, "x"));
            assert!(found.kept.lock().files.len() <= 3);
        }
        assert_eq!(told(&found.finish().0), [("0".to_owned(), 3), ("1".to_owned(), 2)]);
    }

    #[test]
    fn texts_have_a_bound_too() {
        let found = Found::new(BOUNDS);
        for place in 0..4 {
            found.add(place, file(place, 1, &"x".repeat(40)));
        }
        assert!(!found.matters(3));
        let (files, more) = found.finish();
        assert_eq!((told(&files), more), (vec![("0".to_owned(), 1), ("1".to_owned(), 1)], true));
    }

    #[test]
    fn exactly_as_much_as_is_wanted_is_all() {
        let found = Found::new(BOUNDS);
        found.add(7, file(7, 5, "x"));
        assert!(found.matters(1000));
        let (files, more) = found.finish();
        assert_eq!((told(&files), more), (vec![("7".to_owned(), 5)], false));
    }
}
