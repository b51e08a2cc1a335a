//! Indenting and wrapping of lines.

use crate::edit::indent::opens_block;
use crate::edit::line_edit::reindent::{converted, level};
use crate::edit::whole_lines::{closes_block, split_indent};
use crate::edit::{LineRange, LineRefusal, Splice, snippet};
use crate::text::{self, IndentKind, IndentStyle, Line, LineEnding, indent_style};

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

/// Reshapes lines of a text. The lines in `strings`, which are sorted, begin inside a string: their indentation is
/// content, so they stay. Blank lines stay, too.
///
/// Lines to wrap must be complete statements as far as their indentation shows it: none is less indented than the
/// first one, and the line behind them is not deeper. The new lines get the indentation of the first line.
///
/// ```
/// use editd::edit::{LineRange, Plan, Reshape, reshape};
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
    strings: &[LineRange],
) -> Result<Reshaped, LineRefusal> {
    let all: Vec<Line<'_>> = text::lines(text).collect();
    let total = all.len();
    if range.end > total {
        return Err(LineRefusal::NoSuchLine { line: range.end, total });
    }
    let line = |number: usize| &all[number - 1];
    let is_fixed = |number: usize| {
        let behind = strings.partition_point(|lines| lines.start <= number);
        behind.checked_sub(1).is_some_and(|last| number <= strings[last].end)
    };
    let is_blank = |number: usize| line(number).content.trim().is_empty() && !is_fixed(number);
    let mut solid = (range.start..=range.end).filter(|number| !is_blank(*number));
    let refused = |number: usize, problem| {
        let excerpt = snippet(text, number, number, CONTEXT);
        LineRefusal::NotReshaped { line: number, excerpt, problem }
    };
    let Some(start) = solid.next() else { return Err(refused(range.start, ReshapeProblem::Blank)) };
    let lines = LineRange { start, end: solid.next_back().unwrap_or(start) };
    if let Reshape::Wrap { .. } = how {
        let next = (lines.end + 1..=total).find(|number| !is_blank(*number));
        check_whole(lines, next, |number| (line(number).content, is_fixed(number)))
            .map_err(|(number, problem)| refused(number, problem))?;
    }
    let unit = level(indent_style(text));
    let mut splices = Vec::new();
    let mut kept: Vec<LineRange> = Vec::new();
    for number in lines.start..=lines.end {
        let &Line { start, content, .. } = line(number);
        if is_fixed(number) {
            match kept.last_mut().filter(|last| last.end + 1 == number) {
                Some(last) => last.end = number,
                None => kept.push(LineRange { start: number, end: number }),
            }
            continue;
        }
        if content.trim().is_empty() {
            continue;
        }
        let old = split_indent(content).0;
        let new = match how {
            Reshape::Indent(levels) if *levels < 0 => outdented(old, levels.unsigned_abs(), &unit)
                .ok_or_else(|| refused(number, ReshapeProblem::NotIndented))?
                .to_owned(),
            Reshape::Indent(levels) => indented(old, levels.unsigned_abs(), &unit),
            Reshape::Width { from, to } => with_width(old, *from, *to),
            Reshape::Wrap { .. } => indented(old, 1, &unit),
        };
        if new != old {
            splices.push(Splice { range: start..start + old.len(), text: new });
        }
    }
    if let Reshape::Wrap { before, after } = how {
        let (first, last) = (line(lines.start), line(lines.end));
        let indentation = split_indent(first.content).0;
        let ending = [first.ending, all[0].ending];
        let ending = ending.into_iter().find(|ending| *ending != LineEnding::None).unwrap_or(LineEnding::Lf);
        let placed = |new: &str| placed(new, text, (indentation, ending.as_str()));
        let head = Splice { range: first.start..first.start, text: placed(before) };
        let tail = match last.ending {
            LineEnding::None => {
                let new = placed(after);
                let new = new.strip_suffix(ending.as_str()).map(|new| [ending.as_str(), new].concat());
                Splice { range: text.len()..text.len(), text: new.unwrap_or_default() }
            }
            _ => Splice { range: last.end()..last.end(), text: placed(after) },
        };
        // The first line is indented at the place where the lines before it are inserted.
        match splices.first_mut().filter(|splice| splice.range.start == first.start) {
            Some(splice) => splice.text.insert_str(0, &head.text),
            None => splices.insert(0, head),
        }
        splices.push(tail);
    }
    splices.retain(|splice| !(splice.range.is_empty() && splice.text.is_empty()));
    Ok(Reshaped { splices, lines, kept })
}

/// The reason why lines cannot be reshaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReshapeProblem {
    /// All lines are blank.
    Blank,
    /// The line has fewer levels of indentation than are to be removed.
    NotIndented,
    /// The line does not belong to the block in which the first line is.
    LeavesBlock,
    /// The line is behind the others, and belongs to a block that begins among them.
    CutsBlock,
    /// The first line is inside a string.
    InString,
}

/// Refuses lines that are not whole statements. `line` returns the content of a line, and `true` if it begins inside
/// a string.
fn check_whole<'t>(
    lines: LineRange,
    next: Option<usize>,
    line: impl Fn(usize) -> (&'t str, bool),
) -> Result<(), (usize, ReshapeProblem)> {
    let (first, in_string) = line(lines.start);
    if in_string {
        return Err((lines.start, ReshapeProblem::InString));
    }
    let depth = split_indent(first).0;
    if closes_block(first) {
        return Err((lines.start, ReshapeProblem::LeavesBlock));
    }
    let is_less = |content: &str| !content.trim().is_empty() && !split_indent(content).0.starts_with(depth);
    let leaves = (lines.start..=lines.end)
        .find(|number| matches!(line(*number), (content, false) if is_less(content)));
    if let Some(number) = leaves {
        return Err((number, ReshapeProblem::LeavesBlock));
    }
    let Some(next) = next else { return Ok(()) };
    let (content, in_string) = line(next);
    let indentation = split_indent(content).0;
    let is_deeper = indentation.starts_with(depth) && indentation.len() > depth.len();
    // A block that begins among the lines is open if it is closed behind them, at their depth.
    let last = line(lines.end).0;
    let is_open = indentation == depth
        && closes_block(content)
        && (opens_block(last) || split_indent(last).0.len() > depth.len());
    if in_string || is_deeper || is_open { Err((next, ReshapeProblem::CutsBlock)) } else { Ok(()) }
}

fn indented(old: &str, levels: u32, unit: &str) -> String {
    // A line with tabs in a file with spaces gets one more tab.
    let unit = if old.starts_with('\t') { "\t" } else { unit };
    unit.repeat(levels as usize) + old
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

/// Returns new lines at an indentation, each with this line ending.
fn placed(new: &str, base: &str, (indentation, ending): (&str, &str)) -> String {
    let (style, of_new) = (indent_style(base), indent_style(new));
    let first = text::lines(new).map(|line| line.content).find(|line| !line.trim().is_empty());
    let own = first.map_or("", |line| split_indent(line).0);
    let mut result = String::new();
    for line in text::lines(new) {
        if !line.content.trim().is_empty() {
            let (deeper, rest) = split_indent(line.content.strip_prefix(own).unwrap_or(line.content));
            let deeper = match (of_new, style) {
                (
                    IndentStyle { kind: IndentKind::Spaces, width: Some(from) },
                    IndentStyle { kind: IndentKind::Spaces, width: Some(to) },
                ) => with_width(deeper, from.into(), to.into()),
                _ => converted(deeper, of_new, style),
            };
            result.extend([indentation, &deeper, rest]);
        }
        result.push_str(ending);
    }
    result
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::edit::Plan;

    fn lines_at(start: usize, end: usize) -> LineRange {
        LineRange { start, end }
    }

    fn wrap(before: &str, after: &str) -> Reshape {
        Reshape::Wrap { before: before.to_owned(), after: after.to_owned() }
    }

    fn applied(text: &str, range: (usize, usize), how: &Reshape, strings: &[LineRange]) -> String {
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
        let strings = [lines_at(3, 5)];
        let reshaped = reshape(text, lines_at(1, 6), &Reshape::Indent(1), &strings).expect("a change");
        assert_eq!((reshaped.lines, reshaped.kept), (lines_at(1, 6), vec![lines_at(3, 5)]));
        let wrapped = applied(text, (1, 6), &wrap("if z:", ""), &strings);
        assert_eq!(wrapped, "if z:\n    x = f(\n        '''a\n  b\n\n''',\n        2)\ny\n");
    }

    #[rstest]
    #[case::blank("a\n\n\n", (2, 3), Reshape::Indent(1), 2, ReshapeProblem::Blank)]
    #[case::not_indented("  a\nb\n", (1, 2), Reshape::Indent(-1), 2, ReshapeProblem::NotIndented)]
    #[case::one_level_only("    a\n  b\n", (1, 2), Reshape::Indent(-2), 2, ReshapeProblem::NotIndented)]
    #[case::leaves("if a:\n    b\nc\n", (2, 3), wrap("x:", ""), 3, ReshapeProblem::LeavesBlock)]
    #[case::closes("f {\n  a\n}\n", (2, 3), wrap("{", "}"), 3, ReshapeProblem::LeavesBlock)]
    #[case::begins_with_a_closer("f {\n  a\n}\nb\n", (3, 4), wrap("{", "}"), 3, ReshapeProblem::LeavesBlock)]
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
