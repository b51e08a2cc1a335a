//! Fault injection into the daemon's system calls with strace.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::system::{need, need_root, text_of};
use super::{PATIENCE, eventually};

/// A fault in the k-th call of a kind. strace counts calls per thread, and a single thread does all the work
/// of one commit.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'a> {
    pub(crate) call: &'a str,
    /// `error=EIO`, `signal=SIGKILL`, `retval=0`.
    pub(crate) what: &'a str,
    /// `3`, or `1+` for all.
    pub(crate) when: String,
    /// If set, only calls on this file.
    pub(crate) path: Option<PathBuf>,
}

impl<'a> Fault<'a> {
    pub(crate) fn kill(call: &'a str, k: usize) -> Self {
        Self { call, what: "signal=SIGKILL", when: k.to_string(), path: None }
    }

    pub(crate) fn error(call: &'a str, what: &'a str, k: usize) -> Self {
        Self { call, what, when: k.to_string(), path: None }
    }

    /// Injects the same fault into every call.
    pub(crate) fn always(call: &'a str, what: &'a str) -> Self {
        Self { call, what, when: "1+".to_owned(), path: None }
    }

    fn options(faults: &[Self], traced: &[&str]) -> Vec<String> {
        let mut calls: Vec<&str> =
            faults.iter().map(|fault| fault.call).chain(traced.iter().copied()).collect();
        calls.dedup();
        let mut options =
            vec!["-f".to_owned(), "-y".to_owned(), "-e".to_owned(), format!("trace={}", calls.join(","))];
        for Self { call, what, when, path } in faults {
            options.extend(["-e".to_owned(), format!("inject={call}:{what}:when={when}")]);
            options.extend(path.iter().flat_map(|path| ["-P".to_owned(), text_of(path).to_owned()]));
        }
        options
    }
}

/// A running strace that is attached to a process.
pub(crate) struct Strace {
    tracer: Child,
    folder: TempDir,
}

impl Strace {
    /// Attaches to a process. On return, the faults are active.
    pub(crate) fn attach(to: Pid, faults: &[Fault<'_>], traced: &[&str]) -> Self {
        need_root();
        need("strace", "strace");
        for _ in 0..20 {
            let strace = Self::try_attach(to, faults, traced);
            if is_traced(to) {
                return strace;
            }
            // A thread started in the meantime, and may be the relevant one.
            drop(strace);
        }
        panic!("strace could not attach to all threads of the daemon");
    }

    fn try_attach(to: Pid, faults: &[Fault<'_>], traced: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("strace");
        command.args(Fault::options(faults, traced)).arg("-o").arg(folder.path().join("trace"));
        // Write to a file: if the reader of a pipe is gone, strace dies when it reports a new thread.
        let messages = folder.path().join("messages");
        command
            .args(["-p", &to.as_raw_nonzero().to_string()])
            .stderr(File::create(&messages).expect("a file"));
        let strace = command.spawn().expect("strace can be run");
        eventually("strace to trace the daemon", || {
            fs::read_to_string(&messages).ok()?.contains("attached").then_some(())
        });
        Self { tracer: strace, folder }
    }

    /// Detaches, or waits for strace to exit if its process has ended. Returns the trace.
    pub(crate) fn finish(mut self, has_ended: bool) -> Trace {
        if !has_ended {
            kill_process(Pid::from_child(&self.tracer), Signal::TERM).ok();
        }
        self.until_ended();
        Trace::read(&self.folder.path().join("trace"))
    }

    /// Waits for strace to exit. strace hangs if it receives SIGTERM while the last thread of its process
    /// exits; then it is killed, which detaches the remaining threads.
    fn until_ended(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(2);
        while self.tracer.try_wait().expect("a child's state").is_none() {
            if Instant::now() > deadline {
                self.tracer.kill().ok();
                self.tracer.wait().ok();
                return;
            }
            sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Strace {
    fn drop(&mut self) {
        kill_process(Pid::from_child(&self.tracer), Signal::TERM).ok();
        self.until_ended();
    }
}

/// Returns `true` if every thread of a process is traced.
fn is_traced(process: Pid) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero())).expect("its threads");
    let status =
        |thread: std::io::Result<fs::DirEntry>| fs::read_to_string(thread.ok()?.path().join("status")).ok();
    threads.filter_map(status).all(|status| !status.contains("TracerPid:\t0\n"))
}

/// Returns a command that runs `command` under strace from its start. The spawned process is the command
/// itself, not strace.
pub(crate) fn under_strace(command: &Command, faults: &[Fault<'_>], log: &Path) -> Command {
    need_root();
    need("strace", "strace");
    let mut traced = Command::new("strace");
    traced.arg("-D").args(Fault::options(faults, &[])).arg("-o").arg(log);
    traced.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    traced.current_dir(command.get_current_dir().unwrap_or(Path::new("/")));
    traced
}

/// Output of strace.
pub(crate) struct Trace(String);

impl Trace {
    fn read(log: &Path) -> Self {
        Self(String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned())
    }

    /// Returns `true` if a fault was injected. A call in which the process was killed has no result.
    pub(crate) fn has_fault(&self) -> bool {
        self.0.contains("(INJECTED)")
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.lines()
    }

    /// Returns the file of a line: the path after the first descriptor.
    pub(crate) fn file_of(line: &str) -> Option<&str> {
        let (_, rest) = line.split_once('<')?;
        rest.split_once('>').map(|(file, _)| file)
    }
}

/// Waits until a process exits or `also` is true. Returns `true` if the process has exited.
pub(crate) fn ended(child: &mut Child, also: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if child.try_wait().expect("a child's state").is_some() {
            return true;
        }
        if also() {
            return false;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} for a start or an exit");
        sleep(Duration::from_millis(1));
    }
}
