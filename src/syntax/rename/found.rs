//! Identifiers with the old or the new name, as the walk describes them.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use super::table::{Names, Spaces};
use super::walk::Scope;

/// The reason why a rename leaves a place with the name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display,
)]
pub enum Why {
    /// A local variable, a parameter or another declaration has the name there.
    #[strum(to_string = "another declaration")]
    Shadowed,
    /// A member of a type that the syntax does not show, or of another type.
    #[strum(to_string = "perhaps another member")]
    Member,
    /// A label, a key, or the name of an argument.
    #[strum(to_string = "label or key")]
    Label,
    /// A comment or a string.
    #[strum(to_string = "comment or string")]
    Text,
    /// In a macro, whose syntax is unknown.
    #[strum(to_string = "in a macro")]
    Macro,
    /// In an attribute.
    #[strum(to_string = "in an attribute")]
    Attribute,
    /// A name in another file or module.
    #[strum(to_string = "of another file or module")]
    Elsewhere,
    /// The argument of a command.
    #[strum(to_string = "argument of a command")]
    Argument,
    /// Something that the syntax does not show.
    #[strum(to_string = "not clear from the syntax")]
    Unclear,
}

/// The object of a member access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Receiver {
    /// `self` or `this`.
    This,
    /// `super`.
    Super,
    /// An identifier.
    Named(String),
    /// A literal.
    Literal,
    /// Something else.
    Unknown,
}

/// The part that an identifier plays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// It declares the name in a scope.
    Binding { scope: usize, extent: Range<usize>, except: Option<Range<usize>>, import: bool, pattern: bool },
    /// It declares a member of a type.
    Member { owner: usize },
    /// It declares a member of the type with this name.
    MemberOf(String),
    /// It is a member of an object. `strict`: only the type before it decides.
    Access { receiver: Receiver, writes: bool, strict: bool },
    /// It is behind these modules or types. `binds`: it imports the name into a scope.
    Path { prefix: Vec<String>, binds: Option<usize> },
    /// It is used.
    Use,
    /// It is assigned to, which declares it if nothing does.
    Assignment,
    /// It makes a function use the variable of the file or of the function around.
    Outer { scope: usize, global: bool },
    /// It is a label or a key.
    Label { declares: bool },
    /// It is left.
    Left(Why),
}

/// An identifier with one of the names.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) range: Range<usize>,
    /// `true` for the new name.
    pub(super) is_new: bool,
    /// End of the node around it, which is the statement of a declaration.
    pub(super) end: usize,
    pub(super) role: Role,
    pub(super) spaces: Spaces,
    /// Scopes in which it is looked up, innermost first.
    pub(super) scopes: Vec<usize>,
    /// It is the name of a member and a variable at once.
    pub(super) shorthand: Option<Shorthand>,
    /// It is the name of an element of JSX.
    pub(super) is_element: bool,
    /// The type whose object `this` means here, if there is one.
    pub(super) this: Option<usize>,
    /// A declaration that says that it overrides one of a supertype.
    pub(super) overrides: bool,
}

/// How a name that stands for a member and a variable is written with both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shorthand {
    /// `{member: variable}`.
    Pair,
    /// `{variable as member}`.
    Export,
}

/// A node with those around it.
pub(super) struct Place<'a, 't> {
    pub(super) text: &'a str,
    /// From the root to the node, each with its field in its parent.
    pub(super) path: &'a [(Node<'t>, Option<&'static str>)],
    /// Scopes around the node, innermost last, with the number of nodes of the path around each.
    pub(super) scopes: &'a [(usize, usize)],
    /// All scopes so far.
    pub(super) known: &'a [Scope],
    pub(super) names: &'static Names,
    /// The identifier.
    pub(super) leaf: Node<'t>,
}

impl<'t> Place<'_, 't> {
    /// Returns the node.
    pub(super) fn node(&self) -> Node<'t> {
        self.path.last().map_or(self.leaf, |step| step.0)
    }

    /// Returns the field of the node in its parent.
    pub(super) fn field(&self) -> Option<&'static str> {
        self.path.last().and_then(|step| step.1)
    }

    /// Returns the node around: the parent (1), its parent (2), and so on.
    pub(super) fn up(&self, levels: usize) -> Option<Node<'t>> {
        self.path.iter().rev().nth(levels).map(|step| step.0)
    }

    /// Returns the kind of a node around, or "".
    pub(super) fn kind(&self, levels: usize) -> &'static str {
        self.up(levels).map_or("", |node| node.kind())
    }

    /// Returns the place of the parent.
    pub(super) fn parent(&self) -> Self {
        Place { path: &self.path[..self.path.len().saturating_sub(1)], ..*self }
    }

    /// Returns the innermost node around with one of these kinds.
    pub(super) fn around(&self, kinds: &[&str]) -> Option<Node<'t>> {
        self.path.iter().rev().skip(1).map(|step| step.0).find(|node| kinds.contains(&node.kind()))
    }

    /// Returns the text of a node.
    pub(super) fn content(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// Returns the text before the identifier, without whitespace at its end.
    pub(super) fn before(&self) -> &str {
        self.text[..self.leaf.start_byte()].trim_end()
    }

    /// Returns the text behind the identifier, without whitespace at its start.
    pub(super) fn behind(&self) -> &str {
        self.text[self.leaf.end_byte()..].trim_start()
    }
}
