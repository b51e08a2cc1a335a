//! JSON, YAML and TOML.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, child_of_kind, part};
use crate::SymbolKind;

pub(super) static JSON: Grammar = Grammar {
    rules: &[Rule::new("pair", SymbolKind::Key).name("key").body("value").refine(value)],
    wrappers: &[],
    attributes: &[],
    comments: &["comment"],
    opaque: &["array", "string"],
    lists: &["object"],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &[],
    names: NameStyle::Quoted,
};

pub(super) static YAML: Grammar = Grammar {
    rules: &[
        Rule::new("block_mapping_pair", SymbolKind::Key).name("key").body("value").refine(value),
        Rule::new("flow_pair", SymbolKind::Key).name("key").body("value").refine(value),
    ],
    opaque: &["block_sequence", "flow_sequence", "block_scalar"],
    lists: &["flow_mapping"],
    loose_lists: &[],
    comment_marks: &["#"],
    ..JSON
};

pub(super) static TOML: Grammar = Grammar {
    rules: &[
        Rule::new("table", SymbolKind::Table).name("").body("").refine(table),
        Rule::new("table_array_element", SymbolKind::Table).name("").body("").refine(table),
        Rule::new("pair", SymbolKind::Key).name("").body("").refine(pair),
    ],
    opaque: &["array", "string", "dotted_key"],
    lists: &["inline_table"],
    loose_lists: &[],
    comment_marks: &["#"],
    names: NameStyle::Dashed,
    ..JSON
};

/// The body is the whole value, with its braces.
fn value(mut declared: Declared, node: Node<'_>, _: &Around<'_>) -> Option<Declared> {
    declared.body = part(node, "value").map(|value| value.byte_range());
    Some(declared)
}

/// Sets the name of a key. The parts of a dotted key are names in its path.
fn named(mut declared: Declared, node: Node<'_>, text: &str) -> Option<Declared> {
    let key = child_of_kind(node, &["bare_key", "quoted_key", "dotted_key"])?;
    declared.set_name(key.byte_range(), text);
    Some(declared)
}

fn pair(declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let mut declared = named(declared, node, text)?;
    let value = node.child(u32::try_from(node.child_count()).ok()?.checked_sub(1)?)?;
    declared.body = Some(value.byte_range());
    Some(declared)
}

/// A table ends with its last key: comments behind belong to what follows.
fn table(declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let mut declared = named(declared, node, text)?;
    let (mut header, mut first, mut last) = (node.start_byte(), None, None);
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "]" | "]]" => header = child.end_byte(),
            "pair" => {
                first.get_or_insert(child.start_byte());
                last = Some(child.end_byte());
            }
            _ => {}
        }
    }
    declared.end = Some(last.unwrap_or(header));
    declared.body = first.zip(last).map(|(first, last)| first..last);
    Some(declared)
}
