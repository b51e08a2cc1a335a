use serde_json::{Value, json};

use super::call::Replacement;
use super::replacement::{all_literal, literal, unique};
use super::{Fields, Form, ToolCall, patch};
use editd_protocol::NativeFile;
use editd_text::normalize_line_endings;

/// Returns the arguments with which the tool writes the prepared texts, or `None` if it does so with those that
/// it has. Tools see the text with line feeds only, and write the line endings of the file.
pub fn rewrite(call: &ToolCall, files: &[NativeFile]) -> Option<Fields> {
    let file = files.first()?;
    let before = file.before.as_deref().map(normalize_line_endings);
    let after = file.after.as_deref();
    let normalized = normalize_line_endings(after.unwrap_or_default());
    match call.form {
        Form::Replacement(names) => replacement(call, names, before.as_deref(), &normalized),
        Form::Replacements { list, old, new } => {
            let before = before.as_deref()?;
            let edits = call.params["changes"][0]["edits"].as_array();
            let edits: Vec<_> =
                edits.into_iter().flatten().map(|edit| texts(edit, "oldText", "newText")).collect();
            if all_literal(before, &edits).is_some_and(|result| result == normalized) {
                return None;
            }
            let (exact, replacement) = unique(before, &normalized);
            Some(with(call, [(list, json!([{ old: exact, new: replacement }]))]))
        }
        Form::Content { content, keeps_line_endings } => {
            let written = if keeps_line_endings && before.is_some() { &normalized } else { after? };
            let is_same = call.input.get(content).is_some_and(|content| *content == written);
            (!is_same).then(|| with(call, [(content, written.into())]))
        }
        Form::Patch { text } => {
            let given = call.input.get(text).and_then(Value::as_str).unwrap_or_default();
            patch::rewritten(call, given, files).map(|patch| with(call, [(text, patch.into())]))
        }
        Form::Cells => None,
    }
}

/// Returns the arguments of a tool that replaces one text by another.
fn replacement(call: &ToolCall, names: Replacement, before: Option<&str>, after: &str) -> Option<Fields> {
    let Replacement { old, new, all, removes_line_end } = names;
    let arguments = Value::from(call.input.clone());
    let (old_text, new_text) = texts(&arguments, old, new);
    let Some(before) = before else {
        // The tool creates the file from the replacement of an empty text.
        return (new_text != after).then(|| with(call, [(new, after.into())]));
    };
    let line = format!("{old_text}\n");
    let removes_line = removes_line_end && new_text.is_empty() && before.contains(&line);
    let replaced = if removes_line { line.as_str() } else { old_text };
    if literal(before, replaced, new_text, arguments[all] == true).is_some_and(|result| result == after) {
        return None;
    }
    let (exact, replacement) = unique(before, after);
    Some(with(call, [(all, false.into()), (old, exact.into()), (new, replacement.into())]))
}

fn texts<'a>(object: &'a Value, old: &str, new: &str) -> (&'a str, &'a str) {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    (text(old), text(new))
}

fn with<const N: usize>(call: &ToolCall, arguments: [(&str, Value); N]) -> Fields {
    let mut input = call.input.clone();
    for (name, value) in arguments {
        input.insert(name.to_owned(), value);
    }
    input
}
