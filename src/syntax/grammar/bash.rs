//! Shell scripts.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule};
use crate::SymbolKind;

pub(super) static BASH: Grammar = Grammar {
    rules: &[
        Rule::new("function_definition", SymbolKind::Function),
        Rule::new("variable_assignment", SymbolKind::Variable).body("value").refine(variable),
    ],
    wrappers: &["declaration_command"],
    attributes: &[],
    comments: &["comment"],
    opaque: &["command", "heredoc_body", "string", "command_substitution", "test_command"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["#"],
    attribute_marks: &[],
    names: NameStyle::Dashed,
};

/// An assignment before a command is for that command only.
fn variable(declared: Declared, _: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    (!matches!(around.kind(0), "command" | "variable_assignments")).then_some(declared)
}
