//! Connects agent programs to editd: adds its hooks to the settings of a program, and removes them again.
//! Pure: the caller reads and writes the files.
//!
//! ```
//! use editd_agents::connect::{connect, disconnect};
//! use editd_agents::gate::AgentProgram;
//!
//! let settings = "{\n  \"model\": \"opus\"\n}\n";
//! let connected = connect(AgentProgram::Claude, settings, "editd")?;
//! assert!(connected.contains("\"args\": [\"hook\", \"claude\"]"));
//! assert_eq!(disconnect(AgentProgram::Claude, &connected)?, settings);
//! # Ok::<(), editd_agents::connect::Unreadable>(())
//! ```

mod claude;
mod codex;
pub mod codex_trust;
mod gemini;
mod json;
mod plugin;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::gate::AgentProgram;

/// A settings file that cannot be read, and so is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Unreadable {
    /// Line of the problem, from 1.
    pub line: usize,
    /// The problem.
    pub problem: String,
}

/// The settings that are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope<'a> {
    /// Those of the user, for all projects. The folders are the home folder, and the settings folder of the
    /// program if the user has set another one than the default.
    User(&'a Path, Option<&'a Path>),
    /// Those of a project.
    Project(&'a Path),
}

/// The way in which hooks reach editd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route<'a> {
    /// They start this program.
    Program(&'a str),
    /// They call a tool of `editd mcp`.
    Server,
}

/// The places of the settings of a program.
struct Layout {
    /// Settings folder in the home folder.
    user: &'static str,
    /// Environment variable with another settings folder.
    variable: Option<&'static str>,
    /// Settings folder in a project.
    project: &'static str,
    /// The file that connects editd, in a settings folder.
    file: &'static str,
}

fn layout(client: AgentProgram) -> Layout {
    let (user, variable, project, file) = match client {
        AgentProgram::Claude => (".claude", Some("CLAUDE_CONFIG_DIR"), ".claude", "settings.json"),
        AgentProgram::Codex => (".codex", Some("CODEX_HOME"), ".codex", "hooks.json"),
        AgentProgram::Gemini => (".gemini", None, ".gemini", "settings.json"),
        AgentProgram::Opencode => {
            (".config/opencode", Some("OPENCODE_CONFIG_DIR"), ".opencode", "plugin/editd.ts")
        }
        AgentProgram::Pi => (".pi/agent", Some("PI_CODING_AGENT_DIR"), ".pi", "extensions/editd.ts"),
    };
    Layout { user, variable, project, file }
}

/// Returns the settings folder of a program.
pub fn settings_folder(client: AgentProgram, scope: Scope<'_>) -> PathBuf {
    let Layout { user, project, .. } = layout(client);
    match scope {
        Scope::User(_, Some(folder)) => folder.to_owned(),
        Scope::User(home, None) => home.join(user),
        Scope::Project(root) => root.join(project),
    }
}

/// Returns the file that connects editd, in the settings folder of a program.
pub fn settings_file(client: AgentProgram, folder: &Path) -> PathBuf {
    folder.join(layout(client).file)
}

/// Returns the environment variable that sets another settings folder for a program, if there is one.
pub fn folder_variable(client: AgentProgram) -> Option<&'static str> {
    layout(client).variable
}

/// Returns the settings with the hooks of editd. An empty text stands for a missing file. Settings that are
/// connected stay as they are, except that `program` is the program to start.
pub fn connect(client: AgentProgram, settings: &str, program: &str) -> Result<String, Unreadable> {
    check(client, settings)?;
    match client {
        AgentProgram::Claude => add_to_claude(settings, Route::Program(program)),
        AgentProgram::Codex => json::add_hooks(settings, &codex::hooks(program), codex::is_ours),
        AgentProgram::Gemini => json::add_hooks(settings, &gemini::hooks(program), gemini::is_ours),
        AgentProgram::Opencode => plugin::written(plugin::OPENCODE, settings, program),
        AgentProgram::Pi => plugin::written(plugin::PI, settings, program),
    }
}

/// Returns the settings of Claude Code with hooks that call a tool of `editd mcp`, and start no program. Claude Code
/// must know that server.
pub fn connect_to_server(settings: &str) -> Result<String, Unreadable> {
    check(AgentProgram::Claude, settings)?;
    add_to_claude(settings, Route::Server)
}

fn add_to_claude(settings: &str, route: Route<'_>) -> Result<String, Unreadable> {
    json::add_hooks(settings, &claude::hooks(route), claude::is_ours)
}

/// Returns `true` if the settings of Claude Code have hooks that call a tool of `editd mcp`.
pub fn uses_server(settings: &str) -> bool {
    serde_json::from_str(settings).is_ok_and(|settings| claude::uses_server(&settings))
}

/// Returns the file that lists the servers of Claude Code.
pub fn servers_file(scope: Scope<'_>) -> PathBuf {
    match scope {
        Scope::User(home, folder) => folder.unwrap_or(home).join(".claude.json"),
        Scope::Project(root) => root.join(".mcp.json"),
    }
}

/// Returns `true` if a file with servers of Claude Code lists `editd mcp`.
pub fn lists_server(servers: &str) -> bool {
    serde_json::from_str(servers).is_ok_and(|servers| claude::lists_server(&servers))
}

/// Returns the command with which a user adds `editd mcp` to the servers of Claude Code.
pub fn server_command(program: &str) -> String {
    claude::server_command(program)
}

/// Returns the settings without the hooks of editd.
pub fn disconnect(client: AgentProgram, settings: &str) -> Result<String, Unreadable> {
    match client {
        AgentProgram::Claude => json::remove_hooks(settings, claude::is_ours),
        AgentProgram::Codex => json::remove_hooks(settings, codex::is_ours),
        AgentProgram::Gemini => json::remove_hooks(settings, gemini::is_ours),
        AgentProgram::Opencode | AgentProgram::Pi => Ok(plugin::removed(settings)),
    }
}

/// Returns `true` if the settings have the hooks of editd.
pub fn is_connected(client: AgentProgram, settings: &str) -> Result<bool, Unreadable> {
    check(client, settings)?;
    Ok(disconnect(client, settings)? != settings)
}

/// Refuses settings that the program ignores altogether.
fn check(client: AgentProgram, settings: &str) -> Result<(), Unreadable> {
    match client {
        AgentProgram::Claude => json::require_strict(settings).map(drop),
        AgentProgram::Codex => codex::check(settings),
        AgentProgram::Gemini | AgentProgram::Opencode | AgentProgram::Pi => Ok(()),
    }
}

/// Returns a word of a shell command.
fn shell_word(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Returns `true` if the shell command of a hook runs editd with these arguments at its end.
fn shell_command_runs(hook: &Value, arguments: &str) -> bool {
    let program = hook["command"].as_str().and_then(|command| command.strip_suffix(arguments));
    program.is_some_and(|program| program.trim_end_matches('\'').ends_with("editd"))
}
