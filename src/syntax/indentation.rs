//! The indentation of Python, whose grammar accepts lines that Python refuses.

use super::errors::{SyntaxError, described_line};
use editd_text::{Line, lines};

/// Maximum number of lines that are returned.
const MAX_ERRORS: usize = 10;

/// Columns to which a tab leads, as in Python.
const TAB: usize = 8;

/// Returns the lines of the second text whose indentation Python refuses, and that the first one does not have: a line
/// that is deeper although nothing before it opens a block, a block without lines, or a line at a depth that no line
/// around it has.
pub(super) fn new_errors(before: &str, after: &str) -> Vec<SyntaxError> {
    let found = wrong_lines(after);
    if found.is_empty() {
        return Vec::new();
    }
    let mut known: Vec<&str> = wrong_lines(before).iter().map(|line| line.content.trim()).collect();
    let is_new = |line: &&Line<'_>| match known.iter().position(|known| *known == line.content.trim()) {
        Some(at) => {
            known.swap_remove(at);
            false
        }
        None => true,
    };
    found.iter().filter(is_new).take(MAX_ERRORS).map(|line| described_line(after, line.start)).collect()
}

/// Returns `true` if Python accepts the indentation of all lines.
pub(super) fn is_valid(text: &str) -> bool {
    wrong_lines(text).is_empty()
}

/// Returns the lines whose indentation Python refuses.
fn wrong_lines(text: &str) -> Vec<Line<'_>> {
    let (mut wrong, mut depths, mut scanner) = (Vec::new(), vec![0], Scanner::default());
    // The line that opens the block which the next line begins.
    let mut opener: Option<Line<'_>> = None;
    for line in lines(text) {
        let is_new = scanner.is_between_statements();
        let content =
            if line.start == 0 { line.content.trim_start_matches('\u{feff}') } else { line.content };
        let code = content.trim_start_matches([' ', '\t', '\u{c}']);
        if is_new && !code.is_empty() && !code.starts_with('#') {
            let depth = columns(&content[..content.len() - code.len()]);
            let around = depths.last().copied().unwrap_or(0);
            match opener.take() {
                Some(opener) if depth <= around => wrong.push(opener),
                Some(_) => depths.push(depth),
                None if depth > around => {
                    wrong.push(line);
                    depths.push(depth);
                }
                None => {}
            }
            while depths.last().is_some_and(|last| *last > depth) {
                depths.pop();
            }
            if depths.last() != Some(&depth) {
                wrong.push(line);
                depths.push(depth);
            }
        }
        scanner.scan(content);
        if scanner.is_between_statements() && scanner.last == Some(b':') {
            opener = Some(line);
            scanner.last = None;
        }
    }
    wrong.extend(opener);
    wrong
}

/// Returns the column behind an indentation.
fn columns(indentation: &str) -> usize {
    indentation.bytes().fold(0, |column, byte| match byte {
        b'\t' => (column / TAB + 1) * TAB,
        b'\x0c' => 0,
        _ => column + 1,
    })
}

/// The quotes at the end of a string.
#[derive(Debug, Clone, Copy)]
struct Quotes {
    sign: u8,
    /// 1 or 3.
    count: usize,
}

/// Reads lines as far as it is needed to know where statements begin and end.
#[derive(Default)]
struct Scanner {
    /// Number of open brackets.
    open: usize,
    /// The end of a string that goes on in the next line.
    string: Option<Quotes>,
    /// `true` if the line ends with a backslash.
    is_joined: bool,
    /// Last byte of code.
    last: Option<u8>,
}

impl Scanner {
    fn is_between_statements(&self) -> bool {
        self.open == 0 && self.string.is_none() && !self.is_joined
    }

    fn scan(&mut self, line: &str) {
        let bytes = line.as_bytes();
        self.is_joined = false;
        let mut at = self.string.take().map_or(0, |quotes| self.behind_string(bytes, 0, quotes));
        while at < bytes.len() {
            match bytes[at] {
                b'#' => return,
                b'\\' if at + 1 == bytes.len() => self.is_joined = true,
                sign @ (b'"' | b'\'') => {
                    self.last = Some(sign);
                    let count = if bytes[at..].starts_with(&[sign; 3]) { 3 } else { 1 };
                    at = self.behind_string(bytes, at + count, Quotes { sign, count });
                    continue;
                }
                b'(' | b'[' | b'{' => self.open += 1,
                b')' | b']' | b'}' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
            if !bytes[at].is_ascii_whitespace() {
                self.last = Some(bytes[at]);
            }
            at += 1;
        }
    }

    /// Returns the offset behind a string. One that does not end in this line goes on in the next one if it has three
    /// quotes, or if the line ends with a backslash.
    fn behind_string(&mut self, bytes: &[u8], mut at: usize, quotes: Quotes) -> usize {
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 2,
                sign if sign == quotes.sign && bytes[at..].starts_with(&[sign; 3][..quotes.count]) => {
                    return at + quotes.count;
                }
                _ => at += 1,
            }
        }
        self.string = Some(quotes).filter(|quotes| quotes.count == 3 || at > bytes.len());
        bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::deeper("def f():\n    a()\n        b()\n    c()\n", &[3])]
    #[case::first_line("  a()\nb()\n", &[1])]
    #[case::no_block("if a:\nb()\n", &[1])]
    #[case::only_a_comment("if a:\n    # b\nc()\n", &[1])]
    #[case::no_block_at_the_end("def f():\n    if a:\n", &[2])]
    #[case::no_such_depth("if a:\n        b()\n    c()\n", &[3])]
    #[case::back_in_a_method("class A:\n    def f(self):\n        a()\n      b()\n", &[4])]
    #[case::valid("def f(\n  a,\n      b):\n    '''x:\n  y\n'''\n    if a: b()\n    else:  # c\n        d = [\n1,\n]\n\n    return (a\n+ b)\n", &[])]
    #[case::joined("if a and \\\n        b:\n    c = 'd\\\n  e'\n    f()\n", &[])]
    #[case::behind_a_joined_string("f(\"a \\\n  b\", c)\nd()\n    e()\n", &[4])]
    #[case::tabs("if a:\n\tb()\n        c()\n", &[])]
    #[case::strings("a = 'b:'\nc = \"\"\"d:\"\"\"\ne = '#'\nf = 'it\\'s:'\ng()\n", &[])]
    #[case::slices("a = b[1:\n  2]\nc: int = 1\nd = lambda: 1\n", &[])]
    #[case::mark("\u{feff}a()\nb()\n", &[])]
    #[case::crlf("if a:\r\n    b()\r\nc()\r\n", &[])]
    fn wrong_lines_are_found(#[case] text: &str, #[case] expected: &[usize]) {
        let number = |line: &Line<'_>| lines(&text[..line.start]).count() + 1;
        assert_eq!(wrong_lines(text).iter().map(number).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_new_lines_are_returned() {
        let before = "if a:\n    b()\n        c()\n";
        assert_eq!(new_errors(before, &before.replace("b()", "d()")), []);
        let errors = new_errors(before, &before.replace("    b()", "b()"));
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [1]);
        assert_eq!(errors[0].excerpt, "if a:");
    }
}
