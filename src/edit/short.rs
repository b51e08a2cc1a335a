//! The places of many short texts at once.

use std::collections::HashMap;

use aho_corasick::AhoCorasick;

use super::{Deadline, Edit, TimedOut};
use crate::text::{LineEnding, lines};

/// Places of all texts together: more are found one text after the other.
const MOST: usize = 1 << 20;
/// Places between two looks at the clock.
const STRIDE: usize = 1 << 14;

/// Where the texts of a call that have no line of their own to be looked up by stand, found in one walk.
pub(super) struct ShortTexts<'e>(HashMap<&'e str, Vec<usize>>);

impl<'e> ShortTexts<'e> {
    /// Walks `haystack`, whose line ends are all LF, for the old texts of `edits`. Holds nothing where that
    /// is not worth it.
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
            if number == MOST {
                return Ok(Self(HashMap::new()));
            }
            if number % STRIDE == 0 {
                deadline.check()?;
            }
            found.entry(texts[hit.pattern().as_usize()]).or_default().push(hit.start());
        }
        Ok(Self(found))
    }

    /// Where `text` stands, in order; nothing if it was not looked for.
    pub(super) fn places_of(&self, text: &str) -> Option<&[usize]> {
        self.0.get(text).map(Vec::as_slice)
    }
}

/// Whether no line is whole in a text wherever it stands.
fn is_short(text: &str) -> bool {
    let whole =
        |line: crate::text::Line<'_>| line.ending != LineEnding::None && !line.content.trim().is_empty();
    !text.is_empty() && !text.contains('\r') && !lines(text).skip(1).any(whole)
}
