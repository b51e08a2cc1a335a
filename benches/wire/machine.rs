//! A daemon with separate folders, all on one file system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tempfile::TempDir;

use crate::client::Client;
use crate::corpus::KB;

pub(crate) struct Machine {
    base: TempDir,
    daemon: Child,
}

impl Machine {
    pub(crate) fn start() -> Self {
        Self::configured("")
    }

    /// Starts a daemon. `config` is TOML that is appended to the top-level settings.
    pub(crate) fn configured(config: &str) -> Self {
        // On a disk, where the usual temporary folder often is not. Outside of this project, because a daemon does
        // not start with a configuration in one.
        let base = tempfile::Builder::new().prefix("w").tempdir_in("/var/tmp").expect("a folder");
        // A repository makes the files a project, which the command line uses as the root.
        for name in ["home", "files/.git/objects", "files/.git/refs"] {
            fs::create_dir_all(base.path().join(name)).expect("a folder");
        }
        fs::write(base.path().join("files/.git/HEAD"), "ref: refs/heads/main\n").expect("a repository");
        let text = format!("review = \"off\"\nidle_exit = \"60s\"\n{config}");
        fs::write(base.path().join("config.toml"), text).expect("a configuration");
        let daemon = command(base.path(), "serve")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the daemon can be run");
        let machine = Self { base, daemon };
        let deadline = Instant::now() + Duration::from_secs(10);
        while std::os::unix::net::UnixStream::connect(machine.socket()).is_err() {
            assert!(Instant::now() < deadline, "the daemon does not answer");
            std::thread::sleep(Duration::from_micros(100));
        }
        machine
    }

    /// Returns a command for `editd` with a subcommand, configured for this daemon.
    pub(crate) fn command(&self, name: &str) -> Command {
        command(self.base.path(), name)
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.base.path().join("run/agent.sock")
    }

    pub(crate) fn state(&self) -> String {
        self.base.path().join("state").display().to_string()
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("files")
    }

    /// Opens a session with the files as its root.
    pub(crate) fn client(&self) -> Client {
        self.client_named("bench")
    }

    /// Opens an editor session with the files as its root.
    pub(crate) fn editor(&self) -> Client {
        self.session("editor", &self.base.path().join("run/editor.sock"))
    }

    pub(crate) fn client_named(&self, author: &str) -> Client {
        self.session(author, &self.socket())
    }

    fn session(&self, author: &str, socket: &Path) -> Client {
        let mut client = Client::connect(socket);
        let root = format!("file://{}", self.root().display());
        let folders = json!([{ "uri": root, "name": "files" }]);
        let client_info = json!({ "name": author });
        client.call("initialize", &json!({ "clientInfo": client_info, "workspaceFolders": folders }));
        client
    }

    /// Writes a file to the root.
    pub(crate) fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.root().join(name);
        fs::write(&path, text).expect("a file");
        path
    }

    /// Returns the daemon's resident memory, in bytes.
    pub(crate) fn resident(&self) -> u64 {
        resident(self.daemon.id())
    }

    /// Returns the resident memory of the daemon's parsers, in bytes.
    pub(crate) fn resident_of_parsers(&self) -> u64 {
        let id = self.daemon.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let threads = fs::read_dir(format!("/proc/{id}/task")).expect("a running daemon").flatten();
        let of_thread =
            |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let all: String = threads.map(of_thread).chain([children]).collect::<Vec<_>>().join(" ");
        let ids: std::collections::BTreeSet<u32> =
            all.split_whitespace().filter_map(|id| id.parse().ok()).collect();
        ids.into_iter().map(resident).sum()
    }

    /// Waits until the daemon's memory usage is stable, which means that it is idle.
    pub(crate) fn await_quiet(&self) {
        let mut before = 0;
        while before != self.resident() {
            before = self.resident();
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    /// Returns the number of folders that the daemon watches.
    pub(crate) fn watches(&self) -> usize {
        let infos = fs::read_dir(Path::new("/proc").join(self.daemon.id().to_string()).join("fdinfo"));
        let infos = infos.expect("a running daemon").flatten();
        let watched = |info: fs::DirEntry| {
            let text = fs::read_to_string(info.path()).unwrap_or_default();
            text.lines().filter(|line| line.starts_with("inotify ")).count()
        };
        infos.map(watched).sum()
    }
}

/// Returns the program to measure: `$EDITD_PROGRAM`, to compare versions, else the one that was built.
pub(crate) fn program() -> OsString {
    std::env::var_os("EDITD_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_editd").into())
}

fn command(base: &Path, name: &str) -> Command {
    let mut command = Command::new(program());
    command.arg(name);
    let folders = [("HOME", "home"), ("EDITD_STATE_DIR", "state"), ("EDITD_RUNTIME_DIR", "run")];
    command.envs(folders.map(|(variable, name)| (variable, base.join(name))));
    command.env("EDITD_CONFIG", base.join("config.toml"));
    command
}

/// Waits until the system has written back and freed the data of an edit of a file of this size, so that it
/// does not affect the next measurement.
pub(crate) fn settle(size: usize) {
    std::thread::sleep(Duration::from_millis(3) + Duration::from_micros(2) * (size / KB) as u32);
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn resident(pid: u32) -> u64 {
    let statm = fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("statm"));
    let statm = statm.expect("a running daemon");
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number");
    pages * rustix::param::page_size() as u64
}

/// Raises the limit of open files, because a thousand connections need as many descriptors on this side.
pub(crate) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
