//! Lua.

use super::super::found::{Place, Role};
use super::super::table::{Extent, In, Meaning, NONE, Names, Rule, ScopeKind};
use super::super::walk::local;

pub(super) static LUA: Names = Names {
    identifiers: &["identifier"],
    scopes: &[
        ("function_declaration", ScopeKind::Function),
        ("function_definition", ScopeKind::Function),
        ("do_statement", ScopeKind::Block),
        ("for_statement", ScopeKind::Block),
        ("while_statement", ScopeKind::Block),
        ("repeat_statement", ScopeKind::Block),
        ("if_statement", ScopeKind::Block),
        ("elseif_statement", ScopeKind::Block),
        ("else_statement", ScopeKind::Block),
    ],
    signs: &["require", "await"],
    rules: &[
        Rule("function_declaration", "name", Meaning::Computed(function)),
        Rule("variable_list", "name", Meaning::Through),
        Rule("variable_list", "attribute", Meaning::Label { declares: false }),
        Rule("attribute", "", Meaning::Label { declares: false }),
        Rule("assignment_statement", "", Meaning::Computed(assigned)),
        Rule("variable_declaration", "", Meaning::Computed(declared)),
        Rule("parameters", "name", Meaning::Local(In::Function, Extent::Whole)),
        Rule("for_numeric_clause", "name", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("for_generic_clause", "", Meaning::Local(In::Nearest, Extent::AfterParent)),
        Rule("dot_index_expression", "field", Meaning::Access("table")),
        Rule("method_index_expression", "method", Meaning::Access("table")),
        Rule("field", "name", Meaning::Computed(key)),
        Rule("label_statement", "", Meaning::Label { declares: false }),
        Rule("goto_statement", "", Meaning::Label { declares: false }),
    ],
    types_by_name: true,
    values: &["false", "nil", "true"],
    common_members: &[
        "byte", "char", "close", "concat", "find", "format", "gmatch", "gsub", "insert", "len", "lines",
        "lower", "match", "new", "open", "print", "read", "remove", "rep", "sort", "sub", "unpack", "upper",
        "write",
    ],
    ..NONE
};

/// `local function name` declares a local variable, `function name` sets the one that is visible.
fn function(place: &Place<'_, '_>) -> Option<Role> {
    let is_local = place.content(place.up(1)?).starts_with("local");
    if !is_local {
        return Some(Role::Assignment);
    }
    let Role::Binding { scope, extent, .. } = super::super::walk::item(place) else { return None };
    let extent = place.leaf.start_byte()..extent.end;
    Some(Role::Binding { scope, extent, except: None, import: false, pattern: false })
}

fn assigned(place: &Place<'_, '_>) -> Option<Role> {
    let is_local = place.kind(2) == "variable_declaration";
    if is_local { None } else { Some(Role::Assignment) }
}

/// A local variable is visible behind its declaration, also at the top of a file.
fn declared(place: &Place<'_, '_>) -> Option<Role> {
    let Role::Binding { scope, extent, .. } = local(place, In::Nearest, Extent::Whole, false) else {
        return None;
    };
    let end = place.up(1)?.end_byte();
    Some(Role::Binding {
        scope,
        extent: end..extent.end.max(end),
        except: None,
        import: false,
        pattern: false,
    })
}

/// `{name = value}` has a key, `{[name] = value}` uses a variable.
fn key(place: &Place<'_, '_>) -> Option<Role> {
    let is_value = place.content(place.up(1)?).starts_with('[');
    Some(if is_value { Role::Use } else { Role::Label { declares: true } })
}
