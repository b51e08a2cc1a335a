use super::replacement::{literal, unique};
use super::{Fields, Form, ToolCall};
use crate::protocol::NativeFile;
use crate::text::normalize_line_endings;

/// Returns the arguments with which the tool writes the prepared text, or `None` if it does so with those that
/// it has. Tools see the text with line feeds only, and write the line endings of the file.
pub fn rewrite(call: &ToolCall, file: &NativeFile) -> Option<Fields> {
    let before = file.before.as_deref().map(normalize_line_endings);
    let after = normalize_line_endings(file.after.as_deref()?);
    let mut input = call.input.clone();
    match call.form {
        Form::Replacement { old, new, all, removes_line_end } => {
            let text = |name: &str| call.input.get(name).and_then(|text| text.as_str()).unwrap_or_default();
            let is_all = call.input.get(all).is_some_and(|all| *all == true);
            let (old_text, new_text) = (text(old), text(new));
            let Some(before) = before.as_deref() else {
                // The tool creates the file from the replacement of an empty text.
                return (new_text != after).then(|| with(input, &[(new, &after)]));
            };
            let line = format!("{old_text}\n");
            let removes_line = removes_line_end && new_text.is_empty() && before.contains(&line);
            let replaced = if removes_line { line.as_str() } else { old_text };
            if literal(before, replaced, new_text, is_all).is_some_and(|result| result == after) {
                return None;
            }
            let (exact, replacement) = unique(before, &after);
            input.insert(all.to_owned(), false.into());
            Some(with(input, &[(old, exact), (new, replacement)]))
        }
        Form::Content { content } => {
            // The tool writes the content as it is, whatever line endings the file has.
            let after = file.after.as_deref().unwrap_or_default();
            let is_same = call.input.get(content).is_some_and(|content| *content == after);
            (!is_same).then(|| with(input, &[(content, after)]))
        }
    }
}

fn with(mut input: Fields, arguments: &[(&str, &str)]) -> Fields {
    for (name, text) in arguments {
        input.insert((*name).to_owned(), (*text).into());
    }
    input
}
