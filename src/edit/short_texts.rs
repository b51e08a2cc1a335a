//! Search for many short texts in one pass.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use super::{Deadline, Edit, TimedOut};
use crate::text::{LineEnding, lines};

/// Maximum number of occurrences of all texts together; if there are more, each text is searched separately.
const MAX_OCCURRENCES: usize = 1 << 20;
/// Number of occurrences between two deadline checks.
const STRIDE: usize = 1 << 14;

/// The offsets of the texts of a call that have no whole line to look up.
pub(super) struct ShortTexts<'e>(HashMap<&'e str, Vec<usize>>);

impl<'e> ShortTexts<'e> {
    /// Searches `haystack`, which has LF line endings only, for the old texts of `edits`. The result is empty
    /// if there are too many occurrences.
    pub(super) fn find(haystack: &str, edits: &'e [Edit], deadline: Deadline) -> Result<Self, TimedOut> {
        let mut found: HashMap<&str, Vec<usize>> = edits
            .iter()
            .map(|edit| edit.old.as_str())
            .filter(|old| is_short(old))
            .map(|old| (old, Vec::new()))
            .collect();
        let texts: Vec<&str> = found.keys().copied().collect();
        let Ok(searcher) = AhoCorasick::new(&texts) else { return Ok(Self(HashMap::new())) };
        for (number, hit) in searcher.find_overlapping_iter(haystack).enumerate() {
            if number == MAX_OCCURRENCES {
                return Ok(Self(HashMap::new()));
            }
            if number % STRIDE == 0 {
                deadline.check()?;
            }
            found.entry(texts[hit.pattern().as_usize()]).or_default().push(hit.start());
        }
        Ok(Self(found))
    }

    /// Returns the offsets of `text`, in order, or `None` if it was not searched.
    pub(super) fn offsets_of(&self, text: &str) -> Option<&[usize]> {
        self.0.get(text).map(Vec::as_slice)
    }
}

/// Returns `true` if a text has no whole line that is a whole line of the base wherever the text matches.
fn is_short(text: &str) -> bool {
    let whole =
        |line: crate::text::Line<'_>| line.ending != LineEnding::None && !line.content.trim().is_empty();
    !text.is_empty() && !text.contains('\r') && !lines(text).skip(1).any(whole)
}
