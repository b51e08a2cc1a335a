use std::io::{IsTerminal, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
use serde_json::json;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt;

use crate::config::Config;
use crate::protocol::{Method, Shutdown, ShutdownParams, ShutdownResult, Status, StatusParams, StatusResult};
use crate::transport::{self, Client, ConnectError, InheritedSockets, ServeError, Spawn, instance_is_alive};
use crate::workspace::Role;

use super::read::print_json;
use super::row::{hanging, width};
use super::{CliError, Context, End, allocator, paint, stream};

/// Number of async worker threads, on any machine. They only decode and encode messages. A single thread
/// would let one large message delay all others.
const WORKERS: usize = 2;
/// Maximum number of threads for blocking work: enough for a slow disk, few enough to save memory.
const BLOCKING_THREADS: usize = 256;
/// Number of daily log files that are kept.
const LOG_DAYS: usize = 7;
/// Maximum number of log lines that wait for the disk. Further lines are dropped. The queue is allocated at
/// startup, 32 bytes per line.
const UNWRITTEN_LINES: usize = 4096;
/// Time that blocking work which cannot be cancelled, such as decoding an image, gets at shutdown.
const LAST_WORK: Duration = Duration::from_secs(10);
/// Time that `stop` waits for the daemon to end.
const STOPPING: Duration = Duration::from_secs(30);

/// `editd serve`.
pub(crate) fn serve(context: &Context, detached: bool) -> Result<End, CliError> {
    allocator::limit_arenas();
    if detached {
        // The terminal of the parent process may close. Fails only if this process already leads a session.
        let _ = rustix::process::setsid();
    }
    let config = Config::load(config_file());
    let given = InheritedSockets::take().map_err(not_served)?;
    let places = given.as_ref().map_or_else(|| context.places.clone(), |given| given.places(&context.places));
    // Checks the folders before the log is created in one of them: a foreign folder must not look like ours.
    transport::prepare_folders(&places).map_err(not_served)?;
    let _flush_at_end = log_to(&places.state_dir, detached)?;
    if let Some(error) = &config.error {
        tracing::error!(error, "the configuration cannot be read; nothing will be written");
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .worker_threads(WORKERS)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_keep_alive(Duration::from_secs(60))
        .build()?;
    let served = runtime.block_on(transport::serve(config, places, given));
    runtime.shutdown_timeout(LAST_WORK);
    served.map_err(|error| {
        tracing::error!(%error, "not serving");
        not_served(error)
    })?;
    Ok(End::Done)
}

fn not_served(error: ServeError) -> CliError {
    let hint = match &error {
        ServeError::Running(_) => "`editd status` shows its state, `editd stop` stops it",
        // These messages already contain the hint.
        ServeError::SocketsTaken(_) | ServeError::TooLong(_) => return CliError::failed(error),
        ServeError::Given(_) => "packaging/systemd/user has units that pass both sockets",
        ServeError::Unsafe { .. } => "make it accessible only to you (chmod 700), or choose another path",
        ServeError::Io { .. } => "`editd doctor` checks the folders and the configuration",
    };
    CliError::failed(error).with_hint(hint)
}

/// Returns the path of the configuration: `$EDITD_CONFIG`, else `$XDG_CONFIG_HOME/editd/config.toml`.
pub(crate) fn config_file() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("EDITD_CONFIG").unwrap_or_else(|| {
        let home = || std::env::home_dir().unwrap_or_default().join(".config");
        set("XDG_CONFIG_HOME").unwrap_or_else(home).join("editd/config.toml")
    })
}

/// Starts logging to the state folder, and to standard error if it is a terminal and the daemon is attached.
fn log_to(state_dir: &Path, detached: bool) -> Result<WorkerGuard, CliError> {
    let folder = state_dir.join("logs");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let appender = tracing_appender::rolling::Builder::new()
        .rotation(tracing_appender::rolling::Rotation::DAILY)
        .filename_prefix("editd")
        .filename_suffix("log")
        .max_log_files(LOG_DAYS)
        .build(folder)
        .map_err(CliError::failed)?;
    let unwritten = NonBlockingBuilder::default().buffered_lines_limit(UNWRITTEN_LINES);
    let (file, guard) = unwritten.finish(appender);
    let filter = EnvFilter::try_from_env("EDITD_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    if !detached && std::io::stderr().is_terminal() {
        logs.with_writer(file.and(std::io::stderr)).init();
    } else {
        logs.with_writer(file).init();
    }
    Ok(guard)
}

/// `editd status`. Does not start a daemon.
pub(crate) fn status(context: &Context) -> Result<End, CliError> {
    let Some(mut client) = running(context, Role::Agent)? else {
        return Err(CliError::failed("no daemon is running")
            .with_hint("the next command that needs one starts it; `editd doctor` checks the installation"));
    };
    let result = client.request(Status::NAME, &StatusParams {})?;
    if print_json(context, &result)? {
        return Ok(End::Done);
    }
    let status: StatusResult = serde_json::from_value(result).map_err(CliError::failed)?;
    print_status(&status)?;
    Ok(End::Done)
}

fn print_status(status: &StatusResult) -> std::io::Result<()> {
    let (mut out, width) = (stream::stdout(), width());
    writeln!(out, "editd {} (protocol {}), process {}", status.version, status.protocol, status.pid)?;
    let mut rows = vec![
        ("uptime", ago(status.uptime)),
        ("sessions", format!("{} (this command is one)", status.sessions)),
        ("files read", status.documents.to_string()),
        ("proposals", format!("{} ({} open)", status.proposals, status.open_proposals)),
        ("cached text", mebibytes(status.memory.text)),
        ("memory", status.memory.resident.map_or_else(|| "unknown".to_owned(), mebibytes)),
        ("review", status.review.clone()),
        ("durability", status.durability.clone()),
        ("state", status.state_dir.clone()),
        ("sockets", status.runtime_dir.clone()),
    ];
    if let Some(policy) = &status.policy {
        rows.push(("policy", format!("{}, rules: {}", policy.file, policy.rules)));
    }
    if status.recovering > 0 {
        let what = "files of an interrupted change are not restored yet; the log lists them";
        rows.push(("recovering", format!("{} {what}", status.recovering)));
    }
    for (name, value) in rows {
        writeln!(out, "  {name:<11} {}", hanging(14, &paint::visible(&value), width))?;
    }
    let broken = status.policy.as_ref().and_then(|policy| policy.error.as_ref());
    for error in status.configuration_error.iter().chain(broken) {
        let text = format!("nothing is written: {}", paint::visible(error));
        writeln!(out, "  {}", hanging(2, &text, width))?;
    }
    Ok(())
}

fn ago(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn mebibytes(bytes: u64) -> String {
    let tenths = bytes * 10 / (1 << 20);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

/// `editd stop`.
pub(crate) fn stop(context: &Context) -> Result<End, CliError> {
    let Some(mut client) = running(context, Role::Editor)? else {
        print_json(context, &json!({ "pid": null }))?;
        stream::note("No daemon is running.")?;
        return Ok(End::Done);
    };
    let ShutdownResult { pid } = client.call::<Shutdown>(&ShutdownParams {})?;
    client.wait_for_end();
    let waited = std::time::Instant::now();
    while instance_is_alive(&context.places.state_dir) {
        // The running instance is another daemon, which a command has started in the meantime.
        if !exists(pid) {
            break;
        }
        if waited.elapsed() > STOPPING {
            return Err(CliError::failed(format!("the daemon (process {pid}) did not stop in time"))
                .with_hint(format!("its log shows what it waits for; `kill {pid}` ends it")));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    if !print_json(context, &json!({ "pid": pid }))? {
        writeln!(stream::stdout(), "Stopped the daemon (process {pid}).")?;
    }
    Ok(End::Done)
}

/// Returns `true` if the process exists. A connection attempt would be no test, because a service manager
/// would start the next daemon for it.
fn exists(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid).is_ok())
}

/// Opens a session with a running daemon. Returns `None` if no daemon is running.
pub(crate) fn running(context: &Context, role: Role) -> Result<Option<Client>, CliError> {
    match Client::connect(&context.places, role, Spawn::Forbidden, None) {
        Ok(client) => Ok(Some(client)),
        Err(ConnectError::NotRunning(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
