//! Shell scripts.

use super::super::found::{Place, Role, Why};
use super::super::table::{CALLS, Extent, In, Meaning, NONE, Names, Rule, ScopeKind, Spaces, VALUES};
use super::super::walk::local;

pub(super) static BASH: Names = Names {
    identifiers: &["word", "variable_name"],
    scopes: &[("function_definition", ScopeKind::Function)],
    rules: &[
        Rule("function_definition", "name", Meaning::Computed(function)),
        Rule("command_name", "", Meaning::Use),
        Rule("variable_assignment", "name", Meaning::Computed(assigned)),
        Rule("subscript", "name", Meaning::Computed(element)),
        Rule("declaration_command", "", Meaning::Computed(declared)),
        Rule("for_statement", "variable", Meaning::Assignment),
        Rule("unset_command", "", Meaning::Computed(variable)),
        Rule("simple_expansion", "", Meaning::Use),
        Rule("expansion", "", Meaning::Computed(variable)),
        Rule("arithmetic_expansion", "", Meaning::Computed(variable)),
        Rule("compound_statement", "", Meaning::Computed(variable)),
        Rule("binary_expression", "", Meaning::Computed(variable)),
        Rule("unary_expression", "", Meaning::Computed(variable)),
        Rule("postfix_expression", "", Meaning::Computed(variable)),
        Rule("parenthesized_expression", "", Meaning::Computed(variable)),
        Rule("ternary_expression", "", Meaning::Computed(variable)),
    ],
    unlisted: Some(Why::Argument),
    spaces,
    ..NONE
};

/// A function is visible everywhere, wherever it is defined.
fn function(place: &Place<'_, '_>) -> Option<Role> {
    let file = place.known.first()?;
    let extent = file.range.clone();
    Some(Role::Binding { scope: 0, extent, except: None, import: false, pattern: false })
}

fn assigned(place: &Place<'_, '_>) -> Option<Role> {
    match place.kind(2) {
        "declaration_command" => declared(&place.parent()),
        // For that command only.
        "command" | "variable_assignments" => Some(Role::Left(Why::Argument)),
        _ => Some(Role::Assignment),
    }
}

/// `name[index]`, as a value or as the target of an assignment.
fn element(place: &Place<'_, '_>) -> Option<Role> {
    if place.kind(2) == "variable_assignment" { assigned(&place.parent()) } else { Some(Role::Use) }
}

/// `local name` declares a variable of the function; so do `declare` and `typeset` in one.
fn declared(place: &Place<'_, '_>) -> Option<Role> {
    if place.leaf.kind() != "variable_name" {
        return Some(Role::Left(Why::Argument));
    }
    let command = place.content(place.up(1)?);
    let is_local = ["local", "declare", "typeset"].iter().any(|word| command.starts_with(word));
    let is_inside = place.around(&["function_definition"]).is_some();
    if is_local && is_inside {
        return Some(local(place, In::Function, Extent::Whole, false));
    }
    Some(Role::Assignment)
}

/// A variable. A word there is something else.
fn variable(place: &Place<'_, '_>) -> Option<Role> {
    let is_variable = place.leaf.kind() == "variable_name";
    Some(if is_variable { Role::Use } else { Role::Left(Why::Argument) })
}

/// Functions and variables have names of their own.
fn spaces(place: &Place<'_, '_>) -> Spaces {
    if place.leaf.kind() == "variable_name" { VALUES } else { CALLS }
}
