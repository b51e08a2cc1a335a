//! The hooks of Claude Code.

use serde_json::{Value, json};

use crate::gate::{SERVER_NAME, TOOL_NAME, arguments};

use super::{Route, json, shell_word};

/// Time that a hook may take before a tool, in seconds: a person may have to decide.
const BEFORE: u32 = 600;
/// Time that a hook may take after a tool, in seconds.
const AFTER: u32 = 60;

/// The tools before which a hook runs: those that change files or run commands, and those of `editd mcp`. A matcher with other
/// characters than letters, `|` and `,` is a regular expression, which may match a part of a name.
const TOOLS: &str = "^(Edit|Write|NotebookEdit|Bash|mcp__editd__.+)$";

/// Returns the hooks by event.
pub(super) fn hooks(route: Route<'_>) -> Vec<(&'static str, Value)> {
    let hook = |timeout: u32| match route {
        Route::Program(program) => {
            json!([{ "type": "command", "command": program, "args": ["hook", "claude"], "timeout": timeout }])
        }
        Route::Server => {
            json!([{ "type": "mcp_tool", "server": SERVER_NAME, "tool": TOOL_NAME, "input": arguments(), "timeout": timeout }])
        }
    };
    vec![
        ("PreToolUse", json!({ "matcher": TOOLS, "hooks": hook(BEFORE) })),
        ("PostToolUse", json!({ "matcher": "Read|Edit|Write|Bash", "hooks": hook(AFTER) })),
        ("PostToolUseFailure", json!({ "matcher": "Edit|Write|Bash", "hooks": hook(AFTER) })),
        ("PostToolBatch", json!({ "hooks": hook(AFTER) })),
    ]
}

/// Returns `true` if an entry of an event calls editd and nothing else.
pub(super) fn is_ours(entry: &Value) -> bool {
    let is_command = |hook: &Value| {
        let program = hook["command"].as_str().unwrap_or_default();
        program.ends_with("editd") && hook["args"] == json!(["hook", "claude"])
    };
    json::all_hooks(entry, |hook| is_command(hook) || calls_server(hook))
}

/// Returns `true` if the settings have hooks that call the server.
pub(super) fn uses_server(settings: &Value) -> bool {
    let events = settings["hooks"].as_object().into_iter().flatten();
    let entries = events.filter_map(|(_, entries)| entries.as_array()).flatten();
    entries.filter_map(|entry| entry["hooks"].as_array()).flatten().any(calls_server)
}

/// Returns `true` if a list of servers has `editd mcp`.
pub(super) fn lists_server(servers: &Value) -> bool {
    servers["mcpServers"][SERVER_NAME].is_object()
}

/// Returns the command that adds `editd mcp` to the servers. The model learns only the names of its tools.
pub(super) fn server_command(program: &str) -> String {
    let server = json!({ "command": program, "args": ["mcp"] }).to_string();
    format!("claude mcp add-json --scope user {SERVER_NAME} {}", shell_word(&server))
}

fn calls_server(hook: &Value) -> bool {
    hook["type"] == "mcp_tool" && hook["server"] == SERVER_NAME && hook["tool"] == TOOL_NAME
}
