//! A program on a terminal whose screen can be read, in a separate tmux server.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::{Machine, PATIENCE, TESTERS, need};

/// Columns and lines.
const SIZE: (&str, &str) = ("100", "30");

pub(crate) struct Tmux {
    folder: TempDir,
}

impl Tmux {
    /// Runs a command in `folder` with the environment of a machine.
    pub(crate) fn start(machine: &Machine, folder: &Path, command: &[&str]) -> Self {
        need("tmux", "tmux");
        let tmux = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let mut starting =
            tmux.command(&["-f", "/dev/null", "new-session", "-d", "-x", SIZE.0, "-y", SIZE.1]);
        starting.arg("-c").arg(folder).args(command).envs(machine.surroundings());
        for name in TESTERS.into_iter().chain(["TMUX"]) {
            starting.env_remove(name);
        }
        let started = starting.output().expect("tmux can be run");
        assert!(started.status.success(), "tmux: {}", String::from_utf8_lossy(&started.stderr));
        tmux
    }

    /// Types keys by their tmux names, such as `Enter`, `Escape` and `Space`, or plain text.
    pub(crate) fn keys(&self, keys: &[&str]) {
        self.run(&[&["send-keys"], keys].concat());
    }

    pub(crate) fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Waits until the screen contains this text.
    pub(crate) fn sees(&self, text: &str) -> String {
        self.until(&format!("{text:?} is shown"), |screen| screen.contains(text))
    }

    /// Waits until the screen no longer contains this text.
    pub(crate) fn sees_no(&self, text: &str) -> String {
        self.until(&format!("{text:?} is no longer shown"), |screen| !screen.contains(text))
    }

    fn until(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            let screen = self.screen();
            if condition(&screen) {
                return screen;
            }
            assert!(
                std::time::Instant::now() < deadline,
                "timeout waiting until {what}; the screen:\n{screen}"
            );
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("tmux can be run");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.socket()).args(arguments);
        command
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("tmux")
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command(&["kill-server"]).output();
    }
}
