//! Python.

use super::super::found::{Place, Role, Why};
use super::super::table::{Extent, In, Meaning, NONE, Names, Rule, ScopeKind, name_field};
use super::super::walk::{import, item, local};

pub(super) static PYTHON: Names = Names {
    identifiers: &["identifier"],
    scopes: &[
        ("function_definition", ScopeKind::Function),
        ("lambda", ScopeKind::Function),
        ("class_definition", ScopeKind::Type),
        ("list_comprehension", ScopeKind::Comprehension),
        ("set_comprehension", ScopeKind::Comprehension),
        ("dictionary_comprehension", ScopeKind::Comprehension),
        ("generator_expression", ScopeKind::Comprehension),
    ],
    outside: &[
        ("default_parameter", "value"),
        ("typed_default_parameter", "value"),
        ("typed_default_parameter", "type"),
        ("typed_parameter", "type"),
        ("function_definition", "return_type"),
        ("class_definition", "superclasses"),
    ],
    rules: &[
        Rule("function_definition", "name", Meaning::Item),
        Rule("class_definition", "name", Meaning::Item),
        Rule("type_alias_statement", "left", Meaning::Item),
        Rule("type_parameter", "", Meaning::Computed(type_parameter)),
        Rule("assignment", "left", Meaning::Item),
        Rule("augmented_assignment", "left", Meaning::Item),
        Rule("named_expression", "name", Meaning::Item),
        Rule("for_statement", "left", Meaning::Item),
        Rule("as_pattern_target", "", Meaning::Item),
        Rule("except_clause", "alias", Meaning::Item),
        Rule("delete_statement", "", Meaning::Item),
        Rule("for_in_clause", "left", Meaning::Local(In::Nearest, Extent::Except("right"))),
        Rule("parameters", "", Meaning::Local(In::Function, Extent::Whole)),
        Rule("lambda_parameters", "", Meaning::Local(In::Function, Extent::Whole)),
        Rule("default_parameter", "name", Meaning::Through),
        Rule("typed_default_parameter", "name", Meaning::Through),
        Rule("typed_parameter", "type", Meaning::Use),
        Rule("typed_parameter", "", Meaning::Through),
        Rule("list_splat_pattern", "", Meaning::Through),
        Rule("dictionary_splat_pattern", "", Meaning::Through),
        Rule("splat_pattern", "", Meaning::Through),
        Rule("tuple_pattern", "", Meaning::Through),
        Rule("list_pattern", "", Meaning::Through),
        Rule("pattern_list", "", Meaning::Through),
        Rule("expression_list", "", Meaning::Through),
        Rule("type", "", Meaning::Through),
        Rule("keyword_argument", "name", Meaning::Label { declares: false }),
        Rule("keyword_pattern", "", Meaning::Label { declares: false }),
        Rule("attribute", "attribute", Meaning::Access("object")),
        Rule("dotted_name", "", Meaning::Computed(dotted)),
        Rule("aliased_import", "alias", Meaning::Import),
        Rule("global_statement", "", Meaning::Outer { global: true }),
        Rule("nonlocal_statement", "", Meaning::Outer { global: false }),
        Rule("as_pattern", "", Meaning::Computed(captured)),
    ],
    imports: &["import_statement", "import_from_statement"],
    signs: &["class", "import", "from"],
    this: &["self", "cls"],
    supertypes: &["superclasses"],
    soft_keywords: &["case", "exec", "match", "print", "type"],
    common_members: &[
        "add",
        "append",
        "args",
        "capitalize",
        "clear",
        "close",
        "copy",
        "count",
        "decode",
        "difference",
        "discard",
        "encode",
        "endswith",
        "exists",
        "extend",
        "filter",
        "find",
        "flush",
        "format",
        "get",
        "group",
        "groups",
        "index",
        "insert",
        "intersection",
        "items",
        "join",
        "keys",
        "lower",
        "lstrip",
        "match",
        "name",
        "open",
        "parent",
        "parse",
        "pop",
        "popitem",
        "put",
        "read",
        "readline",
        "readlines",
        "remove",
        "replace",
        "reverse",
        "rstrip",
        "run",
        "search",
        "seek",
        "send",
        "set",
        "setdefault",
        "sort",
        "split",
        "splitlines",
        "start",
        "startswith",
        "stop",
        "strip",
        "sub",
        "tell",
        "title",
        "union",
        "update",
        "upper",
        "value",
        "values",
        "wait",
        "write",
    ],
    type_name: name_field,
    ..NONE
};

/// `def f[T]` declares a type, `list[T]` uses one.
fn type_parameter(place: &Place<'_, '_>) -> Option<Role> {
    let is_use = place.kind(2) == "generic_type";
    Some(if is_use { Role::Use } else { local(place, In::Owner, Extent::Whole, false) })
}

/// The names of an import, or of a pattern.
fn dotted(place: &Place<'_, '_>) -> Option<Role> {
    let name = place.up(1)?;
    let is_first = place.leaf.start_byte() == name.start_byte();
    let whole = place.parent();
    Some(match (place.kind(2), whole.field()) {
        ("import_statement", _) if is_first => import(&whole),
        ("import_from_statement", Some("name")) => import(&whole),
        ("import_statement" | "import_from_statement" | "aliased_import" | "relative_import", _) => {
            Role::Left(Why::Elsewhere)
        }
        (_, _) if name.named_child_count() > 1 && is_first => Role::Use,
        (_, _) if name.named_child_count() > 1 => Role::Left(Why::Member),
        ("class_pattern", _) => Role::Use,
        (kind, _) if kind.ends_with("pattern") => item(&whole),
        (_, _) => Role::Use,
    })
}

/// `case x as name` and `with x as name` declare the name behind `as`.
fn captured(place: &Place<'_, '_>) -> Option<Role> {
    let is_first = place.up(1)?.start_byte() == place.node().start_byte();
    Some(if is_first { Role::Use } else { item(place) })
}
