//! Lines and line endings.

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memrchr2};

use super::style::EndingCounts;

/// A line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// `\r\n`.
    Crlf,
    /// A lone `\r`.
    Cr,
    /// `\n`.
    Lf,
    /// No line ending: the last line of a text that does not end in one.
    None,
}

impl LineEnding {
    /// Returns the line ending as a string.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crlf => "\r\n",
            Self::Cr => "\r",
            Self::Lf => "\n",
            Self::None => "",
        }
    }
}

/// One line of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Byte offset of the line in its text.
    pub start: usize,
    /// The line without its line ending.
    pub content: &'a str,
    /// The line ending.
    pub ending: LineEnding,
}

impl Line<'_> {
    /// Byte offset of the end of the content, before the line ending.
    pub fn content_end(&self) -> usize {
        self.start + self.content.len()
    }

    /// Byte offset after the line ending: the start of the next line.
    pub fn end(&self) -> usize {
        self.content_end() + self.ending.as_str().len()
    }
}

/// Returns an iterator over the lines of `text`. A line ending at the end of a text ends its last line and
/// does not start another one: `"a\n"` has one line, `""` has none.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> + Clone {
    lines_from(text, 0)
}

/// Returns an iterator over the lines of `text` from the offset of the start of a line on.
fn lines_from(text: &str, mut at: usize) -> impl Iterator<Item = Line<'_>> + Clone {
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let (length, ending) = first_ending(rest.as_bytes());
        let line = Line { start: at, content: &rest[..length], ending };
        at = line.end();
        Some(line)
    })
}

/// Number of bytes of a text for which [`LineIndex`] has one count.
const BLOCK: usize = 1024;

/// The lines that [`lines`] yields, by index. Made at near memory speed, because it counts the lines of each block
/// of the text and splits only the blocks of the lines that are asked for.
#[derive(Debug, Clone)]
pub struct LineIndex<'a> {
    text: &'a str,
    /// Number of lines that end before the end of each block.
    ended: Vec<usize>,
    len: usize,
}

impl<'a> LineIndex<'a> {
    /// Counts the lines of a text.
    pub fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let has_returns = memchr(b'\r', bytes).is_some();
        let mut before = 0;
        let counted = (0..bytes.len()).step_by(BLOCK).map(|start| {
            let end = bytes.len().min(start + BLOCK);
            before += if has_returns {
                ends(bytes, start, end).count()
            } else {
                memchr_iter(b'\n', &bytes[start..end]).count()
            };
            before
        });
        let ended: Vec<_> = counted.collect();
        let open = !text.is_empty() && !text.ends_with(['\n', '\r']);
        Self { text, len: before + usize::from(open), ended }
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns a line, counted from 0.
    pub fn get(&self, index: usize) -> Option<Line<'a>> {
        self.starting_at(index).next()
    }

    /// Returns the lines from one on, counted from 0.
    pub fn starting_at(&self, index: usize) -> impl Iterator<Item = Line<'a>> + use<'a> {
        let start = if index < self.len { self.start(index) } else { self.text.len() };
        lines_from(self.text, start)
    }

    /// Returns all lines from the last one to the first.
    pub fn backwards(&self) -> impl Iterator<Item = Line<'a>> + '_ {
        (0..self.len()).rev().filter_map(|index| self.get(index))
    }

    /// Returns the offset of the start of a line that exists.
    fn start(&self, index: usize) -> usize {
        // The line starts where the one before it ends.
        let Some(before) = index.checked_sub(1) else { return 0 };
        let block = self.ended.partition_point(|&ended| ended <= before);
        let ended = block.checked_sub(1).map_or(0, |earlier| self.ended[earlier]);
        let end = self.text.len().min((block + 1) * BLOCK);
        ends(self.text.as_bytes(), block * BLOCK, end)
            .nth(before - ended)
            .map_or(self.text.len(), |at| at + 1)
    }
}

/// Returns the offsets of the last bytes of the line endings that end within a part of a text.
fn ends(bytes: &[u8], start: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
    let is_inside = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
    memchr2_iter(b'\n', b'\r', &bytes[start..end]).map(move |at| start + at).filter(move |&at| !is_inside(at))
}

/// Counts the lines that [`lines`] yields.
pub fn count_lines(text: &str) -> usize {
    let open = !text.is_empty() && !text.ends_with(['\n', '\r']);
    count_line_ends(text) + usize::from(open)
}

/// Counts the line endings in `text`.
pub fn count_line_ends(text: &str) -> usize {
    EndingCounts::of(text).total()
}

/// Returns `offset`, clamped to the length of `bytes`, or the offset before it if that is inside a CRLF.
pub(super) fn not_inside_crlf(bytes: &[u8], offset: usize) -> usize {
    let at = offset.min(bytes.len());
    let inside = at > 0 && bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
    if inside { at - 1 } else { at }
}

/// Returns the last character boundary of `text` at or before `offset`.
pub fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
}

/// Returns the start of the line that contains the byte at `offset`. Both bytes of a CRLF belong to the line
/// that they end. An offset past the end counts as the end.
pub fn line_start(text: &str, offset: usize) -> usize {
    let bytes = text.as_bytes();
    let end = not_inside_crlf(bytes, offset);
    memrchr2(b'\n', b'\r', &bytes[..end]).map_or(0, |at| at + 1)
}

/// Returns the end of the line that contains the byte at `offset`: before its line ending, and after it.
pub fn line_end(text: &str, offset: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let start = not_inside_crlf(bytes, offset);
    let (length, ending) = first_ending(&bytes[start..]);
    (start + length, start + length + ending.as_str().len())
}

fn first_ending(bytes: &[u8]) -> (usize, LineEnding) {
    match memchr2(b'\n', b'\r', bytes) {
        None => (bytes.len(), LineEnding::None),
        Some(at) if bytes[at] == b'\n' => (at, LineEnding::Lf),
        Some(at) if bytes.get(at + 1) == Some(&b'\n') => (at, LineEnding::Crlf),
        Some(at) => (at, LineEnding::Cr),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<(usize, &str, LineEnding)> {
        lines(text).map(|line| (line.start, line.content, line.ending)).collect()
    }

    proptest! {
        #[test]
        fn the_index_has_the_same_lines(
            (text, times) in ("[ab\r\n\u{e4}]{0,12}", prop_oneof![3 => Just(1_usize), 1 => 1..400_usize]),
        ) {
            let text = text.repeat(times); // long texts have several blocks
            let index = LineIndex::of(&text);
            let all: Vec<_> = lines(&text).collect();
            prop_assert_eq!((0..=all.len()).map_while(|at| index.get(at)).collect::<Vec<_>>(), all.clone());
            prop_assert_eq!(index.len(), all.len());
            prop_assert!(index.backwards().eq(all.into_iter().rev()));
        }
    }

    #[test]
    fn a_final_line_ending_starts_no_further_line() {
        assert_eq!(split(""), []);
        assert_eq!(split("a\n"), [(0, "a", LineEnding::Lf)]);
        assert_eq!(split("\n"), [(0, "", LineEnding::Lf)]);
        assert_eq!(split("a"), [(0, "a", LineEnding::None)]);
    }

    #[test]
    fn only_lf_crlf_and_cr_end_lines() {
        let found = split("a\r\nb\rc\u{2028}\u{85}\u{b}\u{c}\n\r\r\nd");
        let expected = [
            (0, "a", LineEnding::Crlf),
            (3, "b", LineEnding::Cr),
            (5, "c\u{2028}\u{85}\u{b}\u{c}", LineEnding::Lf),
            (14, "", LineEnding::Cr),
            (15, "", LineEnding::Crlf),
            (17, "d", LineEnding::None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn both_bytes_of_a_crlf_belong_to_the_line_they_end() {
        let text = "ab\r\ncd";
        assert_eq!((line_start(text, 3), line_end(text, 3)), (0, (2, 4)));
        assert_eq!((line_start(text, 4), line_end(text, 4)), (4, (6, 6)));
        assert_eq!((line_start(text, 99), line_end(text, 99)), (4, (6, 6)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn concatenated_lines_are_the_text(text in "[ab\r\n]{0,20}") {
            let whole: String = lines(&text).flat_map(|line| [line.content, line.ending.as_str()]).collect();
            prop_assert_eq!(&whole, &text);
            prop_assert_eq!(count_lines(&text), lines(&text).count());
            for line in lines(&text) {
                for at in line.start..line.end() {
                    prop_assert_eq!(line_start(&text, at), line.start);
                    prop_assert_eq!(line_end(&text, at), (line.content_end(), line.end()));
                }
            }
        }
    }
}
