//! Java.

use super::super::found::{Place, Receiver, Role, Why};
use super::super::table::{
    CALLS, Extent, In, Meaning, NONE, Names, Rule, ScopeKind, Spaces, TYPES, VALUES, name_field, receiver,
};
use super::super::walk::{local, nearest};

pub(super) static JAVA: Names = Names {
    identifiers: &["identifier", "type_identifier"],
    scopes: &[
        ("method_declaration", ScopeKind::Function),
        ("constructor_declaration", ScopeKind::Function),
        ("compact_constructor_declaration", ScopeKind::Function),
        ("lambda_expression", ScopeKind::Function),
        ("static_initializer", ScopeKind::Function),
        ("block", ScopeKind::Block),
        ("constructor_body", ScopeKind::Block),
        ("for_statement", ScopeKind::Block),
        ("enhanced_for_statement", ScopeKind::Block),
        ("try_with_resources_statement", ScopeKind::Block),
        ("catch_clause", ScopeKind::Block),
        ("switch_block", ScopeKind::Block),
        ("switch_rule", ScopeKind::Block),
        ("class_declaration", ScopeKind::Type),
        ("interface_declaration", ScopeKind::Type),
        ("annotation_type_declaration", ScopeKind::Type),
        ("enum_declaration", ScopeKind::Type),
        ("record_declaration", ScopeKind::Type),
        ("object_creation_expression", ScopeKind::Type),
    ],
    outside: &[
        ("object_creation_expression", "arguments"),
        ("object_creation_expression", "type"),
        ("class_declaration", "superclass"),
        ("class_declaration", "interfaces"),
    ],
    rules: &[
        Rule("class_declaration", "name", Meaning::Item),
        Rule("interface_declaration", "name", Meaning::Item),
        Rule("annotation_type_declaration", "name", Meaning::Item),
        Rule("enum_declaration", "name", Meaning::Item),
        Rule("record_declaration", "name", Meaning::Item),
        Rule("method_declaration", "name", Meaning::Item),
        Rule("annotation_type_element_declaration", "name", Meaning::Item),
        Rule("constructor_declaration", "name", Meaning::Use),
        Rule("compact_constructor_declaration", "name", Meaning::Use),
        Rule("enum_constant", "name", Meaning::MemberOfType),
        Rule("variable_declarator", "name", Meaning::Through),
        Rule("field_declaration", "declarator", Meaning::MemberOfType),
        Rule("constant_declaration", "declarator", Meaning::MemberOfType),
        Rule("local_variable_declaration", "declarator", Meaning::Local(In::Nearest, Extent::AfterName)),
        Rule("formal_parameter", "name", Meaning::Computed(parameter)),
        Rule("spread_parameter", "", Meaning::Computed(spread)),
        Rule("catch_formal_parameter", "name", Meaning::Local(In::Nearest, Extent::Whole)),
        Rule("resource", "name", Meaning::Local(In::Nearest, Extent::AfterName)),
        Rule("enhanced_for_statement", "name", Meaning::Local(In::Parent, Extent::Except("value"))),
        Rule("lambda_expression", "parameters", Meaning::Local(In::Nearest, Extent::Whole)),
        Rule("inferred_parameters", "", Meaning::Local(In::Function, Extent::Whole)),
        Rule("instanceof_expression", "name", Meaning::Local(In::Function, Extent::AfterName)),
        Rule("type_pattern", "", Meaning::Computed(pattern)),
        Rule("record_pattern_component", "", Meaning::Computed(pattern)),
        Rule("type_parameter", "", Meaning::Local(In::Owner, Extent::Whole)),
        Rule("labeled_statement", "", Meaning::Label { declares: false }),
        Rule("break_statement", "", Meaning::Label { declares: false }),
        Rule("continue_statement", "", Meaning::Label { declares: false }),
        Rule("element_value_pair", "key", Meaning::Label { declares: false }),
        Rule("method_invocation", "name", Meaning::Computed(called)),
        Rule("field_access", "field", Meaning::Access("object")),
        Rule("method_reference", "", Meaning::Computed(reference)),
        Rule("scoped_type_identifier", "", Meaning::Computed(scoped_type)),
        Rule("scoped_identifier", "", Meaning::Unclear(Why::Elsewhere)),
        Rule("import_declaration", "", Meaning::Unclear(Why::Elsewhere)),
        Rule("package_declaration", "", Meaning::Unclear(Why::Elsewhere)),
        Rule("receiver_parameter", "", Meaning::Label { declares: false }),
    ],
    imports: &["import_declaration"],
    signs: &["class", "interface", "enum", "record", "new", "import", "require", "await"],
    this: &["this"],
    supertypes: &["superclass", "interfaces", "extends_interfaces", "type"],
    implicit_this: true,
    soft_keywords: &[
        "exports",
        "module",
        "open",
        "opens",
        "permits",
        "provides",
        "record",
        "requires",
        "sealed",
        "to",
        "transitive",
        "uses",
        "when",
        "with",
        "yield",
    ],
    common_members: &[
        "accept",
        "add",
        "addAll",
        "append",
        "apply",
        "charAt",
        "clear",
        "close",
        "collect",
        "compare",
        "compareTo",
        "contains",
        "containsKey",
        "count",
        "delete",
        "endsWith",
        "entrySet",
        "equals",
        "filter",
        "findFirst",
        "flush",
        "forEach",
        "format",
        "get",
        "getClass",
        "getKey",
        "getMessage",
        "getName",
        "getOrDefault",
        "getValue",
        "hashCode",
        "hasNext",
        "indexOf",
        "insert",
        "isEmpty",
        "isPresent",
        "iterator",
        "join",
        "keySet",
        "length",
        "map",
        "matches",
        "name",
        "next",
        "of",
        "offer",
        "ordinal",
        "peek",
        "poll",
        "pop",
        "print",
        "printf",
        "println",
        "push",
        "put",
        "read",
        "remove",
        "replace",
        "run",
        "set",
        "size",
        "sort",
        "split",
        "start",
        "startsWith",
        "stop",
        "stream",
        "submit",
        "substring",
        "test",
        "toArray",
        "toString",
        "trim",
        "update",
        "valueOf",
        "values",
        "write",
    ],
    type_name,
    spaces,
    ..NONE
};

/// An anonymous class has no name.
fn type_name(place: &Place<'_, '_>) -> Option<String> {
    if place.node().kind() == "object_creation_expression" { None } else { name_field(place) }
}

/// A parameter, or a component of a record.
fn parameter(place: &Place<'_, '_>) -> Option<Role> {
    let owner = nearest(place, 1, |kind| matches!(kind, ScopeKind::Function | ScopeKind::Type))?;
    Some(match place.known[owner].kind {
        ScopeKind::Type => Role::Member { owner },
        _ => local(place, In::Function, Extent::Whole, false),
    })
}

fn spread(place: &Place<'_, '_>) -> Option<Role> {
    parameter(place)
}

/// `Type name` in a pattern declares the name, which is visible where the pattern has matched.
fn pattern(place: &Place<'_, '_>) -> Option<Role> {
    let declares = place.leaf.kind() == "identifier";
    Some(if declares { local(place, In::Function, Extent::AfterName, false) } else { Role::Use })
}

fn called(place: &Place<'_, '_>) -> Option<Role> {
    let object = place.up(1)?.child_by_field_name("object");
    let Some(object) = object else { return Some(Role::Use) };
    Some(Role::Access { receiver: receiver(object, place.text, place.names), writes: false, strict: false })
}

/// `Type::method`.
fn reference(place: &Place<'_, '_>) -> Option<Role> {
    let object = place.up(1)?.named_child(0)?;
    if object == place.node() {
        return Some(Role::Use);
    }
    let receiver = match receiver(object, place.text, place.names) {
        Receiver::Unknown if place.content(object) == "super" => Receiver::Super,
        receiver => receiver,
    };
    Some(Role::Access { receiver, writes: false, strict: false })
}

/// `Outer.Inner`.
fn scoped_type(place: &Place<'_, '_>) -> Option<Role> {
    let object = place.up(1)?.named_child(0)?;
    if object == place.node() {
        return Some(Role::Use);
    }
    Some(Role::Access { receiver: receiver(object, place.text, place.names), writes: false, strict: true })
}

/// Methods, variables and types have names of their own.
fn spaces(place: &Place<'_, '_>) -> Spaces {
    if place.leaf.kind() == "type_identifier" {
        return TYPES;
    }
    match (place.kind(1), place.field()) {
        (
            "method_invocation" | "method_declaration" | "annotation_type_element_declaration",
            Some("name"),
        ) => CALLS,
        ("method_reference", _) if place.up(1).and_then(|up| up.named_child(0)) != Some(place.node()) => {
            CALLS
        }
        ("formal_parameter", _) if place.kind(3) == "record_declaration" => VALUES | CALLS,
        ("variable_declarator" | "formal_parameter" | "enum_constant", Some("name")) => VALUES,
        (
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "annotation"
            | "marker_annotation",
            Some("name"),
        ) => TYPES,
        // A name before a dot can be a variable or a type.
        _ => VALUES | TYPES,
    }
}
