use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use serde_json::Value;

use super::{Code, RpcError, Strict};

/// Parts the field from the problem in the text of an error: text is all that serde carries outward.
const PART: char = '\u{1f}';

/// Parameters that do not fit: which field, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The field's path, for instance `changes[0].edits[1].oldText`; empty for the whole.
    pub field: String,
    /// What is wrong, in words that can follow the field's name.
    pub problem: String,
}

impl Invalid {
    /// A field and what is wrong with it.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }

    /// The same, of a field inside `outer`.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        let field = match (self.field.as_str(), outer) {
            ("", outer) => outer.to_owned(),
            (inner, "") => inner.to_owned(),
            (inner, _) if inner.starts_with('[') => format!("{outer}{inner}"),
            (inner, _) => format!("{outer}.{inner}"),
        };
        Self { field, ..self }
    }

    /// As an error of a deserializer inside another, whose [`decode`] finds the field again.
    pub(super) fn nested<E: Error>(self) -> E {
        E::custom(format!("{PART}{}{PART}{}", self.field, self.problem))
    }

    /// Reads the text of an error: the field that it names, if any, and what is wrong with it.
    fn of_text(text: &str) -> Self {
        let nested = text.strip_prefix(PART).and_then(|rest| rest.split_once(PART));
        match nested {
            Some((field, problem)) => Self::new(field, problem),
            None => Self::new("", in_words(text)),
        }
    }

    /// The field that an error of serde's is about but not at.
    fn named_in(problem: &str) -> Option<&str> {
        let rest = ["unknown field `", "duplicate field `", "missing field `"]
            .iter()
            .find_map(|beginning| problem.strip_prefix(beginning))?;
        let end = rest.find("`, ").or_else(|| rest.rfind('`'))?;
        rest.get(..end)
    }
}

impl From<Invalid> for RpcError {
    fn from(invalid: Invalid) -> Self {
        let message = if invalid.field.is_empty() {
            format!("The parameters do not fit: {}.", invalid.problem)
        } else {
            format!("Parameter `{}` does not fit: {}.", invalid.field, invalid.problem)
        };
        let data = serde_json::json!({
            "kind": "invalid_params",
            "field": invalid.field,
            "hint": "Correct the named parameter and send the request again.",
        });
        Self { data: Some(data), ..Self::new(Code::InvalidParams, message) }
    }
}

/// What serde calls types, and what people call them.
const TYPES: [(&str, &str); 7] = [
    ("expected usize", "expected a whole number from 0"),
    ("expected u64", "expected a whole number from 0"),
    ("expected u32", "expected a whole number from 0"),
    ("expected a boolean", "expected true or false"),
    ("floating point `", "the number `"),
    ("integer `", "the number `"),
    ("invalid type: ", "it is "),
];

/// A sentence of serde's as it is said to clients.
fn in_words(text: &str) -> String {
    let is_of_type = ["invalid type: ", "invalid value: "].iter().any(|start| text.starts_with(start));
    if !is_of_type {
        return text.to_owned();
    }
    TYPES.iter().fold(text.replacen("invalid value: ", "it is ", 1), |text, (theirs, ours)| {
        text.replacen(theirs, ours, 1)
    })
}

/// Reads parameters; a failure names the field, however deep.
pub fn decode<T: DeserializeOwned>(value: Value) -> Result<T, Invalid> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let outer = match error.path().to_string() {
            path if path == "." => String::new(),
            path => path,
        };
        let mut invalid = Invalid::of_text(&error.inner().to_string());
        let named = Invalid::named_in(&invalid.problem).map(str::to_owned);
        // Of an unknown field, the path tells already.
        let is_told = |name: &String| outer.rsplit('.').next() == Some(name.as_str());
        if let (true, Some(name)) = (invalid.field.is_empty(), named.filter(|name| !is_told(name))) {
            invalid.field = name;
        }
        invalid.within(&outer)
    })
}

/// A list, or the same list as a string of JSON: some models quote what they should nest.
pub(super) fn list_or_json<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let value = match Value::deserialize(deserializer)? {
        // As strict as with the message itself.
        Value::String(text) => serde_json::from_str::<Strict>(&text)
            .map(|Strict(value)| value)
            .map_err(|error| D::Error::custom(format!("a string that is no JSON list: {error}")))?,
        value => value,
    };
    decode(value).map_err(Invalid::nested)
}

/// The same for a list that may be absent or null.
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

/// A map of texts that may be absent or null, or the same map as a string of JSON.
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
    decode(value).map_err(Invalid::nested)
}

/// An object that is sent as a string of JSON, read as strictly as the message itself.
pub(super) fn object_of_json(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(Strict(value @ Value::Object(_))) => Ok(value),
        Ok(_) => Err("a string that is no JSON object".to_owned()),
        Err(error) => Err(format!("a string that is no JSON object: {error}")),
    }
}
