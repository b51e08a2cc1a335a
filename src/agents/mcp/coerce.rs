//! Corrections of arguments: values of the wrong type, and parameters that a client adds.

use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// Converts unambiguous values that models send in the wrong type, such as `5.0`, `"5"` and `"true"`, to the
/// types in their schema.
pub(super) fn coerce(arguments: &mut JsonObject, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, value) in arguments {
        if let Some((_, schema)) = properties.iter().find(|(known, _)| normalized(known) == normalized(name))
        {
            coerce_value(value, schema);
        }
    }
}

/// Returns a name without underscores and in lower case, to compare spellings.
fn normalized(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

fn coerce_value(value: &mut Value, schema: &Value) {
    let expected = match (schema["type"].as_str(), &mut *value) {
        (Some("integer"), Value::Number(number)) => integer(number),
        (Some("integer"), Value::String(text)) => text.trim().parse::<u64>().ok().map(Value::from),
        (Some("boolean"), Value::String(text)) => text.trim().parse::<bool>().ok().map(Value::from),
        (Some("array"), Value::Array(items)) => {
            for item in items {
                coerce_value(item, &schema["items"]);
            }
            None
        }
        (Some("object"), Value::Object(members)) => {
            coerce(members, schema);
            None
        }
        _ => None,
    };
    if let Some(expected) = expected {
        *value = expected;
    }
}

/// Limit up to which `f64` represents every integer exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Converts a floating point number to an integer, if it is one.
fn integer(number: &Number) -> Option<Value> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    let is_integer = (0.0..EXACT).contains(&value) && value.fract() == 0.0;
    is_integer.then(|| format!("{value:.0}").parse::<u64>().ok().map(Value::from)).flatten()
}

/// Removes the members of objects that are null, at any depth of objects and lists of objects.
pub(super) fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// Removes the parameter that Gemini CLI (0.61) adds to the schema of every tool: it orders the calls of one
/// turn by it, and keeps that order itself. The model fills it in, so it could not make sense of a refusal.
/// A value that is not boolean is a mistake of the model.
pub(super) fn without_additions(mut arguments: JsonObject) -> JsonObject {
    arguments.retain(|name, value| name != "wait_for_previous" || !value.is_boolean());
    arguments
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unambiguous_values_are_converted() {
        let schema = json!({ "properties": {
            "limit": { "type": "integer" }, "replaceAll": { "type": "boolean" }, "text": { "type": "string" },
            "edits": { "type": "array", "items": { "type": "object", "properties": { "n": { "type": "integer" } } } },
        } });
        for (sent, expected) in [
            (json!({ "limit": 5.0 }), json!({ "limit": 5 })),
            (json!({ "limit": " 5 " }), json!({ "limit": 5 })),
            (json!({ "replace_all": "true" }), json!({ "replace_all": true })),
            (json!({ "edits": [{ "n": "7" }] }), json!({ "edits": [{ "n": 7 }] })),
        ] {
            let mut arguments = sent.as_object().expect("an object").clone();
            coerce(&mut arguments, &schema);
            assert_eq!(Value::Object(arguments), expected);
        }
        for same in [
            json!({ "limit": 5.5 }),
            json!({ "limit": -1 }),
            json!({ "limit": -1.0 }),
            json!({ "limit": 1e300 }),
            json!({ "limit": "five" }),
            json!({ "replaceAll": "yes" }),
            json!({ "text": "5" }),
            json!({ "unknown": "5" }),
        ] {
            let mut arguments = same.as_object().expect("an object").clone();
            coerce(&mut arguments, &schema);
            assert_eq!(Value::Object(arguments), same);
        }
    }
}
