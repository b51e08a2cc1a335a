//! Three-way merge, with or without conflict markers.

use std::ops::Range;

use similar::{Algorithm, MergeRegion, MergeResolution, TextMerge};

use super::LineRange;
use super::line_diff::line_starts;
use editd_text::{LineEnding, count_lines, lines};

/// Length of a marker, if no line of the texts looks like one.
const MARKER_WIDTH: usize = 7;
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

/// A merged text in which conflicts are marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedMerge {
    /// The text.
    pub text: String,
    /// Lines of each conflict in the text, markers included.
    pub conflicts: Vec<LineRange>,
}

/// Merges two changes of `base` by line. Lines are compared byte for byte, including line endings.
pub fn merge(base: &str, ours: &str, theirs: &str) -> Result<String, MergeError> {
    let (merged, regions) = merge_all(base, ours, theirs)?;
    if regions.is_empty() { Ok(merged.text) } else { Err(MergeError::Conflicts(regions)) }
}

/// Merges like [`merge`](merge()), and writes conflicts as text: `<<<<<<< file` with our lines,
/// `||||||| base` with those of the base, `=======` with their lines, `>>>>>>> change`. Markers have the line
/// ending of our text, and are longer if a line inside looks like one.
pub fn merge_marked(base: &str, ours: &str, theirs: &str) -> Result<MarkedMerge, MergeError> {
    merge_all(base, ours, theirs).map(|(merged, _)| merged)
}

/// Merges two changes of `base` by line, and takes our line where both replace one line by another one. Returns `None`
/// for any other conflict.
pub(super) fn merge_ours(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let merge = TextMerge::configure().algorithm(Algorithm::Patience).merge_lines(base, ours, theirs);
    let (ours, theirs) = (Side::new(ours), Side::new(theirs));
    let text = |part: &MergeRegion| match part.resolution() {
        MergeResolution::Theirs => Some(theirs.text(&part.theirs_range())),
        MergeResolution::Unchanged | MergeResolution::Ours | MergeResolution::Both => {
            Some(ours.text(&part.ours_range()))
        }
        _ => {
            let lengths =
                [part.base_range(), part.ours_range(), part.theirs_range()].map(|range| range.len());
            (lengths == [1; 3]).then(|| ours.text(&part.ours_range()))
        }
    };
    merge.regions().iter().map(text).collect()
}

fn merge_all(base: &str, ours: &str, theirs: &str) -> Result<(MarkedMerge, Vec<ConflictRegion>), MergeError> {
    let longest = [base, ours, theirs].map(count_lines).into_iter().max().unwrap_or_default();
    if longest > MAX_LINES {
        return Err(MergeError::TooLong { lines: longest, limit: MAX_LINES });
    }
    let merge = TextMerge::configure().algorithm(Algorithm::Patience).merge_lines(base, ours, theirs);
    let ending = [ours, base, theirs].into_iter().find_map(ending_of).unwrap_or("\n");
    let (base, ours, theirs) = (Side::new(base), Side::new(ours), Side::new(theirs));
    let (mut text, mut conflicts, mut regions, mut before) = (String::new(), Vec::new(), Vec::new(), 0);
    for part in merge.regions() {
        let start = text.len();
        let (there, mine, yours) = (part.base_range(), part.ours_range(), part.theirs_range());
        let conflict = match part.resolution() {
            MergeResolution::Unchanged | MergeResolution::Ours | MergeResolution::Both => {
                text.push_str(ours.text(&mine));
                None
            }
            MergeResolution::Theirs => {
                text.push_str(theirs.text(&yours));
                None
            }
            _ => Some(ConflictRegion {
                base_line: there.start + 1,
                base: base.text(&there).to_owned(),
                ours_line: mine.start + 1,
                ours: ours.text(&mine).to_owned(),
                theirs_line: yours.start + 1,
                theirs: theirs.text(&yours).to_owned(),
            }),
        };
        if let Some(region) = &conflict {
            push_conflict(&mut text, region, ending);
        }
        let count = count_lines(&text[start..]);
        conflicts.extend(conflict.is_some().then_some(LineRange { start: before + 1, end: before + count }));
        regions.extend(conflict);
        before += count;
    }
    Ok((MarkedMerge { text, conflicts }, regions))
}

/// A text with the starts of its lines.
struct Side<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Side<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, starts: line_starts(text) }
    }

    fn text(&self, lines: &Range<usize>) -> &'a str {
        let at = |line: usize| self.starts.get(line).copied().unwrap_or(self.text.len());
        &self.text[at(lines.start)..at(lines.end)]
    }
}

fn ending_of(text: &str) -> Option<&'static str> {
    lines(text).map(|line| line.ending).find(|ending| *ending != LineEnding::None).map(LineEnding::as_str)
}

fn push_conflict(text: &mut String, region: &ConflictRegion, ending: &str) {
    // Text before a conflict is whole lines, unless a text ends without a line ending.
    if !text.is_empty() && !text.ends_with(['\n', '\r']) {
        text.push_str(ending);
    }
    let width = marker_width(region);
    let sides = [
        ('<', " file", region.ours.as_str()),
        ('|', " base", &region.base),
        ('=', "", &region.theirs),
        ('>', " change", ""),
    ];
    for (sign, label, side) in sides {
        text.extend(std::iter::repeat_n(sign, width));
        text.push_str(label);
        text.push_str(ending);
        text.push_str(side);
        if !side.is_empty() && !side.ends_with(['\n', '\r']) {
            text.push_str(ending);
        }
    }
}

/// Returns a marker length greater than any run of marker characters that begins a line.
fn marker_width(region: &ConflictRegion) -> usize {
    let run = |line: &str| {
        let sign = line.chars().next().filter(|sign| "<|=>".contains(*sign));
        sign.map_or(0, |sign| line.chars().take_while(|c| *c == sign).count())
    };
    let sides = [&region.base, &region.ours, &region.theirs];
    let longest = sides.into_iter().flat_map(|side| lines(side)).map(|line| run(line.content)).max();
    longest.filter(|&longest| longest >= MARKER_WIDTH).map_or(MARKER_WIDTH, |longest| longest + 1)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::lines(
        "a\nb\nc\n", "a\nours\nc\n", "a\ntheirs\nc\n",
        "a\n<<<<<<< file\nours\n||||||| base\nb\n=======\ntheirs\n>>>>>>> change\nc\n", &[(2, 8)],
    )]
    #[case::crlf(
        "a\r\n", "b\r\n", "c\r\n",
        "<<<<<<< file\r\nb\r\n||||||| base\r\na\r\n=======\r\nc\r\n>>>>>>> change\r\n", &[(1, 7)],
    )]
    #[case::lone_cr("a\r", "b\r", "c\r", "<<<<<<< file\rb\r||||||| base\ra\r=======\rc\r>>>>>>> change\r", &[(1, 7)])]
    #[case::an_open_end(
        "x\na", "x\nb", "x\nc",
        "x\n<<<<<<< file\nb\n||||||| base\na\n=======\nc\n>>>>>>> change\n", &[(2, 8)],
    )]
    #[case::a_side_without_lines(
        "a\nb\nc\n", "a\nc\n", "a\nx\nc\n",
        "a\n<<<<<<< file\n||||||| base\nb\n=======\nx\n>>>>>>> change\nc\n", &[(2, 7)],
    )]
    #[case::text_that_looks_like_a_marker(
        "a\n", "=======\n", "c\n",
        "<<<<<<<< file\n=======\n|||||||| base\na\n========\nc\n>>>>>>>> change\n", &[(1, 7)],
    )]
    #[case::no_conflict("a\nb\nc\n", "1\nb\nc\n", "a\nb\n3\n", "1\nb\n3\n", &[])]
    fn conflicts_are_marked(
        #[case] base: &str,
        #[case] ours: &str,
        #[case] theirs: &str,
        #[case] expected: &str,
        #[case] places: &[(usize, usize)],
    ) {
        let marked = merge_marked(base, ours, theirs).unwrap();
        assert_eq!(marked.text, expected);
        let found: Vec<_> = marked.conflicts.iter().map(|lines| (lines.start, lines.end)).collect();
        assert_eq!(found, places);
        if places.is_empty() {
            assert_eq!(merge(base, ours, theirs).unwrap(), expected);
        }
    }

    #[test]
    fn every_conflict_is_reported_with_its_lines() {
        let base: String = (0..20).flat_map(|number| [number.to_string(), "\n".to_owned()]).collect();
        let (ours, theirs) = (base.replace("3\n", "x\n"), base.replace("3\n", "y\nz\n"));
        let marked = merge_marked(&base, &ours, &theirs).unwrap();
        let all: Vec<&str> = marked.text.lines().collect();
        assert_eq!(marked.conflicts.len(), 2);
        for LineRange { start, end } in marked.conflicts {
            assert!(all[start - 1].starts_with("<<<<<<< ") && all[end - 1].starts_with(">>>>>>> "));
        }
    }
}
