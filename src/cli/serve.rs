//! The commands that serve others until they end: the daemon, and its bridges to editors and agents.

mod daily_log;

use std::fs::File;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::MakeWriterExt;

use editd_agents::mcp;
use editd_daemon::config::{Config, config_file};
use editd_daemon::transport::{self, Crossing, InheritedSockets, ServeError, bridge};
use editd_syntax::parsing;
use editd_workspace::Role;

use daily_log::DailyLog;

use super::arguments::McpArguments;
use super::{CliError, Context, End, root};

/// Number of async worker threads, on any machine. They only decode and encode messages. A single thread
/// would let one large message delay all others.
const WORKERS: usize = 2;
/// Maximum number of threads for blocking work: enough for a slow disk, few enough to save memory.
const BLOCKING_THREADS: usize = 256;
/// Maximum number of log lines that wait for the disk. Further lines are dropped. The queue is allocated at
/// startup, 32 bytes per line.
const UNWRITTEN_LINES: usize = 4096;
/// Time that blocking work which cannot be cancelled, such as decoding an image, gets at shutdown.
const LAST_WORK: Duration = Duration::from_secs(10);

/// Settings of glibc's allocator, as environment variables with their values.
///
/// By default glibc creates up to eight arenas per processor and returns little of their memory to the system. Memory
/// that one thread allocates and another frees then stays resident many times over, which defeats editd's memory limit.
///
/// On the other hand, it returns the memory of every freed text of 128 KB at once, and takes it again for the next one.
/// That costs up to a fifth of the time of an edit, so a few megabytes are kept.
const ALLOCATOR: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "4"), ("MALLOC_TRIM_THRESHOLD_", "8388608"), ("MALLOC_MMAP_THRESHOLD_", "8388608")];

/// `editd serve`.
pub(crate) fn serve(context: &Context, detached: bool) -> Result<End, CliError> {
    set_up_allocator();
    if detached {
        // The terminal of the parent process may close. Fails only if this process already leads a session.
        let _ = rustix::process::setsid();
    }
    transport::check_places(&[]).map_err(CliError::failed)?;
    let config = Config::load(config_file());
    let given = InheritedSockets::take().map_err(not_served)?;
    let places = given.as_ref().map_or_else(|| context.places.clone(), |given| given.places(&context.places));
    // Checks the folders before the log is created in one of them: a foreign folder must not look like ours.
    transport::prepare_folders(&places).map_err(not_served)?;
    let _flush_at_end = log_to(&places.state_dir, detached)?;
    if let Some(error) = &config.error {
        tracing::error!(error, "the configuration cannot be read; nothing will be written");
    }
    parsing::use_processes(parsing::this_program()?);
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

/// Starts logging to the state folder, and to standard error if it is a terminal and the daemon is attached.
fn log_to(state_dir: &Path, detached: bool) -> Result<WorkerGuard, CliError> {
    let log = DailyLog::open(state_dir.join("logs"))?;
    let unwritten = NonBlockingBuilder::default().buffered_lines_limit(UNWRITTEN_LINES);
    let (file, guard) = unwritten.finish(log);
    let filter = EnvFilter::try_from_env("EDITD_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
    if !detached && std::io::stderr().is_terminal() {
        logs.with_writer(file.and(std::io::stderr)).init();
    } else {
        logs.with_writer(file).init();
    }
    Ok(guard)
}

/// Re-executes this process with the settings of its allocator, unless the first one is already set. The allocator
/// reads the variables once, before the program runs. If re-executing fails, the process continues without them, which
/// costs memory and time and nothing else.
fn set_up_allocator() {
    let is_set = std::env::var_os(ALLOCATOR[0].0).is_some();
    let (false, true, Ok(mut command)) = (is_set, cfg!(target_env = "gnu"), parsing::this_command()) else {
        return;
    };
    let arguments = std::env::args_os().skip(1);
    // `exec` returns only if it fails.
    let _ = command.args(arguments).envs(ALLOCATOR).exec();
}

/// `editd lsp`. Writes only the daemon's messages to standard output. The exit code is 0 unless the editor
/// should start the command again.
pub(crate) fn lsp(context: &Context) -> Result<End, CliError> {
    // Editors show the last line of standard error.
    cross(context).map_err(CliError::in_one_line)
}

fn cross(context: &Context) -> Result<End, CliError> {
    // Bypasses the buffers of the standard streams.
    let input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
    match bridge(&context.places, Role::Editor, context.spawn, input, output)? {
        Crossing::Over => Ok(End::Done),
        Crossing::Broken => {
            let logs = context.places.state_dir.join("logs");
            Err(CliError::failed(format!("the daemon is gone; its log is in {}", logs.display())))
        }
    }
}

/// `editd mcp`. Writes only protocol messages to standard output.
pub(crate) fn mcp(context: &Context, arguments: McpArguments) -> Result<End, CliError> {
    let tools = mcp::Selection::new(arguments.tools, arguments.read_only)
        .map_err(|unknown| CliError::usage(unknown.to_string()))?;
    let tools = mcp::Selection { format: arguments.edit_format.parse().unwrap_or_default(), ..tools };
    if tools.is_empty() {
        return Err(CliError::usage("none of the tools in --tools is read-only")
            .with_hint("omit --tools, or name tools that only read"));
    }
    let roots = root::given(&arguments.root)?;
    mcp::serve(mcp::Options { places: context.places.clone(), spawn: context.spawn, roots, tools })?;
    Ok(End::Done)
}
