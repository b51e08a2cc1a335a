//! Parameters that a client adds to the schema of every tool. The model fills them in, so it could not make
//! sense of a refusal of them.

use rmcp::model::JsonObject;
use serde_json::Value;

/// The name of a parameter, and a predicate for the values that its client defines. Any other value is a
/// mistake of the model.
type Addition = (&'static str, fn(&Value) -> bool);

const ADDITIONS: [Addition; 1] = [
    // Gemini CLI (0.61) orders the calls of one turn by it, and keeps that order itself.
    ("wait_for_previous", Value::is_boolean),
];

/// Removes the parameters that the client added.
pub(super) fn without_additions(mut arguments: JsonObject) -> JsonObject {
    arguments.retain(|name, value| !ADDITIONS.iter().any(|(added, fits)| added == name && fits(value)));
    arguments
}
