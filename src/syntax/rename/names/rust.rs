//! Rust.

use super::super::found::{Place, Receiver, Role, Why};
use super::super::table::{
    ALL, CALLS, Extent, In, MACROS, Meaning, NONE, Names, Rule, ScopeKind, Spaces, TYPES, VALUES, name_field,
};
use super::super::walk::plain_name;

/// Macros of the standard library, and a few others, whose arguments are expressions.
const OF_EXPRESSIONS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "json",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

pub(super) static RUST: Names = Names {
    identifiers: &["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"],
    shorthands: &["shorthand_field_identifier"],
    scopes: &[
        ("function_item", ScopeKind::Function),
        ("function_signature_item", ScopeKind::Function),
        ("closure_expression", ScopeKind::Function),
        ("macro_definition", ScopeKind::Block),
        ("type_item", ScopeKind::Block),
        ("block", ScopeKind::Block),
        ("match_arm", ScopeKind::Block),
        ("for_expression", ScopeKind::Block),
        ("while_expression", ScopeKind::Block),
        ("if_expression", ScopeKind::Block),
        ("impl_item", ScopeKind::Type),
        ("trait_item", ScopeKind::Type),
        ("struct_item", ScopeKind::Type),
        ("enum_item", ScopeKind::Type),
        ("union_item", ScopeKind::Type),
        ("mod_item", ScopeKind::Module),
    ],
    outside: &[("if_expression", "alternative")],
    rules: &[
        Rule("attribute", "", Meaning::Unclear(Why::Attribute)),
        Rule("function_item", "name", Meaning::Item),
        Rule("function_signature_item", "name", Meaning::Item),
        Rule("const_item", "name", Meaning::Item),
        Rule("static_item", "name", Meaning::Item),
        Rule("struct_item", "name", Meaning::Item),
        Rule("enum_item", "name", Meaning::Item),
        Rule("union_item", "name", Meaning::Item),
        Rule("trait_item", "name", Meaning::Item),
        Rule("type_item", "name", Meaning::Item),
        Rule("associated_type", "name", Meaning::Item),
        Rule("mod_item", "name", Meaning::Item),
        Rule("macro_definition", "name", Meaning::Item),
        Rule("macro_definition", "", Meaning::Unclear(Why::Macro)),
        Rule("macro_rule", "", Meaning::Unclear(Why::Macro)),
        Rule("token_tree_pattern", "", Meaning::Unclear(Why::Macro)),
        Rule("enum_variant", "name", Meaning::MemberOfType),
        Rule("field_declaration", "name", Meaning::MemberOfType),
        Rule("type_parameter", "name", Meaning::Local(In::Owner, Extent::Whole)),
        Rule("const_parameter", "name", Meaning::Local(In::Owner, Extent::Whole)),
        Rule("lifetime", "", Meaning::Label { declares: false }),
        Rule("label", "", Meaning::Label { declares: false }),
        Rule("let_declaration", "pattern", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("let_condition", "pattern", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("for_expression", "pattern", Meaning::Local(In::Parent, Extent::Except("value"))),
        Rule("match_arm", "pattern", Meaning::Local(In::Nearest, Extent::Whole)),
        Rule("match_pattern", "condition", Meaning::Use),
        Rule("match_pattern", "", Meaning::Through),
        Rule("closure_parameters", "", Meaning::Local(In::Function, Extent::Whole)),
        Rule("parameter", "pattern", Meaning::Local(In::Function, Extent::Whole)),
        Rule("tuple_struct_pattern", "type", Meaning::Use),
        Rule("tuple_struct_pattern", "", Meaning::Through),
        Rule("tuple_pattern", "", Meaning::Through),
        Rule("slice_pattern", "", Meaning::Through),
        Rule("ref_pattern", "", Meaning::Through),
        Rule("mut_pattern", "", Meaning::Through),
        Rule("reference_pattern", "", Meaning::Through),
        Rule("or_pattern", "", Meaning::Through),
        Rule("captured_pattern", "", Meaning::Through),
        Rule("field_pattern", "pattern", Meaning::Through),
        Rule("field_pattern", "name", Meaning::Computed(field_of_pattern)),
        Rule("struct_pattern", "type", Meaning::Use),
        Rule("struct_pattern", "", Meaning::Through),
        Rule("field_initializer", "field", Meaning::Label { declares: false }),
        Rule("type_binding", "name", Meaning::Label { declares: false }),
        Rule("field_expression", "field", Meaning::Access("value")),
        Rule("scoped_identifier", "path", Meaning::Use),
        Rule("scoped_identifier", "name", Meaning::Computed(scoped)),
        Rule("scoped_type_identifier", "path", Meaning::Use),
        Rule("scoped_type_identifier", "name", Meaning::Computed(scoped)),
        Rule("use_as_clause", "alias", Meaning::Import),
        Rule("use_as_clause", "path", Meaning::Computed(imported)),
        Rule("use_declaration", "argument", Meaning::Computed(imported)),
        Rule("use_list", "", Meaning::Computed(imported)),
        Rule("extern_crate_declaration", "", Meaning::Import),
        Rule("token_tree", "", Meaning::Computed(token)),
        Rule("visibility_modifier", "", Meaning::Unclear(Why::Elsewhere)),
    ],
    imports: &["use_declaration", "extern_crate_declaration"],
    signs: &["impl", "trait", "struct", "enum", "union", "mod", "use", "extern"],
    this: &["self", "Self"],
    supertypes: &["bounds"],
    types_by_name: true,
    modules_are_closed: true,
    soft_keywords: &[
        "auto",
        "block",
        "default",
        "expr",
        "expr_2021",
        "ident",
        "item",
        "lifetime",
        "literal",
        "macro_rules",
        "meta",
        "pat",
        "pat_param",
        "path",
        "raw",
        "stmt",
        "tt",
        "ty",
        "union",
        "vis",
    ],
    common_members: &[
        "abs",
        "all",
        "and_then",
        "any",
        "append",
        "as_bytes",
        "as_mut",
        "as_ref",
        "as_slice",
        "as_str",
        "borrow",
        "bytes",
        "cause",
        "chain",
        "chars",
        "clear",
        "clone",
        "cmp",
        "collect",
        "concat",
        "contains",
        "contains_key",
        "count",
        "default",
        "deref",
        "description",
        "drain",
        "drop",
        "end",
        "ends_with",
        "entry",
        "enumerate",
        "eq",
        "err",
        "expect",
        "extend",
        "file_name",
        "fill",
        "filter",
        "filter_map",
        "find",
        "finish",
        "first",
        "flat_map",
        "flatten",
        "flush",
        "fmt",
        "fold",
        "for_each",
        "from",
        "get",
        "get_mut",
        "get_or_insert_with",
        "hash",
        "index",
        "insert",
        "into",
        "into_iter",
        "is_empty",
        "is_none",
        "is_some",
        "iter",
        "iter_mut",
        "join",
        "keys",
        "kind",
        "last",
        "len",
        "lines",
        "lock",
        "map",
        "map_err",
        "max",
        "min",
        "name",
        "ne",
        "new",
        "next",
        "nth",
        "ok",
        "open",
        "or_else",
        "parent",
        "parse",
        "partial_cmp",
        "path",
        "peek",
        "poll",
        "pop",
        "position",
        "push",
        "push_str",
        "read",
        "recv",
        "remove",
        "replace",
        "reserve",
        "retain",
        "rev",
        "reverse",
        "send",
        "set",
        "skip",
        "sort",
        "sort_by",
        "source",
        "split",
        "split_off",
        "start",
        "starts_with",
        "status",
        "step_by",
        "sum",
        "swap",
        "take",
        "to_owned",
        "to_string",
        "trim",
        "truncate",
        "try_from",
        "try_into",
        "unwrap",
        "unwrap_or",
        "update",
        "value",
        "values",
        "wait",
        "windows",
        "with",
        "write",
        "zip",
    ],
    type_name,
    spaces,
    ..NONE
};

fn type_name(place: &Place<'_, '_>) -> Option<String> {
    let node = place.node();
    if node.kind() != "impl_item" {
        return name_field(place);
    }
    Some(plain_name(place.content(node.child_by_field_name("type")?)))
}

/// `S { name }` declares a variable; `S { name: x }` does not.
fn field_of_pattern(place: &Place<'_, '_>) -> Option<Role> {
    let is_shorthand = place.leaf.kind() == "shorthand_field_identifier";
    if is_shorthand { None } else { Some(Role::Label { declares: false }) }
}

/// Returns the role of the last name of a path.
fn scoped(place: &Place<'_, '_>) -> Option<Role> {
    let around = place.around(&["use_declaration"]);
    if around.is_some() {
        return imported(place);
    }
    let before = place.up(1)?.child_by_field_name("path");
    Some(behind(before.map_or("", |before| place.content(before)), false))
}

fn behind(prefix: &str, binds: bool) -> Role {
    let part = |part: &str| plain_name(part.trim());
    Role::Path {
        prefix: prefix.split("::").filter(|it| !it.trim().is_empty()).map(part).collect(),
        binds: binds.then_some(0),
    }
}

/// Returns the role of a name in a `use` declaration: the last one of its path is imported.
fn imported(place: &Place<'_, '_>) -> Option<Role> {
    let mut prefix: Vec<String> = Vec::new();
    let mut at = place.parent();
    let mut is_first = true;
    let mut binds = true;
    let mut child = place.node();
    loop {
        let node = at.node();
        match node.kind() {
            "use_declaration" => break,
            "use_as_clause" => binds = false,
            "scoped_identifier" | "scoped_use_list" => {
                let path = node.child_by_field_name("path")?;
                if path == child {
                    // A module on the way. It is known if it is the first name.
                    return Some(if is_first && prefix.is_empty() && is_start(&at) {
                        Role::Use
                    } else {
                        Role::Left(Why::Elsewhere)
                    });
                }
                prefix.splice(0..0, place.content(path).split("::").map(|part| part.trim().to_owned()));
            }
            _ => {}
        }
        is_first = false;
        child = node;
        at = at.parent();
        if at.path.is_empty() {
            return None;
        }
    }
    if prefix.is_empty() {
        return Some(Role::Left(Why::Elsewhere));
    }
    Some(Role::Path { prefix, binds: binds.then_some(0) })
}

/// Returns `true` if nothing is before a path.
fn is_start(at: &Place<'_, '_>) -> bool {
    let mut at = at.parent();
    while !at.path.is_empty() {
        match at.node().kind() {
            "use_declaration" => return true,
            "scoped_use_list" if at.node().child_by_field_name("path").is_some() => {
                return at.node().start_byte() == at.leaf.start_byte();
            }
            _ => at = at.parent(),
        }
    }
    false
}

/// Returns the role of a token of a macro. The grammar shows no structure there.
fn token(place: &Place<'_, '_>) -> Option<Role> {
    let known = place
        .path
        .iter()
        .rev()
        .map(|step| step.0)
        .find(|node| matches!(node.kind(), "macro_invocation" | "attribute" | "macro_definition"))?;
    if known.kind() != "macro_invocation" {
        return Some(Role::Left(if known.kind() == "attribute" { Why::Attribute } else { Why::Macro }));
    }
    let outermost = place.path.iter().map(|step| step.0).find(|node| node.kind() == "macro_invocation")?;
    let name = outermost.child_by_field_name("macro").map_or("", |name| place.content(name));
    let content = place.content(outermost);
    let binds = content.contains('|') || content.contains("=>") || content.contains('@');
    let binds = binds
        || content.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| {
            matches!(
                word,
                "let" | "fn" | "for" | "match" | "struct" | "impl" | "mod" | "use" | "static" | "const"
            )
        });
    if !OF_EXPRESSIONS.contains(&plain_name(name).as_str()) || binds {
        return Some(Role::Left(Why::Macro));
    }
    let (before, after) = (place.before(), place.behind());
    if before.ends_with("::") {
        let path = before.trim_end_matches("::");
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let prefix = &path[path.trim_end_matches(is_part).len()..];
        return Some(if prefix.is_empty() { Role::Left(Why::Macro) } else { behind(prefix, false) });
    }
    if before.ends_with('.') && !before.ends_with("..") {
        let object = before.trim_end_matches('.');
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = &object[object.trim_end_matches(is_word).len()..];
        let is_whole = !object[..object.len() - word.len()].ends_with(['.', ':']);
        let receiver = match word {
            "self" if is_whole => Receiver::This,
            "" => Receiver::Unknown,
            word if is_whole && !word.starts_with(|c: char| c.is_numeric()) => {
                Receiver::Named(word.to_owned())
            }
            _ => Receiver::Unknown,
        };
        return Some(Role::Access { receiver, writes: false, strict: false });
    }
    if before.ends_with(['\'', '$', '#']) || after.starts_with(':') && !after.starts_with("::") {
        return Some(Role::Left(Why::Macro));
    }
    if after.starts_with('=') && !after.starts_with("==") {
        return Some(Role::Left(Why::Macro));
    }
    Some(Role::Use)
}

/// Returns the namespaces of an identifier.
fn spaces(place: &Place<'_, '_>) -> Spaces {
    if place.around(&["use_declaration"]).is_some() {
        let is_module = place.field() == Some("path");
        return if is_module { TYPES } else { ALL };
    }
    let behind = place.behind();
    match (place.kind(1), place.field()) {
        ("macro_invocation", Some("macro")) | ("macro_definition", Some("name")) => MACROS,
        ("scoped_identifier", Some("name")) if place.kind(2) == "macro_invocation" => MACROS,
        ("scoped_identifier" | "scoped_type_identifier", Some("path")) | ("mod_item", _) => TYPES,
        ("scoped_identifier", Some("name")) => TYPES | VALUES | CALLS,
        // A type can have a field and a method with one name.
        ("function_item" | "function_signature_item", Some("name"))
            if matches!(place.kind(3), "impl_item" | "trait_item") =>
        {
            CALLS
        }
        ("field_expression", Some("field")) => match place.kind(2) {
            "call_expression" | "generic_function" if place.parent().field() == Some("function") => CALLS,
            _ => VALUES,
        },
        ("token_tree", _) if behind.starts_with('!') && !behind.starts_with("!=") => MACROS,
        ("token_tree", _) if behind.starts_with("::") => TYPES,
        ("token_tree", _) if place.before().ends_with('.') => {
            if behind.starts_with(['(', ':']) {
                CALLS
            } else {
                VALUES
            }
        }
        ("token_tree", _) if place.before().ends_with("::") => TYPES | VALUES | CALLS,
        ("struct_item", Some("name")) | ("token_tree", _) => TYPES | VALUES,
        _ if place.leaf.kind() == "type_identifier" => TYPES,
        _ => VALUES,
    }
}
