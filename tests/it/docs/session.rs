//! The session of a document: home, shell and daemon.

use std::fs;
use std::iter::repeat_with;
use std::path::{Path, PathBuf};
use std::process::Command;

use similar::TextDiff;

use crate::support::{Framing, Machine, Wire, text_of};

use super::block::Language;
use super::console::{Step, steps};
use super::pattern::Ids;
use super::shell::{Ran, Shell};
use super::{CLONE, data};

/// The home folder in documents.
const HOME: &str = "/home/ada";

pub(super) struct Session {
    shell: Shell,
    machine: Machine,
    ids: Ids,
    wire: Option<Wire>,
}

impl Session {
    pub(super) fn begin() -> Self {
        let mut machine = Machine::asleep("");
        // The default folders.
        machine.keep_state_in(&machine.home().join(".local/state/editd"));
        fs::create_dir(machine.runtime()).expect("a folder");
        let shell = Shell::start(&machine.runtime(), |command| set_environment(command, &machine));
        Self { shell, machine, ids: Ids::default(), wire: None }
    }

    pub(super) fn run(&mut self, language: Language, text: &str) -> Result<(), String> {
        match language {
            Language::Console => steps(text)?.iter().try_for_each(|step| self.step(step)),
            Language::Shell => self.succeed(text),
            Language::Configuration => data::configuration(&self.real(text), |command| {
                set_environment(command, &self.machine);
            }),
            Language::Json => self.send_messages(text),
            Language::Other => Ok(()),
        }
    }

    /// Runs commands that must all succeed.
    pub(super) fn succeed(&mut self, commands: &str) -> Result<(), String> {
        let commands = self.real(commands);
        let yes = repeat_with(|| "y".to_owned());
        let Ran { shown, code } = self.shell.run(&format!("set -e\n{commands}\nset +e"), yes)?;
        if code == 0 { Ok(()) } else { Err(format!("exit code {code}:\n{shown}")) }
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        let command = self.real(&step.command);
        let ran = self.shell.run(&command, step.answers().into_iter())?;
        let actual = self.shown(&ran.shown);
        let actual: String = actual.lines().flat_map(|line| [line.trim_end(), "\n"]).collect();
        if !self.ids.matches(&step.shown, &actual) {
            let diff = TextDiff::from_lines(step.shown.as_str(), actual.as_str());
            let diff = diff.unified_diff().header("shown", "actual").to_string();
            return Err(format!("`{}` shows something else:\n{diff}", step.command.trim()));
        }
        if step.shown.is_empty() && ran.code != 0 {
            return Err(format!("`{}` ends with exit code {}", step.command.trim(), ran.code));
        }
        Ok(())
    }

    /// Sends messages and checks that no request is answered with an error.
    fn send_messages(&mut self, text: &str) -> Result<(), String> {
        let messages = data::messages(&self.real(text))?;
        if messages.is_empty() {
            return Ok(());
        }
        if self.wire.is_none() {
            self.succeed("editd log")?;
            let socket = self.machine.runtime().join("editd/agent.sock");
            self.wire = Some(Wire::connect(&socket, Framing::Lines));
        }
        let wire = self.wire.as_mut().expect("it was just connected");
        messages.iter().try_for_each(|message| data::send(wire, message))
    }

    /// Converts text of the document to the home and the ids of this run.
    fn real(&self, text: &str) -> String {
        self.ids.real(&text.replace(HOME, text_of(&self.machine.home())))
    }

    /// Converts output to the home folder of the document.
    fn shown(&self, text: &str) -> String {
        text.replace(text_of(&self.machine.home()), HOME)
    }
}

/// Sets the environment of a user who has just installed editd.
fn set_environment(command: &mut Command, machine: &Machine) {
    let programs = Path::new(env!("CARGO_BIN_EXE_editd")).parent().expect("a folder");
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths(std::iter::once(programs.to_owned()).chain(std::env::split_paths(&others)));
    command.env_clear().current_dir(machine.home()).envs([
        ("PATH", PathBuf::from(path.expect("folders without colons"))),
        ("HOME", machine.home()),
        ("XDG_RUNTIME_DIR", machine.runtime()),
        ("CLONE", PathBuf::from(CLONE)),
    ]);
    let plain = [("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("NO_COLOR", "1"), ("PAGER", "cat")];
    command.envs(plain);
}
