//! `editd run`: runs a command, and records what it changes.

pub(super) mod enforce;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::gate;
use crate::hook::ENFORCED;
use crate::protocol::{RunBegin, RunBeginParams, RunEnd, RunEndParams, RunEndResult};
use crate::transport::{CallError, Client, repository};

use super::arguments::{Output, RunArguments, Strictness};
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
    if let Some(strictness) = arguments.enforce {
        // The connection keeps the daemon alive, because the command cannot start another one.
        let ended = enforced(arguments, &folder, strictness);
        drop(client);
        return ended;
    }
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
    let ended = start_and_wait(&mut command_of(arguments));
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
    Ok(end_of(&arguments.command[0], ended))
}

/// Runs the command where it cannot write to the project.
fn enforced(arguments: &RunArguments, folder: &Path, strictness: Strictness) -> Result<End, CliError> {
    let top = repository(folder).unwrap_or_else(|| "/".into());
    let best_effort = strictness == Strictness::BestEffort;
    let mut command = command_of(arguments);
    command.env(ENFORCED, "1");
    let work = || {
        let is_restricted = enforce::restrict(folder, &top, &arguments.writable, best_effort)?;
        Ok::<_, enforce::NotRestricted>((is_restricted, start_and_wait(&mut command)))
    };
    // The restriction is that of a thread and of all that it starts.
    let worked = thread::scope(|scope| scope.spawn(work).join());
    let worked = worked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let (is_restricted, ended) = worked.map_err(|error| {
        CliError::failed(error).with_hint("`--enforce=best-effort` runs the command all the same")
    })?;
    let mut out = stream::stderr();
    if !is_restricted {
        writeln!(out, "{FAINT}editd: this system cannot forbid writes, so the command could write{FAINT:#}")?;
    } else if !ended.as_ref().is_ok_and(ExitStatus::success) {
        let what = "the command could not write to the project; text is changed with `editd edit` or by a connected agent";
        writeln!(out, "{FAINT}editd: {what}{FAINT:#}")?;
    }
    Ok(end_of(&arguments.command[0], ended))
}

fn command_of(arguments: &RunArguments) -> Command {
    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]);
    command
}

/// Returns the exit code of the command, and reports one that could not be started.
fn end_of(program: &OsString, ended: io::Result<ExitStatus>) -> End {
    match ended {
        Ok(status) => End::Code(code_of(status)),
        Err(error) => {
            CliError::at(Path::new(program), &error).show(false);
            let is_missing = error.kind() == io::ErrorKind::NotFound;
            End::Code(if is_missing { NOT_FOUND } else { NOT_STARTED })
        }
    }
}

fn connect(context: &Context, arguments: &RunArguments, folder: &Path) -> Result<Client, CliError> {
    let author = match arguments.author.clone() {
        Some(author) => super::author(Some(author))?,
        None => None,
    };
    // A person who runs a command at a terminal has made its changes.
    let by_whom =
        || if stream::is_interactive() { context.person_author() } else { context.command_author() };
    let author = author.unwrap_or_else(|| by_whom().to_owned());
    let client = context.agent_named(&author, Some(folder))?;
    client.set_timeout(SNAPSHOT).map_err(CallError::Io)?;
    Ok(client)
}

/// Runs the command with the terminal and the environment of this program.
fn start_and_wait(command: &mut Command) -> io::Result<ExitStatus> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // The handlers are installed before the command can be interrupted. A new program does not inherit them.
        let kept = OF_KEYBOARD.map(|kind| signal(SignalKind::from_raw(kind.as_raw())));
        let mut passed_on = Vec::new();
        for kind in PASSED_ON {
            passed_on.push((kind, signal(SignalKind::from_raw(kind.as_raw()))?));
        }
        let mut child = command.spawn()?;
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
    for line in gate::decisions(&result.decisions).iter().flat_map(|text| text.lines()) {
        writeln!(out, "{FAINT}editd: {}{FAINT:#}", paint::visible(line))?;
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
