use std::fs::{self, File, Permissions};
use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::{CliError, root, stream};
use editd_daemon::server::Places;
use editd_daemon::transport::{Client, ConnectError, Identity, Spawn};
use editd_workspace::Role;

/// Time that the daemon has to start, and the interval between attempts to connect.
const START: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_millis(5);
/// Maximum length of the parent folder's path, because socket paths are limited.
const SHORT: usize = 60;
/// Configuration of the demo's daemon. It ends soon if the demo is killed.
const CONFIG: &str = "idle_exit = \"60s\"\nreview = \"auto\"\n";
/// Environment variables of the user that must not affect the demo.
const FOREIGN: [&str; 6] =
    ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "EDITD_LOG", "CLICOLOR_FORCE"];

/// Endings of questions.
const QUESTIONS: [&str; 3] = ["]? ", "[y/N] ", "author: "];
/// Ends the input if no answer is left.
const END: &[u8] = b"\x04";

/// A temporary folder with a project and its own daemon. Both are removed when the demo ends.
pub(super) struct Sandbox {
    pub(super) folder: PathBuf,
    keep: bool,
    /// Running processes. `None` after the end, when no more may be started.
    running: Mutex<Option<Vec<Child>>>,
}

impl Sandbox {
    /// Creates the folder and starts the daemon.
    pub(super) fn create(keep: bool) -> Result<Arc<Self>, CliError> {
        let folder = new_folder()?;
        let sandbox = Arc::new(Self { folder, keep, running: Mutex::new(Some(Vec::new())) });
        for name in ["home", "shop"] {
            fs::create_dir(sandbox.folder.join(name))?;
        }
        fs::write(sandbox.config(), CONFIG)?;
        sandbox.start_daemon()?;
        Ok(sandbox)
    }

    /// Returns the folder of the project.
    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    fn config(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    fn places(&self) -> Places {
        Places { state_dir: self.folder.join("state"), runtime_dir: self.folder.join("run") }
    }

    /// Returns a command that runs this program with only the demo's environment.
    fn command(&self, arguments: &[&str]) -> io::Result<Command> {
        let Places { state_dir, runtime_dir } = self.places();
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).current_dir(self.project());
        for name in FOREIGN {
            command.env_remove(name);
        }
        command.env("HOME", self.folder.join("home")).env("EDITD_CONFIG", self.config());
        command.env("EDITD_STATE_DIR", state_dir).env("EDITD_RUNTIME_DIR", runtime_dir);
        Ok(command)
    }

    /// Starts a process that ends with the demo.
    fn spawn(&self, command: &mut Command) -> io::Result<()> {
        let mut running = self.running.lock();
        let running = running.as_mut().ok_or_else(|| io::Error::other("the demo is over"))?;
        running.push(command.spawn()?);
        Ok(())
    }

    /// Waits for the process that was started last.
    fn wait(&self) -> io::Result<()> {
        let last = self.running.lock().as_mut().and_then(Vec::pop);
        last.map_or(Ok(()), |mut child| child.wait().map(drop))
    }

    fn start_daemon(&self) -> Result<(), CliError> {
        let mut command = self.command(&["serve"])?;
        // A separate process group, so that only this process handles Ctrl-C.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        self.spawn(&mut command)?;
        let deadline = Instant::now() + START;
        loop {
            match self.agent("editd") {
                Ok(_) => return Ok(()),
                Err(ConnectError::NotRunning(_)) if Instant::now() < deadline => std::thread::sleep(RETRY),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Opens a session as an agent in the project.
    pub(super) fn agent(&self, name: &str) -> Result<Client, ConnectError> {
        let own = Identity::own(Some(&self.project()));
        let identity = Identity { name: name.to_owned(), new_file: false, ..own };
        Client::connect_as(&self.places(), Role::Agent, Spawn::Forbidden, &identity)
    }

    /// Ends all processes and removes the folder. Has no effect when called again.
    pub(super) fn end(&self) {
        self.clear(&mut self.running.lock());
    }

    /// Ends the demo and exits the process. Holds the lock until then, so that the main thread does not
    /// report errors.
    fn end_and_exit(&self, code: i32) -> ! {
        let mut running = self.running.lock();
        self.clear(&mut running);
        std::process::exit(code)
    }

    fn clear(&self, running: &mut Option<Vec<Child>>) {
        for mut child in running.take().into_iter().flatten().rev() {
            // The process may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
        if !self.keep {
            // The folder may be gone already.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.end();
    }
}

/// Creates an empty folder that only its owner can access.
fn new_folder() -> Result<PathBuf, CliError> {
    let temporary = std::env::temp_dir();
    // The daemon refuses some folders as roots.
    let is_good = temporary.as_os_str().len() <= SHORT && root::allowed(temporary.join("project")).is_some();
    let temporary = if is_good { temporary } else { PathBuf::from("/tmp") };
    let mut folder = tempfile::Builder::new();
    folder.prefix("editd-demo-").permissions(Permissions::from_mode(0o700)).disable_cleanup(true);
    let folder = folder.tempdir_in(&temporary).map_err(|error| {
        CliError::at(&temporary, &error)
            .with_hint("the demo needs a temporary folder; TMPDIR selects its location")
    })?;
    Ok(fs::canonicalize(folder.path())?)
}

/// Runs a command on a pseudo-terminal, shows its output, and types an answer to each question.
pub(super) fn type_answers(
    sandbox: &Sandbox,
    arguments: &[&str],
    answers: &[&str],
    columns: usize,
) -> Result<(), CliError> {
    let (mut ours, theirs) = terminal(columns)?;
    let mut command = sandbox.command(&["--no-spawn"])?;
    command.args(arguments).stdin(theirs.try_clone()?).stdout(theirs.try_clone()?).stderr(theirs);
    if anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never {
        command.env("NO_COLOR", "1");
    }
    sandbox.spawn(&mut command)?;
    // It holds the other side of the terminal. Reading ends only when every handle to that side is closed.
    drop(command);
    let mut out = stream::stdout();
    let (mut answers, mut shown, mut buffer) = (answers.iter(), Vec::new(), [0; 4096]);
    // On Linux, reading fails when the other side is closed.
    while let Ok(read @ 1..) = ours.read(&mut buffer) {
        out.write_all(&buffer[..read])?;
        shown.extend_from_slice(&buffer[..read]);
        let text = anstream::adapter::strip_bytes(&shown).into_vec();
        if QUESTIONS.iter().any(|question| text.ends_with(question.as_bytes())) {
            out.flush()?;
            shown.clear();
            let typed = answers.next().map_or(END.to_vec(), |answer| format!("{answer}\n").into_bytes());
            ours.write_all(&typed)?;
        }
    }
    Ok(sandbox.wait()?)
}

/// Opens a pseudo-terminal. Returns our side, and the side that a program uses as its terminal.
fn terminal(columns: usize) -> io::Result<(File, File)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    // macOS cannot do both in one call.
    fcntl_setfd(&ours, FdFlags::CLOEXEC)?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
    let size =
        Winsize { ws_row: 24, ws_col: u16::try_from(columns).unwrap_or(80), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&theirs, size)?;
    // The terminal that shows the output converts the line endings.
    let mut modes = tcgetattr(&theirs)?;
    modes.output_modes.remove(OutputModes::OPOST);
    tcsetattr(&theirs, OptionalActions::Now, &modes)?;
    Ok((ours.into(), theirs.into()))
}

/// The signals that end the demo, each with its conventional exit code.
pub(super) struct Signals {
    runtime: Runtime,
    signals: [(Signal, i32); 3],
}

impl Signals {
    /// Registers the signals, so that none of them ends the process before the cleanup.
    pub(super) fn register() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let guard = runtime.enter();
        let signals = [
            (signal(SignalKind::interrupt())?, 130),
            (signal(SignalKind::terminate())?, 143),
            (signal(SignalKind::hangup())?, 129),
        ];
        drop(guard);
        Ok(Self { runtime, signals })
    }

    /// Spawns a thread that cleans up and exits at the first signal.
    pub(super) fn end(self, sandbox: &Arc<Sandbox>) {
        let Self { runtime, mut signals } = self;
        // Does not keep the sandbox alive, so that it is removed even if the main thread panics.
        let sandbox = Arc::downgrade(sandbox);
        std::thread::spawn(move || {
            let code = runtime.block_on(poll_fn(|cx| {
                let arrived =
                    |(signal, code): &mut (Signal, i32)| signal.poll_recv(cx).is_ready().then_some(*code);
                signals.iter_mut().find_map(arrived).map_or(Poll::Pending, Poll::Ready)
            }));
            match Weak::upgrade(&sandbox) {
                Some(sandbox) => sandbox.end_and_exit(code),
                None => std::process::exit(code),
            }
        });
    }
}
