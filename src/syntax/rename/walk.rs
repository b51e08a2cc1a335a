//! A walk over a syntax tree that finds the identifiers with a name, and the scopes around them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use memchr::memmem;
use tree_sitter::{Node, Tree, TreeCursor};

use super::found::{Found, Place, Receiver, Role, Shorthand};
use super::table::{Extent, In, Meaning, Names, ScopeKind, receiver};
use crate::NoSyntax;
use crate::parse::Budget;

/// Number of nodes between two checks of the time.
pub(super) const STRIDE: usize = 1 << 12;

/// A part of a text that limits where a declaration is visible.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) kind: ScopeKind,
    pub(super) range: Range<usize>,
    pub(super) parent: Option<usize>,
    /// Number of scopes around.
    pub(super) depth: usize,
    /// Name of a type or module.
    pub(super) name: Option<String>,
    /// Names of the types from which a type inherits.
    pub(super) supertypes: Vec<String>,
    /// The trait that a block implements.
    pub(super) implements: Option<String>,
    /// Name of the variable that is the object of a type, and that type: the receiver of a method.
    pub(super) object: Option<(String, String)>,
    /// The module imports all names of the module around it.
    pub(super) sees_parent: bool,
}

/// Everything that was found.
pub(super) struct Walked<'a> {
    pub(super) text: &'a str,
    pub(super) names: &'static Names,
    pub(super) scopes: Vec<Scope>,
    pub(super) found: Vec<Found>,
    /// Names that the file imports.
    pub(super) imported: HashSet<String>,
    /// Declarations by scope, apart for the new name, by index.
    pub(super) bindings: HashMap<(usize, bool), Vec<usize>>,
    /// Declarations of members, by index.
    pub(super) members: Vec<usize>,
}

/// Finds all identifiers that are equal to `old` or `new`.
pub(super) fn walk<'a>(
    text: &'a str,
    tree: &Tree,
    names: &'static Names,
    (old, new): (&str, &str),
    budget: Budget,
) -> Result<Walked<'a>, NoSyntax> {
    let root = tree.root_node();
    let mut all = Walked {
        text,
        names,
        scopes: Vec::new(),
        found: Vec::new(),
        imported: HashSet::new(),
        bindings: HashMap::new(),
        members: Vec::new(),
    };
    let (kinds, fields) = (kinds(tree, names), fields(tree));
    let kind = |node: Node<'_>| kinds.get(usize::from(node.kind_id())).copied().unwrap_or_default();
    let field = |cursor: &TreeCursor<'_>| *fields.get(usize::from(cursor.field_id()?.get()))?;
    let mut path: Vec<(Node<'_>, Option<&'static str>)> = vec![(root, None)];
    // For each node of the path, whether it or one around it imports names.
    let mut importing = vec![false];
    let mut around: Vec<(usize, usize)> = Vec::new();
    all.enter(&path, &mut around, root, true);
    let marks = Marks::new(text, [old, new], names.signs);
    let mut cursor = tree.walk();
    let mut visited = 0_usize;
    let mut looks_inside = true;
    loop {
        visited += 1;
        if visited.is_multiple_of(STRIDE) {
            budget.check()?;
        }
        if looks_inside && cursor.goto_first_child() {
            path.push((cursor.node(), field(&cursor)));
        } else {
            loop {
                path.pop();
                importing.pop();
                while around.last().is_some_and(|(_, length)| *length > path.len()) {
                    around.pop();
                }
                if cursor.goto_next_sibling() {
                    path.push((cursor.node(), field(&cursor)));
                    break;
                }
                if !cursor.goto_parent() {
                    return Ok(all);
                }
            }
        }
        let node = cursor.node();
        let kind = kind(node);
        let is_importing = importing.last().is_some_and(|around| *around);
        importing.push(is_importing || kind.may_import && imports(node, names, text));
        looks_inside = importing.last() == Some(&true) || marks.are_in(node.byte_range());
        if !looks_inside || !node.is_named() {
            continue;
        }
        if kind.is_identifier && node.child_count() == 0 {
            let content = &text[node.byte_range()];
            if importing.last().is_some_and(|is_importing| *is_importing) {
                all.imported.insert(content.to_owned());
            }
            if content == old || content == new {
                let place =
                    Place { text, path: &path, scopes: &around, known: &all.scopes, names, leaf: node };
                let found = all.found(&place, content != old);
                all.found.push(found);
            }
        } else if kind.may_enter {
            all.enter(&path, &mut around, node, false);
        }
    }
}

/// The places of a text that can matter to a rename.
struct Marks {
    /// Their offsets, in order.
    offsets: Vec<usize>,
}

impl Marks {
    /// Finds the occurrences of the names, and those of `signs` at the start of a word.
    fn new(text: &str, names: [&str; 2], signs: &[&str]) -> Self {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let starts_word = |at: usize| at == 0 || !is_word(text.as_bytes()[at - 1]);
        let signs = signs.iter().flat_map(|sign| {
            let at = memmem::find_iter(text.as_bytes(), *sign);
            at.filter(|at| starts_word(*at) || !sign.starts_with(char::is_alphanumeric))
        });
        let mut offsets: Vec<usize> = signs.collect();
        for name in names {
            let finder = memmem::Finder::new(name);
            let mut from = 0;
            // Also those that overlap.
            while let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
                offsets.push(from + at);
                from += at + 1;
            }
        }
        offsets.sort_unstable();
        Self { offsets }
    }

    fn are_in(&self, range: Range<usize>) -> bool {
        let next = self.offsets.partition_point(|offset| *offset < range.start);
        self.offsets.get(next).is_some_and(|offset| *offset < range.end)
    }
}

/// Facts about a kind of nodes. The names of kinds are compared once for each walk, not for each node.
#[derive(Debug, Clone, Copy, Default)]
struct Kind {
    is_identifier: bool,
    /// [`imports`] can be `true` for such a node.
    may_import: bool,
    /// [`Walked::enter`] can do something for such a node.
    may_enter: bool,
}

/// Returns facts about all kinds of nodes of a tree, by their id.
fn kinds(tree: &Tree, names: &Names) -> Vec<Kind> {
    let language = tree.language();
    let ids = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let facts = |kind: &str| Kind {
        is_identifier: names.identifiers.contains(&kind),
        may_import: names.imports.contains(&kind) || VARIABLES.contains(&kind),
        may_enter: SPECIAL.contains(&kind) || names.scopes.iter().any(|(scope, _)| *scope == kind),
    };
    ids.map(|id| language.node_kind_for_id(id).map(facts).unwrap_or_default()).collect()
}

/// Returns the names of all fields of a tree, by their id.
fn fields(tree: &Tree) -> Vec<Option<&'static str>> {
    let language = tree.language();
    let last = u16::try_from(language.field_count()).unwrap_or(u16::MAX - 1);
    (0..=last).map(|id| language.field_name_for_id(id)).collect()
}

/// Variables whose value can be a module.
const VARIABLES: [&str; 2] = ["variable_declarator", "variable_declaration"];

/// Nodes that tell something about the scope around them.
const SPECIAL: [&str; 2] = ["use_wildcard", "import_spec"];

/// Returns `true` for a node that imports names: a statement, or a variable of JavaScript or Lua with a module.
fn imports(node: Node<'_>, names: &Names, text: &str) -> bool {
    let kind = node.kind();
    names.imports.contains(&kind)
        || VARIABLES.contains(&kind)
            && text[node.byte_range()].split_once('=').is_some_and(|(_, value)| {
                let value = value.trim_start();
                value.starts_with("require") || value.starts_with("await import")
            })
}

impl Walked<'_> {
    /// Adds the scope of a node, if it is one.
    fn enter(
        &mut self,
        path: &[(Node<'_>, Option<&'static str>)],
        around: &mut Vec<(usize, usize)>,
        node: Node<'_>,
        is_file: bool,
    ) {
        if node.kind() == "use_wildcard"
            && self.text[node.byte_range()].starts_with("super::*")
            && let Some((scope, _)) = around.iter().rev().find(|(scope, _)| self.is_module(*scope))
        {
            self.scopes[*scope].sees_parent = true;
        }
        // A package of Go has the last name of its path.
        if node.kind() == "import_spec" {
            let words = self.text[node.byte_range()].split(|c: char| !c.is_alphanumeric() && c != '_');
            self.imported.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        let kind = if is_file {
            ScopeKind::File
        } else {
            let Some((_, kind)) = self.names.scopes.iter().find(|(kind, _)| *kind == node.kind()) else {
                return;
            };
            *kind
        };
        let is_named = matches!(kind, ScopeKind::Type | ScopeKind::Module);
        let parent = around.last().map(|(scope, _)| *scope);
        let place = Place {
            text: self.text,
            path,
            scopes: around,
            known: &self.scopes,
            names: self.names,
            leaf: node,
        };
        let implements = node.child_by_field_name("trait").filter(|_| node.kind() == "impl_item");
        let scope = Scope {
            kind,
            range: node.byte_range(),
            parent,
            depth: around.len(),
            name: if is_named { (self.names.type_name)(&place) } else { None },
            supertypes: if kind == ScopeKind::Type { self.supertypes(node) } else { Vec::new() },
            implements: implements.map(|name| plain_name(&self.text[name.byte_range()])),
            object: object(node, self.text),
            sees_parent: false,
        };
        self.scopes.push(scope);
        around.push((self.scopes.len() - 1, path.len()));
    }

    fn is_module(&self, scope: usize) -> bool {
        matches!(self.scopes[scope].kind, ScopeKind::Module | ScopeKind::File)
    }

    /// Returns the names in the parts of a type that name its supertypes.
    fn supertypes(&self, node: Node<'_>) -> Vec<String> {
        let mut names = Vec::new();
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return names;
        }
        loop {
            let part = cursor.node();
            let is_part = |name: &str| part.kind() == name || cursor.field_name() == Some(name);
            if self.names.supertypes.iter().any(|name| is_part(name)) {
                let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
                let words = self.text[part.byte_range()].split(|c: char| !is_word(c));
                names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
            }
            if !cursor.goto_next_sibling() {
                return names;
            }
        }
    }

    /// Returns what an identifier is.
    fn found(&self, place: &Place<'_, '_>, is_new: bool) -> Found {
        let leaf = place.leaf;
        let shorthand = match place.kind(1) {
            "export_specifier" if place.field() == Some("name") => Some(Shorthand::Export),
            "shorthand_field_initializer" => Some(Shorthand::Pair),
            _ => self.names.shorthands.contains(&leaf.kind()).then_some(Shorthand::Pair),
        };
        let element = ["jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element"];
        let scopes = self.visible(place);
        Found {
            range: leaf.byte_range(),
            is_new,
            end: place.up(1).map_or(0, |parent| parent.end_byte()),
            role: self.role(place),
            spaces: (self.names.spaces)(place),
            shorthand,
            is_element: element.contains(&place.kind(1)),
            this: self.this(place, &scopes),
            scopes,
            overrides: overrides(place),
        }
    }

    /// Returns the scopes in which an identifier is looked up, innermost first.
    fn visible(&self, place: &Place<'_, '_>) -> Vec<usize> {
        let mut visible = Vec::new();
        let mut skipped = 0_usize;
        let mut scopes = place.scopes.iter().rev().peekable();
        for at in (1..place.path.len()).rev() {
            let (parent, field) = (place.path[at - 1].0, place.path[at].1.unwrap_or_default());
            let is_outside = |(kind, part): &&(&str, &str)| *kind == parent.kind() && *part == field;
            if self.names.outside.iter().any(|outside| is_outside(&outside)) {
                skipped += 1;
            }
            if let Some((scope, _)) = scopes.next_if(|(_, length)| *length == at) {
                if skipped > 0 && self.scopes[*scope].kind != ScopeKind::File {
                    skipped -= 1;
                } else {
                    visible.push(*scope);
                }
            }
        }
        visible
    }

    /// Returns the type whose object `this` means at an identifier. Returns `None` if it is that of a function.
    fn this(&self, place: &Place<'_, '_>, visible: &[usize]) -> Option<usize> {
        let mut scopes = place.scopes.iter().rev().peekable();
        for at in (1..place.path.len()).rev() {
            let (kind, inner) = (place.path[at - 1].0.kind(), place.path[at].0.kind());
            let scope = scopes.next_if(|(_, length)| *length == at).map(|(scope, _)| *scope);
            if self.names.rebinds_this.contains(&kind) {
                return None;
            }
            let keeps = self.names.keeps_this.iter().any(|(of, except)| *of == kind && *except != inner);
            let is_type =
                |scope: &usize| self.scopes[*scope].kind == ScopeKind::Type && visible.contains(scope);
            if let Some(scope) = scope.filter(is_type).filter(|_| !keeps) {
                return Some(scope);
            }
        }
        None
    }

    fn role(&self, place: &Place<'_, '_>) -> Role {
        let mut place = Place { ..*place };
        let mut is_pattern = false;
        loop {
            let Some(parent) = place.up(1) else { return Role::Use };
            let field = place.field().unwrap_or_default();
            let fits = |rule: &&super::table::Rule| {
                rule.0 == parent.kind() && (rule.1.is_empty() || rule.1 == field)
            };
            let Some(rule) = self.names.rules.iter().find(fits) else {
                return self.names.unlisted.map_or(Role::Use, Role::Left);
            };
            match rule.2 {
                Meaning::Through => {
                    is_pattern |= parent.kind().ends_with("pattern");
                    place = place.parent();
                }
                Meaning::Computed(compute) => match compute(&place) {
                    Some(computed) => return computed,
                    None => place = place.parent(),
                },
                meaning => return Self::meaning(meaning, &place, is_pattern),
            }
        }
    }

    fn meaning(meaning: Meaning, place: &Place<'_, '_>, pattern: bool) -> Role {
        match meaning {
            Meaning::Use | Meaning::Through | Meaning::Computed(_) => Role::Use,
            Meaning::Local(scope, extent) => local(place, scope, extent, pattern),
            Meaning::Item => item(place),
            Meaning::MemberOfType => match nearest(place, 1, |kind| kind == ScopeKind::Type) {
                Some(owner) => Role::Member { owner },
                None => Role::Left(super::found::Why::Unclear),
            },
            Meaning::Access(object) => access(place, object, false),
            Meaning::Path(before) => {
                match place.up(1).and_then(|parent| parent.child_by_field_name(before)) {
                    Some(before) => {
                        let prefix = place.content(before).split("::").flat_map(|part| part.split('.'));
                        Role::Path {
                            prefix: prefix.map(|part| part.trim().to_owned()).collect(),
                            binds: None,
                        }
                    }
                    None => Role::Use,
                }
            }
            Meaning::Import => import(place),
            Meaning::Assignment => Role::Assignment,
            Meaning::Outer { global } => match nearest(place, 1, |kind| kind == ScopeKind::Function) {
                Some(scope) => Role::Outer { scope, global },
                None => Role::Use,
            },
            Meaning::Label { declares } => Role::Label { declares },
            Meaning::Unclear(why) => Role::Left(why),
        }
    }
}

/// Returns the innermost scope of a kind around a node. `levels`: 1 includes the parent, 2 does not.
pub(super) fn nearest(
    place: &Place<'_, '_>,
    levels: usize,
    is_kind: impl Fn(ScopeKind) -> bool,
) -> Option<usize> {
    let most = place.path.len().saturating_sub(levels);
    let found = place
        .scopes
        .iter()
        .rev()
        .find(|(scope, length)| *length <= most && is_kind(place.known[*scope].kind));
    found.map(|(scope, _)| *scope)
}

/// Returns the role of a declaration in a scope.
pub(super) fn local(place: &Place<'_, '_>, within: In, extent: Extent, pattern: bool) -> Role {
    let scopes = place.known;
    let any = |kind: ScopeKind| kind != ScopeKind::Type;
    let function = |kind: ScopeKind| !matches!(kind, ScopeKind::Block | ScopeKind::Comprehension);
    let Some(parent) = place.up(1) else { return Role::Use };
    let scope = match within {
        In::Nearest | In::Parent => nearest(place, 1, any),
        In::Function => nearest(place, 1, function),
        In::Owner => nearest(place, 1, |kind| matches!(kind, ScopeKind::Function | ScopeKind::Type))
            .or_else(|| nearest(place, 1, any)),
    };
    let Some(scope) = scope else { return Role::Use };
    let whole = if within == In::Parent { parent.byte_range() } else { scopes[scope].range.clone() };
    let is_open = matches!(scopes[scope].kind, ScopeKind::File | ScopeKind::Module | ScopeKind::Type);
    let mut except = None;
    let extent = match extent {
        _ if is_open && within != In::Parent => whole,
        Extent::Whole => whole,
        Extent::AfterParent => parent.end_byte().min(whole.end)..whole.end,
        Extent::AfterName => place.leaf.start_byte()..whole.end,
        Extent::Except(field) => {
            except = parent.child_by_field_name(field).map(|part| part.byte_range());
            whole
        }
    };
    Role::Binding { scope, extent, except, import: false, pattern }
}

/// Returns the role of an imported name.
pub(super) fn import(place: &Place<'_, '_>) -> Role {
    match local(place, In::Nearest, Extent::Whole, false) {
        Role::Binding { scope, extent, except, pattern, .. } => {
            Role::Binding { scope, extent, except, pattern, import: true }
        }
        role => role,
    }
}

/// Returns the role of a declaration that is a member if it stands in a type.
pub(super) fn item(place: &Place<'_, '_>) -> Role {
    let scopes = place.known;
    match nearest(place, 2, |kind| kind != ScopeKind::Comprehension) {
        Some(owner) if scopes[owner].kind == ScopeKind::Type => Role::Member { owner },
        Some(scope) => Role::Binding {
            scope,
            extent: scopes[scope].range.clone(),
            except: None,
            import: false,
            pattern: false,
        },
        None => Role::Use,
    }
}

/// Returns the role of the name of a member behind the object at a field of the parent.
pub(super) fn access(place: &Place<'_, '_>, object: &str, strict: bool) -> Role {
    let Some(parent) = place.up(1) else { return Role::Use };
    let Some(object) = parent.child_by_field_name(object) else { return Role::Use };
    let assigned = place.up(2).filter(|_| matches!(place.parent().field(), Some("left")));
    let listed = place.kind(2) == "variable_list";
    let writes = listed || assigned.is_some_and(|node| node.kind().starts_with("assignment"));
    let writes =
        writes || parent.kind().ends_with("index_expression") && place.kind(2) == "function_declaration";
    Role::Access { receiver: of_object(place, object), writes, strict }
}

/// Returns the type of an object. The receiver of a method of Go or Lua is one, too.
fn of_object(place: &Place<'_, '_>, object: Node<'_>) -> Receiver {
    receiver(object, place.text, place.names)
}

/// Returns the receiver of a method that is declared outside of its type, with the name of the type.
fn object(node: Node<'_>, text: &str) -> Option<(String, String)> {
    if node.kind() == "method_declaration"
        && let Some(receiver) = node.child_by_field_name("receiver")
    {
        let declared = receiver.named_child(0)?;
        let of = declared.child_by_field_name("type")?;
        let name = declared.child_by_field_name("name").map_or("", |name| &text[name.byte_range()]);
        return Some((name.to_owned(), plain_name(&text[of.byte_range()])));
    }
    if node.kind() == "function_declaration"
        && let Some(name) =
            node.child_by_field_name("name").filter(|name| name.kind() == "method_index_expression")
    {
        let table = name.child_by_field_name("table")?;
        return Some(("self".to_owned(), text[table.byte_range()].to_owned()));
    }
    None
}

/// Returns the name of a type without its parameters, reference and path.
pub(super) fn plain_name(text: &str) -> String {
    let name = text.trim_start_matches(['*', '&', '(', ' ']);
    let name = name.split(['<', '[', '(', ')', ' ']).next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

/// Returns `true` for the declaration of a method with `@Override` or `override`.
fn overrides(place: &Place<'_, '_>) -> bool {
    let Some(parent) = place.up(1).filter(|parent| parent.kind().starts_with("method")) else { return false };
    let head = &place.text[parent.start_byte()..place.leaf.start_byte()];
    head.split(|c: char| !c.is_alphanumeric() && c != '@')
        .any(|word| matches!(word, "@Override" | "override"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::Language;
    use crate::parse::{MAX_TIME, next_beside, parse};
    use crate::rename::names::names;
    use editd_edit::Deadline;

    #[rstest]
    #[case::c(
        Language::C,
        "struct A { int x; };\nunion B { int y; };\nint f(struct A *a) { return a->x; }\n"
    )]
    #[case::go(
        Language::Go,
        "package a\nimport (\n\t\"fmt\"\n\tx \"y/z\"\n)\ntype A struct{ n int }\ntype B interface{ F() }\n"
    )]
    #[case::java(
        Language::Java,
        "import a.B;\nclass C {}\ninterface D {}\n@interface E {}\nenum F { G }\nrecord H(int i) {}\nclass J { Object o = new Object() { }; }\n"
    )]
    #[case::typescript(
        Language::TypeScript,
        "import a from 'b';\nclass A {}\nabstract class B {}\nconst c = class {};\ninterface D {}\nenum E { F }\ntype G = { h: number };\nconst i = { j: 1 };\nnamespace K {}\ndeclare module 'l' {}\nconst m = require('n');\nconst o = await import('p');\n"
    )]
    #[case::lua(Language::Lua, "local a = require('b')\nlocal function c() return a end\n")]
    #[case::python(Language::Python, "import a\nfrom b import c\nclass D(c):\n    pass\n")]
    #[case::rust(
        Language::Rust,
        "extern crate a;\nuse b::*;\nstruct C { d: u8 }\nenum E { F }\nunion G { h: u8 }\ntrait I {}\nimpl I for C {}\nmod j { use super::*; }\nfn k() { struct L; }\n"
    )]
    fn what_a_rename_needs_has_a_sign(#[case] language: Language, #[case] text: &str) {
        let names = names(language).expect("a language with renames");
        let tree = parse(text, language, Budget::new(MAX_TIME, Deadline::NONE)).expect("a tree");
        assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
        let needed = |kind: &ScopeKind| matches!(kind, ScopeKind::Type | ScopeKind::Module);
        let scopes = names.scopes.iter().filter(|(_, kind)| needed(kind)).map(|(kind, _)| *kind);
        let kinds: Vec<&str> = scopes.chain(names.imports.iter().copied()).collect();
        let marks = Marks::new(text, ["absent", "absent"], names.signs);
        let (mut cursor, mut seen) = (tree.walk(), HashSet::new());
        loop {
            let node = cursor.node();
            if node.is_named() && kinds.contains(&node.kind()) || imports(node, names, text) {
                seen.insert(node.kind());
                assert!(marks.are_in(node.byte_range()), "{} has a sign", &text[node.byte_range()]);
            }
            if !cursor.goto_first_child() && !next_beside(&mut cursor) {
                break;
            }
        }
        let is_there = |kind: &&&str| tree.language().id_for_node_kind(kind, true) != 0;
        let missing: Vec<_> = kinds.iter().filter(is_there).filter(|kind| !seen.contains(*kind)).collect();
        assert_eq!(missing, Vec::<&&str>::new(), "the text has all kinds");
    }

    #[test]
    fn parts_without_signs_and_names_are_skipped() {
        let marks = Marks::new("use a; because(used, abab); ababab", ["aba", "new"], &["use"]);
        assert_eq!(marks.offsets, [0, 15, 21, 28, 30]);
        assert!(marks.are_in(0..1) && marks.are_in(20..22));
        assert!(!marks.are_in(1..15) && !marks.are_in(31..34));
    }
}
