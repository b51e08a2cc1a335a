//! Line numbers at the start of lines, as tools print them.

use std::collections::HashSet;

use crate::text::lines;

/// The separators between a number and its line.
const SEPARATORS: [&str; 4] = ["\t", "→", "|", ":"];

/// Returns both texts without their line numbers, in every possible way. The old text must have a number on
/// every line, counting up by one. The new one may have numbers or not: see [`Reading`]. A space that follows
/// every separator may belong to it or not.
pub(super) fn remove_numbers(old: &str, new: &str) -> Vec<(String, String)> {
    SEPARATORS.iter().find_map(|separator| read_by(separator, old, new)).unwrap_or_default()
}

fn read_by(separator: &str, old: &str, new: &str) -> Option<Vec<(String, String)>> {
    let old = Numbered::read(old, separator).filter(Numbered::counts_up)?;
    let numbered = match Reading::of(&old, new, separator) {
        Reading::AsGiven => None,
        Reading::Numbered => Some(Numbered::read(new, separator)?),
        Reading::Unclear => return None,
    };
    let text = |padded| numbered.as_ref().map_or_else(|| new.to_owned(), |new| new.text(padded));
    let mut paddings: Vec<_> = match old.pad().filter(|_| matches!(separator, "|" | ":")) {
        None => vec![false],
        Some(likely) => vec![likely, !likely],
    };
    // A new text without numbers shows how the old text was indented.
    paddings.sort_by_key(|&padded| std::cmp::Reverse(common_lines(&old.text(padded), &text(padded))));
    // The number of an empty last line shows that the line is part of the old text.
    let last = if new.is_empty() && old.ends_empty() { "\n" } else { "" };
    Some(paddings.into_iter().map(|padded| (old.text(padded) + last, text(padded))).collect())
}

/// The reading of a new text whose old text has line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The text has no line numbers: what looks like them is content.
    AsGiven,
    /// Every line has a line number.
    Numbered,
    /// The text can be read either way.
    Unclear,
}

impl Reading {
    fn of(old: &Numbered<'_>, new: &str, separator: &str) -> Self {
        let split_lines: Vec<_> = lines(new).map(|line| split(line.content, separator)).collect();
        let numbers: Vec<u64> = split_lines.iter().flatten().map(|line| line.0).collect();
        if numbers.is_empty() {
            return Self::AsGiven;
        }
        let every = numbers.len() == split_lines.len();
        let continues = every && old.continues_in(&numbers);
        if !old.has_columns(separator) {
            return match (continues, old.is_near(&numbers)) {
                (true, _) => Self::Numbered,
                (false, true) => Self::Unclear,
                (false, false) => Self::AsGiven,
            };
        }
        // The file's own lines begin with numbers: the lines that both texts share decide whose the numbers
        // are.
        let given: Vec<&str> = lines(new).map(|line| line.content).collect();
        let stripped: Vec<&str> = split_lines.iter().flatten().map(|line| line.1).collect();
        match (old.shares(&given), old.shares(&stripped)) {
            (given, stripped) if given > stripped => Self::AsGiven,
            (given, stripped) if given < stripped => {
                if continues {
                    Self::Numbered
                } else {
                    Self::Unclear
                }
            }
            _ => old.by_columns(&given, separator, continues),
        }
    }
}

/// Counts the lines of `new` that are in `old`.
fn common_lines(old: &str, new: &str) -> usize {
    let old: HashSet<&str> = lines(old).map(|line| line.content).collect();
    lines(new).filter(|line| !line.content.trim().is_empty() && old.contains(line.content)).count()
}

/// The lines of a text with a number on each.
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

    fn ends_empty(&self) -> bool {
        self.lines.len() > 1
            && self.lines.last().is_some_and(|(_, line, ending)| line.is_empty() && ending.is_empty())
    }

    fn counts_up(&self) -> bool {
        self.lines.windows(2).all(|pair| pair[0].0.checked_add(1) == Some(pair[1].0))
    }

    /// Returns `true` if these can be the numbers of the lines that replace the old ones.
    fn continues_in(&self, numbers: &[u64]) -> bool {
        let (first, last) = self.ends();
        let most = last.max(first.saturating_add(numbers.len() as u64 - 1));
        let inside = numbers.iter().all(|number| (first..=most).contains(number));
        inside && numbers.windows(2).all(|pair| pair[0] <= pair[1])
    }

    /// Returns `true` if one of these is so near to the old numbers that it may be a miscounted line number.
    fn is_near(&self, numbers: &[u64]) -> bool {
        const REACH: u64 = 20;
        let (first, last) = self.ends();
        let near = |number: &u64| (first.saturating_sub(REACH)..=last.saturating_add(REACH)).contains(number);
        numbers.iter().any(near)
    }

    fn ends(&self) -> (u64, u64) {
        let number = |line: Option<&(u64, &str, &str)>| line.map_or(0, |line| line.0);
        (number(self.lines.first()), number(self.lines.last()))
    }

    /// Returns `true` if any line begins with a number and the separator even without its line number.
    fn has_columns(&self, separator: &str) -> bool {
        self.lines.iter().any(|line| leading_numbers(line.1, separator) > 0)
    }

    /// Counts the lines that are old lines without their numbers.
    fn shares(&self, lines: &[&str]) -> usize {
        let said = |line: &&&str| !line.trim().is_empty();
        lines
            .iter()
            .filter(said)
            .filter(|line| self.lines.iter().any(|old| old.1.trim() == line.trim()))
            .count()
    }

    /// Chooses the reading by how many numbers the new lines begin with: as many as the file's lines, or one
    /// more.
    fn by_columns(&self, new: &[&str], separator: &str, continues: bool) -> Reading {
        let count = |line: &str| leading_numbers(line, separator);
        let (least, most) = self
            .lines
            .iter()
            .fold((usize::MAX, 0), |(least, most), line| (least.min(count(line.1)), most.max(count(line.1))));
        let new = || new.iter().filter(|line| !line.trim().is_empty()).map(|line| count(line));
        let as_given = new().all(|count| (least..=most).contains(&count));
        let numbered = continues && new().all(|count| (least + 1..=most + 1).contains(&count));
        match (as_given, numbered) {
            (true, false) => Reading::AsGiven,
            (false, true) => Reading::Numbered,
            // The texts share no lines, and the numbers do not continue: they are not line numbers.
            (false, false) if !continues => Reading::AsGiven,
            _ => Reading::Unclear,
        }
    }

    /// Returns `true` if a space that follows every separator likely belongs to it: the line with the least
    /// indentation then has an odd number of spaces. Returns `None` if a line has no space there.
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

/// Returns a line without its line number, or `None` if it has none.
pub(in crate::edit) fn without_number(line: &str) -> Option<&str> {
    SEPARATORS.iter().find_map(|separator| Some(split(line, separator)?.1))
}

/// Counts the numbers with a separator that a line begins with.
fn leading_numbers(line: &str, separator: &str) -> usize {
    let mut rest = line;
    let mut count = 0;
    while let Some((_, rest_after)) = split(rest, separator).filter(|(_, rest_after)| !rest_after.is_empty())
    {
        rest = rest_after;
        count += 1;
    }
    count
}

/// Splits a line into its number and the text after the separator. An empty line may lack the separator.
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
    #[case::columns_of_the_file("1\t7\tx\n2\t3\ty", "7\tX\n3\ty", "7\tx\n3\ty", "7\tX\n3\ty")]
    #[case::columns_that_count_up("1\t1\tx\n2\t2\ty", "1\tX\n2\ty", "1\tx\n2\ty", "1\tX\n2\ty")]
    #[case::columns_all_changed("1\t1\tx\n2\t2\ty", "1\tX\n2\tY", "1\tx\n2\ty", "1\tX\n2\tY")]
    #[case::columns_behind_numbers("1\t7\tx\n2\t3\ty", "1\t7\tX\n2\t3\ty", "7\tx\n3\ty", "7\tX\n3\ty")]
    #[case::padded_columns("5\t   34\tname", "   35\tname", "   34\tname", "   35\tname")]
    #[case::one_key("2:80: http", "80: https", "80: http", "80: https")]
    #[case::an_empty_last_line_goes("2\tb\n3\t", "", "b\n\n", "")]
    #[case::a_key_comes_in("2: port", "80: http", "port", "80: http")]
    fn numbers_are_removed(
        #[case] old: &str,
        #[case] new: &str,
        #[case] old_after: &str,
        #[case] new_after: &str,
    ) {
        assert_eq!(remove_numbers(old, new)[0], (old_after.to_owned(), new_after.to_owned()));
    }

    #[rstest]
    #[case::not_on_every_line("1\ta\nb\n", "c")]
    #[case::not_in_order("1\ta\n3\tb\n", "c")]
    #[case::not_the_same_separator("1\ta\n2: b\n", "c")]
    #[case::here_and_there_in_the_new_text("1\ta\n2\tb\n", "1\ta\nc\n")]
    #[case::counted_from_one_in_the_new_text("12\ta\n13\tb\n", "1\ta\n2\tc\n")]
    #[case::no_number("a\n", "b")]
    #[case::nothing("", "")]
    fn other_numbers_are_text(#[case] old: &str, #[case] new: &str) {
        assert_eq!(remove_numbers(old, new), []);
    }
}
