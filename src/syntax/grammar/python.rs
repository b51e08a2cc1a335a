//! Python.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, part};
use crate::SymbolKind;

pub(super) static PYTHON: Grammar = Grammar {
    rules: &[
        Rule::new("function_definition", SymbolKind::Function).refine(function),
        Rule::new("class_definition", SymbolKind::Class).refine(block),
        Rule::new("assignment", SymbolKind::Variable).name("left").body("right").refine(assignment),
        Rule::new("type_alias_statement", SymbolKind::Type).name("left").body("right"),
    ],
    wrappers: &["decorated_definition", "expression_statement"],
    attributes: &["decorator"],
    comments: &["comment"],
    opaque: &["string", "parameters", "call", "argument_list", "list", "dictionary"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["#"],
    attribute_marks: &["@"],
    names: NameStyle::Word,
};

/// The body is everything after the colon: the block of the tree does not have the comments at its start.
fn block(mut declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let body = part(node, "body")?;
    let mut cursor = node.walk();
    let colon = node.children(&mut cursor).filter(|child| child.kind() == ":").last()?;
    let start = colon.end_byte();
    let text = &around.text[start..body.end_byte()];
    let blank = text.len() - text.trim_start().len();
    declared.body = Some((start + blank).min(body.start_byte())..body.end_byte());
    Some(declared)
}

fn function(declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let outer = usize::from(around.kind(0) == "decorated_definition");
    let is_method = around.kind(outer + 1) == "class_definition";
    let kind = match (is_method, declared.name.as_str()) {
        (true, "__init__") => SymbolKind::Constructor,
        (true, _) => SymbolKind::Method,
        (false, _) => SymbolKind::Function,
    };
    block(declared.of_kind(kind), node, around)
}

/// An assignment to a name, as a statement. Uppercase names are constants.
fn assignment(mut declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    if around.kind(0) != "expression_statement" || part(node, "left")?.kind() != "identifier" {
        return None;
    }
    let is_constant =
        declared.name.chars().any(char::is_uppercase) && declared.name.to_uppercase() == declared.name;
    let kind = match () {
        () if around.kind(2) == "class_definition" => SymbolKind::Field,
        () if is_constant => SymbolKind::Constant,
        () => SymbolKind::Variable,
    };
    if part(node, "right").is_some_and(|right| right.kind() == "lambda") {
        declared.body = part(node, "right/body").map(|body| body.byte_range());
    }
    Some(declared.of_kind(kind))
}
