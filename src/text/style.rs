//! Line ending style and indentation style of a text.

use memchr::{memchr, memchr_iter};

/// Number of lines sampled to detect the indentation: more lines cost time and hardly change the result.
const SAMPLE: usize = 20_000;
/// Maximum width of one level, in columns; a wider step is alignment.
const MAX_WIDTH: usize = 8;

/// The line ending style of a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EolStyle {
    /// LF only.
    Lf,
    /// CRLF only.
    Crlf,
    /// Lone CR only.
    Cr,
    /// More than one kind.
    Mixed,
    /// The text has no line ending.
    None,
}

/// Counts of line endings by kind. Near memory speed unless the text has carriage returns.
#[derive(Debug, Default)]
pub(super) struct EndingCounts {
    lf: usize,
    crlf: usize,
    cr: usize,
    /// `true` if the last byte was a carriage return: the next byte decides between CR and CRLF.
    pub(super) pending: bool,
}

impl EndingCounts {
    pub(super) fn of(text: &str) -> Self {
        let mut counts = Self::default();
        counts.feed(text.as_bytes());
        counts
    }

    /// Counts the line endings of `bytes`, the next part of a text.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let Some(first) = bytes.first() else { return };
        let mut crlf = 0;
        if std::mem::take(&mut self.pending) {
            if *first == b'\n' { crlf += 1 } else { self.cr += 1 }
        }
        if let Some(first) = memchr(b'\r', bytes) {
            for at in memchr_iter(b'\r', &bytes[first..]) {
                match bytes.get(first + at + 1) {
                    Some(b'\n') => crlf += 1,
                    Some(_) => self.cr += 1,
                    None => self.pending = true,
                }
            }
        }
        self.crlf += crlf;
        self.lf += memchr_iter(b'\n', bytes).count() - crlf;
    }

    /// Returns the number of line endings, without a pending one.
    pub(super) fn completed(&self) -> usize {
        self.lf + self.crlf + self.cr
    }

    /// Returns the number of line endings, if the text ends here.
    pub(super) fn total(&self) -> usize {
        self.completed() + usize::from(self.pending)
    }

    /// Returns the style of the text, if it ends here.
    pub(super) fn style(&self) -> EolStyle {
        match (self.lf, self.crlf, self.cr + usize::from(self.pending)) {
            (0, 0, 0) => EolStyle::None,
            (_, 0, 0) => EolStyle::Lf,
            (0, _, 0) => EolStyle::Crlf,
            (0, 0, _) => EolStyle::Cr,
            _ => EolStyle::Mixed,
        }
    }
}

/// Returns the line ending style of `text`.
pub fn eol_style(text: &str) -> EolStyle {
    EndingCounts::of(text).style()
}

/// The characters that indent lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndentKind {
    /// Tabs, in at least nine of ten indented lines.
    Tabs,
    /// Spaces, in at least nine of ten indented lines.
    Spaces,
    /// Both.
    Mixed,
    /// No line is indented.
    None,
}

/// The indentation style of a whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndentStyle {
    /// Tabs or spaces.
    pub kind: IndentKind,
    /// Columns per level, if most indented lines use spaces and a width can be detected; 2 to 8.
    pub width: Option<u8>,
}

/// Detects the indentation style of `text` from its first 20,000 lines.
pub fn indent_style(text: &str) -> IndentStyle {
    let mut count = Count::default();
    let bytes = text.as_bytes();
    let feed = if memchr(b'\n', bytes).is_some() { b'\n' } else { b'\r' };
    let starts = std::iter::once(0).chain(memchr_iter(feed, bytes).map(|at| at + 1));
    for start in starts.take(SAMPLE) {
        count.line(&bytes[start..]);
    }
    count.style()
}

#[derive(Default)]
struct Count {
    tabs: usize,
    spaces: usize,
    /// Number of lines by the change in columns from the line before.
    steps: [usize; MAX_WIDTH + 1],
    before: usize,
}

impl Count {
    /// Counts a line; `rest` is the text from its start on. A blank line does not count.
    fn line(&mut self, rest: &[u8]) {
        let width = rest.iter().take_while(|&&byte| byte == b' ').count();
        match (width, rest.get(width)) {
            (_, None | Some(b'\n' | b'\r')) => {}
            (_, Some(b'\t')) if is_blank(&rest[width..]) => {}
            (0, Some(b'\t')) => self.tabs += 1,
            (0, Some(_)) => self.before = 0,
            // Spaces before a star belong to a block comment.
            (_, Some(b'*')) => {}
            (_, Some(next)) => self.count_spaces(width, *next),
        }
    }

    fn count_spaces(&mut self, width: usize, next: u8) {
        if next == b'\t' {
            self.tabs += 1;
        } else {
            self.spaces += 1;
        }
        let step = width.abs_diff(self.before);
        if (2..=MAX_WIDTH).contains(&step) {
            self.steps[step] += 1;
        }
        self.before = width;
    }

    fn style(&self) -> IndentStyle {
        let kind = match (self.tabs, self.spaces) {
            (0, 0) => IndentKind::None,
            (tabs, spaces) if tabs >= spaces * 9 => IndentKind::Tabs,
            (tabs, spaces) if spaces >= tabs * 9 => IndentKind::Spaces,
            _ => IndentKind::Mixed,
        };
        let width = if self.spaces > self.tabs { self.width() } else { None };
        IndentStyle { kind, width }
    }

    fn width(&self) -> Option<u8> {
        let highest = self.steps.iter().copied().max().filter(|&highest| highest > 0)?;
        self.steps.iter().position(|&count| count == highest).and_then(|step| u8::try_from(step).ok())
    }
}

/// Returns `true` if the first line of `rest` is blank.
fn is_blank(rest: &[u8]) -> bool {
    let first = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    matches!(first, None | Some(b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", EolStyle::None)]
    #[case("a", EolStyle::None)]
    #[case("a\nb\n", EolStyle::Lf)]
    #[case("a\r\nb\r\n", EolStyle::Crlf)]
    #[case("a\rb", EolStyle::Cr)]
    #[case("a\nb\r\n", EolStyle::Mixed)]
    #[case("a\r\nb\n", EolStyle::Mixed)]
    #[case("a\rb\n", EolStyle::Mixed)]
    #[case("a\r\r\n", EolStyle::Mixed)]
    fn a_text_has_one_style_of_line_ends_or_is_mixed(#[case] text: &str, #[case] expected: EolStyle) {
        assert_eq!(eol_style(text), expected);
    }

    #[rstest]
    #[case("a\nb\n", IndentKind::None, None)]
    #[case("a\n\tb\n\t\tc\n", IndentKind::Tabs, None)]
    #[case("a\n  b\n    c\n", IndentKind::Spaces, Some(2))]
    #[case("a\n    b\n        c\n    d\n", IndentKind::Spaces, Some(4))]
    #[case("a\r\n    b\r\n", IndentKind::Spaces, Some(4))]
    #[case("a\r    b\r", IndentKind::Spaces, Some(4))]
    #[case("a\n\tb\n  c\n", IndentKind::Mixed, None)]
    #[case("/*\n * a\n */\n\tb\n", IndentKind::Tabs, None)]
    #[case("   \n\t\n\n", IndentKind::None, None)]
    #[case("a\n    b\n        c\n    d\n\te\n", IndentKind::Mixed, Some(4))]
    fn indentation_is_detected_from_the_steps(
        #[case] text: &str,
        #[case] kind: IndentKind,
        #[case] width: Option<u8>,
    ) {
        assert_eq!(indent_style(text), IndentStyle { kind, width });
    }
}
