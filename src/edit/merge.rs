//! Three-way merge.

mod markers;

use std::ops::Range;

use similar::{Algorithm, MergeResolution, TextMerge};

use crate::text::{count_lines, lines};

pub use markers::{MarkedMerge, merge_marked};

/// Maximum number of lines of a text to merge. The merge does not check a deadline, and takes well below a
/// second for this many.
const MAX_LINES: usize = 200_000;

/// A region that both sides changed differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictRegion {
    /// Text of the common ancestor.
    pub base: String,
    /// First line in the ancestor, from 1.
    pub base_line: usize,
    /// Our text.
    pub ours: String,
    /// First line on our side.
    pub ours_line: usize,
    /// Their text.
    pub theirs: String,
    /// First line on their side.
    pub theirs_line: usize,
}

/// The reason why two changes were not merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Both sides changed the same regions.
    #[error("both sides changed the same lines")]
    Conflicts(Vec<ConflictRegion>),
    /// A text is too long to merge in bounded time.
    #[error("the text has {lines} lines, and at most {limit} lines can be merged")]
    TooLong {
        /// Lines of the longest of the three.
        lines: usize,
        /// Lines allowed.
        limit: usize,
    },
}

/// Merges two changes of `base` by line. Lines are compared byte for byte, including line endings.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<String, MergeError> {
    let (mut merged, mut conflicts) = (String::new(), Vec::new());
    for part in parts(base, ours, theirs)? {
        match part {
            Part::Merged(text) => merged.push_str(text),
            Part::Conflict(region) => conflicts.push(region),
        }
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(MergeError::Conflicts(conflicts)) }
}

/// A part of the merged text.
enum Part<'a> {
    Merged(&'a str),
    Conflict(ConflictRegion),
}

fn parts<'a>(base: &str, ours: &'a str, theirs: &'a str) -> Result<Vec<Part<'a>>, MergeError> {
    let longest = [base, ours, theirs].map(count_lines).into_iter().max().unwrap_or_default();
    if longest > MAX_LINES {
        return Err(MergeError::TooLong { lines: longest, limit: MAX_LINES });
    }
    let merge = TextMerge::configure().algorithm(Algorithm::Patience).merge_lines(base, ours, theirs);
    let (base, ours, theirs) = (Side::new(base), Side::new(ours), Side::new(theirs));
    let part = |region: &similar::MergeRegion| match region.resolution() {
        MergeResolution::Unchanged | MergeResolution::Ours | MergeResolution::Both => {
            Part::Merged(ours.text(&region.ours_range()))
        }
        MergeResolution::Theirs => Part::Merged(theirs.text(&region.theirs_range())),
        _ => {
            let (there, mine, yours) = (region.base_range(), region.ours_range(), region.theirs_range());
            Part::Conflict(ConflictRegion {
                base_line: there.start + 1,
                base: base.text(&there).to_owned(),
                ours_line: mine.start + 1,
                ours: ours.text(&mine).to_owned(),
                theirs_line: yours.start + 1,
                theirs: theirs.text(&yours).to_owned(),
            })
        }
    };
    Ok(merge.regions().iter().map(part).collect())
}

struct Side<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, starts: lines(text).map(|line| line.start).chain([text.len()]).collect() }
    }

    fn text(&self, lines: &Range<usize>) -> &'a str {
        let at = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        &self.text[at(lines.start)..at(lines.end)]
    }
}
