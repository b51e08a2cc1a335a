//! Numbers and booleans as models send them: `5.0`, `"5"`, `"true"`, where nothing else can be meant.

use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// Makes of arguments what their schema asks for, where they say it in another type.
pub(super) fn coerce(arguments: &mut JsonObject, schema: &Value) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, value) in arguments {
        if let Some((_, schema)) = properties.iter().find(|(known, _)| plain(known) == plain(name)) {
            coerce_value(value, schema);
        }
    }
}

/// A name without what its other spellings differ in.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

fn coerce_value(value: &mut Value, schema: &Value) {
    let meant = match (schema["type"].as_str(), &mut *value) {
        (Some("integer"), Value::Number(number)) => whole(number),
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
    if let Some(meant) = meant {
        *value = meant;
    }
}

/// Above this not every whole number is one of those that come with a point.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A whole number that came with a point.
fn whole(number: &Number) -> Option<Value> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    let is_whole = (0.0..EXACT).contains(&value) && value.fract() == 0.0;
    is_whole.then(|| format!("{value:.0}").parse::<u64>().ok().map(Value::from)).flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_can_only_mean_one_thing_is_taken_for_it() {
        let schema = json!({ "properties": {
            "limit": { "type": "integer" }, "replaceAll": { "type": "boolean" }, "text": { "type": "string" },
            "edits": { "type": "array", "items": { "type": "object", "properties": { "n": { "type": "integer" } } } },
        } });
        for (sent, meant) in [
            (json!({ "limit": 5.0 }), json!({ "limit": 5 })),
            (json!({ "limit": " 5 " }), json!({ "limit": 5 })),
            (json!({ "replace_all": "true" }), json!({ "replace_all": true })),
            (json!({ "edits": [{ "n": "7" }] }), json!({ "edits": [{ "n": 7 }] })),
        ] {
            let mut arguments = sent.as_object().expect("an object").clone();
            coerce(&mut arguments, &schema);
            assert_eq!(Value::Object(arguments), meant);
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
