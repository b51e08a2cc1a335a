//! Formatting of names and of arbitrary data as text for models.

use std::fmt::Write as _;

use lsp_types::Uri;
use serde_json::{Map, Value};

/// Returns the URI of a file whose name is not UTF-8 or contains control characters.
pub(super) fn uri_if_needed(path: &str, uri: &Uri) -> Option<String> {
    let is_odd = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control();
    path.contains(is_odd).then(|| uri.to_string())
}

/// Removes control characters, so that the text fits on one line. Names of files and people may contain
/// anything, including text that imitates further lines of an answer.
pub(super) fn in_one_line(text: &str) -> String {
    text.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Formats the members of an object: short values after their name, texts of several lines under their name,
/// and lists of objects one by one.
pub(super) fn readable<'a>(members: impl IntoIterator<Item = (&'a String, &'a Value)>) -> String {
    let mut text = String::new();
    for (name, value) in members {
        write_member(&mut text, name, value);
    }
    text
}

fn write_member(text: &mut String, name: &str, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => Ok(()),
        Value::String(lines) if lines.trim_end().contains('\n') => {
            writeln!(text, "{name}:\n{}", lines.trim_end_matches('\n'))
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            items.iter().enumerate().for_each(|(index, item)| write_item(text, name, index, item));
            Ok(())
        }
        Value::Array(items) if items.is_empty() => Ok(()),
        Value::Array(items) => {
            writeln!(text, "{name}: {}", items.iter().map(short).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            text.push_str(&readable(members));
            Ok(())
        }
        value => writeln!(text, "{name}: {}", short(value)),
    };
}

/// Formats an object of a list: the short members on one line, then the rest.
fn write_item(text: &mut String, name: &str, index: usize, item: &Value) {
    let Value::Object(members) = item else { return write_member(text, name, item) };
    let (inline, rest): (Map<_, _>, Map<_, _>) = members
        .clone()
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .partition(|(_, value)| is_short(value));
    let inline: Vec<_> = inline.iter().map(|(name, value)| format!("{name} {}", short(value))).collect();
    let _ = writeln!(text, "{name} {}: {}", index + 1, inline.join(", "));
    text.push_str(&readable(&rest));
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.contains('\n'),
        value => !value.is_array() && !value.is_object(),
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim_end().to_owned(),
        value => value.to_string(),
    }
}
