//! Builds outlines: a walk over the tree collects declarations, then their spans are computed on the text.

mod sections;
mod span;

use std::ops::Range;
use std::sync::OnceLock;

use strum::EnumCount as _;
use tree_sitter::{Node, Tree, TreeCursor};

use super::grammar::{Around, Declared, Grammar, grammar};
use super::parse::{Budget, MAX_TIME, parse};
use super::{Language, NoSyntax, Outline, SymbolKind};
use editd_edit::Deadline;

/// Maximum number of symbols around a symbol. Symbols that are nested more deeply are not listed.
const MAX_NESTING: usize = 32;

/// Number of nodes between two checks of the time.
const STRIDE: usize = 4096;

/// Returns the symbols of a text. The time for it is limited by [`MAX_TIME`] and `deadline`.
///
/// ```
/// use editd_edit::Deadline;
/// use editd_syntax::{Language, SymbolKind, outline};
///
/// let text = "import os\n\n# Greets.\n@cache\ndef greet(name):\n    return name\n";
/// let outline = outline(text, Language::Python, Deadline::NONE)?;
/// let greet = &outline.symbols()[0];
/// assert_eq!((greet.name.as_str(), greet.kind), ("greet", SymbolKind::Function));
/// assert_eq!((greet.lines.start, greet.lines.end), (3, 6));
/// assert_eq!(&text[greet.body.clone().unwrap()], "return name");
/// assert_eq!(greet.signature, "def greet(name)");
/// # Ok::<(), editd_syntax::NoSyntax>(())
/// ```
pub fn outline(text: &str, language: Language, deadline: Deadline) -> Result<Outline, NoSyntax> {
    let budget = Budget::new(MAX_TIME, deadline);
    outline_of(text, &parse(text, language, budget)?, language, budget)
}

/// Returns the symbols of a text with this tree.
pub(super) fn outline_of(
    text: &str,
    tree: &Tree,
    language: Language,
    budget: Budget,
) -> Result<Outline, NoSyntax> {
    let grammar = grammar(language);
    let mut walk = Walk {
        text,
        grammar,
        kinds: kinds(language, grammar),
        nodes: Vec::new(),
        around: vec![tree.root_node()],
        found: Vec::new(),
        comments: Vec::new(),
    };
    walk.run(tree.walk(), budget)?;
    let mut symbols = span::symbols(text, grammar, &walk.found, &walk.comments);
    if language == Language::Markdown {
        sections::nest(text, &mut symbols, &walk.found);
    }
    Ok(Outline { language, symbols, text_len: text.len() })
}

/// The part that a kind of node has in the rules of its language.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    rule: Option<u8>,
    role: Role,
    list: List,
}

/// The commas between the items of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum List {
    #[default]
    None,
    /// There are none, or other punctuation.
    Loose,
    Commas,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Role {
    #[default]
    None,
    Comment,
    Attribute,
    Wrapper,
    Opaque,
}

/// Returns the parts of all kinds of nodes of a language, by their id. Computed once.
fn kinds(language: Language, grammar: &'static Grammar) -> &'static [Part] {
    static KINDS: [OnceLock<Vec<Part>>; Language::COUNT] = [const { OnceLock::new() }; Language::COUNT];
    KINDS[language as usize].get_or_init(|| {
        let parser = language.grammar();
        let ids = 0..u16::try_from(parser.node_kind_count()).unwrap_or(u16::MAX);
        ids.map(|id| {
            let kind = parser.node_kind_for_id(id).filter(|_| parser.node_kind_is_named(id));
            kind.map_or(Part::default(), |kind| part(kind, grammar))
        })
        .collect()
    })
}

fn part(kind: &str, grammar: &Grammar) -> Part {
    let found = grammar.rules.iter().position(|rule| rule.node == kind);
    let role = match kind {
        kind if grammar.comments.contains(&kind) => Role::Comment,
        kind if grammar.attributes.contains(&kind) => Role::Attribute,
        kind if grammar.wrappers.contains(&kind) => Role::Wrapper,
        kind if grammar.opaque.contains(&kind) => Role::Opaque,
        _ => Role::None,
    };
    Part {
        rule: found.and_then(|rule| u8::try_from(rule).ok()),
        role,
        list: match kind {
            kind if grammar.lists.contains(&kind) => List::Commas,
            kind if grammar.loose_lists.contains(&kind) => List::Loose,
            _ => List::None,
        },
    }
}

/// A declaration that the walk found.
struct Found<'t> {
    /// The node, or the outermost wrapper around it.
    node: Node<'t>,
    declared: Declared,
    kind: SymbolKind,
    parent: Option<usize>,
    /// Start of the attributes before the node.
    attributes: Option<usize>,
    list: List,
    /// Bytes of the node around the declaration.
    block: Range<usize>,
}

/// A walk over a tree. It uses no stack of the thread, however deep the tree is.
struct Walk<'a, 't> {
    text: &'a str,
    grammar: &'static Grammar,
    kinds: &'static [Part],
    nodes: Vec<(&'static str, usize)>,
    /// Innermost node around the current one.
    around: Vec<Node<'t>>,
    found: Vec<Found<'t>>,
    comments: Vec<Range<usize>>,
}

/// State of the walk inside a node.
#[derive(Clone, Copy, Default)]
struct Frame<'t> {
    symbol: Option<usize>,
    depth: usize,
    in_function: bool,
    /// Outermost wrapper of a single declaration, the start of the attributes before it, and of the node around.
    outer: Option<(Node<'t>, Option<usize>, Node<'t>)>,
    /// Start of the attributes before the next child.
    attributes: Option<usize>,
    list: List,
}

impl<'t> Walk<'_, 't> {
    fn run(&mut self, mut cursor: TreeCursor<'t>, budget: Budget) -> Result<(), NoSyntax> {
        let mut frames = vec![Frame::default()];
        let mut visited = 0;
        loop {
            visited += 1;
            if visited % STRIDE == 0 {
                budget.check()?;
            }
            let node = cursor.node();
            let inner = frames.last_mut().and_then(|frame| self.visit(node, frame));
            if let Some(inner) = inner
                && cursor.goto_first_child()
            {
                frames.push(inner);
                self.nodes.push((node.kind(), node.start_byte()));
                self.around.push(node);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(());
                }
                frames.pop();
                self.nodes.pop();
                self.around.pop();
            }
        }
    }

    /// Visits a node. Returns the state inside it, or `None` if it has no declarations inside.
    fn visit(&mut self, node: Node<'t>, frame: &mut Frame<'t>) -> Option<Frame<'t>> {
        let part = self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or_default();
        match part.role {
            Role::Comment => {
                self.comments.push(node.byte_range());
                return None;
            }
            Role::Attribute => {
                frame.attributes.get_or_insert(node.start_byte());
                return None;
            }
            _ => {}
        }
        if part.role == Role::Opaque {
            self.comments_at_end(node);
        }
        let attributes = frame.attributes.take();
        let inner = Frame { outer: None, attributes: None, list: part.list, ..*frame };
        if let Some(rule) = part.rule
            && let Some(found) = self.declaration(usize::from(rule), node, frame, attributes)
        {
            if frame.depth >= MAX_NESTING {
                return None;
            }
            let declares_function =
                matches!(found.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
            self.found.push(found);
            let symbol = Some(self.found.len() - 1);
            let in_function = frame.in_function || declares_function;
            let is_opaque = part.role == Role::Opaque;
            return (!is_opaque).then_some(Frame { symbol, depth: frame.depth + 1, in_function, ..inner });
        }
        match part.role {
            Role::Opaque => None,
            Role::Wrapper if self.has_one_declaration(node) => {
                let outer = frame.outer.or(Some((node, attributes, self.around(node))));
                Some(Frame { outer, ..inner })
            }
            _ if node.child_count() == 0 => None,
            _ => Some(inner),
        }
    }

    /// Collects the comments at the end of a node whose content is not visited. The grammar of YAML puts the
    /// comments before a key into the sequence that ends above them.
    fn comments_at_end(&mut self, node: Node<'t>) {
        let already = self.comments.len();
        let mut around = node;
        loop {
            let mut cursor = around.walk();
            let mut last = cursor.goto_last_child();
            while last && self.grammar.comments.contains(&cursor.node().kind()) {
                self.comments.push(cursor.node().byte_range());
                last = cursor.goto_previous_sibling();
            }
            if !last {
                break;
            }
            around = cursor.node();
        }
        self.comments[already..].reverse();
    }

    /// Returns the declaration of a node. Variables of functions are not listed.
    fn declaration(
        &self,
        rule: usize,
        node: Node<'t>,
        frame: &Frame<'t>,
        attributes: Option<usize>,
    ) -> Option<Found<'t>> {
        let around = Around { text: self.text, nodes: &self.nodes };
        let declared = self.grammar.rules.get(rule)?.declare(node, &around)?;
        let kind = declared.kind?;
        if frame.in_function && matches!(kind, SymbolKind::Variable | SymbolKind::Constant) {
            return None;
        }
        let (node, attributes, block) = frame.outer.unwrap_or((node, attributes, self.around(node)));
        Some(Found {
            node,
            declared,
            kind,
            parent: frame.symbol,
            attributes,
            list: if frame.outer.is_none() { frame.list } else { List::None },
            block: block.byte_range(),
        })
    }

    /// Returns the node around the current one.
    fn around(&self, node: Node<'t>) -> Node<'t> {
        self.around.last().copied().unwrap_or(node)
    }

    /// Returns `true` if one declaration is in a wrapper, and no list in parentheses.
    fn has_one_declaration(&self, node: Node<'t>) -> bool {
        let mut cursor = node.walk();
        let mut count = 0;
        for child in node.children(&mut cursor) {
            let part = self.kinds.get(usize::from(child.kind_id())).copied().unwrap_or_default();
            count += usize::from(part.rule.is_some() || part.role == Role::Wrapper);
            if child.kind() == "(" || count > 1 {
                return false;
            }
        }
        count == 1
    }
}

#[cfg(test)]
pub(super) mod tests;
