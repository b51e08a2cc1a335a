//! C and C++.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, inside, part};
use crate::SymbolKind;

pub(super) static C: Grammar = Grammar {
    rules: &[
        Rule::new("function_definition", SymbolKind::Function).name("").refine(function),
        Rule::new("declaration", SymbolKind::Variable).name("").body("").refine(declaration),
        Rule::new("type_definition", SymbolKind::Type).name("").body("").refine(typedef),
        Rule::new("struct_specifier", SymbolKind::Struct).within(ALONE).refine(defined),
        Rule::new("union_specifier", SymbolKind::Struct).within(ALONE).refine(defined),
        Rule::new("enum_specifier", SymbolKind::Enum).within(ALONE).refine(defined),
        Rule::new("preproc_def", SymbolKind::Macro).body("value").refine(macro_line),
        Rule::new("preproc_function_def", SymbolKind::Macro).body("value").refine(macro_line),
    ],
    wrappers: &[],
    attributes: &[],
    comments: &["comment"],
    opaque: &["parameter_list", "string_literal", "type_definition", "preproc_include"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &[],
    names: NameStyle::Word,
};

#[cfg(feature = "all-grammars")]
pub(super) static CPP: Grammar = Grammar {
    rules: &[
        Rule::new("function_definition", SymbolKind::Function).name("").refine(function),
        Rule::new("declaration", SymbolKind::Variable).name("").body("").refine(declaration),
        Rule::new("field_declaration", SymbolKind::Field).name("").body("default_value").refine(declaration),
        Rule::new("type_definition", SymbolKind::Type).name("").body("").refine(typedef),
        Rule::new("alias_declaration", SymbolKind::Type).body("type"),
        Rule::new("class_specifier", SymbolKind::Class).within(ALONE).refine(defined),
        Rule::new("struct_specifier", SymbolKind::Struct).within(ALONE).refine(defined),
        Rule::new("union_specifier", SymbolKind::Struct).within(ALONE).refine(defined),
        Rule::new("enum_specifier", SymbolKind::Enum).within(ALONE).refine(defined),
        Rule::new("namespace_definition", SymbolKind::Module),
        Rule::new("concept_definition", SymbolKind::Type).body(""),
        Rule::new("preproc_def", SymbolKind::Macro).body("value").refine(macro_line),
        Rule::new("preproc_function_def", SymbolKind::Macro).body("value").refine(macro_line),
    ],
    wrappers: &["template_declaration"],
    attributes: &["attribute_declaration"],
    attribute_marks: &["[["],
    ..C
};

/// Parents in which a type is declared and not only used.
const ALONE: &[&str] = &[
    "translation_unit",
    "preproc_ifdef",
    "preproc_if",
    "preproc_else",
    "preproc_elif",
    "declaration_list",
    "linkage_specification",
    "field_declaration",
    "field_declaration_list",
    "compound_statement",
    "template_declaration",
];

/// Returns the node of the name in a declarator, and `true` if it declares a function.
fn declarator(node: Node<'_>) -> Option<(Node<'_>, bool)> {
    let (mut at, mut is_function, mut behind_parentheses) = (part(node, "declarator")?, false, false);
    for _ in 0..64 {
        match at.kind() {
            "function_declarator" => is_function = true,
            // A pointer to a function is a variable.
            "parenthesized_declarator" => behind_parentheses = true,
            "pointer_declarator" if behind_parentheses => is_function = false,
            _ => {}
        }
        let inner = at.child_by_field_name("declarator").or_else(|| {
            let is_wrapper = matches!(
                at.kind(),
                "parenthesized_declarator" | "reference_declarator" | "attributed_declarator"
            );
            at.named_child(0).filter(|_| is_wrapper)
        });
        match inner {
            Some(inner) => at = inner,
            None => return Some((at, is_function)),
        }
    }
    None
}

/// Sets the name; one with `::` is qualified.
fn named(mut declared: Declared, name: Node<'_>, text: &str) -> Declared {
    let mut name = name;
    while name.kind() == "qualified_identifier" {
        if let Some(scope) = part(name, "scope") {
            let scope = &text[scope.byte_range()];
            declared.qualifiers.push(scope.split('<').next().unwrap_or(scope).trim().to_owned());
        }
        let Some(inner) = name.child_by_field_name("name") else { break };
        name = inner;
    }
    declared.set_name(name.byte_range(), text);
    declared
}

fn function(declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let (name, _) = declarator(node)?;
    let declared = named(declared, name, text);
    let is_method = name.kind() == "field_identifier" || !declared.qualifiers.is_empty();
    Some(if is_method { declared.of_kind(SymbolKind::Method) } else { declared })
}

fn declaration(declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let (name, is_function) = declarator(node)?;
    let mut declared = named(declared, name, text);
    declared.body =
        part(node, "declarator/value").or_else(|| part(node, "default_value")).map(|it| it.byte_range());
    Some(match (is_function, name.kind()) {
        (true, "field_identifier") => declared.of_kind(SymbolKind::Method),
        (true, _) => declared.of_kind(SymbolKind::Function),
        (false, _) => declared,
    })
}

fn typedef(declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let (name, _) = declarator(node)?;
    let mut declared = named(declared, name, text);
    let definition = part(node, "type")?;
    declared.body = part(definition, "body").map(inside);
    Some(match (definition.kind(), declared.body.is_some()) {
        ("struct_specifier" | "union_specifier", true) => declared.of_kind(SymbolKind::Struct),
        ("enum_specifier", true) => declared.of_kind(SymbolKind::Enum),
        _ => declared,
    })
}

/// A type without a body is only used, not declared.
fn defined(declared: Declared, _: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    declared.body.is_some().then_some(declared)
}

/// The node of a macro contains the line ending.
fn macro_line(mut declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let line = text[node.byte_range()].trim_end();
    declared.end = Some(node.start_byte() + line.len());
    Some(declared)
}
