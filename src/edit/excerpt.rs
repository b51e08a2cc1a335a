//! Long lines in a review: the changed parts with their surroundings. Only unchanged text is left out.

use std::ops::Range;

use crate::{Deadline, line_runs};
use editd_text::floor_char_boundary;

/// Length of a line, in bytes, up to which it is shown whole.
const WHOLE: usize = 400;

/// Unchanged text that is shown on each side of a change, in bytes.
const AROUND: usize = 80;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePart<'a> {
    /// Text to show.
    Shown(&'a str),
    /// Number of unchanged characters that are left out.
    Omitted(usize),
}

/// The lines of both sides of a hunk, each in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt<'a> {
    /// The old lines, with their line endings.
    pub old: Vec<Vec<LinePart<'a>>>,
    /// The new lines.
    pub new: Vec<Vec<LinePart<'a>>>,
}

impl<'a> Excerpt<'a> {
    /// Compares the old and the new text of a hunk. Long lines are compared with each other in their order; one
    /// without a counterpart is all new or all old, so nothing of it is left out.
    pub fn of(old: &'a str, new: &'a str, deadline: Deadline) -> Self {
        let (old, new): (Vec<_>, Vec<_>) = (lines(old), lines(new));
        let is_long = |line: &&usize, all: &[&str]| all[**line].len() > WHOLE;
        let (old_at, new_at): (Vec<usize>, Vec<usize>) = ((0..old.len()).collect(), (0..new.len()).collect());
        let long_old = old_at.iter().filter(|line| is_long(line, &old));
        let long_new = new_at.iter().filter(|line| is_long(line, &new));
        let mut excerpt = Self { old: whole(&old), new: whole(&new) };
        for (there, here) in long_old.zip(long_new) {
            let (in_old, in_new) = changed(old[*there], new[*here], deadline);
            excerpt.old[*there] = parts(old[*there], &in_old);
            excerpt.new[*here] = parts(new[*here], &in_new);
        }
        excerpt
    }
}

/// Returns unchanged lines. Of a long one, only the beginning is shown.
pub fn beginnings(text: &str) -> Vec<Vec<LinePart<'_>>> {
    lines(text).into_iter().map(|line| parts(line, std::slice::from_ref(&(0..0)))).collect()
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn whole<'a>(lines: &[&'a str]) -> Vec<Vec<LinePart<'a>>> {
    lines.iter().map(|line| vec![LinePart::Shown(line)]).collect()
}

/// Returns the ranges in which two versions of a line differ, in order. Where one side only has more text, the
/// range in the other is empty.
fn changed(old: &str, new: &str, deadline: Deadline) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let (old, new) = (words(old), words(new));
    let (old_starts, new_starts) = (starts(&old), starts(&new));
    let range = |starts: &[usize], run: &Range<usize>| starts[run.start]..starts[run.end];
    let runs = line_runs(&old, &new, deadline).into_iter();
    runs.map(|(there, here)| (range(&old_starts, &there), range(&new_starts, &here))).unzip()
}

/// Splits a line into words, and characters that belong to none.
fn words(line: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut words, mut rest) = (Vec::new(), line);
    while let Some(first) = rest.chars().next() {
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

/// Returns the offset of each word, and that of the end.
fn starts(words: &[&str]) -> Vec<usize> {
    let mut end = 0;
    let next = words.iter().map(|word| {
        end += word.len();
        end
    });
    std::iter::once(0).chain(next).collect()
}

/// Splits a line into the parts around changes, and those far from any.
fn parts<'a>(line: &'a str, changed: &[Range<usize>]) -> Vec<LinePart<'a>> {
    let content = line.trim_end_matches(['\n', '\r']).len();
    if content <= WHOLE {
        return vec![LinePart::Shown(line)];
    }
    let mut parts = Vec::new();
    let (mut shown, mut at) = (0..0, 0);
    let mut show = |range: Range<usize>, at: &mut usize| {
        if range.start > *at {
            parts.push(LinePart::Omitted(line[*at..range.start].chars().count()));
        }
        if !range.is_empty() {
            parts.push(LinePart::Shown(&line[range.clone()]));
        }
        *at = range.end;
    };
    for change in changed {
        let around = floor_char_boundary(line, change.start.saturating_sub(AROUND))
            ..ceiling(line, change.end + AROUND);
        // A gap that is shorter than its mark is shown.
        if around.start > shown.end + AROUND / 4 {
            show(shown.clone(), &mut at);
            shown = around;
        } else {
            shown.end = around.end;
        }
    }
    show(shown, &mut at);
    if at < content {
        parts.push(LinePart::Omitted(line[at..content].chars().count()));
    }
    let ending = &line[at.max(content)..];
    if !ending.is_empty() {
        parts.push(LinePart::Shown(ending));
    }
    parts
}

fn ceiling(line: &str, at: usize) -> usize {
    (at.min(line.len())..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the parts of a line as text, with the number of characters that are left out.
    fn shown(parts: &[LinePart<'_>]) -> String {
        let part = |part: &LinePart<'_>| match part {
            LinePart::Shown(text) => (*text).to_owned(),
            LinePart::Omitted(count) => format!("<{count}>"),
        };
        parts.iter().map(part).collect()
    }

    fn length(parts: &[LinePart<'_>]) -> usize {
        let part = |part: &LinePart<'_>| match part {
            LinePart::Shown(text) => text.chars().count(),
            LinePart::Omitted(count) => *count,
        };
        parts.iter().map(part).sum()
    }

    #[test]
    fn only_unchanged_text_of_a_long_line_is_left_out() {
        let line = |middle: &str, end: &str| {
            format!("{}{middle}{}{end}{}\n", "word ".repeat(8000), "word ".repeat(8000), "é ".repeat(1000))
        };
        let (old, new) = (line("old", "one"), line("new\u{202e}", "one"));
        let excerpt = Excerpt::of(&old, &new, Deadline::NONE);
        let (old_text, new_text) = (shown(&excerpt.old[0]), shown(&excerpt.new[0]));
        assert!(
            old_text.starts_with("<39920>word word ") && old_text.contains("word oldword "),
            "{old_text}"
        );
        assert!(new_text.contains("word new\u{202e}word ") && new_text.ends_with(">\n"), "{new_text}");
        assert!(new_text.len() < 300, "{new_text}");
        assert_eq!(
            (length(&excerpt.old[0]), length(&excerpt.new[0])),
            (old.chars().count(), new.chars().count())
        );
    }

    #[test]
    fn all_changes_of_a_line_are_shown() {
        let numbers: Vec<_> = (0..3000).map(|number: u32| number.to_string()).collect();
        let old = numbers.join(", ");
        let new = old.replace(" 7,", " seven,").replace(" 1500,", "").replace(" 2998,", " 2998, more,");
        let excerpt = Excerpt::of(&old, &new, Deadline::NONE);
        let text = shown(&excerpt.new[0]);
        for part in ["6, seven, 8,", "1499, 1501,", "2998, more, 2999"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(shown(&excerpt.old[0]).contains("1499, 1500, 1501,"));
        assert_eq!(text.matches('<').count(), 2, "{text}");
    }

    #[test]
    fn short_lines_and_lines_without_a_counterpart_are_whole() {
        let long = "x y ".repeat(500);
        let new = format!("b\n{long}\n");
        let excerpt = Excerpt::of("a\n", &new, Deadline::NONE);
        assert_eq!((shown(&excerpt.old[0]).as_str(), shown(&excerpt.new[0]).as_str()), ("a\n", "b\n"));
        assert_eq!(shown(&excerpt.new[1]), format!("{long}\n"));
        assert_eq!(shown(&beginnings("short\n")[0]), "short\n");
        assert_eq!(shown(&beginnings(&long)[0]), format!("{}<1920>", "x y ".repeat(20)));
    }
}
