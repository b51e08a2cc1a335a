//! The command line. It talks to the daemon like any other client.
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
mod complaint;
mod consent;
mod daemon;
mod demo;
mod doctor;
mod edit;
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
use crate::workspace::Role;

use arguments::{Arguments, Command, Output};
use author::Author;
pub(crate) use complaint::Complaint;

/// What every command has at hand.
pub(crate) struct Context {
    pub(crate) places: Places,
    pub(crate) spawn: Spawn,
    pub(crate) output: Output,
    author: Author,
}

/// The refusal of places that a session may not go to.
const OUTSIDE: Option<&str> = Some("outside_workspace");

/// How a command that did not fail ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// A person said no, or has not decided yet.
    Undecided,
    /// Something is wrong that the command was asked to find.
    Wrong,
}

impl Context {
    /// Begins a session as an agent.
    pub(crate) fn agent(&self, root: Option<&Path>) -> Result<Client, Complaint> {
        self.session(Role::Agent, self.author.of_command(), root)
    }

    /// The same for a change, which a person is shown and asked about or not.
    pub(crate) fn changer(&self, root: Option<&Path>, asks: bool) -> Result<Client, Complaint> {
        let name = if asks { self.author.of_person() } else { self.author.of_command() };
        self.session(Role::Agent, name, root)
    }

    /// Begins a session as the person at the terminal, who may do what is not for agents.
    pub(crate) fn person(&self, root: Option<&Path>) -> Result<Client, Complaint> {
        self.session(Role::Editor, self.author.of_person(), root)
    }

    fn session(&self, role: Role, name: &str, root: Option<&Path>) -> Result<Client, Complaint> {
        let roots = root.into_iter().map(Path::to_owned).collect();
        let identity = Identity { name: name.to_owned(), roots, new_file: true, session: None };
        Ok(Client::connect_as(&self.places, role, self.spawn, &identity)?)
    }

    /// Asks for something that changes nothing. What cannot be worked in may still be read, without a root, where
    /// the user has configured that.
    pub(crate) fn ask<M: Method>(
        &self,
        root: Option<&Path>,
        params: &impl Serialize,
    ) -> Result<Value, Complaint> {
        match self.ask_within::<M>(root, params) {
            Err(complaint) if root.is_some() && complaint.kind() == OUTSIDE => {
                match self.ask_within::<M>(None, params) {
                    Err(other) if other.kind() == OUTSIDE => Err(complaint),
                    answer => answer,
                }
            }
            answer => answer,
        }
    }

    /// The same with this root and no other; asked again if the daemon ends meanwhile.
    fn ask_within<M: Method>(
        &self,
        root: Option<&Path>,
        params: &impl Serialize,
    ) -> Result<Value, Complaint> {
        match self.agent(root)?.request(M::NAME, params) {
            Err(error) if error.is_end() => Ok(self.agent(root)?.request(M::NAME, params)?),
            answer => Ok(answer?),
        }
    }
}

/// Runs the program; `manual::facts` has its exit codes.
pub fn main() -> ExitCode {
    stream::settle_colours();
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let json = arguments.output == Output::Json;
    // What is still in a buffer may find no room, and then the command has not done what it was asked to.
    let end = run(arguments).and_then(|end| Ok(stream::raw_stdout().flush().map(|()| end)?));
    match end {
        Ok(End::Done) => ExitCode::SUCCESS,
        Ok(End::Wrong) => ExitCode::from(1),
        Ok(End::Undecided) => ExitCode::from(3),
        Err(complaint) => {
            complaint.show(json);
            ExitCode::from(complaint.exit_code())
        }
    }
}

/// What was asked for; else the end of it, when help was printed or what is wrong.
fn arguments() -> Result<Arguments, ExitCode> {
    // What was wanted of the output is not known where the arguments cannot be read.
    let wrong = |complaint: &Complaint| {
        complaint.show(false);
        ExitCode::from(complaint.exit_code())
    };
    let parsed = manual::command().try_get_matches().and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((arguments, matches))
    });
    match parsed {
        Ok((arguments, matches)) => {
            manual::check(&matches).map_err(|complaint| wrong(&complaint))?;
            Ok(arguments)
        }
        Err(error) => Err(match manual::wrong_usage(&error) {
            Some(complaint) => wrong(&complaint),
            // clap counts help that nobody asked for as wrong usage.
            None => ExitCode::from(if error.use_stderr() { 2 } else { 0 }),
        }),
    }
}

fn run(arguments: Arguments) -> Result<End, Complaint> {
    let options = PlaceOptions { state_dir: arguments.state_dir, runtime_dir: arguments.runtime_dir };
    let places = places(&options).map_err(Complaint::failed)?;
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
        Command::Stop => daemon::stop(&context),
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
fn man(folder: Option<&Path>) -> Result<End, Complaint> {
    match folder {
        None => manual::page(&mut stream::raw_stdout())?,
        Some(folder) => {
            let pages = manual::write_pages(folder).map_err(|error| Complaint::at(folder, &error))?;
            writeln!(stream::stdout(), "Wrote {pages} pages to {}.", paint::path(folder))?;
        }
    }
    Ok(End::Done)
}
