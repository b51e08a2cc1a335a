//! Parameters that a client adds to every tool by itself. The model sees them in the schemas and fills them in, so
//! refusing them would tell it something that it cannot understand.

use rmcp::model::JsonObject;
use serde_json::Value;

/// A name, and whether a value is one that its client gives it. Any other is the model's own mistake.
type Addition = (&'static str, fn(&Value) -> bool);

const ADDITIONS: [Addition; 1] = [
    // Gemini CLI (0.61), which orders the calls of one turn by it. It keeps that order itself.
    ("wait_for_previous", Value::is_boolean),
];

/// What was meant for the tool.
pub(super) fn without_additions(mut arguments: JsonObject) -> JsonObject {
    arguments.retain(|name, value| !ADDITIONS.iter().any(|(added, fits)| added == name && fits(value)));
    arguments
}
