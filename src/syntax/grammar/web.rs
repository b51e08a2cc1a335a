//! HTML and CSS.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, child_of_kind, part, words};
use crate::SymbolKind;

pub(super) static HTML: Grammar = Grammar {
    rules: &[
        Rule::new("element", SymbolKind::Element).name("").body("").refine(element),
        Rule::new("script_element", SymbolKind::Element).name("").body("").refine(element),
        Rule::new("style_element", SymbolKind::Element).name("").body("").refine(element),
    ],
    wrappers: &[],
    attributes: &[],
    comments: &["comment"],
    opaque: &["start_tag", "end_tag", "self_closing_tag", "raw_text"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["<!--"],
    attribute_marks: &[],
    names: NameStyle::Quoted,
};

pub(super) static CSS: Grammar = Grammar {
    rules: &[
        Rule::new("rule_set", SymbolKind::Rule).name("selectors").body("block"),
        Rule::new("keyframes_statement", SymbolKind::Rule)
            .name("")
            .body("keyframe_block_list")
            .refine(at_rule),
        Rule::new("media_statement", SymbolKind::Rule).name("").body("block").refine(at_rule),
        Rule::new("supports_statement", SymbolKind::Rule).name("").body("block").refine(at_rule),
        Rule::new("scope_statement", SymbolKind::Rule).name("").body("block").refine(at_rule),
        Rule::new("at_rule", SymbolKind::Rule).name("").body("block").refine(at_rule),
        Rule::new("declaration", SymbolKind::Variable).name("property_name").body("").refine(property),
    ],
    comments: &["comment", "js_comment"],
    opaque: &["selectors", "import_statement"],
    comment_marks: &["/*"],
    names: NameStyle::Line,
    ..HTML
};

/// An element with an id, which is its name.
fn element(mut declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let tag = child_of_kind(node, &["start_tag", "self_closing_tag"])?;
    let mut cursor = tag.walk();
    let id = tag.children(&mut cursor).find(|attribute| {
        part(*attribute, "attribute_name")
            .is_some_and(|name| text[name.byte_range()].eq_ignore_ascii_case("id"))
    })?;
    let value = part(id, "quoted_attribute_value/attribute_value").or_else(|| part(id, "attribute_value"))?;
    declared.set_name(value.byte_range(), text);
    declared.body = child_of_kind(node, &["end_tag"]).map(|end| tag.end_byte()..end.start_byte());
    Some(declared)
}

/// An at-rule with a block is named with everything before the block.
fn at_rule(mut declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let block = child_of_kind(node, &["block", "keyframe_block_list"])?;
    declared.name = words(&text[node.start_byte()..block.start_byte()]);
    declared.name_range = node.start_byte()..node.start_byte() + declared.name.len();
    Some(declared)
}

/// A custom property.
fn property(mut declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let colon = child_of_kind(node, &[":"])?;
    let value = colon.end_byte()..node.end_byte();
    let trimmed = text[value.clone()].trim_end_matches([';', ' ', '\n', '\r', '\t']);
    let start = value.start + (trimmed.len() - trimmed.trim_start().len());
    declared.body = Some(start..value.start + trimmed.len());
    declared.name.starts_with("--").then_some(declared)
}
