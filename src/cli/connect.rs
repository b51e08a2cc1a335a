//! `editd connect`: adds the hooks of editd to the settings of an agent program, or removes them.

mod codex;
mod file;
mod server;
mod version;

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use editd_agents::connect::{self, Scope, folder_variable, is_connected, settings_file, settings_folder};
use editd_agents::gate::AgentProgram;

use super::arguments::{ConnectArguments, Output};
use super::paint::{FAINT, GOOD};
use super::{CliError, Context, End, paint, root, stream};

use file::{FileChange, read, unreadable};

/// `editd connect`.
pub(crate) fn connect(context: &Context, arguments: &ConnectArguments) -> Result<End, CliError> {
    let client = arguments.client;
    if arguments.mcp && client != AgentProgram::Claude {
        return Err(CliError::usage(format!("{} has no hooks that call a server", client.title()))
            .with_hint("omit --mcp: the hooks start `editd hook`"));
    }
    let file = file_of(client, arguments.project)?;
    let before = read(&file)?;
    let changes: Vec<_> = changes(context, arguments, &file, &before)?
        .into_iter()
        .filter(|change| change.before != change.after)
        .collect();
    if changes.is_empty() {
        let state = if arguments.undo { "is not connected" } else { "is connected already" };
        writeln!(stream::stdout(), "{} {state}: {}", client.title(), paint::path(&file))?;
        return advise(client, arguments, &file);
    }
    for change in &changes {
        paint::diff(&mut stream::stdout(), &change.diff())?;
    }
    if !arguments.yes {
        if context.output == Output::Json || !stream::is_interactive() {
            return Err(CliError::failed(
                "the settings were not changed, because there is no terminal to ask on",
            )
            .with_hint("pass --yes to write the settings as shown"));
        }
        if !stream::confirm("Change these settings?")? {
            return Ok(End::Undecided);
        }
    }
    for change in &changes {
        change.write(context, arguments.undo)?;
    }
    report(client, &file, arguments)
}

/// Returns the changed settings, the file with the hooks first.
fn changes(
    context: &Context,
    arguments: &ConnectArguments,
    file: &Path,
    before: &str,
) -> Result<Vec<FileChange>, CliError> {
    let client = arguments.client;
    let after = if arguments.undo {
        file::restored(context, file, before).map_or_else(|| connect::disconnect(client, before), Ok)
    } else if arguments.mcp {
        connect::connect_to_server(before)
    } else {
        connect::connect(client, before, &program())
    };
    let after = after.map_err(|error| unreadable(file, &error))?;
    let hooks = FileChange { file: file.to_owned(), before: before.to_owned(), after };
    let trust = (client == AgentProgram::Codex).then(|| codex::trust(context, &hooks, arguments.undo));
    Ok([Some(hooks), trust.transpose()?.flatten()].into_iter().flatten().collect())
}

fn report(client: AgentProgram, file: &Path, arguments: &ConnectArguments) -> Result<End, CliError> {
    let mut out = stream::stdout();
    let (done, next) = if arguments.undo {
        ("disconnected", "Running sessions keep the hooks until they end.")
    } else {
        ("connected", "The edits of new sessions pass through editd. Run with --undo to disconnect.")
    };
    writeln!(out, "{GOOD}{done}{GOOD:#} {} in {}", client.title(), paint::path(file))?;
    writeln!(out, "{FAINT}{next}{FAINT:#}")?;
    advise(client, arguments, file)
}

/// Tells what the user has to do so that the program runs the hooks, if anything.
fn advise(client: AgentProgram, arguments: &ConnectArguments, file: &Path) -> Result<End, CliError> {
    if let Some(note) = note(client, arguments, file) {
        writeln!(stream::stdout(), "{FAINT}{note}{FAINT:#}")?;
    }
    Ok(End::Done)
}

fn note(client: AgentProgram, arguments: &ConnectArguments, file: &Path) -> Option<String> {
    if arguments.undo {
        return None;
    }
    let note = match client {
        AgentProgram::Claude => {
            let command = server::missing(file, arguments.project)?;
            return Some(format!("Claude Code must know the server that the hooks call: {command}"));
        }
        AgentProgram::Codex if !codex::is_trusted(file) => {
            "Codex runs the hooks after you have trusted them: type /hooks in Codex."
        }
        AgentProgram::Gemini if arguments.project => "Gemini CLI runs them if it trusts this folder.",
        AgentProgram::Pi if arguments.project => "pi runs the extension if it trusts this folder.",
        _ => return None,
    };
    Some(note.to_owned())
}

/// The state of a program that the user has.
pub(crate) struct ClientState {
    pub(crate) client: AgentProgram,
    /// The settings file.
    pub(crate) file: PathBuf,
    /// `true` if the settings have the hooks; the problem if they cannot be read.
    pub(crate) connected: Result<bool, String>,
    /// The reason why the program does not run the hooks, if there is one.
    pub(crate) problem: Option<String>,
    /// The version, if the program is in `PATH`.
    pub(crate) version: Option<String>,
}

/// Returns the state of each program that has a settings folder, for `editd doctor`.
pub(crate) fn states() -> Vec<ClientState> {
    let state = |client: AgentProgram| {
        let folder = folder_of(client, false).ok().filter(|folder| folder.is_dir())?;
        let file = settings_file(client, &folder);
        let text = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
            text => text.map_err(|error| error.to_string()),
        };
        let connected = text.and_then(|text| is_connected(client, &text).map_err(|error| error.to_string()));
        let problem = problem(client, &file);
        let version = connected
            .as_ref()
            .is_ok_and(|connected| *connected)
            .then(|| version::installed(client))
            .flatten();
        Some(ClientState { client, file, connected, problem, version })
    };
    AgentProgram::ALL.into_iter().filter_map(state).collect()
}

fn problem(client: AgentProgram, file: &Path) -> Option<String> {
    match client {
        AgentProgram::Claude => {
            let command = server::missing(file, false)?;
            Some(format!(
                "it does not know the server that the hooks call, so edits are not checked; add it: {command}"
            ))
        }
        AgentProgram::Codex if !codex::is_trusted(file) => {
            Some(format!("the hooks are not trusted; type /hooks in {}", client.title()))
        }
        _ => None,
    }
}

fn file_of(client: AgentProgram, project: bool) -> Result<PathBuf, CliError> {
    Ok(settings_file(client, &folder_of(client, project)?))
}

fn folder_of(client: AgentProgram, project: bool) -> Result<PathBuf, CliError> {
    if project {
        let root = root::of_here()?.ok_or_else(|| {
            CliError::failed("this folder is not in a project").with_hint("run it in the folder of a project")
        })?;
        return Ok(settings_folder(client, Scope::Project(&root)));
    }
    let home = std::env::home_dir().ok_or_else(|| CliError::failed("there is no home folder"))?;
    let folder = folder_variable(client).and_then(variable).map(PathBuf::from);
    let folder = folder.or_else(|| {
        let config = variable("XDG_CONFIG_HOME").filter(|_| client == AgentProgram::Opencode)?;
        Some(PathBuf::from(config).join("opencode"))
    });
    Ok(settings_folder(client, Scope::User(&home, folder.as_deref())))
}

/// Returns an environment variable that is set and not empty.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the program for the hooks: by its name if `PATH` leads to this program, else by its path.
fn program() -> String {
    let name = env!("CARGO_PKG_NAME");
    let own = std::env::current_exe().and_then(fs::canonicalize).ok();
    let found = version::find(name).and_then(|program| fs::canonicalize(program).ok());
    match own {
        Some(own) if found.as_ref() != Some(&own) => own.display().to_string(),
        _ => name.to_owned(),
    }
}
