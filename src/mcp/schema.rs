//! JSON schemas of what tools take and give: as plain as they can be, since some clients read only the plainest
//! and models read the first.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of a tool's arguments.
pub(super) fn input<T: JsonSchema>() -> JsonObject {
    generate::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The schema of a tool's results, of which a refusal is one. Members of which all results have some are
/// demanded only where nothing was refused: some clients hold refusals against the schema, too.
pub(super) fn output<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    let required = schema.shift_remove("required").unwrap_or_else(|| json!([]));
    with_refusals(schema, vec![required])
}

/// The schema of a tool whose results come in several forms: each has all members of one of `forms`.
pub(super) fn output_in<T: JsonSchema>(forms: &[&[&str]]) -> JsonObject {
    let schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    with_refusals(schema, forms.iter().map(|names| json!(names)).collect())
}

fn with_refusals(mut schema: JsonObject, required: Vec<Value>) -> JsonObject {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(
            "changedByOthers".to_owned(),
            json!({
                "type": "array", "items": { "type": "string" },
                "description": "Files that others have changed since they were read here.",
            }),
        );
        properties.insert(
            "error".to_owned(),
            json!({
                "type": "object",
                "description": "Why nothing was done.",
                "properties": {
                    "kind": { "type": "string" },
                    "message": { "type": "string" },
                    "hint": { "type": "string", "description": "What to send next." },
                },
                "required": ["kind", "message"],
            }),
        );
    }
    let forms = required.into_iter().chain([json!(["error"])]).map(|names| json!({ "required": names }));
    schema.insert("anyOf".to_owned(), forms.collect());
    schema
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let settings = settings.with(|settings| {
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

/// Leaves out what costs words and says nothing to a model: names of types, widths of integers, null for what may
/// be absent, line breaks in texts.
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
