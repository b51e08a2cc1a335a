//! A daemon with separate folders, all on one file system.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tempfile::TempDir;

use super::client::Client;

pub(crate) struct Machine {
    pub(crate) base: TempDir,
    pub(crate) daemon: Child,
}

impl Machine {
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

    pub(crate) fn socket(&self) -> PathBuf {
        self.base.path().join("run/agent.sock")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("files")
    }

    /// Opens a session on a socket with one root.
    pub(crate) fn session(author: &str, socket: &Path, root: &Path) -> Client {
        let mut client = Client::connect(socket);
        let folders = json!([{ "uri": format!("file://{}", root.display()), "name": "files" }]);
        let client_info = json!({ "name": author });
        client.call("initialize", &json!({ "clientInfo": client_info, "workspaceFolders": folders }));
        client
    }
}

/// Returns the program to measure: `$EDITD_PROGRAM`, to compare versions, else the one that was built.
pub(crate) fn program() -> OsString {
    std::env::var_os("EDITD_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_editd").into())
}

/// Returns a command for `editd` with a subcommand, configured for the daemon of these folders.
pub(crate) fn command(base: &Path, name: &str) -> Command {
    let mut command = Command::new(program());
    command.arg(name);
    let folders = [("HOME", "home"), ("EDITD_STATE_DIR", "state"), ("EDITD_RUNTIME_DIR", "run")];
    command.envs(folders.map(|(variable, name)| (variable, base.join(name))));
    command.env("EDITD_CONFIG", base.join("config.toml"));
    command
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
