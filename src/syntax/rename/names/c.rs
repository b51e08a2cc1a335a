//! C.

use super::super::found::{Place, Role, Why};
use super::super::table::{
    ALL, Extent, In, Meaning, NONE, Names, Rule, ScopeKind, Spaces, TYPES, VALUES, name_field,
};
use super::super::walk::local;

pub(super) static C: Names = Names {
    identifiers: &["identifier", "type_identifier", "field_identifier", "statement_identifier"],
    scopes: &[
        ("function_definition", ScopeKind::Function),
        ("compound_statement", ScopeKind::Block),
        ("for_statement", ScopeKind::Block),
        ("struct_specifier", ScopeKind::Type),
        ("union_specifier", ScopeKind::Type),
        ("preproc_function_def", ScopeKind::Block),
    ],
    signs: &["struct", "union"],
    rules: &[
        Rule("pointer_declarator", "declarator", Meaning::Through),
        Rule("function_declarator", "declarator", Meaning::Through),
        Rule("array_declarator", "declarator", Meaning::Through),
        Rule("init_declarator", "declarator", Meaning::Through),
        Rule("parenthesized_declarator", "", Meaning::Through),
        Rule("attributed_declarator", "", Meaning::Through),
        Rule("function_definition", "declarator", Meaning::Item),
        Rule("declaration", "declarator", Meaning::Local(In::Nearest, Extent::AfterName)),
        Rule("type_definition", "declarator", Meaning::Local(In::Nearest, Extent::AfterName)),
        Rule("parameter_declaration", "declarator", Meaning::Computed(parameter)),
        Rule("parameter_list", "", Meaning::Computed(parameter)),
        Rule("field_declaration", "declarator", Meaning::MemberOfType),
        Rule("struct_specifier", "name", Meaning::Computed(tag)),
        Rule("union_specifier", "name", Meaning::Computed(tag)),
        Rule("enum_specifier", "name", Meaning::Computed(tag)),
        Rule("enumerator", "name", Meaning::Local(In::Nearest, Extent::AfterName)),
        Rule("preproc_def", "name", Meaning::Computed(of_file)),
        Rule("preproc_function_def", "name", Meaning::Computed(of_file)),
        Rule("preproc_params", "", Meaning::Local(In::Nearest, Extent::Whole)),
        Rule("field_expression", "field", Meaning::Access("argument")),
        Rule("field_designator", "", Meaning::Label { declares: false }),
        Rule("initializer_pair", "designator", Meaning::Label { declares: false }),
        Rule("offsetof_expression", "member", Meaning::Label { declares: false }),
        Rule("labeled_statement", "label", Meaning::Label { declares: false }),
        Rule("goto_statement", "label", Meaning::Label { declares: false }),
        Rule("gnu_asm_output_operand", "symbol", Meaning::Label { declares: false }),
        Rule("gnu_asm_input_operand", "symbol", Meaning::Label { declares: false }),
        Rule("gnu_asm_goto_list", "", Meaning::Label { declares: false }),
        Rule("attribute", "", Meaning::Unclear(Why::Attribute)),
        Rule("ms_declspec_modifier", "", Meaning::Unclear(Why::Attribute)),
        Rule("preproc_include", "", Meaning::Unclear(Why::Macro)),
    ],
    soft_keywords: &["defined"],
    type_name: name_field,
    spaces,
    ..NONE
};

/// A parameter of a function that is defined, or only declared.
fn parameter(place: &Place<'_, '_>) -> Option<Role> {
    let mut declarator = None;
    let mut at = place.parent();
    let mut is_inner = false;
    while !at.path.is_empty() {
        match at.node().kind() {
            "function_declarator" => {
                is_inner = declarator.is_some();
                declarator = declarator.or(Some(at.node()));
            }
            "function_definition" if at.path.last() != place.path.last() && !is_inner => {
                return Some(local(place, In::Function, Extent::Whole, false));
            }
            "compound_statement" | "field_declaration_list" => break,
            _ => {}
        }
        at = at.parent();
    }
    let declarator = declarator?;
    let scope = local(place, In::Nearest, Extent::Whole, false);
    let Role::Binding { scope, .. } = scope else { return None };
    Some(Role::Binding {
        scope,
        extent: declarator.byte_range(),
        except: None,
        import: false,
        pattern: false,
    })
}

/// `struct name { … }` declares a tag, `struct name` uses one.
fn tag(place: &Place<'_, '_>) -> Option<Role> {
    let declares = place.up(1)?.child_by_field_name("body").is_some();
    Some(if declares { of_file(place)? } else { Role::Use })
}

/// A tag is visible outside of the structure around it.
fn of_file(place: &Place<'_, '_>) -> Option<Role> {
    use super::super::walk::nearest;
    let scope = nearest(place, 2, |kind| kind != ScopeKind::Type)?;
    let extent = place.known[scope].range.clone();
    Some(Role::Binding { scope, extent, except: None, import: false, pattern: false })
}

/// Tags are apart from all other names. A macro can be any of them.
fn spaces(place: &Place<'_, '_>) -> Spaces {
    match (place.kind(1), place.field()) {
        ("struct_specifier" | "union_specifier" | "enum_specifier", Some("name")) => TYPES,
        ("preproc_def" | "preproc_function_def" | "preproc_ifdef" | "preproc_defined", _) => ALL,
        _ => VALUES,
    }
}
