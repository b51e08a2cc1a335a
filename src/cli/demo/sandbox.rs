use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::cli::{CliError, root};
use crate::daemon::Places;
use crate::transport::{Client, ConnectError, Identity, Spawn};
use crate::workspace::{Audience, Role};

/// Time that the daemon has to start, and the interval between attempts to connect.
const START: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_millis(5);
/// Maximum number of names that are tried for the folder.
const NAMES: u32 = 100;
/// Maximum length of the parent folder's path, because socket paths are limited.
const SHORT: usize = 60;
/// Configuration of the demo's daemon. It ends soon if the demo is killed.
const CONFIG: &str = "idle_exit = \"60s\"\nreview = \"auto\"\n";
/// Environment variables of the user that must not affect the demo.
const FOREIGN: [&str; 6] =
    ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "EDITD_LOG", "CLICOLOR_FORCE"];

/// A temporary folder with a project and its own daemon. Both are removed when the demo ends.
pub(super) struct Sandbox {
    folder: PathBuf,
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

    pub(super) fn folder(&self) -> &Path {
        &self.folder
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
    pub(super) fn command(&self, arguments: &[&str]) -> io::Result<Command> {
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
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<()> {
        let mut running = self.running.lock();
        let running = running.as_mut().ok_or_else(|| io::Error::other("the demo is over"))?;
        running.push(command.spawn()?);
        Ok(())
    }

    /// Waits for the process that was started last.
    pub(super) fn wait(&self) -> io::Result<()> {
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
        let identity = Identity {
            name: name.to_owned(),
            roots: vec![self.project()],
            new_file: false,
            session: None,
            audience: Audience::Wire,
        };
        Client::connect_as(&self.places(), Role::Agent, Spawn::Forbidden, &identity)
    }

    /// Ends all processes and removes the folder. Has no effect when called again.
    pub(super) fn end(&self) {
        clear(&mut self.running.lock(), (!self.keep).then_some(&self.folder));
    }

    /// Ends the demo and exits the process. Holds the lock until then, so that the main thread does not
    /// report errors.
    pub(super) fn end_and_exit(&self, code: i32) {
        let mut running = self.running.lock();
        clear(&mut running, (!self.keep).then_some(&self.folder));
        std::process::exit(code);
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.end();
    }
}

fn clear(running: &mut Option<Vec<Child>>, folder: Option<&PathBuf>) {
    for mut child in running.take().into_iter().flatten().rev() {
        // The process may have ended already.
        let _ = child.kill();
        let _ = child.wait();
    }
    if let Some(folder) = folder {
        // The folder may be gone already.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Creates an empty folder that only its owner can access.
fn new_folder() -> Result<PathBuf, CliError> {
    let temporary = std::env::temp_dir();
    // The daemon refuses some folders as roots.
    let is_good = temporary.as_os_str().len() <= SHORT && root::allowed(temporary.join("project")).is_some();
    let temporary = if is_good { temporary } else { PathBuf::from("/tmp") };
    for number in 0..NAMES {
        let folder = temporary.join(format!("editd-demo-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(fs::canonicalize(folder)?),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(CliError::at(&folder, &error)
                    .with_hint("the demo needs a temporary folder; TMPDIR selects its location"));
            }
        }
    }
    Err(CliError::at(&temporary, &io::Error::other("all names for a temporary folder are taken")))
}
