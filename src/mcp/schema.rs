//! JSON schemas of tool arguments, as simple as possible, because some clients support only simple schemas
//! and models read them in every session.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Returns the schema of a tool's arguments.
pub(super) fn input<T: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().for_deserialize().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    simplify(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.shift_remove("description");
            schema
        }
        _ => Map::new(),
    }
}

/// Removes parts that cost tokens without helping a model: names of types, widths of integers, null for
/// optional members, and line breaks in texts.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(members) => {
            if members.get("type").is_some_and(|kind| !kind.is_object()) {
                for name in ["title", "format", "minimum", "maximum", "default"] {
                    members.shift_remove(name);
                }
            }
            members
                .shift_remove("title")
                .filter(Value::is_object)
                .map(|title| members.insert("title".to_owned(), title));
            if let Some(Value::Array(types)) = members.get_mut("type") {
                types.retain(|kind| kind != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    members.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(values)) = members.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            members.values_mut().for_each(simplify);
        }
        _ => {}
    }
}
