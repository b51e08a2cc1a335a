//! Lines inside strings, whose indentation is content.

use tree_sitter::{Node, Tree};

use super::Language;
use super::lines::Lines;
use super::parse::{Budget, MAX_TIME, NoSyntax, next_beside, parse};
use editd_edit::{Deadline, LineRange, StringLines};

/// Parts of the kinds of nodes that are strings.
const STRINGS: [&str; 3] = ["string", "heredoc", "template_literal"];

/// Kinds of nodes that consist of several strings, or whose indentation is not a part of a string.
const OTHERS: [&str; 5] =
    ["concatenated_string", "string_concatenation", "chained_string", "string_array", "string_scalar"];

/// Number of nodes between two checks of the time.
const STRIDE: usize = 1 << 12;

/// Returns the lines, from 1, that begin inside a string. Strings of Python that are statements are documentation.
///
/// ```
/// use editd_edit::{Deadline, LineRange, StringLines};
/// use editd_syntax::{Language, string_lines};
///
/// let text = "x = '''a\n  b\n'''\ny = ('c'\n     'd')\n";
/// let found = string_lines(text, Language::Python, Deadline::NONE);
/// let lines = LineRange { start: 2, end: 3 };
/// assert_eq!(found, Ok(vec![StringLines { lines, is_documentation: false }]));
/// ```
pub fn string_lines(
    text: &str,
    language: Language,
    deadline: Deadline,
) -> Result<Vec<StringLines>, NoSyntax> {
    let budget = Budget::new(MAX_TIME, deadline);
    string_lines_in(text, &parse(text, language, budget)?, budget)
}

/// Returns the lines that begin inside a string of a text with this tree.
pub(super) fn string_lines_in(text: &str, tree: &Tree, budget: Budget) -> Result<Vec<StringLines>, NoSyntax> {
    let lines = Lines::new(text);
    let mut found = Vec::new();
    let (mut cursor, mut visited) = (tree.walk(), 0_usize);
    loop {
        visited += 1;
        if visited.is_multiple_of(STRIDE) {
            budget.check()?;
        }
        let node = cursor.node();
        let (first, last) = (lines.of(node.start_byte()), lines.of(node.end_byte()));
        let is_string = is_string(node.kind());
        if first < last && is_string {
            // A node may end with the line ending of its last line.
            let end = if lines.start(last) < node.end_byte() { last } else { last - 1 };
            if first < end {
                let lines = LineRange { start: first + 2, end: end + 1 };
                found.push(StringLines { lines, is_documentation: is_documentation(node) });
            }
        }
        // The lines of a part are those of its parent.
        if first < last && !is_string && cursor.goto_first_child() {
            continue;
        }
        if !next_beside(&mut cursor) {
            return Ok(found);
        }
    }
}

fn is_string(kind: &str) -> bool {
    STRINGS.iter().any(|part| kind.contains(part)) && !OTHERS.contains(&kind)
}

/// Returns `true` for a string of Python that is a statement.
fn is_documentation(node: Node<'_>) -> bool {
    node.kind() == "string"
        && node
            .parent()
            .is_some_and(|parent| parent.kind() == "expression_statement" && parent.named_child_count() == 1)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::bash(Language::Bash, "cat <<END\n a\nEND\necho 'b\nc'\nd\n", &[(2, 3), (5, 5)])]
    #[case::javascript(Language::JavaScript, "f(`a\n${b(\n  c)}\n`,\n  d);\n", &[(2, 4)])]
    #[case::rust(Language::Rust, "fn f() {\n    g(r\"a\n  b\");\n    m!(\"c\nd\");\n}\n", &[(3, 3), (5, 5)])]
    #[case::go(Language::Go, "package p\n\nvar a = `b\nc`\n", &[(4, 4)])]
    #[case::python(Language::Python, "a = ('b'\n     'c')\nd = f'''{\n  e}\n'''\n", &[(4, 5)])]
    #[case::docstrings(Language::Python, "'''a\nb'''\ndef f():\n    \"\"\"c\n    d\n    \"\"\"\n    e('''\nf''')\n", &[(8, 8)])]
    #[case::yaml(Language::Yaml, "a: b\n  c\nd: |\n  e\n  f\n", &[])]
    #[case::toml(Language::Toml, "a = \"\"\"\n  b\n\"\"\"\n", &[(2, 3)])]
    #[case::java(Language::Java, "class A {\n  String a = \"\"\"\n    b\n    \"\"\";\n}\n", &[(3, 4)])]
    #[case::lua(Language::Lua, "a = [[b\nc]]\n", &[(2, 2)])]
    #[case::c(Language::C, "char *a = \"b\\\nc\"\n  \"d\";\n", &[(2, 2)])]
    fn lines_inside_strings_are_found(
        #[case] language: Language,
        #[case] text: &str,
        #[case] expected: &[(usize, usize)],
    ) {
        let found = string_lines(text, language, Deadline::NONE).expect("a tree");
        let lines = found.iter().filter(|string| !string.is_documentation).map(|string| string.lines);
        let expected: Vec<_> = expected.iter().map(|&(start, end)| LineRange { start, end }).collect();
        assert_eq!(lines.collect::<Vec<_>>(), expected);
    }
}
