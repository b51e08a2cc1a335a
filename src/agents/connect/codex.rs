//! The hooks of Codex.

use serde_json::{Value, json};

use super::json::{self, require_strict};
use super::{Unreadable, shell_command_runs, shell_word};

/// Time that a hook may take before a tool, in seconds: a person may have to decide.
const BEFORE: u32 = 600;
/// Time that a hook may take otherwise, in seconds.
const AFTER: u32 = 60;

/// The members of the file that Codex knows. It ignores a file with any other.
const MEMBERS: [&str; 2] = ["hooks", "description"];

/// Returns the hooks by event.
pub(super) fn hooks(program: &str) -> Vec<(&'static str, Value)> {
    let command = format!("{} hook codex", shell_word(program));
    let hook = |timeout: u32| json!([{ "type": "command", "command": command, "timeout": timeout }]);
    vec![
        ("UserPromptSubmit", json!({ "hooks": hook(AFTER) })),
        ("PreToolUse", json!({ "matcher": "^(apply_patch|Bash)$", "hooks": hook(BEFORE) })),
        ("PostToolUse", json!({ "matcher": "^(apply_patch|Bash)$", "hooks": hook(AFTER) })),
    ]
}

/// Returns `true` if an entry of an event starts `editd hook codex` and nothing else.
pub(super) fn is_ours(entry: &Value) -> bool {
    json::all_hooks(entry, |hook| shell_command_runs(hook, " hook codex"))
}

/// Refuses a file that Codex ignores.
pub(super) fn check(settings: &str) -> Result<(), Unreadable> {
    let parsed = require_strict(settings)?;
    let mut members = parsed.as_object().into_iter().flatten().map(|(name, _)| name);
    match members.find(|name| !MEMBERS.contains(&name.as_str())) {
        Some(name) => Err(Unreadable { line: 1, problem: format!("unknown member `{name}`") }),
        None => Ok(()),
    }
}
