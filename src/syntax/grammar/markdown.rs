//! Markdown. The tree has no sections below headings that are underlined, so only headings are taken from it.

use tree_sitter::Node;

use super::{Around, Declared, Grammar, NameStyle, Rule, part};
use crate::SymbolKind;

pub(super) static MARKDOWN: Grammar = Grammar {
    rules: &[
        Rule::new("atx_heading", SymbolKind::Section).name("heading_content").body("").refine(heading),
        Rule::new("setext_heading", SymbolKind::Section).name("heading_content").body("").refine(heading),
    ],
    wrappers: &[],
    attributes: &[],
    comments: &[],
    opaque: &["block_quote", "list", "fenced_code_block", "html_block", "paragraph", "pipe_table"],
    lists: &[],
    loose_lists: &[],
    comment_marks: &[],
    attribute_marks: &[],
    names: NameStyle::Line,
};

/// Removes the closing marks from the name of a heading.
fn heading(mut declared: Declared, node: Node<'_>, &Around { text, .. }: &Around<'_>) -> Option<Declared> {
    let content = part(node, "heading_content")?.byte_range();
    let full = text[content.clone()].trim();
    let bare = full.trim_end_matches('#');
    let is_closed = bare.len() < full.len() && bare.ends_with([' ', '\t']);
    let name = if is_closed { bare.trim_end() } else { full };
    let start = content.start + (text[content.clone()].len() - text[content].trim_start().len());
    declared.set_name(start..start + name.len(), text);
    Some(declared)
}

/// Returns the level of a heading, from 1.
pub(crate) fn heading_level(node: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let levels = node.children(&mut cursor).filter_map(|child| {
        let level = child.kind().strip_prefix("atx_h").or_else(|| child.kind().strip_prefix("setext_h"))?;
        level.get(..1)?.parse().ok()
    });
    levels.last().unwrap_or(1)
}
