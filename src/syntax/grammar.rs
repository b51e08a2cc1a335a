//! Rules for each language: which nodes of a syntax tree are declarations, and where their parts are.

#![expect(clippy::unnecessary_wraps, reason = "all functions that complete declarations have one type")]

mod bash;
mod c;
mod data;
mod go;
mod java;
mod javascript;
mod lua;
mod markdown;
#[cfg(feature = "all-grammars")]
mod more;
mod python;
mod rust;
mod web;

use std::ops::Range;

use tree_sitter::Node;

use super::{Language, SymbolKind};

pub(super) use markdown::heading_level;

/// Rules of a language.
#[derive(Debug)]
pub(super) struct Grammar {
    /// Declarations.
    pub(super) rules: &'static [Rule],
    /// Nodes that belong to the single declaration inside them, for example `export`.
    pub(super) wrappers: &'static [&'static str],
    /// Attributes, before a declaration or at its start.
    pub(super) attributes: &'static [&'static str],
    /// Comments.
    pub(super) comments: &'static [&'static str],
    /// Nodes whose inside has no declarations.
    pub(super) opaque: &'static [&'static str],
    /// Nodes whose children are separated by commas.
    pub(super) lists: &'static [&'static str],
    /// Kinds of nodes whose items may have commas between them, or other punctuation.
    pub(super) loose_lists: &'static [&'static str],
    /// Starts of comments.
    pub(super) comment_marks: &'static [&'static str],
    /// Starts of attributes.
    pub(super) attribute_marks: &'static [&'static str],
    /// Names that `rename_here` accepts.
    pub(super) names: NameStyle,
}

/// The names that a declaration can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameStyle {
    /// Letters, digits, `_` and `$`, and a few marks that languages add.
    Word,
    /// Like a word, also with `-`.
    Dashed,
    /// One line without quotes.
    Quoted,
    /// One line.
    Line,
}

/// A kind of declaration.
#[derive(Debug)]
pub(super) struct Rule {
    /// Kind of the node.
    pub(super) node: &'static str,
    kind: SymbolKind,
    name: &'static str,
    body: &'static str,
    /// Kinds of nodes, one of which must contain the declaration directly; any if empty.
    within: &'static [&'static str],
    refine: Option<Refine>,
}

/// Completes a declaration. Returns `None` if the node does not declare anything.
type Refine = fn(Declared, Node<'_>, &Around<'_>) -> Option<Declared>;

/// The nodes around a node. (The library computes the parent of a node from the root, which takes long in wide
/// trees.)
pub(super) struct Around<'a> {
    pub(super) text: &'a str,
    /// Kinds of the nodes around, each with its start, from the root.
    pub(super) nodes: &'a [(&'static str, usize)],
}

impl Around<'_> {
    /// Returns the kind of the parent (0), of its parent (1), and so on.
    pub(super) fn kind(&self, up: usize) -> &'static str {
        self.nodes.iter().rev().nth(up).map_or("", |(kind, _)| kind)
    }

    /// Returns the text from the start of the parent on.
    fn parent_text(&self) -> &str {
        self.nodes.last().map_or("", |&(_, start)| &self.text[start..])
    }
}

/// A declaration, as its rule describes it.
#[derive(Debug, Default)]
pub(super) struct Declared {
    pub(super) kind: Option<SymbolKind>,
    pub(super) name: String,
    pub(super) name_range: Range<usize>,
    pub(super) body: Option<Range<usize>>,
    pub(super) qualifiers: Vec<String>,
    pub(super) scope: Option<String>,
    /// End of the declaration, if the node ends later.
    pub(super) end: Option<usize>,
}

impl Rule {
    /// Creates a rule for nodes with a field `name`.
    const fn new(node: &'static str, kind: SymbolKind) -> Self {
        Self { node, kind, name: "name", body: "body", within: &[], refine: None }
    }

    /// Sets the path to the node of the name: fields or kinds of nodes, with `/` between.
    const fn name(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Sets the path to the node of the body.
    const fn body(mut self, body: &'static str) -> Self {
        self.body = body;
        self
    }

    /// Limits the rule to nodes directly inside others.
    const fn within(mut self, within: &'static [&'static str]) -> Self {
        self.within = within;
        self
    }

    /// Sets a function that completes the declaration.
    const fn refine(mut self, refine: Refine) -> Self {
        self.refine = Some(refine);
        self
    }

    /// Returns the declaration of a node of this rule's kind.
    pub(super) fn declare(&self, node: Node<'_>, around: &Around<'_>) -> Option<Declared> {
        if !self.within.is_empty() && !self.within.contains(&around.kind(0)) {
            return None;
        }
        let mut declared = Declared { kind: Some(self.kind), ..Declared::default() };
        if let Some(name) = part(node, self.name) {
            declared.set_name(name.byte_range(), around.text);
        }
        declared.body = part(node, self.body).map(inside);
        let declared = match self.refine {
            Some(refine) => refine(declared, node, around)?,
            None => declared,
        };
        (!declared.name.is_empty()).then_some(declared)
    }
}

impl Declared {
    /// Sets the name to the text at a range, without quotes.
    fn set_name(&mut self, range: Range<usize>, text: &str) {
        let range = unquoted(range, text);
        self.name = words(&text[range.clone()]);
        self.name_range = range;
    }

    fn of_kind(mut self, kind: SymbolKind) -> Self {
        self.kind = Some(kind);
        self
    }
}

/// Returns the rules of a language.
pub(super) fn grammar(language: Language) -> &'static Grammar {
    match language {
        Language::Bash => &bash::BASH,
        Language::C => &c::C,
        Language::Css => &web::CSS,
        Language::Go => &go::GO,
        Language::Html => &web::HTML,
        Language::Java => &java::JAVA,
        Language::JavaScript | Language::Tsx | Language::TypeScript => &javascript::JAVASCRIPT,
        Language::Json => &data::JSON,
        Language::Lua => &lua::LUA,
        Language::Markdown => &markdown::MARKDOWN,
        Language::Python => &python::PYTHON,
        Language::Rust => &rust::RUST,
        Language::Toml => &data::TOML,
        Language::Yaml => &data::YAML,
        #[cfg(feature = "all-grammars")]
        Language::Cpp => &c::CPP,
        #[cfg(feature = "all-grammars")]
        Language::CSharp => &more::CSHARP,
        #[cfg(feature = "all-grammars")]
        Language::Kotlin => &more::KOTLIN,
        #[cfg(feature = "all-grammars")]
        Language::Php => &more::PHP,
        #[cfg(feature = "all-grammars")]
        Language::Ruby => &more::RUBY,
        #[cfg(feature = "all-grammars")]
        Language::Swift => &more::SWIFT,
    }
}

/// Returns the node at a path: each step is a field, or else the kind of a child.
fn part<'t>(node: Node<'t>, path: &str) -> Option<Node<'t>> {
    if path.is_empty() {
        return None;
    }
    path.split('/')
        .try_fold(node, |node, step| node.child_by_field_name(step).or_else(|| child_of_kind(node, &[step])))
}

/// Returns the first child of one of these kinds.
fn child_of_kind<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// Returns the bytes inside the braces of a node, or all of its bytes if it has no braces.
fn inside(node: Node<'_>) -> Range<usize> {
    let (first, last) =
        (node.child(0), node.child_count().checked_sub(1).and_then(|last| node.child(last as u32)));
    match (first, last) {
        (Some(first), Some(last)) if first.kind() == "{" && last.kind() == "}" => {
            first.end_byte()..last.start_byte()
        }
        _ => node.byte_range(),
    }
}

/// Returns a range without the quotes around its text.
fn unquoted(range: Range<usize>, text: &str) -> Range<usize> {
    let content = &text[range.clone()];
    let quoted = |quote: char| content.len() >= 2 && content.starts_with(quote) && content.ends_with(quote);
    if ['"', '\'', '`'].into_iter().any(quoted) { range.start + 1..range.end - 1 } else { range }
}

/// Returns a text with its whitespace as single spaces.
pub(super) fn words(text: &str) -> String {
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

/// Sets the body of a block that ends with the keyword `end`: from the end of the last of these parts.
fn until_end(mut declared: Declared, node: Node<'_>, starts: &[&str]) -> Declared {
    let end = node.child_count().checked_sub(1).and_then(|last| node.child(last as u32));
    let start = starts.iter().find_map(|start| part(node, start));
    declared.body = match (start, end) {
        (Some(start), Some(end)) if end.kind() == "end" && start.end_byte() <= end.start_byte() => {
            Some(start.end_byte()..end.start_byte())
        }
        _ => declared.body,
    };
    declared
}
