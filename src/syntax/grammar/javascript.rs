//! JavaScript and TypeScript, both with JSX.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, child_of_kind, inside, part};
use crate::SymbolKind;

pub(super) static JAVASCRIPT: Grammar = Grammar {
    rules: &[
        Rule::new("function_declaration", SymbolKind::Function),
        Rule::new("generator_function_declaration", SymbolKind::Function),
        Rule::new("function_signature", SymbolKind::Function),
        Rule::new("class_declaration", SymbolKind::Class),
        Rule::new("abstract_class_declaration", SymbolKind::Class),
        Rule::new("interface_declaration", SymbolKind::Interface),
        Rule::new("type_alias_declaration", SymbolKind::Type).body("value"),
        Rule::new("enum_declaration", SymbolKind::Enum),
        Rule::new("internal_module", SymbolKind::Module),
        Rule::new("module", SymbolKind::Module),
        Rule::new("method_definition", SymbolKind::Method).refine(method),
        Rule::new("method_signature", SymbolKind::Method).within(MEMBERS),
        Rule::new("abstract_method_signature", SymbolKind::Method),
        Rule::new("public_field_definition", SymbolKind::Field).body("value").refine(valued),
        Rule::new("field_definition", SymbolKind::Field).name("property").body("value").refine(valued),
        Rule::new("property_signature", SymbolKind::Field).body("").within(MEMBERS),
        Rule::new("variable_declarator", SymbolKind::Variable).body("value").refine(variable),
        Rule::new("pair", SymbolKind::Field).name("key").body("value").refine(pair),
        Rule::new("assignment_expression", SymbolKind::Function).name("").body("").refine(assignment),
        Rule::new("export_statement", SymbolKind::Variable).name("").body("value").refine(default_export),
    ],
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    attributes: &["decorator"],
    comments: &["comment", "html_comment"],
    opaque: &[
        "string",
        "template_string",
        "import_statement",
        "formal_parameters",
        "type_annotation",
        "regex",
    ],
    lists: &["object", "lexical_declaration", "variable_declaration"],
    loose_lists: &["interface_body", "object_type"],
    comment_marks: &["//", "/*"],
    attribute_marks: &["@"],
    names: NameStyle::Word,
};

/// Parents of the members of an interface or a class.
const MEMBERS: &[&str] = &["interface_body", "class_body", "object_type"];
/// Values that are functions.
const FUNCTIONS: &[&str] = &["arrow_function", "function_expression", "generator_function"];

fn method(declared: Declared, _: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let is_constructor = declared.name == "constructor";
    Some(if is_constructor { declared.of_kind(SymbolKind::Constructor) } else { declared })
}

/// A declaration whose value is a function or a class has that value's kind and body. So does one whose value
/// is a call with a function, as `memo(() => …)`, but its body is the whole call.
fn with_value(mut declared: Declared, value: Node<'_>, function: SymbolKind) -> Declared {
    if FUNCTIONS.contains(&value.kind()) {
        declared.body = part(value, "body").map(inside);
        return declared.of_kind(function);
    }
    if value.kind() == "class" {
        declared.body = part(value, "body").map(inside);
        return declared.of_kind(SymbolKind::Class);
    }
    declared.body = Some(value.byte_range());
    let wrapped = part(value, "arguments").and_then(|arguments| child_of_kind(arguments, FUNCTIONS));
    if value.kind() == "call_expression" && wrapped.is_some() { declared.of_kind(function) } else { declared }
}

fn valued(declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let Some(value) = part(node, "value") else { return Some(declared) };
    Some(with_value(declared, value, SymbolKind::Method))
}

fn variable(declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    if part(node, "name")?.kind() != "identifier" {
        return None;
    }
    let declared = if around.parent_text().starts_with("const") {
        declared.of_kind(SymbolKind::Constant)
    } else {
        declared
    };
    let Some(value) = part(node, "value") else { return Some(declared) };
    Some(with_value(declared, value, SymbolKind::Function))
}

/// A property of an object is a symbol only if its value is a function.
fn pair(declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let declared = with_value(declared, part(node, "value")?, SymbolKind::Method);
    (declared.kind == Some(SymbolKind::Method)).then_some(declared)
}

/// Assigning a function declares it: `exports.f = () => …`, `A.prototype.m = function () …`.
fn assignment(mut declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    if around.kind(0) != "expression_statement" {
        return None;
    }
    let text = around.text;
    let (left, right) = (part(node, "left")?, part(node, "right")?);
    let property = part(left, "property").filter(|_| left.kind() == "member_expression")?;
    let object = &text[part(left, "object")?.byte_range()];
    declared.set_name(property.byte_range(), text);
    declared.kind = None;
    let names =
        object.split('.').map(str::trim).filter(|name| !matches!(*name, "prototype" | "exports" | "module"));
    declared.qualifiers = names.map(str::to_owned).collect();
    let declared = with_value(declared, right, SymbolKind::Function);
    declared.kind.is_some().then_some(declared)
}

/// `export default` with an expression. With a declaration, that one is the symbol.
fn default_export(
    mut declared: Declared,
    node: Node<'_>,
    &Around { text, .. }: &Around<'_>,
) -> Option<Declared> {
    let value = part(node, "value")?;
    let name = part(value, "name").or_else(|| child_of_kind(node, &["default"]))?;
    declared.set_name(name.byte_range(), text);
    Some(with_value(declared, value, SymbolKind::Function))
}
