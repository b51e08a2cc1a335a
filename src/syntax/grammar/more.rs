//! Languages of the feature `all-grammars`.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, child_of_kind, inside, part, until_end};
use crate::SymbolKind;

pub(super) static CSHARP: Grammar = Grammar {
    rules: &[
        Rule::new("namespace_declaration", SymbolKind::Module),
        Rule::new("class_declaration", SymbolKind::Class),
        Rule::new("record_declaration", SymbolKind::Class),
        Rule::new("struct_declaration", SymbolKind::Struct),
        Rule::new("interface_declaration", SymbolKind::Interface),
        Rule::new("enum_declaration", SymbolKind::Enum),
        Rule::new("method_declaration", SymbolKind::Method),
        Rule::new("local_function_statement", SymbolKind::Function),
        Rule::new("constructor_declaration", SymbolKind::Constructor),
        Rule::new("destructor_declaration", SymbolKind::Method),
        Rule::new("delegate_declaration", SymbolKind::Type).body(""),
        Rule::new("property_declaration", SymbolKind::Property).body("accessors"),
        Rule::new("field_declaration", SymbolKind::Field)
            .name("variable_declaration/variable_declarator/name")
            .body(""),
        Rule::new("event_field_declaration", SymbolKind::Field)
            .name("variable_declaration/variable_declarator/name")
            .body(""),
    ],
    wrappers: &[],
    attributes: &["attribute_list"],
    comments: &["comment"],
    opaque: &["parameter_list", "string_literal", "using_directive", "attribute_list"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &["["],
    names: NameStyle::Word,
};

pub(super) static KOTLIN: Grammar = Grammar {
    rules: &[
        Rule::new("class_declaration", SymbolKind::Class).body("class_body").refine(kotlin_class),
        Rule::new("object_declaration", SymbolKind::Class).body("class_body"),
        Rule::new("function_declaration", SymbolKind::Function).body("function_body").refine(kotlin_function),
        Rule::new("property_declaration", SymbolKind::Variable)
            .name("variable_declaration/identifier")
            .body("")
            .refine(kotlin_property),
        Rule::new("type_alias", SymbolKind::Type).name("type").body(""),
    ],
    wrappers: &[],
    attributes: &["annotation"],
    comments: &["line_comment", "block_comment"],
    opaque: &["function_value_parameters", "string_literal", "import", "modifiers"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &["@"],
    names: NameStyle::Word,
};

pub(super) static PHP: Grammar = Grammar {
    rules: &[
        Rule::new("namespace_definition", SymbolKind::Module).refine(with_body),
        Rule::new("class_declaration", SymbolKind::Class),
        Rule::new("interface_declaration", SymbolKind::Interface),
        Rule::new("trait_declaration", SymbolKind::Trait),
        Rule::new("enum_declaration", SymbolKind::Enum),
        Rule::new("function_definition", SymbolKind::Function),
        Rule::new("method_declaration", SymbolKind::Method),
        Rule::new("property_declaration", SymbolKind::Field)
            .name("property_element/name")
            .body("property_element/default_value"),
        Rule::new("const_declaration", SymbolKind::Constant).name("const_element/name").body(""),
    ],
    wrappers: &[],
    attributes: &["attribute_list"],
    comments: &["comment"],
    opaque: &["formal_parameters", "string", "encapsed_string", "heredoc", "text"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*", "#"],
    attribute_marks: &["#["],
    names: NameStyle::Word,
};

pub(super) static RUBY: Grammar = Grammar {
    rules: &[
        Rule::new("module", SymbolKind::Module).refine(ruby_block),
        Rule::new("class", SymbolKind::Class).refine(ruby_block),
        Rule::new("method", SymbolKind::Method).refine(ruby_block),
        Rule::new("singleton_method", SymbolKind::Method).refine(ruby_block),
        Rule::new("assignment", SymbolKind::Constant).name("left").body("right").refine(ruby_constant),
    ],
    wrappers: &[],
    attributes: &[],
    comments: &["comment"],
    opaque: &["method_parameters", "string", "heredoc_body"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["#"],
    attribute_marks: &[],
    names: NameStyle::Word,
};

pub(super) static SWIFT: Grammar = Grammar {
    rules: &[
        Rule::new("class_declaration", SymbolKind::Class).refine(swift_type),
        Rule::new("protocol_declaration", SymbolKind::Interface),
        Rule::new("function_declaration", SymbolKind::Function).refine(swift_function),
        Rule::new("protocol_function_declaration", SymbolKind::Method).body(""),
        Rule::new("init_declaration", SymbolKind::Constructor),
        Rule::new("property_declaration", SymbolKind::Variable).body("value").refine(swift_property),
        Rule::new("typealias_declaration", SymbolKind::Type).body(""),
    ],
    wrappers: &[],
    attributes: &["attribute"],
    comments: &["comment", "multiline_comment"],
    opaque: &["line_string_literal", "modifiers", "import_declaration"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &["@"],
    names: NameStyle::Word,
};

fn with_body(declared: Declared, _: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    declared.body.is_some().then_some(declared)
}

fn kotlin_class(declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let body = child_of_kind(node, &["enum_class_body"]).map(inside);
    let mut declared = declared;
    if body.is_some() {
        declared.body = body;
        return Some(declared.of_kind(SymbolKind::Enum));
    }
    let is_interface = child_of_kind(node, &["interface"]).is_some();
    let head = &text[node.start_byte()..declared.name_range.start.max(node.start_byte())];
    Some(if is_interface || head.contains("interface ") {
        declared.of_kind(SymbolKind::Interface)
    } else {
        declared
    })
}

fn kotlin_function(mut declared: Declared, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    declared.body = part(node, "function_body").map(|body| match part(body, "block") {
        Some(block) => inside(block),
        None => body.named_child(0).map_or(body.byte_range(), |value| value.byte_range()),
    });
    let is_method = around.kind(0).ends_with("class_body");
    Some(if is_method { declared.of_kind(SymbolKind::Method) } else { declared })
}

fn kotlin_property(declared: Declared, _: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let is_field = around.kind(0).ends_with("class_body");
    Some(if is_field { declared.of_kind(SymbolKind::Field) } else { declared })
}

fn ruby_block(declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    Some(until_end(declared, node, &["parameters", "superclass", "name"]))
}

fn ruby_constant(declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    (part(node, "left")?.kind() == "constant").then_some(declared)
}

fn swift_type(mut declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let word = part(node, "declaration_kind")?;
    Some(match word.kind() {
        "struct" => declared.of_kind(SymbolKind::Struct),
        "enum" => declared.of_kind(SymbolKind::Enum),
        "extension" => {
            declared.scope = Some(declared.name.clone());
            declared.name = format!("extension {}", declared.name);
            declared.of_kind(SymbolKind::Impl)
        }
        _ => declared,
    })
}

fn swift_function(declared: Declared, _: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let is_method = around.kind(0).ends_with("class_body");
    Some(if is_method { declared.of_kind(SymbolKind::Method) } else { declared })
}

fn swift_property(declared: Declared, _: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let is_field = around.kind(0).ends_with("class_body");
    Some(if is_field { declared.of_kind(SymbolKind::Field) } else { declared })
}
