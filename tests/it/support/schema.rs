//! As much of JSON Schema as tools use. A keyword that is not known fails the test that meets it.

use serde_json::Value;

/// What is wrong with a value, each with its place.
pub(crate) fn complaints(value: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(value, schema, "", &mut found);
    found
}

fn check(value: &Value, schema: &Value, at: &str, found: &mut Vec<String>) {
    let keywords = schema.as_object().unwrap_or_else(|| panic!("a schema is an object: {schema}"));
    for (keyword, demand) in keywords {
        match keyword.as_str() {
            "description" => {}
            "type" => {
                let name = demand.as_str().expect("one type");
                if !is_of(value, name) {
                    found.push(format!("{at} is no {name}: {value}"));
                }
            }
            "enum" => {
                if !demand.as_array().expect("values").contains(value) {
                    found.push(format!("{at} is none of {demand}: {value}"));
                }
            }
            "required" => {
                let names = demand.as_array().expect("names").iter().filter_map(Value::as_str);
                found.extend(
                    names
                        .filter(|name| value.get(name).is_none())
                        .map(|name| format!("{at}/{name} is missing")),
                );
            }
            "properties" => {
                for (name, schema) in demand.as_object().expect("properties") {
                    if let Some(value) = value.get(name) {
                        check(value, schema, &format!("{at}/{name}"), found);
                    }
                }
            }
            "additionalProperties" => check_others(value, demand, schema, at, found),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(item, demand, &format!("{at}/{index}"), found);
                }
            }
            "anyOf" => {
                let fits = |schema| complaints(value, schema).is_empty();
                if !demand.as_array().expect("schemas").iter().any(fits) {
                    found.push(format!("{at} fits none of {demand}"));
                }
            }
            keyword => panic!("unknown keyword {keyword} in {schema}"),
        }
    }
}

fn check_others(value: &Value, demand: &Value, schema: &Value, at: &str, found: &mut Vec<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        if schema["properties"].get(name).is_some() {
            continue;
        }
        match demand {
            Value::Bool(true) => {}
            Value::Bool(false) => found.push(format!("{at}/{name} is unknown")),
            demand => check(value, demand, &format!("{at}/{name}"), found),
        }
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        name => panic!("unknown type {name}"),
    }
}
