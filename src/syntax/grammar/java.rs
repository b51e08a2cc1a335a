//! Java.

use super::{Grammar, NameStyle, Rule};
use crate::SymbolKind;

pub(super) static JAVA: Grammar = Grammar {
    rules: &[
        Rule::new("class_declaration", SymbolKind::Class),
        Rule::new("record_declaration", SymbolKind::Class),
        Rule::new("interface_declaration", SymbolKind::Interface),
        Rule::new("annotation_type_declaration", SymbolKind::Interface),
        Rule::new("enum_declaration", SymbolKind::Enum),
        Rule::new("method_declaration", SymbolKind::Method),
        Rule::new("annotation_type_element_declaration", SymbolKind::Method).body("value"),
        Rule::new("constructor_declaration", SymbolKind::Constructor),
        Rule::new("compact_constructor_declaration", SymbolKind::Constructor),
        Rule::new("field_declaration", SymbolKind::Field).name("declarator/name").body("declarator/value"),
        Rule::new("constant_declaration", SymbolKind::Constant)
            .name("declarator/name")
            .body("declarator/value"),
    ],
    wrappers: &[],
    attributes: &["annotation", "marker_annotation"],
    comments: &["line_comment", "block_comment"],
    opaque: &["formal_parameters", "string_literal", "import_declaration", "modifiers"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &["//", "/*"],
    attribute_marks: &["@"],
    names: NameStyle::Word,
};
