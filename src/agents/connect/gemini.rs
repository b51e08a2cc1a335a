//! The hooks of Gemini CLI.

use serde_json::{Value, json};

use super::{json, shell_command_runs, shell_word};

/// Time that a hook may take before a tool, in milliseconds: a person may have to decide.
const BEFORE: u32 = 600_000;
/// Time that a hook may take otherwise, in milliseconds.
const AFTER: u32 = 60_000;

/// Returns the hooks by event.
pub(super) fn hooks(program: &str) -> Vec<(&'static str, Value)> {
    let program = shell_word(program);
    // Gemini CLI blocks a tool whose hook cannot be started.
    let command = format!("command -v {program} >/dev/null || exit 0; {program} hook gemini");
    let hook = |timeout: u32| json!([{ "name": "editd", "type": "command", "command": command, "timeout": timeout }]);
    vec![
        ("BeforeAgent", json!({ "hooks": hook(AFTER) })),
        (
            "BeforeTool",
            json!({ "matcher": "^(replace|write_file|run_shell_command)$", "hooks": hook(BEFORE) }),
        ),
        (
            "AfterTool",
            json!({ "matcher": "^(read_file|replace|write_file|run_shell_command)$", "hooks": hook(AFTER) }),
        ),
    ]
}

/// Returns `true` if an entry of an event starts `editd hook gemini` and nothing else.
pub(super) fn is_ours(entry: &Value) -> bool {
    json::all_hooks(entry, |hook| shell_command_runs(hook, " hook gemini"))
}
