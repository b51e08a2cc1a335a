//! Go.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, inside, part};
use crate::SymbolKind;

pub(super) static GO: Grammar = Grammar {
    rules: &[
        Rule::new("function_declaration", SymbolKind::Function),
        Rule::new("method_declaration", SymbolKind::Method).refine(method),
        Rule::new("method_elem", SymbolKind::Method),
        Rule::new("type_spec", SymbolKind::Type).body("type").refine(type_spec),
        Rule::new("type_alias", SymbolKind::Type).body("type"),
        Rule::new("const_spec", SymbolKind::Constant).body("value"),
        Rule::new("var_spec", SymbolKind::Variable).body("value"),
    ],
    wrappers: &["type_declaration", "const_declaration", "var_declaration"],
    attributes: &[],
    comments: &["comment"],
    opaque: &["parameter_list", "interpreted_string_literal", "raw_string_literal", "import_declaration"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &[],
    names: NameStyle::Word,
};

/// The path of a method begins with the type of its receiver.
fn method(mut declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let receiver = part(node, "receiver/parameter_declaration/type")?;
    let name = text[receiver.byte_range()].trim_start_matches(['*', '(', ' ']);
    let name = name.split(['[', ')', ' ']).next().unwrap_or(name);
    declared.qualifiers.push(name.to_owned());
    Some(declared)
}

fn type_spec(mut declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let definition = part(node, "type")?;
    match definition.kind() {
        "struct_type" => {
            declared.body = part(definition, "field_declaration_list").map(inside);
            Some(declared.of_kind(SymbolKind::Struct))
        }
        "interface_type" => {
            let open = super::child_of_kind(definition, &["{"])?;
            declared.body =
                Some(open.end_byte()..definition.end_byte().saturating_sub(1).max(open.end_byte()));
            Some(declared.of_kind(SymbolKind::Interface))
        }
        _ => Some(declared),
    }
}
