//! Uses of a name: the identifiers of a text that are equal to it.

use tree_sitter::{Node, TreeCursor};

use super::Language;
use super::lines::Lines;
use super::parse::{Budget, MAX_TIME, NoSyntax, next_beside, parse};
use editd_edit::Deadline;

/// Kinds of nodes that are identifiers, besides those with `identifier` in their kind.
const IDENTIFIERS: [&str; 9] = [
    "name",
    "constant",
    "instance_variable",
    "class_variable",
    "global_variable",
    "variable_name",
    "class_name",
    "id_name",
    "namespace_name",
];

/// Number of nodes between two checks of the time.
const STRIDE: usize = 1 << 12;

/// Returns the lines, from 1, with an identifier that is equal to `name`. Comments, strings and the keys of data
/// are not identifiers.
///
/// ```
/// use editd_edit::Deadline;
/// use editd_syntax::{Language, uses};
///
/// let text = "def total(x):\n    return x\n\nprint(total(1), \"total\")  # total\n";
/// assert_eq!(uses(text, Language::Python, "total", Deadline::NONE), Ok(vec![1, 4]));
/// ```
pub fn uses(text: &str, language: Language, name: &str, deadline: Deadline) -> Result<Vec<usize>, NoSyntax> {
    if !text.contains(name) {
        return Ok(Vec::new());
    }
    let budget = Budget::new(MAX_TIME, deadline);
    let tree = parse(text, language, budget)?;
    let lines = Lines::new(text);
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    let mut visited = 0_usize;
    loop {
        visited += 1;
        if visited.is_multiple_of(STRIDE) {
            budget.check()?;
        }
        let node = cursor.node();
        if text.get(node.byte_range()) == Some(name) && is_identifier(node) {
            found.push(lines.of(node.start_byte()) + 1);
        }
        if !next(&mut cursor, text, name) {
            break;
        }
    }
    found.dedup();
    Ok(found)
}

/// Moves to the next node, in the order of the text. Skips the inside of nodes that do not contain the name.
fn next(cursor: &mut TreeCursor<'_>, text: &str, name: &str) -> bool {
    let holds_name = text.get(cursor.node().byte_range()).is_some_and(|part| part.len() >= name.len());
    holds_name && cursor.goto_first_child() || next_beside(cursor)
}

/// Returns `true` for the node of an identifier.
fn is_identifier(node: Node<'_>) -> bool {
    let kind = node.kind();
    let is_command = || kind == "word" && node.parent().is_some_and(|parent| parent.kind() == "command_name");
    node.is_named()
        && node.child_count() == 0
        && (kind.contains("identifier") || IDENTIFIERS.contains(&kind) || is_command())
}
