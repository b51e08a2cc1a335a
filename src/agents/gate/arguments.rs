//! Events of Claude Code as arguments of a tool.
//!
//! A hook of the kind `mcp_tool` calls a tool of a server. Its settings name the arguments, with references to
//! members of the event in the form `${name}`, for which Claude Code inserts text: a string as it is, anything else
//! as JSON, and nothing if the event has no such member.

use serde_json::{Result, Value, from_str};

use super::Fields;

/// Name under which Claude Code must know `editd mcp`.
pub const SERVER_NAME: &str = "editd";
/// Name of the tool, which no model is shown.
pub const TOOL_NAME: &str = "gate";

/// Members of an event that are strings.
const TEXTS: [&str; 8] = [
    "hook_event_name",
    "session_id",
    "agent_id",
    "prompt_id",
    "transcript_path",
    "cwd",
    "tool_name",
    "tool_use_id",
];
/// Members that are objects or lists.
const OBJECTS: [&str; 2] = ["tool_input", "tool_calls"];
/// The result of a tool, which is an object or a text.
const RESPONSE: &str = "tool_response";

/// Returns the arguments as they are in the settings: all members that [`super::AgentProgram::decode`] reads.
pub fn arguments() -> Fields {
    let names = TEXTS.into_iter().chain(OBJECTS).chain([RESPONSE]);
    names.map(|name| (name.to_owned(), format!("${{{name}}}").into())).collect()
}

/// Returns the event of which arguments were made.
pub fn event_of_arguments(arguments: &Fields) -> Result<Value> {
    let mut event = Fields::new();
    for (name, value) in arguments {
        let Some(text) = value.as_str().filter(|text| !text.is_empty()) else { continue };
        let value = match name.as_str() {
            RESPONSE => from_str(text).unwrap_or_else(|_| text.into()),
            object if OBJECTS.contains(&object) => from_str(text)?,
            _ => text.into(),
        };
        event.insert(name.clone(), value);
    }
    Ok(event.into())
}
