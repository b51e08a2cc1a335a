//! What a text uses to end and to indent its lines.

use memchr::{memchr, memchr_iter, memchr2_iter};

/// Lines looked at to tell the indentation: more would not change the answer, only its cost.
const SAMPLE: usize = 20_000;
/// Widest step that counts as one level; anything wider is alignment.
const WIDEST: usize = 8;

/// The line ends of a whole text.
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
    /// The text has no line end.
    None,
}

/// The line ends that `text` uses.
pub fn eol_style(text: &str) -> EolStyle {
    let bytes = text.as_bytes();
    let Some(first) = memchr(b'\r', bytes) else {
        return if memchr(b'\n', bytes).is_some() { EolStyle::Lf } else { EolStyle::None };
    };
    if memchr(b'\n', &bytes[..first]).is_some() {
        return EolStyle::Mixed;
    }
    if bytes.get(first + 1) == Some(&b'\n') { only_crlf(bytes) } else { only_cr(bytes) }
}

fn only_crlf(bytes: &[u8]) -> EolStyle {
    let paired = memchr2_iter(b'\n', b'\r', bytes).all(|at| match bytes[at] {
        b'\r' => bytes.get(at + 1) == Some(&b'\n'),
        _ => at > 0 && bytes[at - 1] == b'\r',
    });
    if paired { EolStyle::Crlf } else { EolStyle::Mixed }
}

fn only_cr(bytes: &[u8]) -> EolStyle {
    if memchr(b'\n', bytes).is_none() { EolStyle::Cr } else { EolStyle::Mixed }
}

/// What indents lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IndentKind {
    /// Tabs, on at least nine of ten indented lines.
    Tabs,
    /// Spaces, on at least nine of ten indented lines.
    Spaces,
    /// Both.
    Mixed,
    /// No line is indented.
    None,
}

/// How a whole text indents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndentStyle {
    /// With what.
    pub kind: IndentKind,
    /// Columns of one level, where most indented lines have spaces and a width shows; 2 to 8.
    pub width: Option<u8>,
}

/// How `text` indents, told from its first 20,000 lines.
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
    /// Lines by the step in columns from the line before them.
    steps: [usize; WIDEST + 1],
    before: usize,
}

impl Count {
    /// Of a line, with what follows it. One of nothing but blanks says nothing.
    fn line(&mut self, rest: &[u8]) {
        let width = rest.iter().take_while(|&&byte| byte == b' ').count();
        match (width, rest.get(width)) {
            (_, None | Some(b'\n' | b'\r')) => {}
            (_, Some(b'\t')) if is_blank(&rest[width..]) => {}
            (0, Some(b'\t')) => self.tabs += 1,
            (0, Some(_)) => self.before = 0,
            // One blank before a star is a comment's decoration.
            (_, Some(b'*')) => {}
            (_, Some(next)) => self.spaces_of(width, *next),
        }
    }

    fn spaces_of(&mut self, width: usize, next: u8) {
        if next == b'\t' {
            self.tabs += 1;
        } else {
            self.spaces += 1;
        }
        let step = width.abs_diff(self.before);
        if (2..=WIDEST).contains(&step) {
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
        let most = self.steps.iter().copied().max().filter(|&most| most > 0)?;
        self.steps.iter().position(|&count| count == most).and_then(|step| u8::try_from(step).ok())
    }
}

/// Whether a line, with what follows it, has nothing but blanks.
fn is_blank(rest: &[u8]) -> bool {
    let said = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
    matches!(said, None | Some(b'\n' | b'\r'))
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
    fn indentation_is_told_from_the_steps(
        #[case] text: &str,
        #[case] kind: IndentKind,
        #[case] width: Option<u8>,
    ) {
        assert_eq!(indent_style(text), IndentStyle { kind, width });
    }
}
