//! `editd run`: runs a command, and records what it changes.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::protocol::{RunBegin, RunBeginParams, RunEnd, RunEndParams, RunEndResult};
use crate::transport::{CallError, Client};

use super::arguments::{Output, RunArguments};
use super::paint::FAINT;
use super::{CliError, Context, End, paint, root, stream};

/// Maximum time for the snapshot before and after the command. The first one in a project reads all files.
const SNAPSHOT: Duration = Duration::from_secs(600);
/// Signals that are passed on. Those of the keyboard reach the command by themselves.
const PASSED_ON: [Signal; 4] = [Signal::TERM, Signal::HUP, Signal::USR1, Signal::USR2];
/// Signals that this program ignores while the command runs.
const OF_KEYBOARD: [Signal; 2] = [Signal::INT, Signal::QUIT];
/// Maximum width of the command in the message, in columns.
const COMMAND: usize = 40;
/// Exit code for a command that cannot be started, and for one that does not exist, as of shells.
const NOT_STARTED: u8 = 126;
const NOT_FOUND: u8 = 127;

/// `editd run`.
pub(crate) fn run(context: &Context, arguments: &RunArguments) -> Result<End, CliError> {
    let Some(folder) = root::of_here()? else {
        return Err(CliError::failed("changes in the home folder and in system folders cannot be recorded")
            .with_hint("run the command in the folder of a project"));
    };
    let mut client = connect(context, arguments, &folder)?;
    let command = shown(&arguments.command);
    let begun = client.call::<RunBegin>(&RunBeginParams {
        command: command.clone(),
        bound: true,
        ..RunBeginParams::default()
    })?;
    let Some(id) = begun.run else {
        let reason = begun.reason.unwrap_or_default();
        return Err(CliError::failed(format!("changes cannot be recorded: {reason}"))
            .with_hint("raise the limit in the configuration, or run the command without editd"));
    };
    let ended = start_and_wait(&arguments.command);
    let status = ended.as_ref().ok().copied();
    let end = RunEndParams {
        run: Some(id),
        exit_code: status.and_then(|status| status.code()),
        signal: status.and_then(|status| status.signal()),
        ..RunEndParams::default()
    };
    let recorded = match client.call::<RunEnd>(&end) {
        // The daemon was restarted in the meantime.
        Err(CallError::Io(_)) => {
            connect(context, arguments, &folder).and_then(|mut client| Ok(client.call::<RunEnd>(&end)?))
        }
        recorded => recorded.map_err(CliError::from),
    };
    let reported = recorded.and_then(|result| Ok(report(context, &command, &folder, &result)?));
    // The exit code is that of the command, whatever happens to the record.
    if let Err(error) = reported {
        error.show(context.output == Output::Json);
    }
    match ended {
        Ok(status) => Ok(End::Code(code_of(status))),
        Err(error) => {
            CliError::at(Path::new(&arguments.command[0]), &error).show(false);
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            Ok(End::Code(if is_missing { NOT_FOUND } else { NOT_STARTED }))
        }
    }
}

fn connect(context: &Context, arguments: &RunArguments, folder: &Path) -> Result<Client, CliError> {
    let author = match arguments.author.clone() {
        Some(author) => super::author(Some(author))?,
        None => None,
    };
    let author = author.unwrap_or_else(|| context.command_author().to_owned());
    let client = context.agent_named(&author, Some(folder))?;
    client.set_timeout(SNAPSHOT).map_err(CallError::Io)?;
    Ok(client)
}

/// Runs the command with the terminal and the environment of this program.
fn start_and_wait(command: &[OsString]) -> io::Result<ExitStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The handlers are installed before the command can be interrupted. A new program does not inherit them.
        let kept = OF_KEYBOARD.map(|kind| signal(SignalKind::from_raw(kind.as_raw())));
        let mut passed_on = Vec::new();
        for kind in PASSED_ON {
            passed_on.push((kind, signal(SignalKind::from_raw(kind.as_raw()))?));
        }
        let mut child = Command::new(&command[0]).args(&command[1..]).spawn()?;
        let pid = pid_of(&child);
        for (kind, mut signals) in passed_on {
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    // It fails if the command has just ended.
                    let _ = pid.map(|pid| kill_process(pid, kind));
                }
            });
        }
        let ended = tokio::task::spawn_blocking(move || child.wait()).await;
        drop(kept);
        ended.map_err(io::Error::other)?
    })
}

fn pid_of(child: &Child) -> Option<Pid> {
    Pid::from_raw(child.id().cast_signed())
}

/// Returns the exit code, for a signal as shells do.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| Some(128 + status.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Tells on standard error what was recorded, if anything was.
fn report(context: &Context, command: &str, folder: &Path, result: &RunEndResult) -> io::Result<()> {
    let mut out = stream::stderr();
    if context.output == Output::Json {
        return writeln!(out, "{}", serde_json::to_string(result)?);
    }
    if let Some(transaction) = result.transactions.last() {
        let (files, them) = match result.paths.len() {
            0 => ("files".to_owned(), "them"),
            1 => (root::relative(&result.paths[0], Some(folder)), "it"),
            count => (format!("{count} files"), "them"),
        };
        let undo = match result.transactions.len() {
            1 => format!("`editd undo {transaction}` restores {them}"),
            count => format!("`editd log` lists {count} changes"),
        };
        let command = paint::fitted(command, COMMAND);
        writeln!(out, "{FAINT}editd: `{}` has changed {files}; {undo}{FAINT:#}", command.trim_end())?;
    }
    for omitted in &result.omitted {
        let path = root::relative(&omitted.path, Some(folder));
        writeln!(out, "{FAINT}editd: the content of {path} is not recorded: {}{FAINT:#}", omitted.reason)?;
    }
    for warning in &result.warnings {
        writeln!(out, "{FAINT}editd: {}{FAINT:#}", paint::visible(warning))?;
    }
    if result.interrupted {
        let what =
            "the daemon was restarted in the meantime; what the command changed after that is not recorded";
        writeln!(out, "{FAINT}editd: {what}{FAINT:#}")?;
    }
    Ok(())
}

/// Returns a command as people write it.
fn shown(command: &[OsString]) -> String {
    let quoted = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            return word.into_owned();
        }
        format!("'{}'", word.replace('\'', "'\\''"))
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
