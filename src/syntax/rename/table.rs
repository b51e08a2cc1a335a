//! Tables of names: for each language, in which positions of a syntax tree an identifier declares, uses or labels
//! something.

use tree_sitter::Node;

use super::found::{Place, Receiver, Role, Why};
use super::walk::plain_name;

/// Names of a language.
pub(super) struct Names {
    /// Kinds of nodes that are identifiers.
    pub(super) identifiers: &'static [&'static str],
    /// Kinds of nodes that are the name of a member and of a variable at once, as in `{name}`.
    pub(super) shorthands: &'static [&'static str],
    /// Nodes that limit where a declaration is visible.
    pub(super) scopes: &'static [(&'static str, ScopeKind)],
    /// Parts of a scope that belong to the scope around it: the kind of a parent, and the field of a child.
    pub(super) outside: &'static [(&'static str, &'static str)],
    /// Positions with a meaning of their own, first match first. An identifier elsewhere is a use.
    pub(super) rules: &'static [Rule],
    /// The reason to leave an identifier in a position without a rule, if it is no use.
    pub(super) unlisted: Option<Why>,
    /// Nodes that import names.
    pub(super) imports: &'static [&'static str],
    /// Words of which at least one begins in every node that imports names, and in every type and module: a walk need
    /// not look into nodes without them.
    pub(super) signs: &'static [&'static str],
    /// Texts that stand for the object of the surrounding type.
    pub(super) this: &'static [&'static str],
    /// Nodes with an object of their own, so that `this` inside is not that of the type around.
    pub(super) rebinds_this: &'static [&'static str],
    /// Types in which `this` is that of the type around, except in children of the kind beside them.
    pub(super) keeps_this: &'static [(&'static str, &'static str)],
    /// Children of a type that name the types from which it inherits, by kind or field.
    pub(super) supertypes: &'static [&'static str],
    /// Members of a type are visible inside it without `this`.
    pub(super) implicit_this: bool,
    /// A type is known by its name alone, because its members are declared in several places.
    pub(super) types_by_name: bool,
    /// A type that was declared in another module is not visible in a module.
    pub(super) modules_are_closed: bool,
    /// Keywords that are no tokens of the grammar, because they are values.
    pub(super) values: &'static [&'static str],
    /// Tokens of the grammar that are valid names nevertheless.
    pub(super) soft_keywords: &'static [&'static str],
    /// Members of many types of the standard library.
    pub(super) common_members: &'static [&'static str],
    /// The name of the type that a scope is, if it is not in the field `name`.
    pub(super) type_name: fn(&Place<'_, '_>) -> Option<String>,
    /// Namespaces in which an identifier is looked up.
    pub(super) spaces: fn(&Place<'_, '_>) -> Spaces,
}

/// A table without names, for what a language does not have.
pub(super) const NONE: Names = Names {
    identifiers: &[],
    shorthands: &[],
    scopes: &[],
    outside: &[],
    rules: &[],
    unlisted: None,
    imports: &[],
    signs: &[],
    this: &[],
    rebinds_this: &[],
    keeps_this: &[],
    supertypes: &[],
    implicit_this: false,
    types_by_name: false,
    modules_are_closed: false,
    values: &[],
    soft_keywords: &[],
    common_members: &[],
    type_name: |_| None,
    spaces: |_| ALL,
};

/// A set of namespaces.
pub(super) type Spaces = u8;
/// Types, modules, tags of C.
pub(super) const TYPES: Spaces = 1;
/// Variables, constants, and functions where nothing else is said.
pub(super) const VALUES: Spaces = 2;
/// Functions or methods of languages that tell them from variables or fields.
pub(super) const CALLS: Spaces = 4;
/// Macros.
pub(super) const MACROS: Spaces = 8;
/// All of them.
pub(super) const ALL: Spaces = TYPES | VALUES | CALLS | MACROS;

/// The kind of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    /// The file.
    File,
    /// A module inside a file.
    Module,
    /// A type: its declarations are members.
    Type,
    /// A function.
    Function,
    /// A block, or another part of a function.
    Block,
    /// A comprehension, in which only its own variables are declared.
    Comprehension,
}

/// The meaning of a position: the kind of the parent, and the field of the child, any if empty.
pub(super) struct Rule(pub(super) &'static str, pub(super) &'static str, pub(super) Meaning);

/// The meaning of a position.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    /// The meaning is that of the parent.
    Through,
    /// A use.
    Use,
    /// A declaration, visible in a scope.
    Local(In, Extent),
    /// A declaration: of a member if it stands directly in a type, else in the scope around the parent.
    Item,
    /// A member of a type.
    MemberOfType,
    /// The name of a member behind an object, which is the child at this field.
    Access(&'static str),
    /// A name behind `::` or the like: the type or module before it, which is the child at this field, decides.
    Path(&'static str),
    /// An imported name.
    Import,
    /// An assignment, which declares a variable of the file if none is visible.
    Assignment,
    /// A statement that makes a function use the variable of the file, or of the function around it.
    Outer { global: bool },
    /// A label, a key, or the name of an argument. With `declares`, of a value with members of its own.
    Label { declares: bool },
    /// Not known.
    Unclear(Why),
    /// Computed.
    Computed(fn(&Place<'_, '_>) -> Option<Role>),
}

/// The scope in which a declaration is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum In {
    /// The nearest scope of any kind around the position.
    Nearest,
    /// The nearest function, type, module or file.
    Function,
    /// The nearest function or type, for its parameters.
    Owner,
    /// The parent itself.
    Parent,
}

/// The part of a scope in which a declaration is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All of it.
    Whole,
    /// From the end of the parent on.
    AfterParent,
    /// From the name on.
    AfterName,
    /// All except the child of the parent at this field.
    Except(&'static str),
}

/// Returns the type of an object as far as its syntax shows it.
pub(super) fn receiver(object: Node<'_>, text: &str, names: &Names) -> Receiver {
    let content = &text[object.byte_range()];
    if names.this.contains(&content) {
        return Receiver::This;
    }
    if content == "super" || content == "super()" || content == "base" && object.kind() == "base" {
        return Receiver::Super;
    }
    let kind = object.kind();
    if object.child_count() == 0 && (names.identifiers.contains(&kind) || kind == "namespace_identifier") {
        return Receiver::Named(content.to_owned());
    }
    // A new object has the type that it names.
    let created = match kind {
        "composite_literal" | "object_creation_expression" => object.child_by_field_name("type"),
        "new_expression" => object.child_by_field_name("constructor"),
        "call" => object.child_by_field_name("function").filter(|called| {
            called.child_count() == 0 && text[called.byte_range()].starts_with(char::is_uppercase)
        }),
        _ => None,
    };
    if let Some(created) = created {
        return Receiver::Named(plain_name(&text[created.byte_range()]));
    }
    let literals = ["string", "integer", "float", "number", "list", "dictionary", "array", "regex", "set"];
    let is_literal =
        literals.contains(&kind) || kind.ends_with("_literal") || kind.ends_with("_comprehension");
    if is_literal || kind == "template_string" {
        return Receiver::Literal;
    }
    Receiver::Unknown
}

/// Returns the name of a type in the field `name`.
pub(super) fn name_field(place: &Place<'_, '_>) -> Option<String> {
    let name = place.node().child_by_field_name("name")?;
    Some(place.text[name.byte_range()].to_owned())
}
