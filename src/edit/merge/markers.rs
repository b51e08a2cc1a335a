//! Merges with conflict markers.

use std::cmp::max;

use super::{ConflictRegion, MergeError, Part, parts};
use crate::edit::LineRange;
use crate::text::{LineEnding, count_lines, lines};

/// Length of a marker, if no line of the texts looks like one.
const WIDTH: usize = 7;

/// A merged text in which conflicts are marked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedMerge {
    /// The text.
    pub text: String,
    /// Lines of each conflict in the text, markers included.
    pub conflicts: Vec<LineRange>,
}

/// Merges like [`merge`](super::merge()), and writes conflicts as text: `<<<<<<< file` with our lines,
/// `||||||| base` with those of the base, `=======` with their lines, `>>>>>>> change`. Markers have the line
/// ending of our text, and are longer if a line inside looks like one.
pub fn merge_marked(base: &str, ours: &str, theirs: &str) -> Result<MarkedMerge, MergeError> {
    let parts = parts(base, ours, theirs)?;
    let ending = ending_of(ours).or_else(|| ending_of(base)).or_else(|| ending_of(theirs)).unwrap_or("\n");
    let (mut text, mut conflicts, mut before) = (String::new(), Vec::new(), 0);
    for part in parts {
        let start = text.len();
        match &part {
            Part::Merged(merged) => text.push_str(merged),
            Part::Conflict(region) => push(&mut text, region, ending),
        }
        let count = count_lines(&text[start..]);
        if let Part::Conflict(_) = part {
            conflicts.push(LineRange { start: before + 1, end: before + count });
        }
        before += count;
    }
    Ok(MarkedMerge { text, conflicts })
}

fn ending_of(text: &str) -> Option<&'static str> {
    lines(text).map(|line| line.ending).find(|ending| *ending != LineEnding::None).map(LineEnding::as_str)
}

fn push(text: &mut String, region: &ConflictRegion, ending: &str) {
    // Text before a conflict is whole lines, unless a text ends without a line ending.
    if !text.is_empty() && !text.ends_with(['\n', '\r']) {
        text.push_str(ending);
    }
    let width = width(region);
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
fn width(region: &ConflictRegion) -> usize {
    let run = |line: &str| {
        let sign = line.chars().next().filter(|sign| "<|=>".contains(*sign));
        sign.map_or(0, |sign| line.chars().take_while(|c| *c == sign).count())
    };
    let sides = [&region.base, &region.ours, &region.theirs];
    let longest = sides.into_iter().flat_map(|side| lines(side)).map(|line| run(line.content)).max();
    match longest {
        Some(longest) if longest >= WIDTH => max(longest + 1, WIDTH),
        _ => WIDTH,
    }
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
            assert_eq!(super::super::merge(base, ours, theirs).unwrap(), expected);
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
