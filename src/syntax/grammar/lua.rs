//! Lua.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, part, until_end};
use crate::SymbolKind;

pub(super) static LUA: Grammar = Grammar {
    rules: &[
        Rule::new("function_declaration", SymbolKind::Function).name("").refine(function),
        Rule::new("assignment_statement", SymbolKind::Variable).name("").refine(assignment),
        Rule::new("field", SymbolKind::Method).body("").refine(field),
    ],
    wrappers: &["variable_declaration"],
    attributes: &[],
    comments: &["comment"],
    opaque: &["string", "parameters"],
    lists: &["table_constructor"],
    loose_lists: &[],
    comment_marks: &["--"],
    attribute_marks: &[],
    names: NameStyle::Word,
};

/// Sets the name of a function: `M.a:b` is `b`, qualified with `M` and `a`.
fn named(mut declared: Declared, name: Node<'_>, text: &str) -> Option<Declared> {
    let own = part(name, "method").or_else(|| part(name, "field")).unwrap_or(name);
    if name.kind() == "bracket_index_expression" {
        return None;
    }
    if let Some(table) = part(name, "table") {
        let names = text[table.byte_range()].split(['.', ':']).map(|name| name.trim().to_owned());
        declared.qualifiers = names.collect();
    }
    declared.set_name(own.byte_range(), text);
    Some(if own == name { declared } else { declared.of_kind(SymbolKind::Method) })
}

fn function(declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    named(until_end(declared, node, &["parameters"]), part(node, "name")?, around.text)
}

/// A single assignment; of a function, it declares the function.
fn assignment(mut declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let text = around.text;
    let (names, values) = (part(node, "variable_list")?, part(node, "expression_list")?);
    if names.named_child_count() != 1 {
        return None;
    }
    let (name, value) = (names.named_child(0)?, values.named_child(0)?);
    declared.body = Some(values.byte_range());
    if value.kind() == "function_definition" {
        let declared = until_end(declared.of_kind(SymbolKind::Function), value, &["parameters"]);
        return named(declared, name, text);
    }
    let is_plain = name.kind() == "identifier" || around.kind(0) == "chunk";
    if is_plain { named(declared, name, text).map(|it| it.of_kind(SymbolKind::Variable)) } else { None }
}

/// A field of a table is a symbol only if its value is a function.
fn field(declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let value = part(node, "value").filter(|value| value.kind() == "function_definition")?;
    Some(until_end(declared, value, &["parameters"]))
}
