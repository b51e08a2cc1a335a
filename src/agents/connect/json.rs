//! Hooks in JSON settings: `{ "hooks": { EVENT: [ENTRY, ...] } }`. Comments and formatting of the rest stay.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::Unreadable;

const HOOKS: &str = "hooks";

/// Parses settings as strict JSON, for a program that ignores any others. A missing file is null.
pub(super) fn require_strict(settings: &str) -> Result<Value, Unreadable> {
    if settings.trim().is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_str::<Value>(settings)
        .map_err(|error| Unreadable { line: error.line(), problem: error.to_string() })
}

/// Adds an entry to each event, in place of those of an earlier connection.
pub(super) fn add_hooks(
    settings: &str,
    hooks: &[(&str, Value)],
    is_ours: fn(&Value) -> bool,
) -> Result<String, Unreadable> {
    let text = remove_hooks(settings, is_ours)?;
    let is_new = text.trim().is_empty();
    let root = parse(if is_new { "{}\n" } else { &text })?;
    let object = root.object_value_or_create().ok_or_else(|| not("an object"))?;
    let events = object.object_value_or_create(HOOKS).ok_or_else(|| not("an object at `hooks`"))?;
    for (event, entry) in hooks {
        let problem = || not(&format!("a list at `hooks.{event}`"));
        let list = events.array_value_or_create(event).ok_or_else(problem)?;
        list.ensure_multiline();
        list.append(input(entry));
    }
    Ok(root.to_string())
}

/// Removes the entries of editd, and the lists and objects that contained nothing else.
pub(super) fn remove_hooks(settings: &str, is_ours: fn(&Value) -> bool) -> Result<String, Unreadable> {
    if settings.trim().is_empty() {
        return Ok(settings.to_owned());
    }
    let root = parse(settings)?;
    let events = root.object_value().and_then(|object| object.object_value(HOOKS));
    let Some(events) = events else { return Ok(settings.to_owned()) };
    let mut is_changed = false;
    for property in events.properties() {
        let Some(list) = property.array_value() else { continue };
        let ours: Vec<_> = entries(&list).filter(|(_, entry)| is_ours(entry)).collect();
        is_changed |= !ours.is_empty();
        let is_empty = !ours.is_empty() && ours.len() == list.elements().len();
        for (node, _) in ours {
            node.remove();
        }
        if is_empty {
            property.remove();
        }
    }
    if !is_changed {
        return Ok(settings.to_owned());
    }
    if events.properties().is_empty()
        && let Some(property) = root.object_value().and_then(|object| object.get(HOOKS))
    {
        property.remove();
    }
    let is_empty = root.object_value().is_some_and(|object: CstObject| object.properties().is_empty());
    let text = root.to_string();
    Ok(if is_empty && text.trim_matches(['{', '}', '\n', ' ']).is_empty() { String::new() } else { text })
}

/// Returns `true` if an entry of an event has hooks, and all of them fulfil the condition.
pub(super) fn all_hooks(entry: &Value, condition: impl Fn(&Value) -> bool) -> bool {
    entry["hooks"].as_array().is_some_and(|hooks| !hooks.is_empty() && hooks.iter().all(condition))
}

fn entries(list: &CstArray) -> impl Iterator<Item = (CstNode, Value)> {
    list.elements().into_iter().map(|node| {
        let value = node.to_serde_value().unwrap_or_default();
        (node, value)
    })
}

fn parse(text: &str) -> Result<CstRootNode, Unreadable> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| Unreadable { line: error.line_display(), problem: error.kind().to_string() })
}

fn not(expected: &str) -> Unreadable {
    Unreadable { line: 1, problem: format!("expected {expected}") }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}
