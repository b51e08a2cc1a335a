//! Faults in the daemon's calls of the kernel, put there by strace.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use super::system::{need, need_root, text_of};
use super::{PATIENCE, eventually};

/// A fault in the k-th call of a kind. strace counts for each thread by itself, and one thread does all the
/// work of one commit.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'a> {
    pub(crate) call: &'a str,
    /// `error=EIO`, `signal=SIGKILL`, `retval=0`.
    pub(crate) what: &'a str,
    /// `3`, or `1+` for all.
    pub(crate) when: String,
    /// Only calls about this file, if any.
    pub(crate) path: Option<PathBuf>,
}

impl<'a> Fault<'a> {
    pub(crate) fn kill(call: &'a str, k: usize) -> Self {
        Self { call, what: "signal=SIGKILL", when: k.to_string(), path: None }
    }

    pub(crate) fn error(call: &'a str, what: &'a str, k: usize) -> Self {
        Self { call, what, when: k.to_string(), path: None }
    }

    /// The same answer to every call.
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

/// strace at work on a process.
pub(crate) struct Strace {
    tracer: Child,
    folder: TempDir,
}

impl Strace {
    /// Attaches to a process; on return the faults are in force.
    pub(crate) fn attach(to: Pid, faults: &[Fault<'_>], traced: &[&str]) -> Self {
        need_root();
        need("strace", "strace");
        for _ in 0..20 {
            let strace = Self::try_attach(to, faults, traced);
            if is_traced(to) {
                return strace;
            }
            // A thread began meanwhile, and it may be the one that matters.
            drop(strace);
        }
        panic!("strace never gets hold of all threads of the daemon");
    }

    fn try_attach(to: Pid, faults: &[Fault<'_>], traced: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("strace");
        command.args(Fault::options(faults, traced)).arg("-o").arg(folder.path().join("trace"));
        // To a file: a pipe that nobody reads to the end would end strace when it tells of a new thread.
        let said = folder.path().join("said");
        command.args(["-p", &to.as_raw_nonzero().to_string()]).stderr(File::create(&said).expect("a file"));
        let strace = command.spawn().expect("strace can be run");
        eventually("strace to trace the daemon", || {
            fs::read_to_string(&said).ok()?.contains("attached").then_some(())
        });
        Self { tracer: strace, folder }
    }

    /// Detaches, or waits for the end of strace if its process has ended; gives what was traced.
    pub(crate) fn finish(mut self, has_ended: bool) -> Trace {
        if !has_ended {
            kill_process(Pid::from_child(&self.tracer), Signal::TERM).ok();
        }
        self.until_ended();
        Trace::read(&self.folder.path().join("trace"))
    }

    /// strace hangs if it is told to end while the last thread of its process does. Then it is killed, which lets
    /// go of whatever is left.
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

/// Whether every thread of a process is traced.
fn is_traced(process: Pid) -> bool {
    let threads = fs::read_dir(format!("/proc/{}/task", process.as_raw_nonzero())).expect("its threads");
    let status =
        |thread: std::io::Result<fs::DirEntry>| fs::read_to_string(thread.ok()?.path().join("status")).ok();
    threads.filter_map(status).all(|status| !status.contains("TracerPid:\t0\n"))
}

/// Puts a command under strace from its start. The process that is started is the command itself.
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

/// What was traced.
pub(crate) struct Trace(String);

impl Trace {
    fn read(log: &Path) -> Self {
        Self(String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned())
    }

    /// Whether a fault was put into a call. A call in which the process was killed has no result.
    pub(crate) fn has_fault(&self) -> bool {
        self.0.contains("(INJECTED)")
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.0.lines()
    }

    /// The file of a line: what stands behind the first descriptor.
    pub(crate) fn file_of(line: &str) -> Option<&str> {
        let (_, rest) = line.split_once('<')?;
        rest.split_once('>').map(|(file, _)| file)
    }
}

/// How long a process is waited for that a fault may have ended.
pub(crate) fn ended(child: &mut Child, also: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if child.try_wait().expect("a child's state").is_some() {
            return true;
        }
        if also() {
            return false;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} for a start or an end");
        sleep(Duration::from_millis(1));
    }
}
