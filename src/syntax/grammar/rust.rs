//! Rust.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, part};
use crate::SymbolKind;

pub(super) static RUST: Grammar = Grammar {
    rules: &[
        Rule::new("function_item", SymbolKind::Function).refine(function),
        Rule::new("function_signature_item", SymbolKind::Function).refine(function),
        Rule::new("struct_item", SymbolKind::Struct),
        Rule::new("union_item", SymbolKind::Struct),
        Rule::new("enum_item", SymbolKind::Enum),
        Rule::new("trait_item", SymbolKind::Trait),
        Rule::new("impl_item", SymbolKind::Impl).name("type").refine(implementation),
        Rule::new("mod_item", SymbolKind::Module),
        Rule::new("type_item", SymbolKind::Type).body("type"),
        Rule::new("associated_type", SymbolKind::Type).body("type"),
        Rule::new("const_item", SymbolKind::Constant).body("value"),
        Rule::new("static_item", SymbolKind::Variable).body("value"),
        Rule::new("macro_definition", SymbolKind::Macro).refine(macro_body),
    ],
    wrappers: &[],
    attributes: &["attribute_item"],
    comments: &["line_comment", "block_comment"],
    opaque: &["token_tree", "parameters", "use_declaration", "string_literal", "raw_string_literal"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &["#["],
    names: NameStyle::Word,
};

/// A function in the block of a type is a method.
fn function(declared: Declared, _: Node<'_>, around: &Around<'_>) -> Option<Declared> {
    let is_method = matches!(around.kind(1), "impl_item" | "trait_item");
    Some(if is_method { declared.of_kind(SymbolKind::Method) } else { declared })
}

/// An implementation is named `impl Type` or `impl Trait for Type`; the paths of its items begin with the type.
fn implementation(
    mut declared: Declared,
    node: Node<'_>,
    &Around { text, .. }: &Around<'_>,
) -> Option<Declared> {
    let owner = part(node, "type")?;
    let plain = part(owner, "type").unwrap_or(owner);
    let plain = part(plain, "name").unwrap_or(plain);
    declared.scope = Some(text[plain.byte_range()].to_owned());
    declared.name = match part(node, "trait") {
        Some(implemented) => format!("impl {} for {}", &text[implemented.byte_range()], declared.name),
        None => format!("impl {}", declared.name),
    };
    Some(declared)
}

/// The body of a macro is inside its delimiters.
fn macro_body(mut declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    let open = super::child_of_kind(node, &["{"])?;
    let close = node.child(u32::try_from(node.child_count()).ok()?.checked_sub(1)?)?;
    declared.body = (close.kind() == "}").then(|| open.end_byte()..close.start_byte());
    Some(declared)
}
