use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::cli::{Complaint, root};
use crate::daemon::Places;
use crate::transport::{Client, ConnectError, Identity, Spawn};
use crate::workspace::Role;

/// How long the daemon may take until it answers, and how often that is tried.
const START: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_millis(5);
/// How many names are tried for the folder.
const NAMES: u32 = 100;
/// Longest path of the folder that holds ours: those of sockets have little room.
const SHORT: usize = 60;
/// A daemon whose demo was killed does not stay for long.
const CONFIG: &str = "idle_exit = \"60s\"\nreview = \"auto\"\n";
/// What a user may have set that must not reach anything here.
const FOREIGN: [&str; 6] =
    ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "EDITD_LOG", "CLICOLOR_FORCE"];

/// A folder with a project in it, and a daemon of its own. Nothing of it outlives the demo.
pub(super) struct Stage {
    folder: PathBuf,
    keep: bool,
    /// What runs; nothing more is started once it is over.
    running: Mutex<Option<Vec<Child>>>,
}

impl Stage {
    /// Makes the folder and starts the daemon.
    pub(super) fn set(keep: bool) -> Result<Arc<Self>, Complaint> {
        let folder = new_folder()?;
        let stage = Arc::new(Self { folder, keep, running: Mutex::new(Some(Vec::new())) });
        for name in ["home", "shop"] {
            fs::create_dir(stage.folder.join(name))?;
        }
        fs::write(stage.config(), CONFIG)?;
        stage.start_daemon()?;
        Ok(stage)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder that is worked in.
    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("shop")
    }

    fn config(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    fn places(&self) -> Places {
        Places { state_dir: self.folder.join("state"), runtime_dir: self.folder.join("run") }
    }

    /// This program, as somebody would run it who has only what is here.
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

    /// Runs it, to be ended with all the rest.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<()> {
        let mut running = self.running.lock();
        let running = running.as_mut().ok_or_else(|| io::Error::other("the demo is over"))?;
        running.push(command.spawn()?);
        Ok(())
    }

    /// Waits for what was started last.
    pub(super) fn wait(&self) -> io::Result<()> {
        let last = self.running.lock().as_mut().and_then(Vec::pop);
        last.map_or(Ok(()), |mut child| child.wait().map(drop))
    }

    fn start_daemon(&self) -> Result<(), Complaint> {
        let mut command = self.command(&["serve"])?;
        // In a group of its own, so that Ctrl-C is this process's alone to deal with.
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

    /// A session of an agent in the project.
    pub(super) fn agent(&self, name: &str) -> Result<Client, ConnectError> {
        let identity =
            Identity { name: name.to_owned(), roots: vec![self.project()], new_file: false, session: None };
        Client::connect_as(&self.places(), Role::Agent, Spawn::Forbidden, &identity)
    }

    /// Ends all that runs and takes the folder away, once.
    pub(super) fn end(&self) {
        clear(&mut self.running.lock(), (!self.keep).then_some(&self.folder));
    }

    /// The same, and the process with it. Nobody else gets to say that everything is gone.
    pub(super) fn end_with(&self, code: i32) {
        let mut running = self.running.lock();
        clear(&mut running, (!self.keep).then_some(&self.folder));
        std::process::exit(code);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.end();
    }
}

fn clear(running: &mut Option<Vec<Child>>, folder: Option<&PathBuf>) {
    for mut child in running.take().into_iter().flatten().rev() {
        // What has ended already needs no ending.
        let _ = child.kill();
        let _ = child.wait();
    }
    if let Some(folder) = folder {
        // Gone at the second call.
        let _ = fs::remove_dir_all(folder);
    }
}

/// An empty folder that only its owner can look into.
fn new_folder() -> Result<PathBuf, Complaint> {
    let temporary = std::env::temp_dir();
    // An agent may not work just anywhere.
    let is_good = temporary.as_os_str().len() <= SHORT && root::allowed(temporary.join("project")).is_some();
    let temporary = if is_good { temporary } else { PathBuf::from("/tmp") };
    for number in 0..NAMES {
        let folder = temporary.join(format!("editd-demo-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(fs::canonicalize(folder)?),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(Complaint::at(&folder, &error)
                    .with_hint("the demo needs a folder for a minute; TMPDIR says where"));
            }
        }
    }
    Err(Complaint::at(&temporary, &io::Error::other("no name is left for a folder")))
}
