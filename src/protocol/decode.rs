use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::Value;

pub use editd_workspace::Invalid;

use super::Strict;

/// Separates the field from the problem in the text of a serde error, which can carry nothing but text.
const SEPARATOR: char = '\u{1f}';

/// Converts an error in parameters to an error of a nested deserializer. [`decode`] recovers the field from its text.
pub(super) fn nested<E: Error>(Invalid { field, problem }: Invalid) -> E {
    E::custom(format!("{SEPARATOR}{field}{SEPARATOR}{problem}"))
}

/// Parses the text of an error into the field that it names, if any, and the problem.
fn invalid_of_text(text: &str) -> Invalid {
    let nested = text.strip_prefix(SEPARATOR).and_then(|rest| rest.split_once(SEPARATOR));
    match nested {
        Some((field, problem)) => Invalid::new(field, problem),
        None => Invalid::new("", in_words(text)),
    }
}

/// Returns the field that a serde error names in its text. Its path ends at the enclosing object.
fn field_named_in(problem: &str) -> Option<&str> {
    let rest = ["unknown field `", "duplicate field `", "missing field `"]
        .iter()
        .find_map(|beginning| problem.strip_prefix(beginning))?;
    let end = rest.find("`, ").or_else(|| rest.rfind('`'))?;
    rest.get(..end)
}

/// Type names in the errors of serde, and their replacements in our messages.
const TYPES: [(&str, &str); 7] = [
    ("expected usize", "expected a whole number from 0"),
    ("expected u64", "expected a whole number from 0"),
    ("expected u32", "expected a whole number from 0"),
    ("expected a boolean", "expected true or false"),
    ("floating point `", "the number `"),
    ("integer `", "the number `"),
    ("invalid type: ", "it is "),
];

/// Replaces type names in an error of serde with wording for clients.
fn in_words(text: &str) -> String {
    let is_of_type = ["invalid type: ", "invalid value: "].iter().any(|start| text.starts_with(start));
    if !is_of_type {
        return text.to_owned();
    }
    TYPES.iter().fold(text.replacen("invalid value: ", "it is ", 1), |text, (theirs, ours)| {
        text.replacen(theirs, ours, 1)
    })
}

/// Decodes parameters. The error names the field, at any depth.
pub fn decode<T: DeserializeOwned>(value: Value) -> Result<T, Invalid> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let outer = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        let mut invalid = invalid_of_text(&error.inner().to_string());
        let named = field_named_in(&invalid.problem).map(str::to_owned);
        // The path of an unknown field already contains its name.
        let is_in_path = |name: &String| outer.rsplit('.').next() == Some(name.as_str());
        if let (true, Some(name)) = (invalid.field.is_empty(), named.filter(|name| !is_in_path(name))) {
            invalid.field = name;
        }
        invalid.within(&outer)
    })
}

/// Deserializes a list, or a string that contains the list as JSON: some models quote nested values.
pub(super) fn list_or_json<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = match Value::deserialize(deserializer)? {
        // As strict as the parser of the whole message.
        Value::String(text) => serde_json::from_str::<Strict>(&text)
            .map(|Strict(value)| value)
            .map_err(|error| D::Error::custom(format!("a string that is not a JSON list: {error}")))?,
        value => value,
    };
    decode(value).map_err(nested)
}

/// Like [`list_or_json`], for a list that may be absent or null.
pub(super) fn optional_list_or_json<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        value => list_or_json(value).map(Some).map_err(D::Error::custom),
    }
}

/// Deserializes a map of strings that may be absent, null, or a string that contains the map as JSON.
pub(super) fn optional_texts_or_json<'de, D>(
    deserializer: D,
) -> Result<Option<BTreeMap<String, String>>, D::Error>
where
    D: Deserializer<'de>,
{
    let value = match Value::deserialize(deserializer)? {
        Value::String(text) => object_of_json(&text).map_err(D::Error::custom)?,
        value => value,
    };
    decode(value).map_err(nested)
}

/// Parses an object that was sent as a string of JSON, as strictly as the whole message.
pub(super) fn object_of_json(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(Strict(value @ Value::Object(_))) => Ok(value),
        Ok(_) => Err("a string that is not a JSON object".to_owned()),
        Err(error) => Err(format!("a string that is not a JSON object: {error}")),
    }
}
