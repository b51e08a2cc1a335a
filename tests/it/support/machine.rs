//! A machine of a test's own: home, state, sockets, configuration, and the daemon on it.

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

/// Variables of the tester's own surroundings that would change what is tested: none of them reaches a program.
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

/// What a test's configuration says unless the test says otherwise. The short idle time lets a daemon end by
/// itself whose test was killed.
const DEFAULTS: &[(&str, &str)] =
    &[("review", "\"off\""), ("durability", "\"process\""), ("idle_exit", "\"60s\"")];

pub(crate) struct Machine {
    base: TempDir,
    /// Where the state folder is, if not with the rest.
    state: Option<PathBuf>,
    serving: Option<Child>,
}

impl Machine {
    /// With the daemon running.
    pub(crate) fn start() -> Self {
        Self::configured("")
    }

    pub(crate) fn configured(config: &str) -> Self {
        let mut machine = Self::asleep(config);
        machine.serve();
        machine
    }

    /// Without a daemon. `config` is TOML; keys it does not name have a test's defaults.
    pub(crate) fn asleep(config: &str) -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        let machine = Self { base, state: None, serving: None };
        fs::create_dir(machine.home()).expect("a home folder");
        let mut text = String::new();
        for (key, value) in DEFAULTS {
            if !config.lines().any(|line| line.starts_with(key)) {
                writeln!(text, "{key} = {value}").expect("a string takes all");
            }
        }
        machine.write_config(&(text + config));
        machine
    }

    /// Moves the state folder elsewhere, before the first start.
    pub(crate) fn keep_state_in(&mut self, folder: &Path) {
        self.state = Some(folder.to_owned());
    }

    /// Exactly this text, parsable or not.
    pub(crate) fn write_config(&self, text: &str) {
        fs::create_dir_all(self.base.path().join("config")).expect("a folder for the configuration");
        fs::write(self.config_file(), text).expect("a configuration");
    }

    /// The user's path rules, exactly this text.
    pub(crate) fn write_policy(&self, text: &str) {
        fs::write(self.policy_file(), text).expect("a policy");
        // Whatever the tester's umask is.
        fs::set_permissions(self.policy_file(), fs::Permissions::from_mode(0o600)).expect("a mode");
    }

    /// Runs the daemon in the foreground of a child process and waits until it answers.
    pub(crate) fn serve(&mut self) {
        self.serving = Some(self.spawn_daemon());
        eventually("the daemon's socket to answer", || {
            let status = self.serving.as_mut().and_then(|child| child.try_wait().expect("a child's state"));
            assert!(status.is_none(), "the daemon ended at its start: {status:?}\n{}", self.log());
            std::os::unix::net::UnixStream::connect(self.agent_socket()).ok()
        });
    }

    /// One `editd serve`, its output in the machine's log.
    pub(crate) fn spawn_daemon(&self) -> Child {
        self.spawn(self.serve_command())
    }

    /// Starts the daemon with faults from its first call on; whether it got as far as to answer.
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

    /// Waits for the daemon to end by itself.
    pub(crate) fn until_ended(&mut self) -> ExitStatus {
        let child = self.serving.as_mut().expect("a daemon to wait for");
        eventually("the daemon to end", || child.try_wait().expect("a child's state"))
    }

    pub(crate) fn is_serving(&mut self) -> bool {
        self.serving.as_mut().is_some_and(|child| child.try_wait().expect("a child's state").is_none())
    }

    pub(crate) fn terminate(&self) {
        let child = self.serving.as_ref().expect("a daemon to end");
        kill_process(Pid::from_child(child), Signal::TERM).expect("a signal can be sent");
    }

    /// A session in `workspace` by an author of the usual name.
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

    /// A person's session in `workspace`.
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

    /// The binary with this machine's surroundings and none of the tester's.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_editd"));
        command.args(arguments).current_dir(self.home()).envs(self.surroundings());
        for name in TESTERS {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn surroundings(&self) -> [(&'static str, PathBuf); 5] {
        [
            ("HOME", self.home()),
            ("EDITD_STATE_DIR", self.state()),
            ("EDITD_RUNTIME_DIR", self.runtime()),
            ("EDITD_CONFIG", self.config_file()),
            ("TERM", PathBuf::from("xterm-256color")),
        ]
    }

    /// Runs a command to its end, away from any terminal.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = assert_cmd::Command::from_std(self.command(arguments));
        command.write_stdin(input).timeout(PATIENCE).output().expect("editd can be run")
    }

    /// The process ids of the daemons that serve this machine.
    pub(crate) fn daemons(&self) -> Vec<Pid> {
        self.processes()
            .into_iter()
            .filter(|(_, line)| line.contains(&"serve".to_owned()))
            .map(|it| it.0)
            .collect()
    }

    /// Every process of the binary that knows this machine's state folder, with its arguments.
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

    /// The most memory that the daemon ever had, in KiB.
    pub(crate) fn peak(&self) -> u64 {
        let pid = self.daemons()[0].as_raw_nonzero();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.path().join("home")
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
