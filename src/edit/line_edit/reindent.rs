//! Indentation of lines that are moved to another place.

use crate::indent::opens_block;
use crate::whole_lines::{closes_block, split_indent};
use crate::{LinePlace, LineRange};
use editd_text::{IndentKind, IndentStyle, indent_style, lines};

/// Number of columns of a level where a text does not show it.
const WIDTH: usize = 4;

/// Text of a file that moves to another place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedText {
    /// The text, with the indentation of its first line, even if other text was before it in that line.
    pub text: String,
    /// Lines of the text, from 1, that keep their indentation because they begin inside a string.
    pub kept: Vec<LineRange>,
    /// Facts about a whole declaration; `None` for lines.
    pub symbol: Option<MovedSymbol>,
}

/// Facts about a declaration that moves to another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedSymbol {
    /// Style of the indentation of the file that it comes from.
    pub style: IndentStyle,
    /// `true` if it is set apart from values, such as a function.
    pub is_apart: bool,
    /// Offset at which a comma belongs if it is an item of a list; the text has none there.
    pub comma: Option<usize>,
}

impl MovedText {
    /// Creates a text of which all lines may be indented.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), kept: Vec::new(), symbol: None }
    }

    /// Returns the text as an item of a list that another one follows: with a comma.
    pub fn with_comma(&self) -> String {
        let mut text = self.text.clone();
        if let Some(at) = self.symbol.and_then(|symbol| symbol.comma) {
            text.insert(at, ',');
        }
        text
    }

    /// Returns the text with the indentation of its new place in `base`: that of the line before it, one level more
    /// after a line that opens a block. `leaves` are the lines of `base` that the text leaves, which say nothing about
    /// the place.
    pub fn indented_at(&self, base: &str, place: LinePlace, leaves: Option<LineRange>) -> String {
        let style = indent_style(base);
        self.indented(&indentation_at(base, place, leaves, style), style)
    }

    /// Returns the text with its first line indented as `to`. The other lines keep their indentation relative to the
    /// first one, in levels of `style`.
    pub fn indented(&self, to: &str, style: IndentStyle) -> String {
        let moved = self.text.as_str();
        let first = lines(moved).map(|line| line.content).find(|line| !line.trim().is_empty());
        let from = first.map_or("", |line| split_indent(line).0);
        let from_style = self.symbol.map_or_else(|| indent_style(moved), |symbol| symbol.style);
        let mut result = String::with_capacity(moved.len());
        for (number, line) in (1..).zip(lines(moved)) {
            let is_kept = self.kept.iter().any(|kept| (kept.start..=kept.end).contains(&number));
            let rest = line.content.strip_prefix(from).filter(|rest| !is_kept && !rest.trim().is_empty());
            match rest {
                Some(rest) => {
                    let (deeper, rest) = split_indent(rest);
                    result.extend([to, &converted(deeper, from_style, style), rest]);
                }
                // A blank line, one in a string, or one that is less indented than the first.
                None => result.push_str(line.content),
            }
            result.push_str(line.ending.as_str());
        }
        result
    }
}

fn indentation_at(base: &str, place: LinePlace, leaves: Option<LineRange>, style: IndentStyle) -> String {
    let head = match place {
        LinePlace::After(line) => line,
        LinePlace::Before(line) => line - 1,
        LinePlace::Lines(lines) => lines.start - 1,
        LinePlace::End => usize::MAX,
    };
    let stays = |line: &usize| leaves.is_none_or(|leaves| *line < leaves.start || leaves.end < *line);
    let contents: Vec<(usize, &str)> =
        (1..).zip(lines(base).map(|line| line.content)).filter(|(line, _)| stays(line)).collect();
    let (before, after) = contents.split_at(contents.partition_point(|(line, _)| *line <= head));
    let code = |(_, line): &'_ (usize, &'_ str)| -> bool { !line.trim().is_empty() };
    let before = before.iter().rev().find(|line| code(line)).map(|(_, line)| line);
    let next = after.iter().find(|line| code(line)).map(|(_, line)| line);
    let indent_of = |line: Option<&&str>| line.map_or("", |line| split_indent(line).0).to_owned();
    match (before, next) {
        (Some(before), _) if opens_block(before) => {
            let (outer, inner) = (indent_of(Some(before)), indent_of(next));
            if inner.len() > outer.len() { inner } else { outer + &level(style) }
        }
        (_, Some(next)) if matches!(place, LinePlace::Before(_)) && !closes_block(next) => {
            indent_of(Some(next))
        }
        (None, next) => indent_of(next),
        (before, _) => indent_of(before),
    }
}

/// Returns the indentation of one level.
pub(super) fn level(style: IndentStyle) -> String {
    match style.kind {
        IndentKind::Tabs => "\t".to_owned(),
        _ => " ".repeat(style.width.map_or(WIDTH, usize::from)),
    }
}

/// Converts an indentation between tabs and spaces, if the two texts differ in that.
pub(super) fn converted(indent: &str, from: IndentStyle, to: IndentStyle) -> String {
    let width = |style: IndentStyle| style.width.map_or(WIDTH, usize::from);
    match (from.kind, to.kind) {
        (IndentKind::Tabs, IndentKind::Spaces) => indent.replace('\t', &" ".repeat(width(to))),
        (IndentKind::Spaces, IndentKind::Tabs) if indent.chars().all(|sign| sign == ' ') => {
            "\t".repeat(indent.len() / width(from)) + &" ".repeat(indent.len() % width(from))
        }
        _ => indent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reindented(moved: &str, base: &str, place: LinePlace) -> String {
        MovedText::new(moved).indented_at(base, place, None)
    }

    #[test]
    fn lines_in_strings_keep_their_indentation() {
        let text = "    x = \"\"\"a\n    b\n  c\"\"\"\n    y = 1\n".to_owned();
        let moved = MovedText { kept: vec![LineRange { start: 2, end: 3 }], ..MovedText::new(text) };
        let style = indent_style("def f():\n    pass\n");
        assert_eq!(moved.indented("", style), "x = \"\"\"a\n    b\n  c\"\"\"\ny = 1\n");
    }

    #[test]
    fn moved_lines_take_the_indentation_of_their_place() {
        let base = "class A:\n    def f(self):\n        return 1\n\nx = 2\n";
        let moved = "def g():\n    return 3\n";
        assert_eq!(reindented(moved, base, LinePlace::After(1)), "    def g():\n        return 3\n");
        assert_eq!(reindented(moved, base, LinePlace::After(3)), "        def g():\n            return 3\n");
        assert_eq!(reindented(moved, base, LinePlace::Before(5)), moved);
        assert_eq!(reindented(moved, base, LinePlace::After(0)), moved);
        // Lines that are indented in place take the depth of those around them, not their own.
        let shallow = "def f():\n    a()\nif b:\n    c()\n    d()\n";
        let own = MovedText::new("if b:\n    c()\n");
        let leaves = Some(LineRange { start: 3, end: 4 });
        for place in [LinePlace::After(4), LinePlace::Before(3)] {
            assert_eq!(own.indented_at(shallow, place, leaves), "    if b:\n        c()\n");
        }
        let deep = "        a\n\n            b\n    c\n";
        assert_eq!(reindented(deep, base, LinePlace::After(5)), "a\n\n    b\n    c\n");
    }

    #[test]
    fn tabs_and_spaces_are_converted() {
        let tabs = "func f() {\n\ta()\n}\n";
        assert_eq!(reindented("if x {\n  b()\n}\n", tabs, LinePlace::After(1)), "\tif x {\n\t\tb()\n\t}\n");
        let spaces = "fn f() {\n  a()\n}\n";
        assert_eq!(reindented("if x {\n\tb()\n}\n", spaces, LinePlace::After(2)), "  if x {\n    b()\n  }\n");
        assert_eq!(reindented("b()\n", "fn f() {\n}\n", LinePlace::After(1)), "    b()\n");
    }
}
