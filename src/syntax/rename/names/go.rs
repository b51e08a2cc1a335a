//! Go.

use super::super::found::{Place, Role, Why};
use super::super::table::{Extent, In, Meaning, NONE, Names, Rule, ScopeKind};
use super::super::walk::{local, plain_name};

pub(super) static GO: Names = Names {
    identifiers: &["identifier", "type_identifier", "field_identifier", "package_identifier", "label_name"],
    scopes: &[
        ("function_declaration", ScopeKind::Function),
        ("method_declaration", ScopeKind::Function),
        ("func_literal", ScopeKind::Function),
        ("function_type", ScopeKind::Function),
        ("method_elem", ScopeKind::Function),
        ("type_spec", ScopeKind::Block),
        ("block", ScopeKind::Block),
        ("if_statement", ScopeKind::Block),
        ("for_statement", ScopeKind::Block),
        ("expression_switch_statement", ScopeKind::Block),
        ("type_switch_statement", ScopeKind::Block),
        ("select_statement", ScopeKind::Block),
        ("expression_case", ScopeKind::Block),
        ("type_case", ScopeKind::Block),
        ("default_case", ScopeKind::Block),
        ("communication_case", ScopeKind::Block),
        ("struct_type", ScopeKind::Type),
        ("interface_type", ScopeKind::Type),
    ],
    rules: &[
        Rule("function_declaration", "name", Meaning::Item),
        Rule("method_declaration", "name", Meaning::Computed(method)),
        Rule("method_elem", "name", Meaning::MemberOfType),
        Rule("field_declaration", "name", Meaning::MemberOfType),
        Rule("type_spec", "name", Meaning::Computed(type_spec)),
        Rule("type_alias", "name", Meaning::Local(In::Nearest, Extent::AfterName)),
        Rule("const_spec", "name", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("var_spec", "name", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("short_var_declaration", "left", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("range_clause", "left", Meaning::Computed(received)),
        Rule("receive_statement", "left", Meaning::Computed(received)),
        Rule("type_switch_statement", "alias", Meaning::Local(In::Nearest, Extent::Whole)),
        Rule("expression_list", "", Meaning::Through),
        Rule("parameter_declaration", "name", Meaning::Local(In::Function, Extent::Whole)),
        Rule("variadic_parameter_declaration", "name", Meaning::Local(In::Function, Extent::Whole)),
        Rule("type_parameter_declaration", "name", Meaning::Local(In::Nearest, Extent::Whole)),
        Rule("import_spec", "name", Meaning::Import),
        Rule("package_clause", "", Meaning::Unclear(Why::Elsewhere)),
        Rule("qualified_type", "", Meaning::Unclear(Why::Elsewhere)),
        Rule("selector_expression", "field", Meaning::Access("operand")),
        Rule("labeled_statement", "label", Meaning::Label { declares: false }),
        Rule("break_statement", "", Meaning::Label { declares: false }),
        Rule("continue_statement", "", Meaning::Label { declares: false }),
        Rule("goto_statement", "", Meaning::Label { declares: false }),
        Rule("literal_element", "", Meaning::Through),
        Rule("keyed_element", "key", Meaning::Computed(key)),
    ],
    imports: &["import_declaration"],
    signs: &["struct", "interface", "import"],
    types_by_name: true,
    common_members: &[
        "Add",
        "Close",
        "Done",
        "Err",
        "Error",
        "Errorf",
        "Exec",
        "Fatal",
        "Fatalf",
        "Format",
        "Get",
        "Len",
        "Less",
        "Lock",
        "Log",
        "Name",
        "Next",
        "Open",
        "Print",
        "Printf",
        "Println",
        "Query",
        "Read",
        "Run",
        "Scan",
        "Set",
        "Start",
        "Stop",
        "String",
        "Sub",
        "Swap",
        "Unlock",
        "Unwrap",
        "Value",
        "Wait",
        "Write",
        "WriteString",
    ],
    type_name,
    ..NONE
};

/// The name of a structure or an interface is that of its declaration.
fn type_name(place: &Place<'_, '_>) -> Option<String> {
    let declared = place.up(1).filter(|parent| parent.kind() == "type_spec")?;
    Some(plain_name(place.content(declared.child_by_field_name("name")?)))
}

/// A type is declared around its own scope, which has its parameters.
fn type_spec(place: &Place<'_, '_>) -> Option<Role> {
    Some(super::super::walk::item(place))
}

/// A method belongs to the type of its receiver.
fn method(place: &Place<'_, '_>) -> Option<Role> {
    let receiver =
        place.up(1)?.child_by_field_name("receiver")?.named_child(0)?.child_by_field_name("type")?;
    Some(Role::MemberOf(plain_name(place.content(receiver))))
}

/// `x := range` declares a variable, `x = range` does not.
fn received(place: &Place<'_, '_>) -> Option<Role> {
    let declares = place.content(place.up(1)?).contains(":=");
    Some(if declares { local(place, In::Nearest, Extent::AfterParent, false) } else { Role::Use })
}

/// A key is that of a field, except in maps and arrays.
fn key(place: &Place<'_, '_>) -> Option<Role> {
    let literal = place.around(&["composite_literal"])?;
    let kind = literal.child_by_field_name("type").map_or("", |of| of.kind());
    let is_value = matches!(kind, "map_type" | "array_type" | "slice_type" | "implicit_length_array_type");
    let is_direct = place.kind(3) == "composite_literal";
    Some(if is_value && is_direct { Role::Use } else { Role::Label { declares: false } })
}
