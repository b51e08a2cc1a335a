//! An isolated machine for a test: home, state, sockets, configuration, and the daemon.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use super::strace::{Fault, ended, under_strace};
use super::{Agent, Framing, Outcome, PATIENCE, Wire, Workspace, eventually};

/// Variables of the tester's environment that could affect the tests. They are removed for every started
/// program.
pub(crate) const TESTERS: [&str; 9] = [
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "EDITD_AUTHOR",
    "NO_COLOR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

/// Configuration values that a test does not set. The short idle time ends daemons of killed tests.
const DEFAULTS: &[(&str, &str)] =
    &[("review", "\"off\""), ("durability", "\"process\""), ("idle_exit", "\"60s\"")];

pub(crate) struct Machine {
    base: TempDir,
    /// Path of the state folder, if it is not inside `base`.
    state: Option<PathBuf>,
    serving: Option<Child>,
}

impl Machine {
    /// Creates a machine with a running daemon.
    pub(crate) fn start() -> Self {
        Self::configured("")
    }

    pub(crate) fn configured(config: &str) -> Self {
        let mut machine = Self::asleep(config);
        machine.serve();
        machine
    }

    /// Creates a machine without a daemon. `config` is TOML; missing keys have the defaults for tests.
    pub(crate) fn asleep(config: &str) -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        let machine = Self { base, state: None, serving: None };
        fs::create_dir(machine.home()).expect("a home folder");
        fs::create_dir(machine.temporary()).expect("a folder for temporary files");
        let mut text = String::new();
        for (key, value) in DEFAULTS {
            if !config.lines().any(|line| line.starts_with(key)) {
                writeln!(text, "{key} = {value}").expect("writing to a string succeeds");
            }
        }
        machine.write_config(&(text + config));
        machine
    }

    /// Moves the state folder. Call this before the first start.
    pub(crate) fn keep_state_in(&mut self, folder: &Path) {
        self.state = Some(folder.to_owned());
    }

    /// Writes exactly this text as the configuration, valid or not.
    pub(crate) fn write_config(&self, text: &str) {
        fs::create_dir_all(self.base.path().join("config")).expect("a folder for the configuration");
        fs::write(self.config_file(), text).expect("a configuration");
    }

    /// Writes exactly this text as the user's path rules.
    pub(crate) fn write_policy(&self, text: &str) {
        fs::write(self.policy_file(), text).expect("a policy");
        // Independent of the tester's umask.
        fs::set_permissions(self.policy_file(), fs::Permissions::from_mode(0o600)).expect("a mode");
    }

    /// Runs the daemon in the foreground of a child process and waits until it answers.
    pub(crate) fn serve(&mut self) {
        self.serving = Some(self.spawn_daemon());
        eventually("the daemon's socket to answer", || {
            let status = self.serving.as_mut().and_then(|child| child.try_wait().expect("a child's state"));
            assert!(status.is_none(), "the daemon exited at startup: {status:?}\n{}", self.log());
            std::os::unix::net::UnixStream::connect(self.agent_socket()).ok()
        });
    }

    /// Like [`Machine::serve`], with changed variables; `None` removes one.
    pub(crate) fn serve_with(&mut self, variables: &[(&str, Option<&Path>)]) {
        let mut command = self.serve_command();
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.serving = Some(self.spawn(command));
        eventually("the daemon's socket to answer", || {
            std::os::unix::net::UnixStream::connect(self.agent_socket()).ok()
        });
    }

    /// Like [`Machine::serve`], without the capabilities of root to read and write all files. It stops the daemon that
    /// is running.
    pub(crate) fn serve_without_privileges(&mut self) {
        if self.serving.is_some() {
            self.crash();
        }
        let serve = self.serve_command();
        let mut command = Command::new("setpriv");
        command.arg("--bounding-set=-dac_override,-dac_read_search");
        command.arg(serve.get_program()).args(serve.get_args());
        command.envs(self.surroundings());
        self.serving = Some(self.spawn(command));
        eventually("the daemon's socket to answer", || {
            std::os::unix::net::UnixStream::connect(self.agent_socket()).ok()
        });
    }

    /// Spawns `editd serve`, with its output in the machine's log.
    pub(crate) fn spawn_daemon(&self) -> Child {
        self.spawn(self.serve_command())
    }

    /// Starts the daemon with fault injection from its first system call. Returns `true` if it accepts
    /// connections.
    pub(crate) fn serve_under(&mut self, faults: &[Fault<'_>]) -> bool {
        let command = under_strace(&self.serve_command(), faults, &self.base.path().join("start.trace"));
        let mut child = self.spawn(command);
        let socket = self.agent_socket();
        let answers = !ended(&mut child, || std::os::unix::net::UnixStream::connect(&socket).is_ok());
        self.serving = answers.then_some(child);
        answers
    }

    fn serve_command(&self) -> Command {
        let mut command = self.command(&["serve", "--state-dir"]);
        command.arg(self.state()).arg("--runtime-dir").arg(self.runtime());
        command
    }

    fn spawn(&self, mut command: Command) -> Child {
        let log = File::options().create(true).append(true).open(self.log_file()).expect("a log");
        command.stdin(Stdio::null()).stderr(log.try_clone().expect("a second handle")).stdout(log);
        command.spawn().expect("editd can be run")
    }

    /// Kills the daemon as a crash would.
    pub(crate) fn crash(&mut self) {
        let mut child = self.serving.take().expect("a daemon to kill");
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(self.serving.as_ref().expect("a daemon"))
    }

    /// Stops the daemon until [`resume`](Self::resume). A signal reaches the threads one after the other, so this
    /// waits for all of them.
    pub(crate) fn pause(&self) {
        kill_process(self.pid(), Signal::STOP).expect("it can be stopped");
        let tasks = format!("/proc/{}/task", self.pid().as_raw_nonzero());
        let is_stopped = |task: fs::DirEntry| {
            let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T'))
        };
        eventually("the daemon to stand still", || {
            let mut tasks = fs::read_dir(&tasks).expect("its threads").flatten();
            tasks.all(is_stopped).then_some(())
        });
    }

    /// Lets the daemon continue after [`pause`](Self::pause).
    pub(crate) fn resume(&self) {
        kill_process(self.pid(), Signal::CONT).expect("it can be continued");
    }

    /// Waits for the daemon to exit.
    pub(crate) fn until_ended(&mut self) -> ExitStatus {
        let child = self.serving.as_mut().expect("a daemon to wait for");
        eventually("the daemon to exit", || child.try_wait().expect("a child's state"))
    }

    pub(crate) fn is_serving(&mut self) -> bool {
        self.serving.as_mut().is_some_and(|child| child.try_wait().expect("a child's state").is_none())
    }

    pub(crate) fn terminate(&self) {
        let child = self.serving.as_ref().expect("a daemon to end");
        kill_process(Pid::from_child(child), Signal::TERM).expect("a signal can be sent");
    }

    /// Opens a session in `workspace` by the default author.
    pub(crate) fn agent(&self, workspace: &Workspace) -> Agent {
        self.agent_named("alice", workspace)
    }

    pub(crate) fn agent_named(&self, name: &str, workspace: &Workspace) -> Agent {
        self.agent_with(workspace.session(name))
    }

    pub(crate) fn agent_with(&self, session: Value) -> Agent {
        let mut agent = Agent::connect(self, Framing::Lines);
        agent.initialize(session).done();
        agent
    }

    /// Opens a user's editor session in `workspace`.
    pub(crate) fn editor(&self, workspace: &Workspace) -> Agent {
        let mut editor = Agent::connect_as_editor(self);
        editor.initialize(workspace.session("person")).done();
        editor
    }

    /// Kills the daemon and starts another.
    pub(crate) fn restart(&mut self) {
        self.crash();
        self.serve();
    }

    pub(crate) fn wire(&self, framing: Framing) -> Wire {
        Wire::connect(&self.agent_socket(), framing)
    }

    /// Returns a command for the binary, with the environment of this machine and without the tester's
    /// variables.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_editd"));
        command.args(arguments).current_dir(self.home()).envs(self.surroundings());
        for name in TESTERS {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn surroundings(&self) -> [(&'static str, PathBuf); 6] {
        [
            ("HOME", self.home()),
            ("TMPDIR", self.temporary()),
            ("EDITD_STATE_DIR", self.state()),
            ("EDITD_RUNTIME_DIR", self.runtime()),
            ("EDITD_CONFIG", self.config_file()),
            ("TERM", PathBuf::from("xterm-256color")),
        ]
    }

    /// Runs a command to completion, without a terminal.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        command.write_stdin(input).timeout(PATIENCE).output().expect("editd can be run")
    }

    /// Returns the process ids of the daemons that serve this machine.
    pub(crate) fn daemons(&self) -> Vec<Pid> {
        self.processes()
            .into_iter()
            .filter(|(_, line)| line.contains(&"serve".to_owned()))
            .map(|it| it.0)
            .collect()
    }

    /// Returns every process of the binary that uses this machine's state folder, with its arguments.
    fn processes(&self) -> Vec<(Pid, Vec<String>)> {
        let state = self.state().into_os_string().into_encoded_bytes();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let Some(pid) =
                entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw)
            else {
                continue;
            };
            let read = |name| fs::read(entry.path().join(name)).unwrap_or_default();
            let (line, environment) = (read("cmdline"), read("environ"));
            let words: Vec<String> = line
                .split(|&byte| byte == 0)
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect();
            let is_editd = Path::new(&words[0]).file_name().is_some_and(|name| name == "editd");
            let ours = |bytes: &[u8]| bytes.windows(state.len()).any(|window| window == state);
            if is_editd && (ours(&line) || ours(&environment)) {
                found.push((pid, words));
            }
        }
        found
    }

    /// Returns the peak memory usage of the daemon, in KiB.
    pub(crate) fn peak(&self) -> u64 {
        let pid = self.daemons()[0].as_raw_nonzero();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.path().join("home")
    }

    /// The folder for temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.base.path().join("tmp")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| self.base.path().join("state"))
    }

    pub(crate) fn runtime(&self) -> PathBuf {
        self.base.path().join("run")
    }

    pub(crate) fn config_file(&self) -> PathBuf {
        self.base.path().join("config/config.toml")
    }

    pub(crate) fn policy_file(&self) -> PathBuf {
        self.config_file().with_file_name("policy.toml")
    }

    pub(crate) fn agent_socket(&self) -> PathBuf {
        self.runtime().join("agent.sock")
    }

    pub(crate) fn editor_socket(&self) -> PathBuf {
        self.runtime().join("editor.sock")
    }

    fn log_file(&self) -> PathBuf {
        self.base.path().join("serve.log")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(mut child) = self.serving.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        for (pid, _) in self.processes() {
            let _ = kill_process(pid, Signal::KILL);
        }
        if std::thread::panicking() {
            let _ = writeln!(std::io::stderr(), "--- the daemon's output ---\n{}", self.log());
        }
    }
}
