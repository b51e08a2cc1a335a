//! Two changes of one text, put together.

use std::ops::Range;

use similar::{Algorithm, MergeResolution, TextMerge};

use crate::text::{count_lines, lines};

/// Lines of the longest text that is merged. The merge knows no deadline, and takes well below a second
/// for as many.
const MAX_LINES: usize = 200_000;

/// A stretch that both sides changed, each in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictRegion {
    /// The common ancestor's text.
    pub base: String,
    /// First line of it in the ancestor, from 1.
    pub base_line: usize,
    /// Our text.
    pub ours: String,
    /// First line of it on our side.
    pub ours_line: usize,
    /// Their text.
    pub theirs: String,
    /// First line of it on their side.
    pub theirs_line: usize,
}

/// Why two changes were not merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// Both changed the same stretches.
    #[error("both sides changed the same lines")]
    Conflicts(Vec<ConflictRegion>),
    /// A text is too long to merge in bounded time.
    #[error("the text has {lines} lines, and texts above {limit} are not merged")]
    TooLong {
        /// Lines of the longest of the three.
        lines: usize,
        /// Lines allowed.
        limit: usize,
    },
}

/// Merges two changes of `base` by line. Lines are compared with all their bytes, endings included.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<String, MergeError> {
    let longest = [base, ours, theirs].map(count_lines).into_iter().max().unwrap_or_default();
    if longest > MAX_LINES {
        return Err(MergeError::TooLong { lines: longest, limit: MAX_LINES });
    }
    let merge = TextMerge::configure().algorithm(Algorithm::Patience).merge_lines(base, ours, theirs);
    let sides = Sides { base: Side::new(base), ours: Side::new(ours), theirs: Side::new(theirs) };
    let (mut merged, mut conflicts) = (String::new(), Vec::new());
    for region in merge.regions() {
        match region.resolution() {
            MergeResolution::Unchanged | MergeResolution::Ours | MergeResolution::Both => {
                merged.push_str(sides.ours.text(&region.ours_range()));
            }
            MergeResolution::Theirs => merged.push_str(sides.theirs.text(&region.theirs_range())),
            _ => conflicts.push(sides.conflict([
                region.base_range(),
                region.ours_range(),
                region.theirs_range(),
            ])),
        }
    }
    if conflicts.is_empty() { Ok(merged) } else { Err(MergeError::Conflicts(conflicts)) }
}

struct Sides<'a> {
    base: Side<'a>,
    ours: Side<'a>,
    theirs: Side<'a>,
}

struct Side<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl Sides<'_> {
    fn conflict(&self, [base, ours, theirs]: [Range<usize>; 3]) -> ConflictRegion {
        ConflictRegion {
            base_line: base.start + 1,
            base: self.base.text(&base).to_owned(),
            ours_line: ours.start + 1,
            ours: self.ours.text(&ours).to_owned(),
            theirs_line: theirs.start + 1,
            theirs: self.theirs.text(&theirs).to_owned(),
        }
    }
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
