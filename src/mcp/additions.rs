//! Parameters that a client adds to every tool by itself. The model sees them in the schemas and fills them in, so
//! refusing them would tell it something that it cannot understand.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Their names, and the values that clients give them. Any other value is the model's own mistake.
const ADDITIONS: [(&str, fn(&Value) -> bool); 1] = [
    // Gemini CLI (0.61), which orders the calls of one turn by it. It keeps that order itself.
    ("wait_for_previous", Value::is_boolean),
];

/// What was meant for the tool.
pub(super) fn without_additions(mut arguments: JsonObject) -> JsonObject {
    arguments.retain(|name, value| !ADDITIONS.iter().any(|(added, fits)| added == name && fits(value)));
    arguments
}
