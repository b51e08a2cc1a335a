//! The hooks of Claude Code.

use serde_json::{Value, json};

/// Time that a hook may take before a tool, in seconds: a person may have to decide.
const BEFORE: u32 = 600;
/// Time that a hook may take after a tool, in seconds.
const AFTER: u32 = 60;

/// The tools before which a hook runs: those that change files, and those of `editd mcp`. A matcher with other
/// characters than letters, `|` and `,` is a regular expression, which may match a part of a name.
const TOOLS: &str = "^(Edit|Write|NotebookEdit|mcp__editd__.+)$";

/// Returns the hooks by event.
pub(super) fn hooks(program: &str) -> Vec<(&'static str, Value)> {
    let command = |timeout: u32| json!([{ "type": "command", "command": program, "args": ["hook", "claude"], "timeout": timeout }]);
    vec![
        ("PreToolUse", json!({ "matcher": TOOLS, "hooks": command(BEFORE) })),
        ("PostToolUse", json!({ "matcher": "Read|Edit|Write", "hooks": command(AFTER) })),
        ("PostToolUseFailure", json!({ "matcher": "Edit|Write", "hooks": command(AFTER) })),
        ("PostToolBatch", json!({ "hooks": command(AFTER) })),
    ]
}

/// Returns `true` if an entry of an event starts `editd hook claude` and nothing else.
pub(super) fn is_ours(entry: &Value) -> bool {
    let is_hook = |hook: &Value| {
        let program = hook["command"].as_str().unwrap_or_default();
        program.ends_with("editd") && hook["args"] == json!(["hook", "claude"])
    };
    entry["hooks"].as_array().is_some_and(|hooks| !hooks.is_empty() && hooks.iter().all(is_hook))
}
