//! `editd run`: runs a command, and records what it changes.

#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux can forbid writes"))]
mod borders;
#[cfg(target_os = "linux")]
pub(super) mod enforce;
#[cfg(not(target_os = "linux"))]
#[path = "run/not_enforced.rs"]
pub(super) mod enforce;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use editd_agents::gate;
use editd_daemon::config::{PolicyFile, ReviewMode, config_file, default_places};
use editd_daemon::transport::{CallError, Client, ENFORCED, home, note_enforced, repository};
use editd_protocol::{
    Method, NoParams, PROGRESS, RunBegin, RunBeginParams, RunBeginResult, RunEnd, RunEndParams, RunEndResult,
    Status,
};

use borders::{Borders, PathRules, Restricted};

use super::arguments::{Output, RunArguments, Strictness};
use super::child::{end_of, start_and_wait};
use super::paint::FAINT;
use super::{CliError, Context, End, paint, root, stream};

/// Maximum time for the snapshot before and after the command. The first one in a project reads all files.
const SNAPSHOT: Duration = Duration::from_secs(600);
/// Time between two lines about the progress, if standard error is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);
/// Maximum width of the command in the message, in columns.
const COMMAND: usize = 40;

/// `editd run`.
pub(crate) fn run(context: &Context, arguments: &RunArguments) -> Result<End, CliError> {
    let Some(folder) = root::of_here()? else {
        return Err(CliError::failed("changes in the home folder and in system folders cannot be recorded")
            .with_hint("run the command in the folder of a project"));
    };
    let mut client = connect(context, arguments, &folder)?;
    if !can_write(arguments) {
        // The connection keeps the daemon alive, because the command cannot start another one.
        let ended = start(context, arguments, &folder)?;
        drop(client);
        return Ok(end_of(&arguments.command[0], ended));
    }
    let command = shown(&arguments.command);
    let begun = begin(&mut client, &command)?;
    let Some(id) = begun.run else {
        return without_record(context, &mut client, arguments, &begun.reason.unwrap_or_default());
    };
    let ended = start(context, arguments, &folder)?;
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

/// Returns `true` if the command can change the project: what it changes is then recorded.
fn can_write(arguments: &RunArguments) -> bool {
    match arguments.enforce {
        None => true,
        Some(Strictness::Strict) => false,
        Some(Strictness::BestEffort) => !enforce::supported().1,
    }
}

/// Starts the command and waits for its end. With `--enforce`, the command cannot write to the project.
fn start(
    context: &Context,
    arguments: &RunArguments,
    folder: &Path,
) -> Result<io::Result<ExitStatus>, CliError> {
    match arguments.enforce {
        None => Ok(start_and_wait(&mut command_of(arguments))),
        Some(strictness) => enforced(context, arguments, folder, strictness),
    }
}

/// Begins the run. Shows the progress of a first walk that takes long.
fn begin(client: &mut Client, command: &str) -> Result<RunBeginResult, CliError> {
    let params = RunBeginParams {
        command: command.to_owned(),
        bound: true,
        work_done_token: Some("walk".to_owned()),
        ..RunBeginParams::default()
    };
    let mut progress = Progress::default();
    let begun = client.request_noticing(RunBegin::NAME, &params, |method, report| {
        if method == PROGRESS {
            // Standard error may be closed; the command runs all the same.
            let _ = progress.show(report["value"]["message"].as_str().unwrap_or_default());
        }
    });
    progress.clear()?;
    let begun = serde_json::from_value(begun?).map_err(io::Error::other)?;
    Ok(begun)
}

/// The progress of a first walk on standard error: a line that is replaced on a terminal, else a line now and then.
#[derive(Default)]
struct Progress {
    shown: Option<Instant>,
}

impl Progress {
    fn show(&mut self, what: &str) -> io::Result<()> {
        let line = format!("editd: reading the project for the first time: {}", paint::visible(what));
        let mut err = stream::stderr();
        if io::stderr().is_terminal() {
            write!(err, "\r\x1b[K{FAINT}{line}{FAINT:#}")?;
            err.flush()?;
        } else if self.shown.is_none_or(|shown| shown.elapsed() > BETWEEN_LINES) {
            writeln!(err, "{line}")?;
        } else {
            return Ok(());
        }
        self.shown = Some(Instant::now());
        Ok(())
    }

    /// Removes the line from a terminal.
    fn clear(&self) -> io::Result<()> {
        if self.shown.is_some() && io::stderr().is_terminal() {
            write!(stream::stderr(), "\r\x1b[K")?;
        }
        Ok(())
    }
}

/// Asks a person whether to run a command whose changes cannot be recorded. Refuses if there is no person to ask, if all
/// changes must be reviewed, or if the command was not to write at all.
fn without_record(
    context: &Context,
    client: &mut Client,
    arguments: &RunArguments,
    reason: &str,
) -> Result<End, CliError> {
    let reason = paint::visible(reason);
    let refused = || {
        CliError::failed(format!("changes cannot be recorded: {reason}"))
            .with_hint("raise the limit in the configuration, or run the command without editd")
    };
    let may_ask = context.output == Output::Text && stream::is_interactive() && arguments.enforce.is_none();
    if !may_ask || client.call::<Status>(&NoParams {})?.review == ReviewMode::Always.to_string() {
        return Err(refused());
    }
    stream::note(&format!("Changes cannot be recorded: {reason}."))?;
    if !stream::confirm("Run the command without recording them?")? {
        return Err(refused());
    }
    Ok(end_of(&arguments.command[0], start_and_wait(&mut command_of(arguments))))
}

/// Runs the command where it cannot write to the project.
fn enforced(
    context: &Context,
    arguments: &RunArguments,
    folder: &Path,
    strictness: Strictness,
) -> Result<io::Result<ExitStatus>, CliError> {
    let top = repository(folder).unwrap_or_else(|| "/".into());
    let best_effort = strictness == Strictness::BestEffort;
    let (config, places) = (config_file(), &context.places);
    let policy = PolicyFile::beside(&config, home());
    let rules = PathRules::load(&policy);
    let mut own =
        vec![config, policy.path().to_owned(), places.state_dir.clone(), places.runtime_dir.clone()];
    own.extend(default_places());
    own.extend(enforce::metadata(&top));
    let borders = Borders { folder, top: &top, own: &own, rules: &rules, writable: &arguments.writable };
    // The daemon refuses to take decisions from such commands until the system is started again.
    let is_known =
        note_enforced(places).map_err(|error| CliError::failed(format!("noting the command: {error}")))?;
    if !is_known {
        let what = "the command can also decide reviews: editd cannot tell it from the other programs of this system";
        writeln!(stream::stderr(), "{FAINT}editd: {what}{FAINT:#}")?;
    }
    let mut command = command_of(arguments);
    command.env(ENFORCED, "1");
    let work = || {
        let restricted = enforce::restrict(&borders, best_effort)?;
        warn_about(&restricted, folder);
        Ok::<_, enforce::NotRestricted>((restricted.is_effective, start_and_wait(&mut command)))
    };
    // The restriction is that of a thread and of all that it starts.
    let worked = thread::scope(|scope| scope.spawn(work).join());
    let worked = worked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let (is_restricted, ended) = worked.map_err(|error| {
        CliError::failed(error).with_hint("`--enforce=best-effort` runs the command all the same")
    })?;
    let mut out = stream::stderr();
    if !is_restricted {
        let what = "this system cannot forbid writes, so what the command changes is recorded";
        // Standard error may be closed; the run has to be ended all the same.
        let _ = writeln!(out, "{FAINT}editd: {what}{FAINT:#}");
    } else if !ended.as_ref().is_ok_and(ExitStatus::success) {
        let what = "the command could not write to the project; change text with `editd edit` or with a connected agent";
        let _ = writeln!(out, "{FAINT}editd: {what}{FAINT:#}");
    }
    Ok(ended)
}

/// Says what the restriction cannot prevent, and what it prevents more than usual. Standard error may be closed; the
/// command runs all the same.
fn warn_about(restricted: &Restricted, folder: &Path) {
    let mut out = stream::stderr();
    if let Some(first) = restricted.linked.first() {
        let (first, count) =
            (root::relative(&first.to_string_lossy(), Some(folder)), restricted.linked.len());
        let files = if count == 1 { first } else { format!("{first} and {} more", count - 1) };
        let what =
            format!("the command can write {files} under other names (hard links) outside of the project");
        let _ = writeln!(out, "{FAINT}editd: {what}{FAINT:#}");
    }
    if let Some(reason) = &restricted.ignored {
        let what = format!("ignored files cannot be written either: {}", paint::visible(reason));
        let _ = writeln!(out, "{FAINT}editd: {what}; name them with --writable{FAINT:#}");
    }
}

fn command_of(arguments: &RunArguments) -> Command {
    let mut command = Command::new(&arguments.command[0]);
    command.args(&arguments.command[1..]);
    command
}

fn connect(context: &Context, arguments: &RunArguments, folder: &Path) -> Result<Client, CliError> {
    let author = match arguments.author.clone() {
        Some(author) => super::author(Some(author))?,
        None => None,
    };
    let client = match author {
        Some(author) => context.agent_named(&author, Some(folder))?,
        // A person who runs a command at a terminal has made its changes.
        None => context.session_for_change(Some(folder), stream::is_interactive())?,
    };
    client.set_timeout(SNAPSHOT).map_err(CallError::Io)?;
    Ok(client)
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
