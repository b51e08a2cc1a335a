//! Line numbers at the start of lines, as tools print them.

use std::collections::HashSet;

use crate::text::lines;

/// What stands between a number and its line.
const SEPARATORS: [&str; 4] = ["\t", "→", "|", ":"];

/// Both texts without their line numbers, in the ways that there are: the old one has them on every line,
/// counting up by one; the new one has them on every line or on none. A blank that follows every separator
/// may belong to it or not.
pub(super) fn taken_off(old: &str, new: &str) -> Vec<(String, String)> {
    SEPARATORS.iter().find_map(|separator| read_by(separator, old, new)).unwrap_or_default()
}

fn read_by(separator: &str, old: &str, new: &str) -> Option<Vec<(String, String)>> {
    let old = Numbered::read(old, separator).filter(Numbered::counts_up)?;
    let numbered = Numbered::read(new, separator);
    if numbered.is_none() && lines(new).any(|line| split(line.content, separator).is_some()) {
        return None;
    }
    let text = |padded| numbered.as_ref().map_or_else(|| new.to_owned(), |new| new.text(padded));
    let mut ways: Vec<_> = match old.pad().filter(|_| matches!(separator, "|" | ":")) {
        None => vec![false],
        Some(likely) => vec![likely, !likely],
    };
    // A new text without numbers shows how the old one was indented.
    ways.sort_by_key(|&padded| std::cmp::Reverse(common_lines(&old.text(padded), &text(padded))));
    Some(ways.into_iter().map(|padded| (old.text(padded), text(padded))).collect())
}

/// How many lines of one text stand in the other.
fn common_lines(old: &str, new: &str) -> usize {
    let old: HashSet<&str> = lines(old).map(|line| line.content).collect();
    lines(new).filter(|line| !line.content.trim().is_empty() && old.contains(line.content)).count()
}

/// The lines of a text that has a number on each.
struct Numbered<'a> {
    lines: Vec<(u64, &'a str, &'static str)>,
}

impl<'a> Numbered<'a> {
    fn read(text: &'a str, separator: &str) -> Option<Self> {
        let line = |line: crate::text::Line<'a>| {
            let (number, content) = split(line.content, separator)?;
            Some((number, content, line.ending.as_str()))
        };
        let lines: Vec<_> = lines(text).map(line).collect::<Option<_>>()?;
        (!lines.is_empty()).then_some(Self { lines })
    }

    fn counts_up(&self) -> bool {
        self.lines.windows(2).all(|pair| pair[0].0.checked_add(1) == Some(pair[1].0))
    }

    /// Whether a blank that follows every separator likely belongs to it, if there is one: then the line that
    /// is indented least has an odd number of blanks.
    fn pad(&self) -> Option<bool> {
        let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let said = self.lines.iter().filter(|line| !line.1.trim().is_empty());
        said.map(|line| blanks(line.1)).min().filter(|&least| least > 0).map(|least| least % 2 == 1)
    }

    fn text(&self, padded: bool) -> String {
        let content =
            |content: &'a str| if padded { content.strip_prefix(' ').unwrap_or(content) } else { content };
        self.lines.iter().flat_map(|&(_, line, ending)| [content(line), ending]).collect()
    }
}

/// A line's number and what follows the separator. Of an empty line the separator may be gone.
fn split<'a>(line: &'a str, separator: &str) -> Option<(u64, &'a str)> {
    let line = line.trim_start_matches(' ');
    let line = line.strip_prefix('L').unwrap_or(line);
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let number = number.parse().ok()?;
    if rest.trim().is_empty() && !rest.starts_with('\t') {
        return Some((number, ""));
    }
    let rest = if separator == "\t" { rest } else { rest.trim_start_matches(' ') };
    Some((number, rest.strip_prefix(separator)?))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::tab("12\ta\n13\t  b\n", "12\ta\n13\t  c\n", "a\n  b\n", "a\n  c\n")]
    #[case::arrow("    12→a\n    13→\n    14→b", "x\ny", "a\n\nb", "x\ny")]
    #[case::bar(" 9 | a\n10 |\n11 |   b\n", "9 | a\n", "a\n\n  b\n", "a\n")]
    #[case::tight_bar("9|a\n10|  b\n", "a\n", "a\n  b\n", "a\n")]
    #[case::colon("7: a\n8:   b\n", "", "a\n  b\n", "")]
    #[case::indented("2:  if\n3:    b\n", "  c\n", "  if\n    b\n", "  c\n")]
    #[case::stars("8 |    * a\n9 |    */\n", "   * b\n   */\n", "   * a\n   */\n", "   * b\n   */\n")]
    #[case::letter("L8: a\nL9:   b\n", "c\n", "a\n  b\n", "c\n")]
    #[case::grep("7:a\n8:  b\n", "7:a\n7:c\n", "a\n  b\n", "a\nc\n")]
    #[case::empty_lines_lose_the_separator("1\ta\n2\n3\tb\n", "a\n", "a\n\nb\n", "a\n")]
    fn numbers_are_taken_off(
        #[case] old: &str,
        #[case] new: &str,
        #[case] old_after: &str,
        #[case] new_after: &str,
    ) {
        assert_eq!(taken_off(old, new)[0], (old_after.to_owned(), new_after.to_owned()));
    }

    #[rstest]
    #[case::not_on_every_line("1\ta\nb\n", "c")]
    #[case::not_in_order("1\ta\n3\tb\n", "c")]
    #[case::not_the_same_separator("1\ta\n2: b\n", "c")]
    #[case::here_and_there_in_the_new_text("1\ta\n2\tb\n", "1\ta\nc\n")]
    #[case::no_number("a\n", "b")]
    #[case::nothing("", "")]
    fn other_numbers_are_text(#[case] old: &str, #[case] new: &str) {
        assert_eq!(taken_off(old, new), []);
    }
}
