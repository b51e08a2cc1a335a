//! `editd mcp` as a server of Claude Code, which hooks can call.

use std::fs;
use std::path::Path;

use editd_agents::connect::{
    Scope, folder_variable, lists_server, server_command, servers_file, uses_server,
};
use editd_agents::gate::AgentProgram;

use super::{program, variable};

/// Returns the command that adds the server, if the hooks in a settings file call it, and Claude Code does not know
/// it. It may know it in all projects, or in that of the settings.
pub(super) fn missing(settings: &Path, of_project: bool) -> Option<String> {
    let calls = fs::read_to_string(settings).is_ok_and(|settings| uses_server(&settings));
    let root = settings.parent().and_then(Path::parent).filter(|_| of_project);
    let is_known = is_listed_for_user() || root.is_some_and(|root| is_listed(Scope::Project(root)));
    (calls && !is_known).then(|| server_command(&program()))
}

fn is_listed_for_user() -> bool {
    let folder = folder_variable(AgentProgram::Claude).and_then(variable);
    let home = std::env::home_dir();
    home.is_some_and(|home| is_listed(Scope::User(&home, folder.as_deref().map(Path::new))))
}

fn is_listed(scope: Scope<'_>) -> bool {
    fs::read_to_string(servers_file(scope)).is_ok_and(|servers| lists_server(&servers))
}
