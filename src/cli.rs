//! The command line, a client of the daemon like any other.
//!
//! ```no_run
//! let code = editd::cli::main();
//! ```

mod apply;
mod arguments;
mod blame;
mod child;
mod connect;
mod consent;
mod demo;
mod edit;
mod error;
mod hook;
mod ide;
mod log;
mod manual;
mod paint;
mod read;
mod remote;
mod review;
mod root;
mod run;
mod serve;
mod status;
mod stream;
mod undo;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use editd_daemon::server::Places;
use editd_daemon::transport::{Client, DirOptions, Identity, Spawn, dirs};
use editd_protocol::{Method, OUTSIDE};
use editd_syntax::parsing;
use editd_workspace::history::{DISK, TERMINAL};
use editd_workspace::{Audience, Role};

use arguments::{Arguments, Command, Output};
pub(crate) use error::CliError;

/// Settings shared by all commands.
pub(crate) struct Context {
    pub(crate) places: Places,
    pub(crate) spawn: Spawn,
    pub(crate) output: Output,
    /// The name from `--author` or `EDITD_AUTHOR`.
    author: Option<String>,
}

/// Reserved author names, which the history uses for changes that no agent made.
const RESERVED: [&str; 3] = [TERMINAL, "editor", DISK];

/// The result of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// A person rejected the change or has not decided yet.
    Undecided,
    /// The command is a check, and the check found a problem.
    ProblemFound,
    /// Another program has ended with this exit code.
    Code(u8),
}

impl Context {
    /// Returns the author of changes made without asking: the given name, else `editd`.
    pub(crate) fn command_author(&self) -> &str {
        self.author.as_deref().unwrap_or(env!("CARGO_PKG_NAME"))
    }

    /// Returns the author of changes that were confirmed at the terminal: the given name, else `terminal`. An
    /// agent that answers the questions itself gives its name.
    fn person_author(&self) -> &str {
        self.author.as_deref().unwrap_or(TERMINAL)
    }

    /// Opens a session as an agent.
    pub(crate) fn agent(&self, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Agent, self.command_author(), root, self.audience())
    }

    /// Opens a session as an agent with another name than that of this command.
    pub(crate) fn agent_named(&self, name: &str, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Agent, name, root, self.audience())
    }

    /// Opens a session as an agent, for a request whose parameters the user wrote. Messages have the names of
    /// the protocol.
    pub(crate) fn agent_on_wire(&self, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Agent, self.command_author(), root, Audience::Wire)
    }

    /// Opens a session that makes a change. If `asks`, the change is shown to a person first and counts as
    /// theirs.
    pub(crate) fn session_for_change(&self, root: Option<&Path>, asks: bool) -> Result<Client, CliError> {
        if asks && self.author.is_none() { self.person_as_agent(root) } else { self.agent(root) }
    }

    /// Opens a session with the rights of an agent for the person at the terminal. On the socket for agents, the name of
    /// the person is not granted.
    pub(crate) fn person_as_agent(&self, root: Option<&Path>) -> Result<Client, CliError> {
        let (name, audience) = (self.person_author().to_owned(), self.audience());
        let identity = Identity { name, audience, as_agent: true, ..Identity::own(root) };
        Ok(Client::connect_as(&self.places, Role::Editor, self.spawn, &identity)?)
    }

    /// Returns the identity of the person at the terminal, as a reviewer of all changes in a folder.
    pub(crate) fn reviewer(&self, root: Option<&Path>) -> Identity {
        let (name, audience) = (self.person_author().to_owned(), Audience::CommandLine);
        Identity { name, audience, reviews: true, ..Identity::own(root) }
    }

    /// Opens a session as the person at the terminal, who may do more than agents.
    pub(crate) fn person(&self, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Editor, self.person_author(), root, self.audience())
    }

    /// Returns the readers of messages: people, or programs that read the JSON of the daemon.
    fn audience(&self) -> Audience {
        if self.output == Output::Json { Audience::Wire } else { Audience::CommandLine }
    }

    fn session(
        &self,
        role: Role,
        name: &str,
        root: Option<&Path>,
        audience: Audience,
    ) -> Result<Client, CliError> {
        let identity = Identity { name: name.to_owned(), audience, ..Identity::own(root) };
        Ok(Client::connect_as(&self.places, role, self.spawn, &identity)?)
    }

    /// Sends a request that changes nothing. Retries without a root if the root is refused, because the path
    /// may still be in one of the configured `read_roots`.
    pub(crate) fn ask<M: Method>(
        &self,
        root: Option<&Path>,
        params: &impl Serialize,
    ) -> Result<Value, CliError> {
        match self.ask_within::<M>(root, params) {
            Err(error) if root.is_some() && error.kind() == Some(OUTSIDE) => {
                match self.ask_within::<M>(None, params) {
                    Err(other) if other.kind() == Some(OUTSIDE) => Err(error),
                    answer => answer,
                }
            }
            answer => answer,
        }
    }

    /// Sends a request in a session with this root only. Sends it again if the daemon ends in the meantime.
    fn ask_within<M: Method>(&self, root: Option<&Path>, params: &impl Serialize) -> Result<Value, CliError> {
        match self.agent(root)?.request(M::NAME, params) {
            Err(error) if error.is_end() => Ok(self.agent(root)?.request(M::NAME, params)?),
            answer => Ok(answer?),
        }
    }

    /// Sends a request like [`ask`](Self::ask). Returns `None` if the result was printed as JSON.
    pub(crate) fn query<M: Method>(
        &self,
        root: Option<&Path>,
        params: &impl Serialize,
    ) -> Result<Option<M::Result>, CliError> {
        self.unless_json(self.ask::<M>(root, params)?)
    }

    /// Prints a result unchanged if the output format is JSON, else returns it.
    pub(crate) fn unless_json<T: DeserializeOwned>(&self, result: Value) -> Result<Option<T>, CliError> {
        if self.print_json(&result)? {
            return Ok(None);
        }
        Ok(Some(serde_json::from_value(result).map_err(CliError::failed)?))
    }

    /// Prints a result unchanged if the output format is JSON. Returns `true` if it is.
    pub(crate) fn print_json(&self, result: &Value) -> std::io::Result<bool> {
        if self.output == Output::Json {
            writeln!(stream::stdout(), "{}", paint::json(result))?;
        }
        Ok(self.output == Output::Json)
    }
}

/// Runs the program. The exit codes are documented in `manual`.
pub fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == parsing::COMMAND) {
        return parsing::work();
    }
    stream::configure_colours();
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let json = arguments.output == Output::Json;
    // Flushing may fail, for example on a full disk. Then the command has failed.
    let end = run(arguments).and_then(|end| Ok(stream::raw_stdout().flush().map(|()| end)?));
    match end {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::ProblemFound) => ExitCode::from(1),
        Ok(End::Undecided) => ExitCode::from(3),
        Ok(End::Code(code)) => ExitCode::from(code),
        Err(error) => {
            error.show(json);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Parses the arguments. Returns an exit code if the help or a usage error was printed instead.
fn arguments() -> Result<Arguments, ExitCode> {
    let parsed = manual::command().try_get_matches().and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((arguments, matches))
    });
    let error = match parsed {
        Ok((arguments, matches)) => match manual::check(&matches) {
            Ok(()) => return Ok(arguments),
            Err(error) => error,
        },
        Err(error) => match manual::usage_error(&error) {
            Some(error) => error,
            // clap treats help that is printed because arguments are missing as wrong usage.
            None => return Err(ExitCode::from(if error.use_stderr() { 2 } else { 0 })),
        },
    };
    // The output format is unknown if the arguments cannot be parsed.
    error.show(false);
    Err(ExitCode::from(error.exit_code()))
}

/// Takes the author from the argument, else from `EDITD_AUTHOR`.
fn author(argument: Option<String>) -> Result<Option<String>, CliError> {
    let name = argument.or_else(|| std::env::var("EDITD_AUTHOR").ok());
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    match name.as_ref().filter(|name| RESERVED.contains(&name.as_str())) {
        Some(taken) => Err(CliError::usage(format!(
            "`{taken}` cannot be an author: the name is reserved for changes that no agent made"
        ))
        .with_hint("choose another name for --author or EDITD_AUTHOR")),
        None => Ok(name),
    }
}

fn run(arguments: Arguments) -> Result<End, CliError> {
    if let Some(remote) = &arguments.ssh {
        return remote::run(remote, &arguments.command);
    }
    let options = DirOptions { state_dir: arguments.state_dir, runtime_dir: arguments.runtime_dir };
    let places = dirs(&options).map_err(CliError::failed)?;
    // A daemon that is started where programs cannot write could not write either.
    let is_forbidden = arguments.no_spawn || editd_daemon::transport::is_enforced();
    let spawn = if is_forbidden { Spawn::Forbidden } else { Spawn::Allowed };
    // Of the log, the option selects changes by their author; the environment does not.
    let (author, wanted) = match arguments.command {
        Command::Log(_) => (None, arguments.author),
        _ => (author(arguments.author)?, None),
    };
    let context = Context { places, spawn, output: arguments.output, author };
    match arguments.command {
        Command::Edit(edit) => edit::edit(&context, *edit),
        Command::Move(arguments) => edit::move_parts(&context, &arguments),
        Command::Rename(arguments) => edit::rename(&context, &arguments),
        Command::Write(write) => edit::write(&context, &write),
        Command::Apply(apply) => apply::apply(&context, &apply),
        Command::Read(read) => read::read(&context, &read),
        Command::Outline { path, pattern } => read::outline(&context, &path, pattern),
        Command::Search(arguments) => read::search(&context, arguments),
        Command::Find(arguments) => read::find(&context, arguments),
        Command::List(arguments) => read::list(&context, &arguments),
        Command::Proposals => review::proposals(&context),
        Command::Review(arguments) => review::review(&context, &arguments),
        Command::Undo(arguments) => undo::undo(&context, &arguments),
        Command::Log(arguments) => log::log(&context, &arguments, wanted.as_deref()),
        Command::Show { id } => log::show(&context, &id),
        Command::Blame { path, filter } => blame::blame(&context, &path, &filter),
        Command::Status => status::status(&context),
        Command::Stop => status::stop(&context),
        Command::Serve { detached } => serve::serve(&context, detached),
        Command::Lsp { .. } => serve::lsp(&context),
        Command::Connect(arguments) => connect::connect(&context, &arguments),
        Command::Run(arguments) => run::run(&context, &arguments),
        Command::Hook { client } => hook::hook(&context, client),
        Command::Ide(arguments) => ide::ide(&context, &arguments),
        Command::Mcp(arguments) => serve::mcp(&context, arguments),
        Command::Demo { no_pause, keep } => demo::demo(no_pause, keep),
        Command::Doctor => status::doctor(&context),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut manual::command(), "editd", &mut stream::raw_stdout());
            Ok(End::Done)
        }
        Command::Man { dir } => manual::man(dir.as_deref()),
    }
}
