//! The command line, a client of the daemon like any other.
//!
//! ```no_run
//! let code = editd::cli::main();
//! ```

mod allocator;
mod apply;
mod arguments;
mod ask;
mod author;
mod blame;
mod consent;
mod daemon;
mod demo;
mod doctor;
mod edit;
mod error;
mod log;
mod lsp;
mod manual;
mod mcp;
mod paint;
mod read;
mod review;
mod root;
mod row;
mod search;
mod stream;
mod undo;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::FromArgMatches;
use serde::Serialize;
use serde_json::Value;

use crate::daemon::Places;
use crate::protocol::Method;
use crate::transport::{Client, Identity, PlaceOptions, Spawn, places};
use crate::workspace::{Audience, Role};

use arguments::{Arguments, Command, Output};
use author::Author;
pub(crate) use error::CliError;

/// Settings shared by all commands.
pub(crate) struct Context {
    pub(crate) places: Places,
    pub(crate) spawn: Spawn,
    pub(crate) output: Output,
    author: Author,
}

/// Kind of the refusal for a path outside the session's roots.
const OUTSIDE: Option<&str> = Some("outside_workspace");

/// The result of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// A person rejected the change or has not decided yet.
    Undecided,
    /// The command is a check, and the check found a problem.
    ProblemFound,
}

impl Context {
    /// Opens a session as an agent.
    pub(crate) fn agent(&self, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Agent, self.author.of_command(), root, self.audience())
    }

    /// Opens a session as an agent, for a request whose parameters the user wrote. Messages have the names of
    /// the protocol.
    pub(crate) fn agent_on_wire(&self, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Agent, self.author.of_command(), root, Audience::Wire)
    }

    /// Opens a session that makes a change. If `asks`, the change is shown to a person first and counts as
    /// theirs.
    pub(crate) fn session_for_change(&self, root: Option<&Path>, asks: bool) -> Result<Client, CliError> {
        let name = if asks { self.author.of_person() } else { self.author.of_command() };
        self.session(Role::Agent, name, root, self.audience())
    }

    /// Opens a session as the person at the terminal, who may do more than agents.
    pub(crate) fn person(&self, root: Option<&Path>) -> Result<Client, CliError> {
        self.session(Role::Editor, self.author.of_person(), root, self.audience())
    }

    /// Opens a session that reviews proposals.
    pub(crate) fn reviewer(&self, root: Option<&Path>) -> Result<Client, CliError> {
        let identity = Identity { audience: self.audience(), ..Identity::own(root) };
        Ok(Client::connect_as(&self.places, Role::Editor, self.spawn, &identity)?)
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
        let roots = root.into_iter().map(Path::to_owned).collect();
        let identity = Identity { name: name.to_owned(), roots, new_file: true, session: None, audience };
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
            Err(error) if root.is_some() && error.kind() == OUTSIDE => {
                match self.ask_within::<M>(None, params) {
                    Err(other) if other.kind() == OUTSIDE => Err(error),
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
}

/// Runs the program. The exit codes are documented in `manual::facts`.
pub fn main() -> ExitCode {
    stream::configure_colours();
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let json = arguments.output == Output::Json;
    // Flushing may fail, for example on a full disk. Next the command has failed.
    let end = run(arguments).and_then(|end| Ok(stream::raw_stdout().flush().map(|()| end)?));
    match end {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::ProblemFound) => ExitCode::from(1),
        Ok(End::Undecided) => ExitCode::from(3),
        Err(error) => {
            error.show(json);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Parses the arguments. Returns an exit code if the help or a usage error was printed instead.
fn arguments() -> Result<Arguments, ExitCode> {
    // The output format is unknown if the arguments cannot be parsed.
    let wrong = |error: &CliError| {
        error.show(false);
        ExitCode::from(error.exit_code())
    };
    let parsed = manual::command().try_get_matches().and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((arguments, matches))
    });
    match parsed {
        Ok((arguments, matches)) => {
            manual::check(&matches).map_err(|error| wrong(&error))?;
            Ok(arguments)
        }
        Err(error) => Err(match manual::usage_error(&error) {
            Some(error) => wrong(&error),
            // clap treats help that is printed because arguments are missing as wrong usage.
            None => ExitCode::from(if error.use_stderr() { 2 } else { 0 }),
        }),
    }
}

fn run(arguments: Arguments) -> Result<End, CliError> {
    let options = PlaceOptions { state_dir: arguments.state_dir, runtime_dir: arguments.runtime_dir };
    let places = places(&options).map_err(CliError::failed)?;
    let spawn = if arguments.no_spawn { Spawn::Forbidden } else { Spawn::Allowed };
    let author = Author::of(arguments.author)?;
    let context = Context { places, spawn, output: arguments.output, author };
    match arguments.command {
        Command::Edit(edit) => edit::edit(&context, edit),
        Command::Write(write) => edit::write(&context, &write),
        Command::Apply(apply) => apply::apply(&context, &apply),
        Command::Read(read) => read::read(&context, &read),
        Command::Search(arguments) => search::search(&context, arguments),
        Command::Find(arguments) => search::find(&context, arguments),
        Command::List(arguments) => search::list(&context, &arguments),
        Command::Proposals => read::proposals(&context),
        Command::Review(arguments) => review::review(&context, &arguments),
        Command::Undo(arguments) => undo::undo(&context, &arguments),
        Command::Log(arguments) => log::log(&context, &arguments),
        Command::Show(arguments) => log::show(&context, &arguments),
        Command::Blame(arguments) => blame::blame(&context, &arguments),
        Command::Status => daemon::status(&context),
        Command::StopCondition => daemon::stop(&context),
        Command::Serve { detached } => daemon::serve(&context, detached),
        Command::Lsp { .. } => lsp::lsp(&context),
        Command::Mcp(arguments) => mcp::mcp(&context, arguments),
        Command::Demo(arguments) => demo::demo(&arguments),
        Command::Doctor => doctor::doctor(&context),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut manual::command(), "editd", &mut stream::raw_stdout());
            Ok(End::Done)
        }
        Command::Man { dir } => man(dir.as_deref()),
    }
}

/// `editd man`.
fn man(folder: Option<&Path>) -> Result<End, CliError> {
    match folder {
        None => manual::page(&mut stream::raw_stdout())?,
        Some(folder) => {
            let pages = manual::write_pages(folder).map_err(|error| CliError::at(folder, &error))?;
            writeln!(stream::stdout(), "Wrote {pages} pages to {}.", paint::path(folder))?;
        }
    }
    Ok(End::Done)
}
