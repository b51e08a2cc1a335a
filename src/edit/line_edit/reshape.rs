//! Indenting and wrapping of lines.

use serde::{Deserialize, Serialize};

use crate::indent::opens_block;
use crate::line_edit::reindent::{converted, level};
use crate::whole_lines::split_indent;
use crate::{LineRange, LineRefusal, Splice, snippet};
use editd_text::{self as text, IndentKind, IndentStyle, Line, LineEnding, indent_style};

/// Number of lines around the excerpt of a refusal.
const CONTEXT: usize = 1;

/// A change of whole lines that repeats none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reshape {
    /// Indents the lines by this many levels of the file; to the left if negative. Not 0.
    Indent(i32),
    /// Changes the number of columns of a level, of lines that are indented by spaces.
    Width {
        /// Number of columns now; not 0.
        from: usize,
        /// Number of columns after the change.
        to: usize,
    },
    /// Puts new lines around the lines, which become one level deeper.
    Wrap {
        /// Lines before them, such as `try:`.
        before: String,
        /// Lines after them; may be empty.
        after: String,
    },
}

/// The effect of a [`Reshape`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reshaped {
    /// Changes of the text, sorted and disjoint.
    pub splices: Vec<Splice>,
    /// The lines without the blank ones at both ends.
    pub lines: LineRange,
    /// Lines that stay because they are inside a string.
    pub kept: Vec<LineRange>,
}

/// Lines of a text that begin inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StringLines {
    /// The lines.
    pub lines: LineRange,
    /// `true` for a docstring, whose indentation is not content.
    pub is_documentation: bool,
}

/// Reshapes lines of a text. `strings` are sorted: the indentation of their lines is content, so these stay, except in
/// docstrings. Blank lines stay, too.
///
/// Lines to wrap must be complete statements as far as their indentation shows it: none is less indented than the
/// first one, and the line behind them neither is deeper nor continues them, as `else` does. The new lines get the
/// indentation of the first line, and those between are one level deeper than the last new line before them.
///
/// ```
/// use editd_edit::{LineRange, Plan, Reshape, reshape};
///
/// let text = "def f():\n    a()\n    b()\n";
/// let wrap = Reshape::Wrap { before: "try:".to_owned(), after: "finally:\n    c()".to_owned() };
/// let reshaped = reshape(text, LineRange { start: 2, end: 2 }, &wrap, &[]).unwrap();
/// let plan = Plan::new(text.len(), reshaped.splices).unwrap();
/// assert_eq!(
///     plan.apply(text),
///     "def f():\n    try:\n        a()\n    finally:\n        c()\n    b()\n"
/// );
/// ```
pub fn reshape(
    text: &str,
    range: LineRange,
    how: &Reshape,
    strings: &[StringLines],
) -> Result<Reshaped, LineRefusal> {
    let known = Known { lines: text::lines(text).collect(), strings };
    let total = known.lines.len();
    if range.end > total {
        return Err(LineRefusal::NoSuchLine { line: range.end, total });
    }
    let refused = |(line, problem): (usize, ReshapeProblem)| LineRefusal::NotReshaped {
        line,
        excerpt: snippet(text, line, line, CONTEXT),
        problem,
    };
    let lines =
        known.without_blank_ends(range).ok_or_else(|| refused((range.start, ReshapeProblem::Blank)))?;
    let style = indent_style(text);
    let (splices, kept) = match how {
        Reshape::Indent(levels) => known.indented(lines, *levels, &level(style)).map_err(refused)?,
        Reshape::Width { from, to } => {
            known.changed(lines, |old| Ok(with_width(old, *from, *to))).map_err(refused)?
        }
        Reshape::Wrap { before, after } => {
            let new = Placed::new(before, after, style);
            known.check_whole(lines, new.needs_code()).map_err(refused)?;
            let levels = i32::try_from(new.levels).unwrap_or(i32::MAX);
            let (mut splices, kept) = known.indented(lines, levels, &level(style)).map_err(refused)?;
            known.surround(lines, &new, &mut splices);
            (splices, kept)
        }
    };
    if splices.is_empty() && !kept.is_empty() {
        return Err(refused((lines.start, ReshapeProblem::InString)));
    }
    Ok(Reshaped { splices, lines, kept })
}

/// The result for lines: their splices, and the lines that stay. The problem of a line is that with its number.
type Changed = Result<(Vec<Splice>, Vec<LineRange>), (usize, ReshapeProblem)>;

/// The lines of a text, with those that begin inside a string.
struct Known<'a> {
    lines: Vec<Line<'a>>,
    strings: &'a [StringLines],
}

impl<'a> Known<'a> {
    /// Returns a line, counted from 1.
    fn get(&self, number: usize) -> &Line<'a> {
        &self.lines[number - 1]
    }

    fn string_of(&self, number: usize) -> Option<&StringLines> {
        let behind = self.strings.partition_point(|string| string.lines.start <= number);
        behind.checked_sub(1).map(|last| &self.strings[last]).filter(|string| number <= string.lines.end)
    }

    fn is_in_string(&self, number: usize) -> bool {
        self.string_of(number).is_some()
    }

    fn is_blank(&self, number: usize) -> bool {
        self.get(number).content.trim().is_empty() && !self.is_in_string(number)
    }

    fn is_code(&self, number: usize) -> bool {
        !self.is_blank(number) && (self.is_in_string(number) || !is_comment(self.get(number).content))
    }

    fn without_blank_ends(&self, LineRange { start, end }: LineRange) -> Option<LineRange> {
        let mut solid = (start..=end).filter(|number| !self.is_blank(*number));
        let start = solid.next()?;
        Some(LineRange { start, end: solid.next_back().unwrap_or(start) })
    }

    /// Changes the indentation of lines by levels.
    fn indented(&self, lines: LineRange, levels: i32, unit: &str) -> Changed {
        self.changed(lines, |old| {
            let by = levels.unsigned_abs();
            if levels > 0 {
                // A line with tabs in a file with spaces gets more tabs.
                let unit = if old.starts_with('\t') { "\t" } else { unit };
                return Ok(unit.repeat(by as usize) + old);
            }
            outdented(old, by, unit).map(str::to_owned).ok_or(ReshapeProblem::NotIndented)
        })
    }

    /// Changes the indentation of lines, except of those that are blank or whose indentation is content of a string.
    fn changed(&self, lines: LineRange, new: impl Fn(&str) -> Result<String, ReshapeProblem>) -> Changed {
        // Ranges of lines in strings, with `true` if one of the lines would have changed: others need no note.
        let (mut splices, mut kept): (Vec<Splice>, Vec<(LineRange, bool)>) = (Vec::new(), Vec::new());
        for number in lines.start..=lines.end {
            let Line { start, content, .. } = self.get(number);
            let string = self.string_of(number);
            if string.is_some_and(|string| !string.is_documentation) {
                let old = split_indent(content).0;
                let changes = !content.trim().is_empty() && !new(old).is_ok_and(|new| new == old);
                match kept.last_mut().filter(|(last, _)| last.end + 1 == number) {
                    Some((last, any)) => (last.end, *any) = (number, *any || changes),
                    None => kept.push((LineRange { start: number, end: number }, changes)),
                }
            } else if !content.trim().is_empty() {
                let old = split_indent(content).0;
                let new = match new(old) {
                    Ok(new) => new,
                    // A line of a docstring may be less indented than the code.
                    Err(_) if string.is_some() => continue,
                    Err(problem) => return Err((number, problem)),
                };
                if new != old {
                    splices.push(Splice { range: *start..start + old.len(), text: new });
                }
            }
        }
        let kept = kept.into_iter().filter(|(_, changes)| *changes).map(|(lines, _)| lines);
        Ok((splices, kept.collect()))
    }

    /// Adds the new lines of a wrap to the splices that indent the lines between.
    fn surround(&self, lines: LineRange, new: &Placed, splices: &mut Vec<Splice>) {
        let (first, last) = (self.get(lines.start), self.get(lines.end));
        let endings = [first.ending, self.get(1).ending];
        let ending =
            endings.into_iter().find(|ending| *ending != LineEnding::None).unwrap_or(LineEnding::Lf).as_str();
        let indentation = split_indent(first.content).0;
        let joined = |new: &[String]| -> String {
            let placed = |line: &String| {
                if line.is_empty() { ending.to_owned() } else { [indentation, line, ending].concat() }
            };
            new.iter().map(placed).collect()
        };
        // The first line is indented at the place where the lines before it are inserted.
        match splices.first_mut().filter(|splice| splice.range.start == first.start) {
            Some(splice) => splice.text.insert_str(0, &joined(&new.before)),
            None => splices.insert(0, Splice { range: first.start..first.start, text: joined(&new.before) }),
        }
        let mut tail = joined(&new.after);
        if last.ending == LineEnding::None && !tail.is_empty() {
            tail.truncate(tail.len() - ending.len());
            tail.insert_str(0, ending);
        }
        if !tail.is_empty() {
            splices.push(Splice { range: last.end()..last.end(), text: tail });
        }
    }

    /// Refuses lines that are not whole statements, and comments alone where there must be code.
    fn check_whole(&self, lines: LineRange, needs_code: bool) -> Result<(), (usize, ReshapeProblem)> {
        let all = || lines.start..=lines.end;
        let (first, last) = (self.get(lines.start).content, self.get(lines.end).content);
        if needs_code && !all().any(|number| self.is_code(number)) {
            return Err((lines.start, ReshapeProblem::Blank));
        }
        if self.is_in_string(lines.start) {
            return Err((lines.start, ReshapeProblem::InString));
        }
        if is_closer(first) || continues(first) || is_label(first) {
            return Err((lines.start, ReshapeProblem::Continues));
        }
        let depth = split_indent(first).0;
        let leaves = |number: &usize| {
            let content = self.get(*number).content;
            let is_outside = self.is_in_string(*number) || content.trim().is_empty();
            !is_outside && !split_indent(content).0.starts_with(depth)
        };
        if let Some(number) = all().find(leaves) {
            return Err((number, ReshapeProblem::LeavesBlock));
        }
        let Some(next) = (lines.end + 1..=self.lines.len()).find(|number| self.is_code(*number)) else {
            return Ok(());
        };
        let content = self.get(next).content;
        let indentation = split_indent(content).0;
        let is_deeper = indentation.starts_with(depth) && indentation.len() > depth.len();
        // A block that begins among the lines is open if it is closed or continued behind them, at their depth.
        let is_open = is_closer(content) && (opens_block(last) || split_indent(last).0.len() > depth.len());
        let is_cut = indentation == depth && (is_open || continues(content));
        let is_part = self.is_in_string(next) || is_deeper || is_cut;
        if is_part { Err((next, ReshapeProblem::CutsBlock)) } else { Ok(()) }
    }
}

/// The reason why lines cannot be reshaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReshapeProblem {
    /// No line has code.
    Blank,
    /// The line has fewer levels of indentation than are to be removed.
    NotIndented,
    /// The first line continues a statement, closes a block, or is the label of a case.
    Continues,
    /// The line does not belong to the block in which the first line is.
    LeavesBlock,
    /// The line is behind the others, and belongs to a statement or a block that begins among them.
    CutsBlock,
    /// The line is inside a string.
    InString,
}

/// Returns `true` if a line begins with a bracket or a word that closes a block.
fn is_closer(content: &str) -> bool {
    content.trim_start().starts_with(['}', ')', ']'])
        || matches!(first_word(content), "end" | "fi" | "done" | "esac")
}

/// Returns `true` if a line continues the statement before it.
fn continues(content: &str) -> bool {
    const WORDS: [&str; 10] =
        ["else", "elif", "elsif", "elseif", "except", "catch", "finally", "rescue", "ensure", "then"];
    let line = content.trim();
    let is_call = line.starts_with('.') && line.split('{').next().is_some_and(|head| head.contains('('));
    let is_operator = ["?", ":", "&&", "||", "|>"].iter().any(|sign| line.starts_with(sign));
    WORDS.contains(&first_word(line)) || is_call || is_operator || line == "do" || line == "{"
}

/// Returns `true` if a line is a label of a list of cases.
fn is_label(content: &str) -> bool {
    let line = content.trim_end();
    matches!(first_word(line), "case" | "default") && line.ends_with([':', '{'])
}

/// Returns the word at the beginning of a line; empty if something is assigned to it, or it is called.
fn first_word(content: &str) -> &str {
    let line = content.trim_start();
    let end = line.find(|sign: char| !(sign.is_alphanumeric() || sign == '_')).unwrap_or(line.len());
    let rest = line[end..].trim_start();
    let is_name = rest.starts_with(['.', ',']) || rest.starts_with('=') && !rest.starts_with("=>");
    if is_name { "" } else { &line[..end] }
}

/// Returns `true` for a line that is only a comment.
fn is_comment(content: &str) -> bool {
    let line = content.trim_start();
    let is_number_sign = line.starts_with('#') && !line.starts_with("#[") && !line.starts_with("#!");
    is_number_sign || ["//", "/*", "--", "<!--"].iter().any(|mark| line.starts_with(mark))
}

/// Returns an indentation without levels, or `None` if it has fewer.
fn outdented<'o>(old: &'o str, levels: u32, unit: &str) -> Option<&'o str> {
    let spaces = if unit == "\t" { "    " } else { unit };
    (0..levels).try_fold(old, |rest, _| rest.strip_prefix('\t').or_else(|| rest.strip_prefix(spaces)))
}

/// Returns an indentation with levels of `to` instead of `from` columns. Spaces that are no whole level stay.
fn with_width(old: &str, from: usize, to: usize) -> String {
    let spaces = old.len() - old.trim_start_matches(' ').len();
    let (levels, rest) = (spaces / from, spaces % from);
    " ".repeat(levels * to + rest) + &old[spaces..]
}

/// The new lines of a wrap, without line endings and without the indentation of their place.
struct Placed {
    before: Vec<String>,
    after: Vec<String>,
    /// Number of levels by which the lines between are deeper than their place.
    levels: usize,
}

impl Placed {
    /// Converts new lines to the style of a text. They lose the indentation of the first one.
    fn new(before: &str, after: &str, style: IndentStyle) -> Self {
        let all = [before, after].join("\n");
        let of_new = indent_style(&all);
        let first = text::lines(&all).map(|line| line.content).find(|line| !line.trim().is_empty());
        let own = first.map_or("", |line| split_indent(line).0);
        let convert = |line: Line<'_>| {
            let (indentation, rest) = split_indent(line.content);
            if rest.is_empty() {
                return String::new();
            }
            let deeper = indentation.strip_prefix(own).unwrap_or_default();
            let deeper = match (of_new, style) {
                (
                    IndentStyle { kind: IndentKind::Spaces, width: Some(from) },
                    IndentStyle { kind: IndentKind::Spaces, width: Some(to) },
                ) => with_width(deeper, from.into(), to.into()),
                _ => converted(deeper, of_new, style),
            };
            deeper + rest
        };
        let [before, after] = [before, after].map(|new| text::lines(new).map(convert).collect::<Vec<_>>());
        // The lines between are in the innermost block that the new lines open.
        let last = before.iter().rev().find(|line| !line.is_empty());
        let deeper = last.map_or(0, |line| split_indent(line).0.len() / level(style).len());
        let opens = deeper == 0 || last.is_some_and(|line| opens_block(line));
        Self { before, after, levels: deeper + usize::from(opens) }
    }

    /// Returns `true` if the lines between must not be comments only, as in Python.
    fn needs_code(&self) -> bool {
        self.before.last().is_some_and(|line| line.ends_with(':'))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::Plan;

    fn lines_at(start: usize, end: usize) -> LineRange {
        LineRange { start, end }
    }

    fn string_at(start: usize, end: usize) -> StringLines {
        StringLines { lines: lines_at(start, end), is_documentation: false }
    }

    #[test]
    fn docstrings_move_along_and_are_not_cut() {
        let text = "def f():\n    '''a\n    b\nc'''\n    d\n";
        let docstring = [StringLines { is_documentation: true, ..string_at(3, 4) }];
        assert_eq!(
            applied(text, (1, 5), &Reshape::Indent(1), &docstring),
            "    def f():\n        '''a\n        b\n    c'''\n        d\n"
        );
        assert_eq!(
            applied(text, (2, 5), &Reshape::Indent(-1), &docstring),
            "def f():\n'''a\nb\nc'''\nd\n",
            "a line that is less indented stays"
        );
        let cut = reshape(text, lines_at(3, 5), &wrap("if x:", ""), &docstring);
        assert!(
            matches!(cut, Err(LineRefusal::NotReshaped { problem: ReshapeProblem::InString, .. })),
            "{cut:?}"
        );
    }

    fn wrap(before: &str, after: &str) -> Reshape {
        Reshape::Wrap { before: before.to_owned(), after: after.to_owned() }
    }

    fn applied(text: &str, range: (usize, usize), how: &Reshape, strings: &[StringLines]) -> String {
        let reshaped = reshape(text, lines_at(range.0, range.1), how, strings).expect("a change");
        Plan::new(text.len(), reshaped.splices).expect("disjoint splices").apply(text)
    }

    #[rstest]
    #[case::one_level("if a:\n    b\n\n    c\n", (2, 4), Reshape::Indent(1), "if a:\n        b\n\n        c\n")]
    #[case::left("if a:\n    if b:\n        c\n        d\n", (3, 4), Reshape::Indent(-1), "if a:\n    if b:\n    c\n    d\n")]
    #[case::two_levels("a\n  b\n", (1, 2), Reshape::Indent(2), "    a\n      b\n")]
    #[case::tabs("a\n\tb\n\tc\n", (2, 3), Reshape::Indent(1), "a\n\t\tb\n\t\tc\n")]
    #[case::tabs_left("a\n\t\tb\n", (2, 2), Reshape::Indent(-2), "a\nb\n")]
    #[case::crlf("a\r\n  b\r\n", (1, 1), Reshape::Indent(1), "  a\r\n  b\r\n")]
    #[case::mixed_endings("  a\r\n  b\n  c\r\n", (1, 3), Reshape::Indent(1), "    a\r\n    b\n    c\r\n")]
    #[case::no_final_ending("a\n  b", (2, 2), Reshape::Indent(1), "a\n    b")]
    #[case::width("a\n  b\n    c\n   d\n", (1, 4), Reshape::Width { from: 2, to: 4 }, "a\n    b\n        c\n     d\n")]
    #[case::narrower("a\n    b\n        c\n\td\n", (1, 4), Reshape::Width { from: 4, to: 2 }, "a\n  b\n    c\n\td\n")]
    fn lines_are_indented(
        #[case] text: &str,
        #[case] range: (usize, usize),
        #[case] how: Reshape,
        #[case] expected: &str,
    ) {
        assert_eq!(applied(text, range, &how, &[]), expected);
    }

    #[rstest]
    #[case::python("def f():\n    a()\n    b()\n", (2, 3), wrap("try:", "finally:\n    c()"),
        "def f():\n    try:\n        a()\n        b()\n    finally:\n        c()\n")]
    #[case::without_after("  a\n  b\n", (2, 2), wrap("if x:\n", ""), "  a\n  if x:\n    b\n")]
    #[case::other_width("f {\n  a\n}\n", (2, 2), wrap("    if (x) {\n        y", "    }"), "f {\n  if (x) {\n    y\n    a\n  }\n}\n")]
    #[case::blank_ends("f {\n\n  a\n\n}\n", (2, 4), wrap("{", "}"), "f {\n\n  {\n    a\n  }\n\n}\n")]
    #[case::crlf("a\r\n  b\r\nc\r\n", (1, 2), wrap("{\n", "}\n"), "{\r\n  a\r\n    b\r\n}\r\nc\r\n")]
    #[case::no_final_ending("a\n  b\nc", (3, 3), wrap("{", "}"), "a\n  b\n{\n  c\n}")]
    #[case::no_final_ending_and_no_after("a\n  b\nc", (3, 3), wrap("d:", ""), "a\n  b\nd:\n  c")]
    #[case::whole_block("f {\n  if a {\n    b\n  }\n}\n", (2, 4), wrap("{", "}"), "f {\n  {\n    if a {\n      b\n    }\n  }\n}\n")]
    #[case::two_blocks("a\n    b\nc\n", (3, 3), wrap("with a:\n    with b:", "d"), "a\n    b\nwith a:\n    with b:\n        c\nd\n")]
    #[case::deeper_after("if a:\n    b\nc\n", (3, 3), wrap("while x:", "    break"), "if a:\n    b\nwhile x:\n    c\n    break\n")]
    #[case::names_like_words("x\n    end = 1\n    else_ = 2\n    fi.x()\n", (2, 4), wrap("if x:", ""), "x\n    if x:\n        end = 1\n        else_ = 2\n        fi.x()\n")]
    #[case::before_a_comment("a\n  b\n  # c\nd\n", (2, 2), wrap("if x:", ""), "a\n  if x:\n    b\n  # c\nd\n")]
    #[case::last_in_braces("f {\n  a\n  }\n", (2, 2), wrap("{", "}"), "f {\n  {\n    a\n  }\n  }\n")]
    fn lines_are_wrapped(
        #[case] text: &str,
        #[case] range: (usize, usize),
        #[case] how: Reshape,
        #[case] expected: &str,
    ) {
        assert_eq!(applied(text, range, &how, &[]), expected);
    }

    #[test]
    fn lines_inside_a_string_stay() {
        let text = "x = f(\n    '''a\n  b\n\n''',\n    2)\ny\n";
        let strings = [string_at(3, 5)];
        let reshaped = reshape(text, lines_at(1, 6), &Reshape::Indent(1), &strings).expect("a change");
        assert_eq!((reshaped.lines, reshaped.kept), (lines_at(1, 6), vec![lines_at(3, 5)]));
        let halved = |text: &str| {
            let how = Reshape::Width { from: 4, to: 2 };
            reshape(text, lines_at(1, 4), &how, &[string_at(2, 2)]).expect("a change").kept
        };
        assert_eq!(halved("x = '''\n    a'''\nif y:\n    b\n"), vec![lines_at(2, 2)]);
        assert_eq!(halved("x = '''\na'''\nif y:\n    b\n"), vec![], "a line that stays anyway needs no note");
        let wrapped = applied(text, (1, 6), &wrap("if z:", ""), &strings);
        assert_eq!(wrapped, "if z:\n    x = f(\n        '''a\n  b\n\n''',\n        2)\ny\n");
    }

    #[rstest]
    #[case::blank("a\n\n\n", (2, 3), Reshape::Indent(1), 2, ReshapeProblem::Blank)]
    #[case::not_indented("  a\nb\n", (1, 2), Reshape::Indent(-1), 2, ReshapeProblem::NotIndented)]
    #[case::one_level_only("    a\n  b\n", (1, 2), Reshape::Indent(-2), 2, ReshapeProblem::NotIndented)]
    #[case::leaves("if a:\n    b\nc\n", (2, 3), wrap("x:", ""), 3, ReshapeProblem::LeavesBlock)]
    #[case::continued("if a:\n    b\nelse:\n    c\n", (1, 2), wrap("if x:", ""), 3, ReshapeProblem::CutsBlock)]
    #[case::continued_in_braces("if (a)\n  b;\nelse\n  c;\n", (1, 2), wrap("{", "}"), 3, ReshapeProblem::CutsBlock)]
    #[case::continued_after_a_comment("try:\n    b\n# c\nexcept E:\n    c\n", (1, 2), wrap("if x:", ""), 4, ReshapeProblem::CutsBlock)]
    #[case::chain("a\n.b()\n.c()\n", (1, 1), wrap("{", "}"), 2, ReshapeProblem::CutsBlock)]
    #[case::begins_with_else("if a:\n    b\nelse:\n    c\n", (3, 4), wrap("if x:", ""), 3, ReshapeProblem::Continues)]
    #[case::begins_with_fi("if a; then\n  b\nfi\n", (3, 3), wrap("{", "}"), 3, ReshapeProblem::Continues)]
    #[case::label("  case 1:\n    b\n", (1, 2), wrap("{", "}"), 1, ReshapeProblem::Continues)]
    #[case::comments("# a\n# b\nc\n", (1, 2), wrap("if x:", ""), 1, ReshapeProblem::Blank)]
    #[case::closes("f {\n  a\n}\n", (2, 3), wrap("{", "}"), 3, ReshapeProblem::LeavesBlock)]
    #[case::begins_with_a_closer("f {\n  a\n}\nb\n", (3, 4), wrap("{", "}"), 3, ReshapeProblem::Continues)]
    #[case::cuts("if a:\n    b\n    c\n", (1, 2), wrap("x:", ""), 3, ReshapeProblem::CutsBlock)]
    #[case::cuts_braces("if a {\n    b\n}\n", (1, 2), wrap("{", "}"), 3, ReshapeProblem::CutsBlock)]
    #[case::cuts_an_empty_block("if a {\n}\n", (1, 1), wrap("{", "}"), 2, ReshapeProblem::CutsBlock)]
    fn lines_are_not_reshaped(
        #[case] text: &str,
        #[case] range: (usize, usize),
        #[case] how: Reshape,
        #[case] at: usize,
        #[case] why: ReshapeProblem,
    ) {
        let refused = reshape(text, lines_at(range.0, range.1), &how, &[]).expect_err("a refusal");
        let LineRefusal::NotReshaped { line, problem, .. } = refused else { panic!("{refused:?}") };
        assert_eq!((line, problem), (at, why));
    }
}
