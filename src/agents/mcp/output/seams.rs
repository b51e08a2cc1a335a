//! The borders of changed places, so that a model sees what an edit by numbers or names has made without another read.

use std::fmt::Write as _;

use editd_protocol::Hunk;

/// Maximum number of lines.
const LINES: usize = 12;
/// Maximum length of a line, in bytes. A longer one is cut.
const WIDTH: usize = 120;
/// Number of lines outside of each border, if there is room for them.
const OUTSIDE: usize = 2;

/// Returns the numbered lines of the hunks with those around them, of longer hunks the lines on both sides of their
/// borders, or `None` if these are too many. `snippet` is that of the change, with the numbers of its result.
pub(super) fn seams(hunks: &[Hunk], snippet: &str) -> Option<String> {
    let known: Vec<(usize, &str)> = snippet.lines().filter_map(numbered).collect();
    let ways =
        [true, false].into_iter().flat_map(|whole| (1..=OUTSIDE).rev().map(move |outside| (whole, outside)));
    let mut shown = ways.map(|(whole, outside)| around(hunks, whole, outside, &known));
    let shown = shown.find(|shown| (1..=LINES).contains(&shown.len()))?;
    let mut text = String::new();
    let mut last = None;
    for (number, line) in known.iter().filter(|(number, _)| shown.contains(number)) {
        if last.is_some_and(|last| last + 1 != *number) {
            text.push_str("…\n");
        }
        last = Some(*number);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{number}\t{}", cut(line));
    }
    (!text.is_empty()).then_some(text)
}

/// Returns the numbers of the known lines in hunks and around them, or only of those at their borders.
fn around(hunks: &[Hunk], whole: bool, outside: usize, known: &[(usize, &str)]) -> Vec<usize> {
    let is_at = |number: usize, hunk: &Hunk| {
        // The lines before and behind the hunk. An empty one is behind its line.
        let (before, behind) = match hunk.new_lines {
            0 => (hunk.new_start, hunk.new_start + 1),
            lines => (hunk.new_start - 1, hunk.new_start + lines),
        };
        let inside = if whole { hunk.new_lines } else { hunk.new_lines.min(1) };
        let is_first = number + outside > before && number <= before + inside;
        let is_last = number + inside >= behind && number < behind + outside;
        is_first || is_last
    };
    let is_border = |number| hunks.iter().any(|hunk| hunk.kind.is_none() && is_at(number, hunk));
    // A mark in the place of a single line would be as long.
    let is_shown = |number| is_border(number) || is_border(number - 1) && is_border(number + 1);
    known.iter().map(|(number, _)| *number).filter(|number| is_shown(*number)).collect()
}

fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, line) = line.split_once('\t')?;
    Some((number.parse().ok()?, line))
}

fn cut(line: &str) -> String {
    if line.len() <= WIDTH {
        return line.to_owned();
    }
    let end = (0..=WIDTH).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(0);
    format!("{}…", &line[..end])
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn hunk(new_start: usize, new_lines: usize) -> Hunk {
        Hunk { new_start, new_lines, ..Hunk::default() }
    }

    fn snippet(lines: impl Iterator<Item = usize>) -> String {
        lines.flat_map(|line| [line.to_string(), "\tline\n".to_owned()]).collect()
    }

    #[rstest]
    #[case::an_insertion(&[hunk(10, 5)], "8 9 10 11 12 13 14 15 16")]
    #[case::a_longer_one(&[hunk(10, 10)], "9 10 11 12 13 14 15 16 17 18 19 20")]
    #[case::a_long_one(&[hunk(10, 11)], "8 9 10 … 20 21 22")]
    #[case::one_line(&[hunk(10, 1)], "8 9 10 11 12")]
    #[case::two_lines(&[hunk(10, 2)], "8 9 10 11 12 13")]
    #[case::three_lines(&[hunk(10, 3)], "8 9 10 11 12 13 14")]
    #[case::a_deletion(&[hunk(9, 0)], "8 9 10 11")]
    #[case::at_the_start(&[hunk(1, 1)], "1 2 3")]
    #[case::a_deletion_at_the_start(&[hunk(0, 0)], "1 2")]
    #[case::at_the_end(&[hunk(30, 1)], "28 29 30")]
    #[case::two(&[hunk(5, 4), hunk(20, 4)], "4 5 6 7 8 9 … 19 20 21 22 23 24")]
    #[case::two_longer_ones(&[hunk(5, 5), hunk(20, 5)], "3 4 5 … 9 10 11 … 18 19 20 … 24 25 26")]
    #[case::three_with_less_around(&[hunk(5, 4), hunk(15, 4), hunk(25, 4)], "4 5 … 8 9 … 14 15 … 18 19 … 24 25 … 28 29")]
    fn lines_at_borders_are_shown(#[case] hunks: &[Hunk], #[case] expected: &str) {
        let shown = seams(hunks, &snippet(1..=30)).expect("lines");
        let numbers: Vec<_> = shown.lines().map(|line| line.split('\t').next().unwrap_or_default()).collect();
        assert_eq!(numbers.join(" "), expected);
    }

    #[test]
    fn too_many_hunks_show_nothing() {
        let hunks: Vec<_> = (1..9).map(|at| hunk(at * 3, 1)).collect();
        assert_eq!(seams(&hunks, &snippet(1..=30)), None);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        let shown = seams(&[hunk(1, 1)], &format!("1\t{}\n", "ä".repeat(500))).expect("lines");
        assert_eq!(shown, format!("1\t{}…\n", "ä".repeat(60)));
    }

    #[test]
    fn no_lines_are_known_of_a_file_that_is_gone() {
        assert_eq!(seams(&[hunk(1, 1)], ""), None);
    }
}
