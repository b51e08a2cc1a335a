//! Sessions with a daemon, and its use of the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::client::Client;
use crate::corpus::KB;
use crate::daemon::machine::command;
pub(crate) use crate::daemon::machine::{Machine, program};

impl Machine {
    pub(crate) fn start() -> Self {
        Self::configured("")
    }

    /// Returns a command for `editd` with a subcommand, configured for this daemon.
    pub(crate) fn command(&self, name: &str) -> Command {
        command(self.base.path(), name)
    }

    pub(crate) fn state(&self) -> String {
        self.base.path().join("state").display().to_string()
    }

    /// Opens a session with the files as its root.
    pub(crate) fn client(&self) -> Client {
        self.client_named("bench")
    }

    /// Opens an editor session with the files as its root.
    pub(crate) fn editor(&self) -> Client {
        Self::session("editor", &self.base.path().join("run/editor.sock"), &self.root())
    }

    pub(crate) fn client_named(&self, author: &str) -> Client {
        Self::session(author, &self.socket(), &self.root())
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

/// Waits until the system has written back and freed the data of an edit of a file of this size, so that it
/// does not affect the next measurement.
pub(crate) fn settle(size: usize) {
    std::thread::sleep(Duration::from_millis(3) + Duration::from_micros(2) * (size / KB) as u32);
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
