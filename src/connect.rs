//! Connects agent programs to editd: adds its hooks to the settings of a program, and removes them again.
//! Pure: the caller reads and writes the files.
//!
//! ```
//! use editd::connect::{connect, disconnect};
//! use editd::gate::AgentProgram;
//!
//! let settings = "{\n  \"model\": \"opus\"\n}\n";
//! let connected = connect(AgentProgram::Claude, settings, "editd")?;
//! assert!(connected.contains("\"args\": [\"hook\", \"claude\"]"));
//! assert_eq!(disconnect(AgentProgram::Claude, &connected)?, settings);
//! # Ok::<(), editd::connect::Unreadable>(())
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
        AgentProgram::Claude => json::add_hooks(settings, &claude::hooks(program), claude::is_ours),
        AgentProgram::Codex => json::add_hooks(settings, &codex::hooks(program), codex::is_ours),
        AgentProgram::Gemini => json::add_hooks(settings, &gemini::hooks(program), gemini::is_ours),
        AgentProgram::Opencode => plugin::written(plugin::OPENCODE, settings, program),
        AgentProgram::Pi => plugin::written(plugin::PI, settings, program),
    }
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
