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
mod json;
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

/// Returns the settings file of a program.
pub fn settings_file(client: AgentProgram, scope: Scope<'_>) -> PathBuf {
    match (client, scope) {
        (AgentProgram::Claude, Scope::User(_, Some(folder))) => folder.join("settings.json"),
        (AgentProgram::Claude, Scope::User(home, None)) => home.join(".claude/settings.json"),
        (AgentProgram::Claude, Scope::Project(root)) => root.join(".claude/settings.json"),
    }
}

/// Returns the environment variable that sets another settings folder for a program.
pub fn folder_variable(client: AgentProgram) -> &'static str {
    match client {
        AgentProgram::Claude => "CLAUDE_CONFIG_DIR",
    }
}

/// Returns the settings with the hooks of editd. An empty text stands for a missing file. Settings that are
/// connected stay as they are, except that `program` is the program to start.
pub fn connect(client: AgentProgram, settings: &str, program: &str) -> Result<String, Unreadable> {
    match client {
        AgentProgram::Claude => {
            json::require_strict(settings)?;
            json::add_hooks(settings, &claude::hooks(program), claude::is_ours)
        }
    }
}

/// Returns the settings without the hooks of editd.
pub fn disconnect(client: AgentProgram, settings: &str) -> Result<String, Unreadable> {
    match client {
        AgentProgram::Claude => json::remove_hooks(settings, claude::is_ours),
    }
}

/// Returns `true` if the settings have the hooks of editd.
pub fn is_connected(client: AgentProgram, settings: &str) -> Result<bool, Unreadable> {
    match client {
        AgentProgram::Claude => json::require_strict(settings)?,
    }
    Ok(disconnect(client, settings)? != settings)
}
